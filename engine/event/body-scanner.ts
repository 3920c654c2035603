/**
 * The short cut: from the JSON text of a request straight to the bytes of the body, without a single JavaScript string
 * or object in between, for bodies that look like others before them.
 *
 * Owns: what it is sure of. Leaves out: everything else. Where it meets anything unusual (a shape that is not known, an
 * escape, a field of the request beside job_id, event_id and raw_body, text that is not UTF-8, a number of many digits
 * that it cannot read exactly, any error) it says no, and the body goes the long way: JSON.parse and body-writer.ts.
 *
 * 1. It says yes only to valid JSON (RFC 8259), and its bytes are those that the long way gives
 *    (test/engine/event/body-scanner.test.ts compares the two on random and on damaged texts).
 * 2. It adds no shapes; words may be added, as on the long way.
 */
import { isUtf8 } from 'node:buffer'
import { limits } from '../limits.js'
import {
  putNumber, putVarint, TAG_ARRAY, TAG_FALSE, TAG_NULL, TAG_OBJECT, TAG_TEXT, TAG_TRUE, TAG_WORD, WORD_BYTES_MAX,
} from './body-format.js'
import type { PointNode, PointTree } from './point-tree.js'
import type { ShapeNode, ShapeTree } from './shape-tree.js'
import { HASH_PRIME, HASH_START, type Words } from './words.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
/** Whole numbers of so many digits are exact. */
const DIGITS_MAX = 15

const keys = {
  jobId: Buffer.from('job_id"'),
  eventId: Buffer.from('event_id"'),
  rawBody: Buffer.from('raw_body"'),
} as const

const literals = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
} as const

export class BodyScanner {
  readonly #shapes: ShapeTree
  readonly #words: Words
  #points: PointTree | null = null
  #in: Buffer = Buffer.alloc(0)
  #pos = 0
  #end = 0
  #at = 0
  #fieldsLeft = 0
  /** Bytes over 0x7f were met, and the whole text is known to be UTF-8. */
  #utf8 = false
  /** What was scanned last stands from 0 to `length`, until the next scan. */
  out: Buffer = Buffer.allocUnsafeSlow(64 * 1024)
  length = 0
  /** The `event_id` of the request, or null. */
  eventId: string | null = null

  constructor(shapes: ShapeTree, words: Words) {
    this.#shapes = shapes
    this.#words = words
  }

  /** Scans a request body; true where `out`, `length`, `eventId` and the points hold what it says. */
  scan(text: Buffer, points: PointTree): boolean {
    // No value takes more than three times the bytes of its text, the float of three characters included.
    if (this.out.length < text.length * 3 + 64) this.out = Buffer.allocUnsafeSlow(text.length * 3 + 64)
    this.#in = text
    this.#pos = 0
    this.#end = text.length
    this.#at = 0
    this.length = 0
    this.#fieldsLeft = limits.eventFieldsMax
    this.#utf8 = false
    this.#points = points
    this.eventId = null
    points.reset()
    return this.#request() && this.length > 0
  }

