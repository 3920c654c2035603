/**
 * Pseudonyms for the names in one answer. A name has the same pseudonym within the answer, and another one in the next.
 *
 * A pseudonym is a keyed hash of the name: HMAC-SHA-256, cut to 48 bits. The key is drawn for the answer and thrown
 * away with it, so likely names cannot be tried against the hash.
 */
import { createHmac } from 'node:crypto'

const HEX_CHARS = 12

export class Pseudonyms {
  readonly #key: Uint8Array
  readonly #kind: string
  readonly #names = new Map<string, string>()

  /** Pseudonyms begin with `kind`. `key` has at least 16 random bytes. */
  constructor(kind: string, key: Uint8Array) {
    this.#kind = kind
    this.#key = key
  }

  of(name: string): string {
    let pseudonym = this.#names.get(name)
    if (pseudonym === undefined) {
      const hash = createHmac('sha256', this.#key).update(this.#kind).update('\0').update(name).digest('hex')
      this.#names.set(name, (pseudonym = `${this.#kind}_${hash.slice(0, HEX_CHARS)}`))
    }
    return pseudonym
  }
}
