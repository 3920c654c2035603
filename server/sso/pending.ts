/**
 * Sign-ins under way: what a person who comes back from the provider has to prove.
 *
 * 1. Each is for one browser, by a cookie of its own, for ten minutes, and ends with the first return.
 * 2. They are bounded: one more ends the oldest.
 */
import { randomBytes } from 'node:crypto'

const LIFE_MS = 10 * 60_000
const PENDING_MAX = 10_000

/** Seconds for which a browser keeps the cookie. */
export const PENDING_SECONDS = LIFE_MS / 1000

export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** A path of this service. */
  readonly returnTo: string
}

export class PendingSignIns {
  readonly #nowMs: () => number
  readonly #pending = new Map<string, PendingSignIn & { readonly untilMs: number }>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Notes a sign-in and returns the value of its cookie. */
  add(signIn: PendingSignIn): string {
    const now = this.#nowMs()
    for (const [handle, { untilMs }] of this.#pending) {
      if (untilMs > now && this.#pending.size < PENDING_MAX) break
      this.#pending.delete(handle)
    }
    const handle = randomBytes(32).toString('base64url')
    this.#pending.set(handle, { ...signIn, untilMs: now + LIFE_MS })
    return handle
  }

  /** The sign-in of the cookie, once; null if there is none. */
  take(handle: string): PendingSignIn | null {
    const found = this.#pending.get(handle)
    this.#pending.delete(handle)
    return found !== undefined && found.untilMs > this.#nowMs() ? found : null
  }
}

/** A path of this service to return to; `/` for anything else. */
export function pathHere(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,1000}$/.test(path) ? path : '/'
}
