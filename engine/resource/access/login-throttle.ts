/**
 * Limits how often passwords can be tried: token buckets for each user name and each source address.
 *
 * Owns: the attempts that are left. Leaves out: comparing passwords (secrets.ts).
 *
 * 1. An attempt is taken before the password is compared, and returned when the password was right. So parallel
 *    requests get no more attempts.
 * 2. Existing and unknown names are treated alike.
 * 3. A user who signed in from an address has separate attempts there. Failed attempts from elsewhere do not lock the
 *    user out.
 * 4. It is in memory only and bounded; a restart resets it. The entry with the oldest attempt is forgotten first, and a
 *    refused request displaces nobody.
 */
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'

interface Attempts {
  left: number
  atMicros: number
}

interface Allowance {
  readonly most: number
  /** Microseconds until one more attempt is allowed. */
  readonly everyMicros: number
}

const perUser: Allowance = { most: limits.loginAttemptsPerUserMax, everyMicros: limits.loginAttemptPerUserMs * 1000 }
const perAddress: Allowance = {
  most: limits.loginAttemptsPerAddressMax,
  everyMicros: limits.loginAttemptPerAddressMs * 1000,
}

/** One attempt to sign in. */
export interface LoginAttempt {
  /** The user has signed in from this address before. */
  readonly isTrusted: boolean
  /** The password was right: returns the attempt, and trusts the user at this address. */
  succeed(): void
  /** The password was not compared: returns the attempt. */
  cancel(): void
}

export class LoginThrottle {
  readonly #clock: Clock
  readonly #attempts = new Map<string, Attempts>()
  readonly #trusted = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes an attempt. @throws Refusal too_many_attempts, with the time of the next one. */
  take(username: string, address: string): LoginAttempt {
    const name = username.slice(0, limits.userNameCharsMax)
    const pair = `${name} ${address}`
    const isTrusted = this.#trusted.has(pair)
    const [userSubject, addressSubject] = [isTrusted ? `pair ${pair}` : `user ${name}`, `address ${address}`]
    const user = this.#of(userSubject, perUser)
    const from = this.#of(addressSubject, perAddress)
    const wait = Math.max(waitMicros(user, perUser), waitMicros(from, perAddress))
    if (wait > 0) {
      const retryAfterSeconds = Math.max(1, Math.ceil(wait / 1e6))
      throw new Refusal('too_many_attempts', 'too many wrong passwords; try again later', { retryAfterSeconds })
    }
    user.left--
    from.left--
    this.#remember(userSubject, user)
    this.#remember(addressSubject, from)
    const cancel = (): void => {
      user.left = Math.min(perUser.most, user.left + 1)
      from.left = Math.min(perAddress.most, from.left + 1)
    }
    const succeed = (): void => {
      cancel()
      this.#trust(pair)
    }
    return { isTrusted, succeed, cancel }
  }

  /** The attempts that are left now. An unknown subject has all of them, and this call does not remember it. */
  #of(subject: string, { most, everyMicros }: Allowance): Attempts {
    const now = this.#clock.nowMicros()
    const attempts = this.#attempts.get(subject)
    if (attempts === undefined) return { left: most, atMicros: now }
    attempts.left = Math.min(most, attempts.left + Math.max(0, now - attempts.atMicros) / everyMicros)
    attempts.atMicros = now
    return attempts
  }

  #remember(subject: string, attempts: Attempts): void {
    this.#attempts.delete(subject)
    this.#attempts.set(subject, attempts)
    if (this.#attempts.size > limits.loginThrottleEntriesMax) forgetFirst(this.#attempts)
  }

  #trust(pair: string): void {
    this.#trusted.delete(pair)
    this.#trusted.add(pair)
    if (this.#trusted.size > limits.loginThrottleEntriesMax) forgetFirst(this.#trusted)
  }
}

function waitMicros({ left }: Attempts, { everyMicros }: Allowance): number {
  return left >= 1 ? 0 : (1 - left) * everyMicros
}

function forgetFirst(entries: { keys(): Iterator<string>; delete(key: string): boolean }): void {
  const first = entries.keys().next()
  if (first.done !== true) entries.delete(first.value)
}
