/**
 * The scanner's position in a JSON text and in its output, and how it reads scalars and white space (body-scanner.ts).
 *
 * 1. A method returns false if the text may be invalid, or if the writer (body-writer.ts) might give other bytes. The
 *    position then means nothing.
 */
import { isUtf8 } from 'node:buffer'
import {
  putNumber,
  putNumeral,
  putVarint,
  TAG_FALSE,
  TAG_NULL,
  TAG_TEXT,
  TAG_TRUE,
  TAG_WORD,
  WORD_BYTES_MAX,
} from './body-format.js'
import { hashByte, hashBytes, hashEnd, hashStart, hashWord, viewOfBytes } from './byte-table.js'
import { BACKSLASH, closingQuote, hasTextEnd, HIGH_BITS, QUOTE, SPACE, unescapeText } from './json-text.js'
import type { Words } from './words.js'

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
/** Whole numbers of up to this many digits are exact. */
const DIGITS_MAX = 15

/** For the output: it grows where a body needs more. */
const OWN_BYTES = 1024

const literals = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
} as const

export class ScalarScanner {
  readonly #words: Words
  /** The memory that holds the text, and a view of it. */
  protected input: Buffer = Buffer.alloc(0)
  protected view = viewOfBytes(this.input)
  #start = 0
  protected pos = 0
  protected end = 0
  protected at = 0
  /** The whole text was found to be UTF-8. */
  #utf8 = false
  /** A text without its escapes. */
  #plain = Buffer.allocUnsafeSlow(1024)
  #plainView = viewOfBytes(this.#plain)
  /** The output, and that of this class; the other one is the kernel's (kernel/scan-kernel.ts). */
  #own: Buffer = Buffer.allocUnsafeSlow(OWN_BYTES)
  #ownView = viewOfBytes(this.#own)
  /** The bytes of the latest body, from 0 to `length`, valid until the next scan. */
  out: Buffer = this.#own
  #outView = this.#ownView
  length = 0

  constructor(words: Words) {
    this.#words = words
  }

