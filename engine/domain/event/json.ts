/**
 * JSON without losses: numbers are kept as they were written (S31), and a repeated key is told.
 *
 * Owns: reading and writing JSON texts, and the number with its text. Leaves out: the bytes of bodies (body-*.ts), how
 * much of a text may be parsed (json-size.ts, json-names.ts).
 *
 * 1. A number that a double writes back as it came is a number. Any other is a WrittenNumber: `9007199254740993`,
 *    `1.0`, `1e3`, `-0`. It is an object, so code that tells objects by `typeof` asks isJsonObject here.
 * 2. JSON.parse reads all but the few texts that need more: one walk over the text tells which these are.
 * 3. `parseJson` takes what JSON.parse takes. It refuses only a number beyond the largest double, with its place (S46).
 *    Of a key that is given twice in one object the last value counts, at the place of the first.
 * 4. Neither function is recursive over the depth of a text. `writeJson` is, as JSON.stringify is.
 */
import { Refusal } from '../../errors.js'

/** A number of a JSON text that a double does not write back. */
export class WrittenNumber {
  /** As it was written. */
  readonly text: string
  /** The nearest double. */
  readonly value: number

  constructor(text: string, value = Number(text)) {
    this.text = text
    this.value = value
  }

  toString(): string {
    return this.text
  }

  valueOf(): number {
    return this.value
  }

  /** JSON.stringify loses digits, so writeJson writes again what holds such a number. */
  toJSON(): number {
    met = true
    return this.value
  }
}

/** JSON.stringify came by a WrittenNumber. */
let met = false

/** Where a value is: names of fields, and places in lists. */
export type JsonPath = readonly (string | number)[]

/** Is told the place of a key that its object has already, the value that does not count, and the one that does. */
export type OnRepeated = (path: JsonPath, before: unknown, after: unknown) => void

/** True for an object with fields: neither a list nor a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
}

/** A number of JSON as its double. */
export function doubleOf(value: number | WrittenNumber): number {
  return typeof value === 'number' ? value : value.value
}

/** The number that a numeral of JSON means, in the form that keeps its digits. Beyond the largest double: infinite. */
export function numberOfText(text: string): number | WrittenNumber {
  const value = Number(text)
  return isWrittenBack(text, value) || !Number.isFinite(value) ? value : new WrittenNumber(text, value)
}

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BIG_E = 0x45
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const SMALL_E = 0x65
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Any decimal of so many digits is the shortest one of its double. */
const DIGITS_MAX = 15
/** From so many places behind the point on, a double is written with an exponent. */
const PLACES_MAX = 6

/** True for a numeral that its double writes back. */
function isWrittenBack(text: string, value: number): boolean {
  return isPlain(text, 0, text.length) || String(value) === text
}

/** True for most of those numerals, without writing the double. */
function isPlain(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  if (end - first > DIGITS_MAX + 1) return false
  let point = -1
  for (let at = first; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT) point = at
    else if (code > NINE) return false
  }
  if (point < 0) return end - first <= DIGITS_MAX && (first === start || text.charCodeAt(first) !== ZERO)
  if (text.charCodeAt(end - 1) === ZERO) return false
  if (text.charCodeAt(first) !== ZERO) return true
  for (let at = point + 1; at <= point + PLACES_MAX && at < end; at++) if (text.charCodeAt(at) !== ZERO) return true
  return false
}

/**
 * The value of a JSON text. `repeated` is called for each key that an object has already.
 * @throws SyntaxError for what is no JSON; Refusal number_too_large.
 */
export function parseJson(text: string, repeated?: OnRepeated): unknown {
  const names = namesOfUsual(text)
  if (names >= 0) {
    const value: unknown = JSON.parse(text)
    if (repeated === undefined || countNames(value) === names) return value
  }
  return new Parser(text, repeated).parse()
}

/** How many names of fields are in a text all of whose numbers are written back; -1 for any other text. */
function namesOfUsual(text: string): number {
  const { length } = text
  let names = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at + 1)
    else if (code === COLON) names++
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at)
      if (!isPlain(text, at, end)) {
        const numeral = text.slice(at, end)
        if (!isWrittenBack(numeral, Number(numeral))) return -1
      }
      at = end - 1
    }
  }
  return names
}

/** A call that finds a quote costs more than looking at so many characters. */
const NEAR = 32

/** The place of the quote that closes a string, or the end of the text. */
export function endOfText(text: string, from: number): number {
  const near = Math.min(text.length, from + NEAR)
  let at = from
  for (; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let before = quote
    while (before > at && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((quote - before) % 2 === 0) return quote
    at = quote + 1
  }
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isOfNumber =
      (code >= ZERO && code <= NINE) ||
      code === DOT ||
      code === SMALL_E ||
      code === BIG_E ||
      code === PLUS ||
      code === MINUS
    if (!isOfNumber) break
  }
  return at
}

function countNames(root: unknown): number {
  const open: unknown[] = [root]
  let names = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object' && value[i] !== null) open.push(value[i])
      continue
    }
    for (const name in value) {
      names++
      const inner = (value as Record<string, unknown>)[name]
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return names
}

const NUMERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const CONTROL = /[\0-\x1f]/

/** Reads a text that needs more than JSON.parse. */
class Parser {
  readonly #text: string
  readonly #repeated: OnRepeated | undefined
  #at = 0
  /** The objects and lists that are open, from the outermost on, and the name that each object waits for a value of. */
  readonly #open: (Record<string, unknown> | unknown[])[] = []
  readonly #names: string[] = []

  constructor(text: string, repeated: OnRepeated | undefined) {
    this.#text = text
    this.#repeated = repeated
  }

