/**
 * Names that stand for names: the same for the same within one answer, another in the next, and no way back.
 *
 * A pseudonym is the keyed hash (HMAC-SHA-256, cut to 48 bits) of the name under a key that is drawn for the answer and
 * thrown away with it; so a list of likely names cannot be tried against it.
 */
import { createHmac } from 'node:crypto'

const HEX_CHARS = 12

export class Pseudonyms {
  readonly #key: Uint8Array
  readonly #kind: string
  readonly #names = new Map<string, string>()

  /** `kind` is what a pseudonym begins with. `key`: at least 16 random bytes. */
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
