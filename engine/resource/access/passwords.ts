/**
 * Checks the password of a user.
 *
 * Owns: the steps of a check. It takes an attempt, compares the password off this thread, and returns the attempt.
 * Leaves out: hashing (secrets.ts), counting attempts (login-throttle.ts).
 *
 * 1. An unknown user, a disabled user and a wrong password get the same answer after the same time.
 * 2. Users who signed in from this address before are checked before waiting strangers, so strangers cannot lock them
 *    out.
 * 3. The record after the comparison counts. A user who was disabled meanwhile, or got another password, is refused.
 */
import type { PlanDeps } from '../plan.js'
import type { PasswordRecord, UserRecord } from '../records.js'
import type { ResourceState } from '../state.js'
import { LoginThrottle } from './login-throttle.js'
import type { RefusedSignIns } from './refused-sign-ins.js'
import { unmatchedPassword, PasswordHasher } from './secrets.js'

export class Passwords {
  readonly #state: ResourceState
  readonly #hasher: PasswordHasher
  readonly #throttle: LoginThrottle
  /** Compared where there is no such user. */
  readonly #unmatched: PasswordRecord
  readonly #refused: Pick<RefusedSignIns, 'add'> | null

  /** `refused` records each wrong name or password. */
  constructor(
    state: ResourceState,
    { clock, random, passwordCost }: Pick<PlanDeps, 'clock' | 'random' | 'passwordCost'>,
    refused: Pick<RefusedSignIns, 'add'> | null,
  ) {
    this.#state = state
    this.#refused = refused
    this.#hasher = new PasswordHasher(random, passwordCost)
    this.#throttle = new LoginThrottle(clock)
    this.#unmatched = unmatchedPassword(random, passwordCost)
  }

  /** A record that no password matches. */
  get none(): PasswordRecord {
    return this.#unmatched
  }

  /** The record of a password. Rejects with too_many_attempts. */
  hash(password: string): Promise<PasswordRecord> {
    return this.#hasher.hash(password)
  }

  /** The enabled user with that name and password, or null. Rejects with too_many_attempts. */
  async check(username: string, password: string, address: string): Promise<UserRecord | null> {
    const attempt = this.#throttle.take(username, address)
    const record = this.#state.users.get(username)?.password ?? this.#unmatched
    let matches: boolean
    try {
      matches = await this.#hasher.matches(password, record, attempt.isTrusted)
    } catch (error) {
      attempt.cancel()
      throw error
    }
    const user = this.#state.users.get(username)
    if (!matches || user === undefined || user.password !== record || !user.enabled) {
      this.#refused?.add(user === undefined ? '' : username, address)
      return null
    }
    attempt.succeed()
    return user
  }
}
