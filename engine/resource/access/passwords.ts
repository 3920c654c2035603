/**
 * Who says the right password.
 *
 * Owns: the order of things: a attempt is taken, the password compared off this thread, the attempt given back. Leaves out:
 * hashing (secrets.ts), how often one may attempt (login-throttle.ts), what follows from it (users.ts, tokens.ts).
 *
 * 1. The answer to an unknown user, a disabled one and a wrong password is the same, and takes the same time.
 * 2. Who was right before, from where he is, is asked before all strangers that wait: they cannot keep him out.
 * 3. What counts is the record after the comparison: who was disabled meanwhile, or given another password, is refused.
 */
import type { PasswordRecord, UserRecord } from '../records.js'
import { LoginThrottle } from './login-throttle.js'
import type { Maker } from '../plan.js'
import type { RefusedSignIns } from './refused-sign-ins.js'
import { nobodysPassword, PasswordHasher } from './secrets.js'
import type { ResourceState } from '../state.js'

export class Passwords {
  readonly #state: ResourceState
  readonly #hasher: PasswordHasher
  readonly #throttle: LoginThrottle
  readonly #nobodys: PasswordRecord
  readonly #refused: Pick<RefusedSignIns, 'add'> | null

  /** `refused` is told of each wrong name or password that was looked at. */
  constructor(
    state: ResourceState,
    { clock, random, passwordCost }: Maker,
    refused: Pick<RefusedSignIns, 'add'> | null,
  ) {
    this.#state = state
    this.#refused = refused
    this.#hasher = new PasswordHasher(random, passwordCost)
    this.#throttle = new LoginThrottle(clock)
    this.#nobodys = nobodysPassword(random, passwordCost)
  }

  /** What is kept of a password. Rejects with too_many_attempts. */
  hash(password: string): Promise<PasswordRecord> {
    return this.#hasher.hash(password)
  }

  /** The enabled user of that name and password, or null. Rejects with too_many_attempts. */
  async check(username: string, password: string, address: string): Promise<UserRecord | null> {
    const attempt = this.#throttle.take(username, address)
    const record = this.#state.users.get(username)?.password ?? this.#nobodys
    let matches: boolean
    try {
      matches = await this.#hasher.matches(password, record, attempt.isTrusted)
    } catch (error) {
      attempt.back()
      throw error
    }
    const user = this.#state.users.get(username)
    if (!matches || user === undefined || user.password !== record || !user.enabled) {
      this.#refused?.add(user === undefined ? '' : username, address)
      return null
    }
    attempt.right()
    return user
  }
}