  parse(): unknown {
    for (;;) {
      const value = this.#begin()
      const whole = value === undefined ? undefined : this.#end(value)
      if (whole === undefined) continue
      this.#space()
      return this.#at < this.#text.length ? this.#fail() : whole
    }
  }

  /** Puts a value into its container, and that one into its own where it ends. Undefined before the end of all. */
  #end(scalar: unknown): unknown {
    let value = scalar
    while (this.#open.length > 0) {
      this.#add(value)
      const isList = Array.isArray(this.#open.at(-1))
      const next = this.#space()
      this.#at++
      if (next === COMMA) {
        if (!isList) this.#name()
        return undefined
      }
      if (next !== (isList ? CLOSE_BRACKET : CLOSE_BRACE)) this.#fail()
      value = this.#close()
    }
    return value
  }

  /** A value that is complete; undefined where an object or a list with content begins. */
  #begin(): unknown {
    const code = this.#space()
    if (code === OPEN_BRACE) {
      this.#at++
      this.#open.push({})
      this.#names.push('')
      if (this.#space() === CLOSE_BRACE) {
        this.#at++
        return this.#close()
      }
      this.#name()
      return undefined
    }
    if (code === OPEN_BRACKET) {
      this.#at++
      this.#open.push([])
      this.#names.push('')
      if (this.#space() !== CLOSE_BRACKET) return undefined
      this.#at++
      return this.#close()
    }
    if (code === QUOTE) return this.#string()
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number()
    for (const [word, value] of literals)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    return this.#fail()
  }

  #close(): unknown {
    this.#names.pop()
    return this.#open.pop()
  }

  #add(value: unknown): void {
    const container = this.#open.at(-1) as Record<string, unknown> | unknown[]
    if (Array.isArray(container)) {
      container.push(value)
      return
    }
    const name = this.#names.at(-1) as string
    if (this.#repeated !== undefined && Object.hasOwn(container, name))
      this.#repeated(this.#path(this.#open.length), container[name], value)
    if (name === '__proto__')
      Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
    else container[name] = value
  }

  /** Reads a name and its colon. */
  #name(): void {
    if (this.#space() !== QUOTE) this.#fail()
    this.#names[this.#names.length - 1] = this.#string()
    if (this.#space() !== COLON) this.#fail()
    this.#at++
  }

  #string(): string {
    const start = this.#at
    const end = endOfText(this.#text, start + 1)
    const inside = this.#text.slice(start + 1, end)
    if (end >= this.#text.length || CONTROL.test(inside)) this.#fail()
    this.#at = end + 1
    return inside.includes('\\') ? (JSON.parse(`"${inside}"`) as string) : inside
  }

  #number(): number | WrittenNumber {
    NUMERAL.lastIndex = this.#at
    const found = NUMERAL.exec(this.#text)
    if (found === null) return this.#fail()
    const value = numberOfText(found[0])
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      // What is no JSON is refused as that.
      JSON.parse(this.#text)
      throw numberTooLarge(this.#path(this.#open.length))
    }
    this.#at += found[0].length
    return value
  }

  /** The place of the value that is read. */
  #path(depth: number): JsonPath {
    return this.#open
      .slice(0, depth)
      .map((container, i) => (Array.isArray(container) ? container.length : (this.#names[i] as string)))
  }

  /** The code of the next character that is no white space; NaN at the end. */
  #space(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
      this.#at++
    }
  }

  /** Whatever this does not take, JSON.parse does not take, and says so better. */
  #fail(): never {
    JSON.parse(this.#text)
    throw new SyntaxError(`no JSON at position ${this.#at}`)
  }
}

const literals = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const

/** The refusal of a number that no double is near to, at a place of a body. */
export function numberTooLarge(path: JsonPath): Refusal {
  const msg = 'Input should be a number of at most 1.8e308, the largest of 64 bits'
  const place = path
    .slice(0, PLACE_PARTS_MAX)
    .map((part) => (typeof part === 'string' ? part.slice(0, PLACE_CHARS_MAX) : part))
  const at = path.length === 0 ? '' : ` at \`${place.join('.')}\``
  return new Refusal('number_too_large', `there is a number beyond 1.8e308, the largest of 64 bits${at}`, {
    issues: [{ loc: ['body', ...place], msg, type: 'number_too_large' }],
  })
}

/** Of a place that is told: its first parts, and the first characters of each. */
const PLACE_PARTS_MAX = 64
const PLACE_CHARS_MAX = 128

/** The JSON text of plain data, as JSON.stringify gives it, with numbers as they were written. */
export function writeJson(value: unknown, indent?: number): string {
  met = false
  const text = JSON.stringify(value, null, indent)
  if (!met) return text
  return written(value, '', indent === undefined ? '' : ' '.repeat(indent)) as string
}

/** Undefined for what JSON has no value for. `margin`: what a line of the value begins with. */
function written(value: unknown, margin: string, step: string): string | undefined {
  if (value instanceof WrittenNumber) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => written(item, margin + step, step) ?? 'null')
    return framed('[]', items, margin, step)
  }
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return written((toJSON as () => unknown).call(value), margin, step)
  const fields: string[] = []
  for (const name of Object.keys(value)) {
    const text = written((value as Record<string, unknown>)[name], margin + step, step)
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${step === '' ? '' : ' '}${text}`)
  }
  return framed('{}', fields, margin, step)
}

function framed(ends: '[]' | '{}', parts: readonly string[], margin: string, step: string): string {
  const [begin, end] = ends
  if (parts.length === 0) return ends
  if (step === '') return begin + parts.join(',') + end
  const line = `\n${margin}${step}`
  return `${begin}${line}${parts.join(`,${line}`)}\n${margin}${end}`
}
