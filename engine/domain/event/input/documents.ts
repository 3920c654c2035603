/**
 * JSON documents in bytes: one, several one after another, lines of them, a list, lists in a list (S36, S38).
 *
 * Owns: where a document begins and ends, and where reading goes on after a broken one. Leaves out: charsets
 * (text-bytes.ts), what a document means.
 *
 * 1. Between documents stand blanks, line ends of any kind, NUL, a record separator (RFC 7464), a byte order mark, a
 *    comma, or nothing. A document may have any number of lines.
 * 2. The items of a list are documents, and so are those of a list in a list; but a list of texts and numbers in a list
 *    is one document.
 * 3. A broken document does not keep the others away. It ends where its brackets close, or before a line that begins a
 *    document where it cannot go on. If neither is there, reading goes on at the next line that begins a document and
 *    is not indented further than the broken one.
 * 4. Each byte is looked at three times at most: what was open when a document broke off breaks off at the same place.
 * 5. A stream is read in pieces: `next` says when it needs more bytes.
 * 6. Browsers run this, too.
 */

import { Refusal } from '../../../errors.js'
import { parseJson } from '../json.js'
import { RepeatedKeys, type RepeatedKey } from './repeated-key.js'
import { exactTextOf, isUtf8, textOf } from './text-bytes.js'

/** A document, or a piece that is none. */
export interface FoundDocument {
  readonly start: number
  readonly end: number
  /** Why it is no JSON, as far as its structure shows; null: it may be. */
  readonly problem: string | null
  /** Where in the bytes the problem is. */
  readonly at: number
}

const [TAB, LF, CR, RECORD_SEPARATOR, SPACE] = [0x09, 0x0a, 0x0d, 0x1e, 0x20]
const [QUOTE, COMMA, MINUS, ZERO, NINE, COLON] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a]
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d]
const [SMALL_A, SMALL_Z] = [0x61, 0x7a]
const [MARK_A, MARK_B, MARK_C] = [0xef, 0xbb, 0xbf]

/** What may come next inside of a document. */
const [VALUE, VALUE_OR_END, AFTER_VALUE, NAME, NAME_OR_END, AFTER_NAME] = [0, 1, 2, 3, 4, 5]

/** A line whose beginning is further away counts as not indented. */
const INDENT_LOOK = 1_024

/** Brackets that are open at a time: a deeper document is no document. */
const OPEN_MAX = 10_000

const TOO_DEEP = 'it is nested too deep'
const NOT_CLOSED = 'it has no end'

const words = ['true', 'false', 'null'].map((word) => Uint8Array.from(word, (character) => character.charCodeAt(0)))

/** True for what begins as a number does, and for a word of JSON. */
function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] as number
  if (first === MINUS) return isDigit(bytes[start + 1])
  if (isDigit(first)) return true
  return words.some((word) => word.length === end - start && word.every((code, at) => bytes[start + at] === code))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

/** Blanks of JSON, and what else stands between documents, but for a byte order mark. */
function isBetween(byte: number | undefined): boolean {
  return (
    byte === SPACE ||
    byte === LF ||
    byte === CR ||
    byte === TAB ||
    byte === COMMA ||
    byte === 0 ||
    byte === RECORD_SEPARATOR
  )
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR || byte === 0
}

function isMark(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === MARK_A && bytes[at + 1] === MARK_B && bytes[at + 2] === MARK_C
}

export class DocumentScanner {
  readonly #depthMax: number
  /** Lists that are open around the next document. */
  #lists = 0
  /** Where the brackets of the current document opened. */
  readonly #open: number[] = []
  /** What was open where the last document broke off, up to that place: nothing that begins there ends. */
  #broken: ReadonlySet<number> = new Set()
  #brokenUntil = 0
  /** Where the current document ends; how far a broken one was followed. */
  #end = 0
  /** Where reading goes on. */
  at = 0
  /** Values in the documents so far. */
  values = 0