  /** `{"job_id": ..., "event_id": ..., "raw_body": {...}}` in any order, each at most once, and nothing behind it. */
  #request(): boolean {
    if (this.#skipSpace() !== OPEN_BRACE) return false
    let seen = 0
    do {
      this.#pos++
      if (this.#skipSpace() !== QUOTE) return false
      this.#pos++
      let field = 0
      if (this.#takes(keys.jobId)) field = 1
      else if (this.#takes(keys.rawBody)) field = 2
      else if (this.#takes(keys.eventId)) field = 4
      if (field === 0 || (seen & field) !== 0) return false
      seen |= field
      if (this.#skipSpace() !== COLON) return false
      this.#pos++
      const first = this.#skipSpace()
      if (field === 2) {
        if (first !== OPEN_BRACE || !this.#value((this.#points as PointTree).root, 0)) return false
        this.length = this.#at
      } else if (field === 1 ? !this.#skipScalar(first) : !this.#takeEventId(first)) return false
    } while (this.#skipSpace() === COMMA)
    if (this.#in[this.#pos] !== CLOSE_BRACE) return false
    this.#pos++
    this.#skipSpace()
    return this.#pos === this.#end
  }

  /** The job id has routed the request already; here it only has to be JSON. What it leaves in `out` is overwritten. */
  #skipScalar(first: number): boolean {
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return false
    const at = this.#at
    const known = this.#value(null, 0)
    this.#at = at
    return known
  }

  #takeEventId(first: number): boolean {
    if (first !== QUOTE) return false
    const start = this.#pos + 1
    if (!this.#skipScalar(first) || this.#pos - 1 === start) return false
    this.eventId = this.#in.toString('utf8', start, this.#pos - 1)
    return true
  }

  #value(path: PointNode | null, depth: number): boolean {
    const first = this.#skipSpace()
    if (first === QUOTE) return this.#text()
    if (first === OPEN_BRACE) return this.#object(path, depth)
    if (first === OPEN_BRACKET) return this.#array(depth)
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number()
    if (this.#takes(literals.true)) return this.#tag(TAG_TRUE)
    if (this.#takes(literals.false)) return this.#tag(TAG_FALSE)
    return this.#takes(literals.null) && this.#tag(TAG_NULL)
  }

  #object(path: PointNode | null, depth: number): boolean {
    if (depth >= limits.eventDepthMax) return false
    const points = this.#points as PointTree
    const { out } = this
    const start = this.#at
    out[start] = TAG_OBJECT
    this.#at = start + 3
    let node: ShapeNode = this.#shapes.root
    this.#pos++
    let next = this.#skipSpace()
    while (next !== CLOSE_BRACE) {
      if (next !== QUOTE) return false
      this.#pos++
      const field = this.#field(node)
      if (field === null || --this.#fieldsLeft < 0) return false
      if (this.#skipSpace() !== COLON) return false
      this.#pos++
      const step = path === null ? null : path.step(field)
      const valueAt = this.#at
      if (!this.#value(step, depth + 1)) return false
      if (step !== null) {
        if (step.flattened) return false
        points.mark(step, out, valueAt, this.#at)
      }
      node = field
      next = this.#skipSpace()
      if (next === COMMA) {
        this.#pos++
        next = this.#skipSpace()
        if (next !== QUOTE) return false
      } else if (next !== CLOSE_BRACE) return false
    }
    this.#pos++
    if (node.shape < 0) return false
    out[start + 1] = node.shape >>> 8
    out[start + 2] = node.shape & 0xff
    return true
  }

  /** The child of the node whose name stands here; the position moves behind its closing quote. */
  #field(node: ShapeNode): ShapeNode | null {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) if (this.#takes(child.key)) return child
    return null
  }

  #array(depth: number): boolean {
    if (depth >= limits.eventDepthMax) return false
    const { out } = this
    const start = this.#at
    out[start] = TAG_ARRAY
    this.#at = start + 3
    this.#pos++
    let count = 0
    let next = this.#skipSpace()
    while (next !== CLOSE_BRACKET) {
      if (--this.#fieldsLeft < 0 || !this.#value(null, depth + 1)) return false
      count++
      next = this.#skipSpace()
      if (next === COMMA) {
        this.#pos++
        next = this.#skipSpace()
        if (next === CLOSE_BRACKET) return false
      } else if (next !== CLOSE_BRACKET) return false
    }
    this.#pos++
    out[start + 1] = count >>> 8
    out[start + 2] = count & 0xff
    return true
  }

  #text(): boolean {
    const input = this.#in
    const end = this.#end
    const start = this.#pos + 1
    let pos = start
    let hash = HASH_START
    let high = 0
    for (;;) {
      if (pos >= end) return false
      const byte = input[pos] as number
      if (byte === QUOTE) break
      if (byte < SPACE || byte === BACKSLASH) return false
      high |= byte
      hash = Math.imul(hash ^ byte, HASH_PRIME)
      pos++
    }
    if (high > 0x7f && !this.#isUtf8()) return false
    this.#pos = pos + 1
    const { out } = this
    const length = pos - start
    if (length <= WORD_BYTES_MAX) {
      const word = this.#words.see(input, start, pos, hash)
      if (word >= 0) {
        out[this.#at++] = TAG_WORD + (word >>> 8)
        out[this.#at++] = word & 0xff
        return true
      }
    }
    out[this.#at] = TAG_TEXT
    let at = putVarint(out, this.#at + 1, length)
    for (let i = start; i < pos; i++) out[at++] = input[i] as number
    this.#at = at
    return true
  }

  #isUtf8(): boolean {
    this.#utf8 ||= isUtf8(this.#in)
    return this.#utf8
  }

  #number(): boolean {
    const input = this.#in
    const start = this.#pos
    const digitsAt = input[start] === MINUS ? start + 1 : start
    let pos = digitsAt
    let value = 0
    while (isDigit(input[pos])) value = value * 10 + (input[pos++] as number) - ZERO
    if (pos === digitsAt || (pos > digitsAt + 1 && input[digitsAt] === ZERO)) return false
    const next = input[pos]
    const whole = next !== DOT && next !== 0x65 && next !== 0x45
    if (whole && pos - digitsAt <= DIGITS_MAX && (value !== 0 || digitsAt === start)) {
      this.#pos = pos
      this.#at = putNumber(this.out, this.#at, digitsAt > start ? -value : value)
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
    const number = Number(input.toString('latin1', start, pos))
    if (!Number.isFinite(number)) return false
    this.#pos = pos
    this.#at = putNumber(this.out, this.#at, number)
    return true
  }

  #tag(tag: number): true {
    this.out[this.#at++] = tag
    return true
  }

  /** Moves behind these bytes where they stand here. */
  #takes(bytes: Uint8Array): boolean {
    const pos = this.#pos
    if (pos + bytes.length > this.#end) return false
    const input = this.#in
    for (let i = 0; i < bytes.length; i++) if (input[pos + i] !== bytes[i]) return false
    this.#pos = pos + bytes.length
    return true
  }

  /** Moves to the next byte that is no white space, and returns it; -1 at the end. */
  #skipSpace(): number {
    const input = this.#in
    while (this.#pos < this.#end) {
      const byte = input[this.#pos] as number
      if (byte > SPACE || (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return byte
      this.#pos++
    }
    return -1
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}
