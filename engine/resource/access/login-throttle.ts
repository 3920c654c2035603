/**
 * How often somebody may guess a password: per user name, and per source address.
 *
 * Owns: who has how many attempts left. Leaves out: comparing passwords (secrets.ts).
 *
 * 1. A guess is taken before the password is looked at and given back when it was right, so that many at once are no way
 *    around it.
 * 2. It is the same for names that exist and names that do not.
 * 3. Who was right once, from where he was, has attempts of his own there: others that guess at his name from elsewhere
 *    do not lock him out.
 * 4. Memory only, and bounded: a start forgives. Whoever guessed last is forgotten last, and a request that is refused makes
 *    nobody forgotten.
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
  /** Microseconds for one more. */
  readonly everyMicros: number
}

const perUser: Allowance = { most: limits.loginAttemptsPerUserMax, everyMicros: limits.loginAttemptPerUserMs * 1000 }
const perAddress: Allowance = {
  most: limits.loginAttemptsPerAddressMax,
  everyMicros: limits.loginAttemptPerAddressMs * 1000,
}

/** A guess that was taken. */
export interface LoginAttempt {
  /** Whoever attempts was right before, at this address. */
  readonly isTrusted: boolean
  /** The password was right: the guess is given back, and who guessed is trusted at this address. */
  right(): void
  /** The password was not looked at: the guess is given back. */
  back(): void
}

export class LoginThrottle {
  readonly #clock: Clock
  readonly #attempts = new Map<string, Attempts>()
  readonly #trusted = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes a guess. @throws Refusal too_many_attempts, which says when the next one is there. */
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
      throw new Refusal('too_many_attempts', 'too many wrong passwords, try again later', { retryAfterSeconds })
    }
    user.left--
    from.left--
    this.#remember(userSubject, user)
    this.#remember(addressSubject, from)
    const back = (): void => {
      user.left = Math.min(perUser.most, user.left + 1)
      from.left = Math.min(perAddress.most, from.left + 1)
    }
    const right = (): void => {
      back()
      this.#trust(pair)
    }
    return { isTrusted, right, back }
  }

  /** What somebody has left now; who is not known has all of them, and is not remembered by this. */
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