  /** Documents nested deeper than `depthMax` are broken. */
  constructor(depthMax: number) {
    this.#depthMax = depthMax
  }

  /** The next document is in a list. */
  get isInList(): boolean {
    return this.#lists > 0
  }

  /** Bytes before `from` are gone: the next ones begin with those from there on. */
  moved(from: number): void {
    this.at -= from
    this.#broken = new Set([...this.#broken].map((open) => open - from))
    this.#brokenUntil -= from
  }

  /**
   * The next document, from `at` on; null at the end. `more`: it needs more bytes. `isLast`: no more come. The same
   * bytes from `at` on must stay until then.
   */
  next(bytes: Uint8Array, isLast: boolean): FoundDocument | 'more' | null {
    for (;;) {
      this.#skipBetween(bytes)
      const start = this.at
      const byte = bytes[start]
      if (byte === undefined) return isLast ? this.#ended(start) : 'more'
      if (byte === MARK_A && !isLast && start + 3 > bytes.length) return 'more'
      const frame = this.#frameAt(bytes, start, isLast)
      if (frame === 'more') return 'more'
      if (frame === 'passed') {
        this.at++
        continue
      }
      return byte === OPEN_OBJECT || byte === OPEN_LIST
        ? this.#container(bytes, start, isLast)
        : this.#scalar(bytes, start, isLast)
    }
  }

  /** Passes a bracket of a list around documents, and one that is known to lead nowhere. */
  #frameAt(bytes: Uint8Array, start: number, isLast: boolean): 'more' | 'passed' | null {
    const byte = bytes[start]
    if (byte === CLOSE_LIST && this.#lists > 0) {
      this.#lists--
      return 'passed'
    }
    if (start < this.#brokenUntil && this.#broken.has(start)) return 'passed'
    if (byte !== OPEN_LIST) return null
    const inside = this.#insideOf(bytes, start)
    if (inside === undefined && !isLast) return 'more'
    const isOfDocuments = inside === OPEN_OBJECT || inside === OPEN_LIST || inside === CLOSE_LIST
    if ((this.#lists > 0 && !isOfDocuments) || this.#lists >= this.#depthMax) return null
    this.#lists++
    return 'passed'
  }

  /** A list that has no end is told once. */
  #ended(at: number): FoundDocument | null {
    if (this.#lists === 0) return null
    this.#lists = 0
    return { start: at, end: at, problem: 'the list has no end', at }
  }

  #skipBetween(bytes: Uint8Array): void {
    let { at } = this
    for (;;) {
      if (isBetween(bytes[at])) at++
      else if (isMark(bytes, at)) at += 3
      else break
    }
    this.at = at
  }

  /** The first byte inside a list; undefined if it has not come yet. */
  #insideOf(bytes: Uint8Array, start: number): number | undefined {
    let at = start + 1
    while (isBetween(bytes[at])) at++
    return bytes[at]
  }

