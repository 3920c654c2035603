/**
 * Writes a parsed body as bytes, and checks the bounds of an event on the same walk.
 *
 * Owns: the way that works for every body. Leaves out: the fast way for bodies of known shapes (body-scanner.ts), which
 * gives the same bytes or none.
 *
 * 1. Depth, fields and names are checked before they cost anything: the walk stops at the first bound that is exceeded.
 */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import {
  COUNT_MAX,
  NUMERAL_HEAD_MAX,
  putNumber,
  putVarint,
  putWritten,
  TAG_ARRAY,
  TAG_FALSE,
  TAG_LONG_ARRAY,
  TAG_LONG_NAMED,
  TAG_NAMED,
  TAG_NULL,
  TAG_OBJECT,
  TAG_TEXT,
  TAG_TRUE,
  TAG_WORD,
  WORD_BYTES_MAX,
} from './body-format.js'
import { hashBytes, viewOfBytes } from './byte-table.js'
import { numberTooLarge, WrittenNumber } from './json.js'
import type { RecentShapes, ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

/** Bytes that a scalar other than text takes at most. */
const SCALAR_BYTES_MAX = 16
const FIRST_BYTES = 64 * 1024
/** Memory and names that are kept from one body to the next: a usual body fits. */
const KEPT_BYTES = 4 * 1024 * 1024
const KEPT_NAMES = 1_024

export class BodyWriter {
  readonly #shapes: ShapeTree
  readonly #words: Words
  readonly #root: RecentShapes = []
  readonly #items: RecentShapes = []
  /** By depth: the names of the object being written there. */
  readonly #namesAt: string[][] = []
  #fieldsLeft = 0
  #at = 0
  /** The bytes of the latest body, from 0 to what `write` returned, valid until the next call. */
  out: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #view = viewOfBytes(this.out)

  constructor(shapes: ShapeTree, words: Words) {
    this.#shapes = shapes
    this.#words = words
  }

  /**
   * Writes a body. Returns its length.
   * @throws Refusal event_too_deep, event_too_wide, forbidden_field, number_too_large.
   */
  write(body: Record<string, unknown>): number {
    this.#fieldsLeft = limits.eventFieldsMax
    this.#at = 0
    this.#shapes.beginBody()
    this.#object(body, 0, this.#root)
    return this.#at
  }

  /** Releases the memory of a large body. */
  shrink(): void {
    if (this.out.length > KEPT_BYTES) {
      this.out = Buffer.allocUnsafeSlow(FIRST_BYTES)
      this.#view = viewOfBytes(this.out)
    }
    for (const names of this.#namesAt) if (names !== undefined && names.length > KEPT_NAMES) names.length = 0
  }

  #value(value: unknown, depth: number, recent: RecentShapes): void {
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        // JSON.parse turns 1e400 into Infinity, which JSON cannot express.
        if (!Number.isFinite(value)) throw numberTooLarge([])
        this.#room(SCALAR_BYTES_MAX)
        this.#at = putNumber(this.out, this.#at, value)
        return
      case 'boolean':
        return this.#tag(value ? TAG_TRUE : TAG_FALSE)
      default:
        if (value === null || typeof value !== 'object') return this.#tag(TAG_NULL)
        if (Array.isArray(value)) return this.#array(value, depth)
        if (value instanceof WrittenNumber) return this.#written(value)
        return this.#object(value as Record<string, unknown>, depth, recent)
    }
  }

  #written(number: WrittenNumber): void {
    if (!Number.isFinite(number.value)) throw numberTooLarge([])
    this.#room(number.text.length + NUMERAL_HEAD_MAX)
    this.#at = putWritten(this.out, this.#at, number)
  }

  #array(items: readonly unknown[], depth: number): void {
    this.#enter(items.length, depth)
    if (items.length > COUNT_MAX) this.#longCounted(TAG_LONG_ARRAY, items.length)
    else this.#counted(TAG_ARRAY, items.length)
    for (let i = 0; i < items.length; i++) this.#value(items[i], depth + 1, this.#items)
  }

  #object(fields: Record<string, unknown>, depth: number, recent: RecentShapes): void {
    // Two loops over the names, because for-in is faster than Object.keys and values. The object comes from JSON.parse,
    // so for-in gives exactly its own fields.
    const names = (this.#namesAt[depth] ??= [])
    let count = 0
    for (const name in fields) names[count++] = name
    this.#enter(count, depth)
    for (let i = 0; i < count; i++) {
      if (names[i] === '__proto__') throw new Refusal('forbidden_field', "the event has a field named '__proto__'")
    }
    const shape = this.#shapes.find(names, count, recent)
    if (shape === null) return this.#named(fields, { names, count }, depth)
    this.#counted(TAG_OBJECT, shape.number)
    let i = 0
    for (const name in fields) {
      const value = fields[name]
      if (typeof value === 'object' && value !== null) this.#value(value, depth + 1, (shape.recent[i] ??= []))
      else this.#value(value, depth + 1, this.#items)
      i++
    }
  }

  /** By the list of names: a third walk over an object with very many fields takes as long as all else. */
  #named(
    fields: Record<string, unknown>,
    list: { readonly names: string[]; readonly count: number },
    depth: number,
  ): void {
    const { names, count } = list
    if (count > COUNT_MAX) this.#longCounted(TAG_LONG_NAMED, count)
    else this.#counted(TAG_NAMED, count)
    for (let i = 0; i < count; i++) {
      const name = names[i] as string
      this.#text(name)
      this.#value(fields[name], depth + 1, this.#items)
    }
  }

  #text(text: string): void {
    this.#room(text.length * 3 + 6)
    // Written where it belongs if its length takes one byte, and moved if it takes more.
    const start = this.#at + 2
    const bytes = putShortText(this.out, start, text)
    if (bytes <= WORD_BYTES_MAX) {
      const word = this.#words.see(this.#view, start, start + bytes, hashBytes(this.#view, start, start + bytes))
      if (word >= 0) return this.#word(word)
    }
    this.out[this.#at] = TAG_TEXT
    const behindLength = putVarint(lengthBytes, 0, bytes)
    if (behindLength > 1) this.out.copyWithin(this.#at + 1 + behindLength, start, start + bytes)
    for (let i = 0; i < behindLength; i++) this.out[this.#at + 1 + i] = lengthBytes[i] as number
    this.#at += 1 + behindLength + bytes
  }

  #word(word: number): void {
    this.out[this.#at++] = TAG_WORD + (word >>> 8)
    this.out[this.#at++] = word & 0xff
  }

  #tag(tag: number): void {
    this.#room(1)
    this.out[this.#at++] = tag
  }

  #counted(tag: number, count: number): void {
    this.#room(3)
    this.out[this.#at++] = tag
    this.out[this.#at++] = count >>> 8
    this.out[this.#at++] = count & 0xff
  }

  #longCounted(tag: number, count: number): void {
    this.#room(5)
    this.out[this.#at] = tag
    this.#at = this.out.writeUInt32BE(count, this.#at + 1)
  }

  /** Checks the bounds for an object or array with `fields` fields or items, inside `depth` others. */
  #enter(fields: number, depth: number): void {
    if (depth >= limits.eventDepthMax) {
      throw new Refusal('event_too_deep', `the event is nested deeper than ${limits.eventDepthMax} levels`)
    }
    this.#fieldsLeft -= fields
    if (this.#fieldsLeft < 0) {
      throw new Refusal('event_too_wide', `the event has more than ${limits.eventFieldsMax} fields and items`)
    }
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.out.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.out.length * 2, this.#at + bytes))
    larger.set(this.out.subarray(0, this.#at))
    this.out = larger
    this.#view = viewOfBytes(larger)
  }
}

const lengthBytes = new Uint8Array(8)
const LOOP_CHARS_MAX = 32
const ASCII_END = 0x80

/** Writes a text as UTF-8, and returns its length. For a short text in ASCII a loop is faster than a native call. */
function putShortText(out: Buffer, at: number, text: string): number {
  const { length } = text
  if (length > LOOP_CHARS_MAX) return out.write(text, at, 'utf8')
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= ASCII_END) return out.write(text, at, 'utf8')
    out[at + i] = unit
  }
  return length
}
