/**
 * The form in which equal values are equal (S33): what scalars and objects count as at decision points.
 *
 * | value                     | counts as                                                       | with strict types |
 * |---------------------------|-----------------------------------------------------------------|-------------------|
 * | `4625`, `4625.0`, `4.6e3` | the number                                                      | the same          |
 * | `9007199254740993`        | its digits as a text: no double tells it from its neighbours    | digits, then `n`  |
 * | `"4625"`, `"0.5"`         | the number, where the text is spelled as this service writes it | the text          |
 * | `"04625"`, `"1.0"`        | the text: texts that differ are different values                | the text          |
 * | an object                 | its JSON text with sorted keys, without what holds nothing      | the same          |
 */
import { isJsonObject, WrittenNumber } from './json.js'
import { isNothing } from './path.js'
import type { ScalarValue } from './point-value.js'

/**
 * `loose`: a number and its text are one value. `strict`: they are two. `kept`: a text stays a text, for readers that
 * ask others for a value.
 */
export type Types = 'loose' | 'strict' | 'kept'

const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d
/** A double tells all decimals of so many digits apart. */
const DIGITS_MAX = 15
/** No double needs more digits, with a sign and a point. */
const NUMBER_CHARS_MAX = 24
const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/

/** What a text counts as. */
export function plainText(text: string, types: Types): string | number {
  if (types !== 'loose') return text
  const first = text.charCodeAt(0)
  return first <= NINE && (first >= ZERO || first === MINUS) && text.length <= NUMBER_CHARS_MAX ? numberIn(text) : text
}

/** The number that a text spells as this service writes numbers; any other text as it is. */
function numberIn(text: string): string | number {
  if (!PLAIN.test(text)) return text
  const number = Number(text)
  if (Object.is(number, -0)) return text
  const digits = text.replace(/^-?0?\.?0*/, '').replace('.', '').length
  if (digits <= DIGITS_MAX) return number
  return String(number) === text && (Number.isSafeInteger(number) || !Number.isInteger(number)) ? number : text
}

/** What a number counts as. */
export function plainNumber(given: number | WrittenNumber, types: Types): string | number {
  const value = typeof given === 'number' ? given : given.value
  // There is no minus zero.
  if (Number.isSafeInteger(value)) return value + 0
  if (!Number.isInteger(value)) return value
  const digits = (typeof given === 'number' ? null : digitsOf(given.text)) ?? (digitsOf(String(value)) as string)
  return types === 'strict' ? `${digits}n` : digits
}

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** All digits of a numeral that is a whole number; null for any other. */
function digitsOf(numeral: string): string | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMERAL.exec(numeral) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  const zeros = Number(exponent) - fraction.length + all.length - digits.length
  return zeros < 0 ? null : `${sign}${digits}${'0'.repeat(zeros)}`
}

/** At least the first `charsMax` characters of the text that an object counts as, or all of it if it is shorter. */
export function plainJson(value: object, charsMax: number, types: Types): string {
  const text = new Prefix(charsMax, types)
  text.add(value)
  return text.text
}

/** Time and memory grow with the characters that are needed, apart from the names of the objects on the way. */
class Prefix {
  text = ''
  readonly #charsMax: number
  readonly #types: Types

  constructor(charsMax: number, types: Types) {
    this.#charsMax = charsMax
    this.#types = types
  }

  add(value: unknown): void {
    if (typeof value === 'string') this.#addScalar(value.length > NUMBER_CHARS_MAX ? value : this.#plain(value))
    else if (typeof value === 'number' || value instanceof WrittenNumber)
      this.#addScalar(plainNumber(value, this.#types))
    else if (Array.isArray(value)) this.#addItems(value)
    else if (isJsonObject(value)) this.#addFields(value)
    else this.text += JSON.stringify(value)
  }

  #plain(text: string): string | number {
    return plainText(text, this.#types)
  }

  #addItems(items: readonly unknown[]): void {
    this.text += '['
    let isFirst = true
    for (let i = 0; i < items.length && !this.#isFull; i++) {
      if (isNothing(items[i])) continue
      if (!isFirst) this.text += ','
      isFirst = false
      this.add(items[i])
    }
    this.text += ']'
  }

  #addFields(fields: Readonly<Record<string, unknown>>): void {
    this.text += '{'
    let isFirst = true
    for (const name of Object.keys(fields).sort()) {
      if (this.#isFull) break
      if (isNothing(fields[name])) continue
      if (!isFirst) this.text += ','
      isFirst = false
      this.#addScalar(name)
      this.text += ':'
      this.add(fields[name])
    }
    this.text += '}'
  }

  /** A text may be cut within a surrogate pair, but only behind the last character that is needed. */
  #addScalar(value: string | number): void {
    if (typeof value === 'number') this.text += String(value)
    else this.text += JSON.stringify(value.length <= this.#charsMax ? value : value.slice(0, this.#charsMax + 1))
  }

  get #isFull(): boolean {
    return this.text.length >= this.#charsMax
  }
}

/** What a scalar counts as at a decision point; null for an empty text. */
export function plainScalar(value: string | number | boolean | WrittenNumber, types: Types): ScalarValue | null {
  if (typeof value === 'string') return value === '' ? null : plainText(value, types)
  return typeof value === 'boolean' ? value : plainNumber(value, types)
}