  #found(start: number, end: number): FoundDocument {
    this.at = end
    return { start, end, problem: null, at: start }
  }

  /**
   * Text, number or word at the place of a document. Outside of lists it has to end its line, so that it is no text.
   */
  #scalar(bytes: Uint8Array, start: number, isLast: boolean): FoundDocument | 'more' {
    const first = bytes[start] as number
    let end = start
    if (first === QUOTE) {
      const close = this.#closingQuote(bytes, start + 1)
      if (close >= bytes.length && !isLast) return 'more'
      if (bytes[close] === QUOTE) end = close + 1
    } else if (first === MINUS || (first >= ZERO && first <= NINE) || (first >= SMALL_A && first <= SMALL_Z)) {
      end = this.#endOfWord(bytes, start)
      if (end >= bytes.length && !isLast) return 'more'
    }
    const ends = end > start && (this.#lists > 0 || this.#endsLine(bytes, end, isLast))
    if (ends === 'more') return 'more'
    if (ends) {
      this.values++
      return this.#found(start, end)
    }
    end = this.#endOfGarbage(bytes, start)
    if (end >= bytes.length && !isLast) return 'more'
    this.at = end
    return { start, end, problem: 'it is not JSON', at: start }
  }

  /** Only documents and blanks follow up to the end of the line. */
  #endsLine(bytes: Uint8Array, end: number, isLast: boolean): boolean | 'more' {
    let at = end
    while (isBetween(bytes[at]) && !isLineEnd(bytes[at])) at++
    const next = bytes[at]
    if (next === undefined) return isLast || 'more'
    return isLineEnd(next) || next === OPEN_OBJECT || next === OPEN_LIST || next === QUOTE
  }

  /** A bracket that is too many ends at once. In a list garbage ends before the next item, elsewhere with its line. */
  #endOfGarbage(bytes: Uint8Array, start: number): number {
    const first = bytes[start]
    let at = start + 1
    if (first === CLOSE_OBJECT || first === CLOSE_LIST || first === COLON) return at
    while (at < bytes.length && !isLineEnd(bytes[at])) {
      const byte = bytes[at]
      const isOfList = byte === COMMA || byte === CLOSE_LIST || byte === OPEN_OBJECT || byte === OPEN_LIST
      if (this.#lists > 0 && isOfList) break
      at++
    }
    return at
  }

  #endOfWord(bytes: Uint8Array, start: number): number {
    let at = start
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (
        isBetween(byte) ||
        byte === QUOTE ||
        byte === COLON ||
        byte === OPEN_LIST ||
        byte === CLOSE_LIST ||
        byte === OPEN_OBJECT ||
        byte === CLOSE_OBJECT
      )
        break
    }
    return at
  }

  /** The place of the quote that closes a text, or of a line break that no text has, or the end of the bytes. */
  #closingQuote(bytes: Uint8Array, from: number): number {
    const { length } = bytes
    let at = from
    for (; at < length; at++) {
      const byte = bytes[at]
      if (byte === QUOTE || byte === LF || byte === CR) return at
      if (byte === BACKSLASH && bytes[at + 1] !== LF && bytes[at + 1] !== CR) at++
    }
    return length
  }

  /** An object, or a list that is a document. */
  #container(bytes: Uint8Array, start: number, isLast: boolean): FoundDocument | 'more' {
    const { values } = this
    const fault = this.#walk(bytes, start)
    const end = this.#end
    if (fault === null) return this.#found(start, end)
    if (end >= bytes.length && this.#open.length > 0 && !isLast) {
      this.values = values
      return 'more'
    }
    const next = this.#open.length === 0 || fault.isNext ? end : this.#nextStart(bytes, start, isLast)
    if (next === null) {
      this.values = values
      return 'more'
    }
    this.at = next
    if (next === bytes.length && this.#open.length > 0) this.#lists = 0
    return { start, end: next, problem: fault.problem, at: fault.at }
  }

  /**
   * Follows a document from its first bracket to the one that closes it, and notes where that is in `#end`. Returns the
   * first thing that is no JSON. If brackets do not close, they are left in `#open`. `isNext`: the next document begins
   * where it ends.
   */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the bytes of a document
  #walk(bytes: Uint8Array, start: number): Fault | null {
    const open = this.#open
    open.length = 0
    let fault: Fault | null = null
    let expected = VALUE
    let indent: number | undefined
    const wrong = (at: number, problem = 'it is not JSON', isNext = false): void => {
      if (fault === null || isNext) fault = { problem: fault?.problem ?? problem, at: fault?.at ?? at, isNext }
    }
    let at = start
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte === SPACE || byte === LF || byte === CR || byte === TAB) continue
      switch (byte) {
        case QUOTE: {
          const close = this.#closingQuote(bytes, at + 1)
          if (bytes[close] !== QUOTE) {
            this.#end = close
            wrong(at, close >= bytes.length ? NOT_CLOSED : 'a text has no end in its line')
            return fault
          }
          if (expected === NAME || expected === NAME_OR_END) expected = AFTER_NAME
          else if (expected <= VALUE_OR_END) expected = this.#valueEnds()
          else wrong(at)
          at = close
          break
        }
        case OPEN_OBJECT:
        case OPEN_LIST:
          if (expected > VALUE_OR_END) {
            const blanks = blanksBefore(bytes, at)
            if (blanks >= 0 && blanks <= (indent ??= indentOf(bytes, start))) {
              wrong(at, NOT_CLOSED, true)
              this.#end = at
              return fault
            }
            wrong(at)
          }
          this.values++
          open.push(at)
          if (open.length > this.#depthMax) wrong(at, TOO_DEEP)
          if (open.length > OPEN_MAX) {
            this.#end = at
            return fault
          }
          expected = byte === OPEN_OBJECT ? NAME_OR_END : VALUE_OR_END
          break
        case CLOSE_OBJECT:
        case CLOSE_LIST: {
          const opening = byte - 2
          if (bytes[open.at(-1) as number] !== opening) {
            wrong(at)
            this.#end = at
            return fault
          }
          if (expected !== AFTER_VALUE && expected !== (byte === CLOSE_LIST ? VALUE_OR_END : NAME_OR_END)) wrong(at)
          open.pop()
          expected = AFTER_VALUE
          if (open.length === 0) {
            this.#end = at + 1
            return fault
          }
          break
        }
        case COMMA:
          if (expected !== AFTER_VALUE) wrong(at)
          expected = bytes[open.at(-1) as number] === OPEN_OBJECT ? NAME : VALUE
          break
        case COLON:
          if (expected !== AFTER_NAME) wrong(at)
          expected = VALUE
          break
        default: {
          const end = Math.max(at + 1, this.#endOfWord(bytes, at))
          if (expected > VALUE_OR_END || !isWord(bytes, at, end)) wrong(at)
          expected = this.#valueEnds()
          at = end - 1
        }
      }
    }
    this.#end = bytes.length
    wrong(bytes.length, NOT_CLOSED)
    return fault
  }

  #valueEnds(): number {
    this.values++
    return AFTER_VALUE
  }

  /**
   * Where reading goes on after a document from `start` that broke off (3); the end of the bytes for nowhere; null if
   * it needs more of them.
   */
  #nextStart(bytes: Uint8Array, start: number, isLast: boolean): number | null {
    const open: ReadonlySet<number> = new Set(this.#open)
    const indent = indentOf(bytes, start)
    let solid = 0
    let lineStart = false
    let blanks = 0
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (isLineEnd(byte)) {
        lineStart = true
        blanks = 0
      } else if (byte === SPACE || byte === TAB) blanks++
      else {
        const begins = byte === OPEN_OBJECT || byte === OPEN_LIST
        const mayFollow = solid !== COLON && solid !== OPEN_LIST && (solid !== COMMA || this.#lists > 0)
        if (lineStart && begins && blanks <= indent && mayFollow && !open.has(at)) {
          this.#broken = open
          this.#brokenUntil = this.#end
          return at
        }
        lineStart = false
        solid = byte
      }
    }
    return isLast ? bytes.length : null
  }
}

