/**
 * Tokens of dry runs: what lets a second call do what the first one said.
 *
 * 1. A token is for one caller, one tool, the same arguments, and no more changes than were shown. It works once, for
 *    ten minutes, and in the process that gave it.
 * 2. Nothing is stored for a token until it is used: it carries its own proof (HMAC-SHA256).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const LIFE_MS = 10 * 60_000
/** Used tokens that are remembered at most, each until it expires. */
const USED_MAX = 10_000

/** What a token is for. */
export interface Intent {
  /** The caller: kind, name, token. */
  readonly caller: string
  readonly tool: string
  readonly input: unknown
}

export interface Minted {
  readonly token: string
  readonly expiresMs: number
}

/** What is known of a token that comes back: what it allows, or what is wrong with it. */
export type Checked = { readonly ok: true; readonly count: number } | { readonly ok: false; readonly why: string }

export class DryRuns {
  readonly #key = randomBytes(32)
  readonly #nowMs: () => number
  /** Nonces of used tokens, and when the tokens expire. */
  readonly #used = new Map<string, number>()

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs
  }

  mint(intent: Intent, count: number): Minted {
    const expiresMs = this.#nowMs() + LIFE_MS
    const head = `${randomBytes(9).toString('base64url')}.${expiresMs.toString(36)}.${count.toString(36)}`
    return { token: `${head}.${this.#mac(head, intent)}`, expiresMs }
  }

  check(token: string, intent: Intent): Checked {
    const [nonce = '', expires = '', count = '', mac = ''] = token.split('.')
    const [given, right] = [Buffer.from(mac), Buffer.from(this.#mac(`${nonce}.${expires}.${count}`, intent))]
    if (given.length !== right.length || !timingSafeEqual(given, right))
      return { ok: false, why: 'the token is not of a dry run of this call: the arguments must be the same' }
    if (Number.parseInt(expires, 36) < this.#nowMs()) return { ok: false, why: 'the token has expired' }
    if (this.#used.has(nonce)) return { ok: false, why: 'the token was used already' }
    return { ok: true, count: Number.parseInt(count, 36) }
  }

  /** Marks the token as used. False if it was used meanwhile, or too many were used in the last minutes. */
  use(token: string): boolean {
    const [nonce = '', expires = ''] = token.split('.')
    const now = this.#nowMs()
    for (const [old, until] of this.#used) if (until < now) this.#used.delete(old)
    if (this.#used.has(nonce) || this.#used.size >= USED_MAX) return false
    this.#used.set(nonce, Number.parseInt(expires, 36))
    return true
  }

  #mac(head: string, { caller, tool, input }: Intent): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([head, caller, tool, sorted(input)]))
      .digest('base64url')
  }
}

/** The same value with the fields of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)])
}