  /** Begins a new text. */
  protected begin(memory: Buffer, start: number, end: number): void {
    // No value takes more than three times the bytes of its text: a float takes 9 bytes, and three characters at least.
    const room = (end - start) * 3 + 64
    if (this.#own.length < room) {
      this.#own = Buffer.allocUnsafeSlow(Math.max(room, 2 * this.#own.length))
      this.#ownView = viewOfBytes(this.#own)
    }
    this.writeTo(this.#own, this.#ownView)
    if (this.input !== memory) {
      this.input = memory
      this.view = viewOfBytes(memory)
    }
    this.#start = start
    this.pos = start
    this.end = end
    this.at = 0
    this.length = 0
    this.#utf8 = false
  }

  /** What is scanned now goes to `out`. */
  protected writeTo(out: Buffer, view: DataView): void {
    this.out = out
    this.#outView = view
  }

  /** Writes to memory of this class again, from the beginning. */
  protected writeToOwn(): void {
    this.writeTo(this.#own, this.#ownView)
    this.at = 0
  }

  /** Scans the scalar that begins here, with the byte `first`. */
  protected scalar(first: number): boolean {
    if (first === QUOTE) return this.#text()
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number()
    if (this.takes(literals.true)) return this.#tag(TAG_TRUE)
    if (this.takes(literals.false)) return this.#tag(TAG_FALSE)
    return this.takes(literals.null) && this.#tag(TAG_NULL)
  }

  #text(): boolean {
    const view = this.view
    const end = this.end
    const start = this.pos + 1
    let pos = start
    let hash = hashStart
    let high = 0
    for (; pos + 4 <= end; pos += 4) {
      const word = view.getInt32(pos, true)
      if (hasTextEnd(word) !== 0) break
      high |= word
      hash = hashWord(hash, word)
    }
    // The text ends within the next four bytes.
    const input = this.input
    for (;;) {
      if (pos >= end) return false
      const byte = input[pos] as number
      if (byte === QUOTE) break
      if (byte === BACKSLASH) return this.escapedText(start, pos)
      if (byte < SPACE) return false
      high |= byte
      hash = hashByte(hash, byte)
      pos++
    }
    if ((high & HIGH_BITS) !== 0 && !this.isUtf8()) return false
    this.pos = pos + 1
    this.#putText(view, start, pos, hashEnd(hash))
    return true
  }

  /** Scans a text with escapes, the first of them at `pos`. */
  protected escapedText(start: number, pos: number): boolean {
    const end = closingQuote(this.input, pos, this.end)
    if (end < 0 || !this.isUtf8()) return false
    if (this.#plain.length < end - start) {
      this.#plain = Buffer.allocUnsafeSlow(2 * (end - start))
      this.#plainView = viewOfBytes(this.#plain)
    }
    const length = unescapeText(this.input, start, end, this.#plain)
    if (length < 0) return false
    this.pos = end + 1
    this.#putText(this.#plainView, 0, length, hashBytes(this.#plainView, 0, length))
    return true
  }

  #putText(source: DataView, start: number, end: number, hash: number): void {
    const { out } = this
    const length = end - start
    if (length <= WORD_BYTES_MAX) {
      const word = this.#words.see(source, start, end, hash)
      if (word >= 0) {
        out[this.at++] = TAG_WORD + (word >>> 8)
        out[this.at++] = word & 0xff
        return
      }
    }
    out[this.at] = TAG_TEXT
    let at = putVarint(out, this.at + 1, length)
    const view = this.#outView
    let i = start
    for (; i + 4 <= end; i += 4, at += 4) view.setInt32(at, source.getInt32(i, true), true)
    for (; i < end; i++) out[at++] = source.getUint8(i)
    this.at = at
  }

  /** The whole text is UTF-8. */
  protected isUtf8(): boolean {
    this.#utf8 ||= isUtf8(this.input.subarray(this.#start, this.end))
    return this.#utf8
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the bytes of a number
  #number(): boolean {
    const input = this.input
    const start = this.pos
    const digitsAt = input[start] === MINUS ? start + 1 : start
    let pos = digitsAt
    let value = 0
    while (isDigit(input[pos])) value = value * 10 + (input[pos++] as number) - ZERO
    if (pos === digitsAt || (pos > digitsAt + 1 && input[digitsAt] === ZERO)) return false
    const next = input[pos]
    const whole = next !== DOT && next !== 0x65 && next !== 0x45
    if (whole && pos - digitsAt <= DIGITS_MAX && (value !== 0 || digitsAt === start)) {
      this.pos = pos
      this.at = putNumber(this.out, this.at, digitsAt > start ? -value : value)
      return true
    }
    if (next === DOT) {
      const from = ++pos
      while (isDigit(input[pos])) pos++
      if (pos === from) return false
    }
    if (input[pos] === 0x65 || input[pos] === 0x45) {
      pos++
      if (input[pos] === PLUS || input[pos] === MINUS) pos++
      const from = pos
      while (isDigit(input[pos])) pos++
      if (pos === from) return false
    }
    const at = putNumeral(this.out, this.at, input.toString('latin1', start, pos))
    if (at < 0) return false
    this.pos = pos
    this.at = at
    return true
  }

  #tag(tag: number): true {
    this.out[this.at++] = tag
    return true
  }

  /** True if these bytes, or the first `length` of them, are here. Moves behind them then. */
  protected takes(bytes: Uint8Array, length = bytes.length): boolean {
    const pos = this.pos
    if (pos + length > this.end) return false
    const input = this.input
    for (let i = 0; i < length; i++) if (input[pos + i] !== bytes[i]) return false
    this.pos = pos + length
    return true
  }

  /** Moves to the next byte that is not white space, and returns it; -1 at the end. */
  protected skipSpace(): number {
    const input = this.input
    for (let pos = this.pos; pos < this.end; pos++) {
      const byte = input[pos] as number
      if (byte > SPACE || (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.pos = pos
        return byte
      }
    }
    return -1
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}