/** What is wrong with a document, and where. */
interface Fault {
  readonly problem: string
  readonly at: number
  readonly isNext: boolean
}

/** Blanks at the beginning of the line of a place. */
function indentOf(bytes: Uint8Array, place: number): number {
  let at = place
  const least = Math.max(0, place - INDENT_LOOK)
  while (at > least && !isLineEnd(bytes[at - 1])) at--
  if (at > 0 && !isLineEnd(bytes[at - 1])) return 0
  const start = at
  while (bytes[at] === SPACE || bytes[at] === TAB) at++
  return at - start
}

/** Blanks between the beginning of its line and a place; -1 if something else stands there, too. */
function blanksBefore(bytes: Uint8Array, place: number): number {
  let at = place
  while (at > 0 && (bytes[at - 1] === SPACE || bytes[at - 1] === TAB)) at--
  return at === 0 || isLineEnd(bytes[at - 1]) ? place - at : -1
}

/** What a document holds, and where it stands. */
export interface ReadDocument {
  readonly value: unknown
  /** Its number, from 1 on; broken ones count, too. */
  readonly number: number
  /** It has bytes that are not UTF-8, which are U+FFFD in the value. */
  readonly isOdd: boolean
  /** The same with a character for each such byte: of different bytes it is different. */
  exact(): unknown
  /** A key that was given twice; null for none. */
  readonly repeated: RepeatedKey | null
}

