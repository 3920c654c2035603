/**
 * The first characters of a value's JSON text, in time and memory that grow with them and not with the value.
 *
 * The value comes from JSON.parse or from a stored body, so it is plain data.
 */

/** At least the first `charsMax` characters of `JSON.stringify(value)`, or all of it if it is shorter. */
export function jsonPrefix(value: object, charsMax: number): string {
  const text = new Prefix(charsMax)
  text.add(value)
  return text.text
}

class Prefix {
  text = ''
  readonly #charsMax: number

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  add(value: unknown): void {
    if (typeof value === 'string') this.#addText(value)
    else if (typeof value !== 'object' || value === null) this.text += JSON.stringify(value)
    else if (Array.isArray(value)) this.#addArray(value)
    else this.#addObject(value as Record<string, unknown>)
  }

  #addArray(items: readonly unknown[]): void {
    this.text += '['
    for (let i = 0; i < items.length && !this.#isFull; i++) {
      if (i > 0) this.text += ','
      this.add(items[i])
    }
    this.text += ']'
  }

  #addObject(fields: Record<string, unknown>): void {
    this.text += '{'
    let isFirst = true
    for (const name in fields) {
      if (this.#isFull) break
      if (!isFirst) this.text += ','
      isFirst = false
      this.#addText(name)
      this.text += ':'
      this.add(fields[name])
    }
    this.text += '}'
  }

  /** A text may be cut within a surrogate pair, but only behind the last character that is needed. */
  #addText(text: string): void {
    this.text += JSON.stringify(text.length <= this.#charsMax ? text : text.slice(0, this.#charsMax + 1))
  }

  get #isFull(): boolean {
    return this.text.length >= this.#charsMax
  }
}
