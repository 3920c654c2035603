/**
 * Sign-ins under way: what a person who comes back from the provider has to prove.
 *
 * 1. Each is for one browser, by a cookie of its own, for ten minutes, and ends with the first return.
 * 2. They are bounded, and so are their paths: one more ends the oldest.
 */
import { randomBytes } from 'node:crypto'

const LIFE_MS = 10 * 60_000
const PENDING_MAX = 10_000
/** Characters of all paths to return to: anybody may begin a sign-in. */
const PATHS_CHARS_MAX = 16 << 20

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
  #chars = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Notes a sign-in and returns the value of its cookie. */
  add(signIn: PendingSignIn): string {
    const now = this.#nowMs()
    for (const [handle, { untilMs }] of this.#pending) {
      const isRoom = this.#pending.size < PENDING_MAX && this.#chars + signIn.returnTo.length <= PATHS_CHARS_MAX
      if (untilMs > now && isRoom) break
      this.#remove(handle)
    }
    const handle = randomBytes(32).toString('base64url')
    this.#pending.set(handle, { ...signIn, untilMs: now + LIFE_MS })
    this.#chars += signIn.returnTo.length
    return handle
  }

  /** The sign-in of the cookie, once; null if there is none. */
  take(handle: string): PendingSignIn | null {
    const found = this.#pending.get(handle)
    this.#remove(handle)
    return found !== undefined && found.untilMs > this.#nowMs() ? found : null
  }

  #remove(handle: string): void {
    this.#chars -= this.#pending.get(handle)?.returnTo.length ?? 0
    this.#pending.delete(handle)
  }
}

const HERE = 'http://here.invalid'

/** A path of this service to return to, with its query, as browsers send it; `/` for anything else. */
export function pathHere(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || !URL.canParse(path, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(path, HERE)
  const whole = pathname + search + hash
  // `/.//elsewhere` is resolved to what a browser takes for another host.
  return origin === HERE && !whole.startsWith('//') ? whole : '/'
}