export interface BrokenDocument {
  readonly number: number
  /** The line that it begins in, from 1 on. */
  readonly line: number
  /** Why, and where: to be shown after its number. */
  readonly problem: string
  /** Its beginning. */
  readonly example: string
}

export interface Documents {
  readonly documents: readonly ReadDocument[]
  readonly broken: readonly BrokenDocument[]
  /** Values in all of them; documents behind the bound are not read. */
  readonly values: number
}

export interface DocumentBounds {
  readonly depthMax: number
  /** Reading stops above so many documents or values. */
  readonly documentsMax: number
  readonly valuesMax: number
}

const EXAMPLE_BYTES = 400

/** All documents in UTF-8. */
export function documentsIn(bytes: Uint8Array, { depthMax, documentsMax, valuesMax }: DocumentBounds): Documents {
  const scanner = new DocumentScanner(depthMax)
  const lines = new LineCounter()
  const documents: ReadDocument[] = []
  const broken: BrokenDocument[] = []
  const isWhole = isUtf8(bytes)
  for (;;) {
    const found = scanner.next(bytes, true)
    if (found === null || found === 'more' || scanner.values > valuesMax) break
    const number = documents.length + broken.length + 1
    if (number > documentsMax + 1) break
    const text = textOf(bytes.subarray(found.start, found.end))
    const read = found.problem === null ? parsed(text) : { problem: placed(found.problem, bytes, found) }
    if ('problem' in read) {
      const line = lines.at(bytes, found.start)
      broken.push({ number, line, problem: read.problem, example: text.slice(0, EXAMPLE_BYTES).toWellFormed() })
      continue
    }
    const { start, end } = found
    documents.push({
      value: read.value,
      repeated: read.repeated,
      number,
      isOdd: !isWhole && !isUtf8(bytes.subarray(start, end)),
      exact: () => parseJson(exactTextOf(bytes.subarray(start, end))),
    })
  }
  return { documents, broken, values: scanner.values }
}

/** The value of a JSON text, or why it has none. */
export function parsed(
  text: string,
): { readonly value: unknown; readonly repeated: RepeatedKey | null } | { readonly problem: string } {
  const keys = new RepeatedKeys()
  try {
    return { value: parseJson(text, keys.note), repeated: keys.finding }
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message }
    if (!(error instanceof SyntaxError)) throw error
    // Of engines' messages only the place is of use: the rest repeats the text.
    const at = /position (\d+)/.exec(error.message)?.[1]
    return { problem: `it is not JSON${at === undefined ? '' : ` from its character ${Number(at) + 1} on`}` }
  }
}

/** A problem with its place in the document. */
export function placed(problem: string, bytes: Uint8Array, { start, at }: FoundDocument): string {
  if (at <= start || at >= bytes.length) return problem
  return `${problem} (character ${textOf(bytes.subarray(start, at)).length + 1})`
}

/** Numbers of lines, for places that grow. */
export class LineCounter {
  #at = 0
  #line = 1
  #before: number | undefined

  at(bytes: Uint8Array, place: number): number {
    for (; this.#at < place; this.#at++) {
      const byte = bytes[this.#at]
      if (byte === CR || (byte === LF && this.#before !== CR)) this.#line++
      this.#before = byte
    }
    return this.#line
  }

  /** Bytes before `from` are gone. */
  moved(from: number): void {
    this.#at -= from
  }
}
