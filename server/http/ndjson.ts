/**
 * Splits a stream of bytes into lines, one on request.
 *
 * Owns: bytes that arrived and were not yet taken. Leaves out: the meaning of a line, flow control
 * (bulk/bulk-stream.ts).
 *
 * 1. A line within one chunk is not copied; it is valid until the next call of `next`, `feed` or `keep`.
 * 2. The memory of a chunk is used until `keep`, which copies the rest of the chunk.
 * 3. A line over the bound holds no more than the bound; it comes out as `tooLong` when it ends. A line without room
 *    comes out as `noRoom`.
 * 4. Lines end with LF or CR LF; the last line may lack an end. Blank lines are skipped. A byte order mark before the
 *    first line is removed.
 */

import { withoutByteOrderMark } from './body.js'
import { Gatherer } from './gatherer.js'
import { heldBodies, type HeldBytes } from './held-bytes.js'
import { PiecePool } from './piece-pool.js'

const LF = 0x0a
const CR = 0x0d

/**
 * Memory for waiting chunks of all streams, which fair-window.ts bounds. The argument is what stays allocated, in
 * bytes.
 */
const pool = new PiecePool(8 * 1024 * 1024)

/**
 * A received chunk. Lines are cut from `bytes`; `copy` is its memory in the pool, or null while the memory is borrowed.
 */
interface Chunk {
  readonly bytes: Buffer
  readonly copy: Buffer | null
}

/** Stands for a line over the bound. */
export const tooLong = Symbol('tooLong')
/** Stands for a line that had partly arrived when all bodies together held too much (held-bytes.ts). */
export const noRoom = Symbol('noRoom')

/** Stands for a line that was not kept. */
export type Skipped = typeof tooLong | typeof noRoom

/** The first position from `from` on that is not a space, tab or CR. */
function pastBlanks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === CR)) at++
  return at
}

function isBlank(line: Buffer): boolean {
  return pastBlanks(line, 0) === line.length
}

export class LineSplitter {
  readonly #lineBytesMax: number
  /** Chunks in order; the next line begins at `#at` in the first. */
  #chunks: Chunk[] = []
  #at = 0
  /** A copied chunk whose lines are all cut; the last line may still be in use. */
  #spent: Buffer | null = null
  /** The beginning of a line whose end has not arrived. */
  readonly #partial: Gatherer
  /** Set while the current line is being skipped: what it comes out as. */
  #skipping: Skipped | null = null
  #ended = false
  #isFirst = true

  /** `room` counts the bytes of incomplete lines. */
  constructor(lineBytesMax: number, room: HeldBytes = heldBodies) {
    this.#lineBytesMax = lineBytesMax
    this.#partial = new Gatherer(room)
  }

  /** Adds a chunk. Its memory must stay valid until `keep`. */
  feed(chunk: Uint8Array): void {
    this.keep()
    if (chunk.length === 0) return
    this.#chunks.push({ bytes: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), copy: null })
  }

  /** Ends the input: nothing is fed after this. */
  end(): void {
    this.#ended = true
  }

  /** True when all lines are taken and the input has ended. */
  get done(): boolean {
    return this.#ended && this.#chunks.length === 0 && this.#partial.length === 0 && this.#skipping === null
  }

  /** The next line without its end, or what stands for it; null if there is no complete line. */
  next(): Buffer | Skipped | null {
    this.#giveBackSpent()
    for (;;) {
      let line = this.#cut()
      if (line === null) return null
      if (typeof line === 'symbol') return line
      if (this.#isFirst) line = withoutByteOrderMark(line)
      this.#isFirst = false
      if (!isBlank(line)) return line[line.length - 1] === CR ? line.subarray(0, line.length - 1) : line
    }
  }

  /** Copies the rest of a borrowed chunk, so that its memory may be reused. */
  keep(): void {
    this.#giveBackSpent()
    const last = this.#chunks.length - 1
    const chunk = this.#chunks[last]
    if (chunk === undefined || chunk.copy !== null) return
    const rest = last === 0 ? chunk.bytes.subarray(this.#at) : chunk.bytes
    if (last === 0) this.#at = 0
    const copy = pool.copy(rest)
    this.#chunks[last] = { bytes: copy.subarray(0, rest.length), copy }
  }

  /** Drops everything. */
  clear(): void {
    this.#giveBackSpent()
    for (const { copy } of this.#chunks) if (copy !== null) pool.giveBack(copy)
    this.#chunks = []
    this.#at = 0
    this.#partial.clear()
    this.#skipping = null
    this.#ended = true
  }

  #cut(): Buffer | Skipped | null {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const { bytes } = chunk
      if (this.#partial.length === 0 && this.#skipping === null) this.#passBlankLines(bytes)
      const end = bytes.indexOf(LF, this.#at)
      if (end < 0) {
        this.#hold(bytes.subarray(this.#at))
        this.#shift()
        continue
      }
      const line = this.#finish(bytes.subarray(this.#at, end))
      this.#at = end + 1
      if (this.#at === bytes.length) this.#shift()
      return line
    }
    if (!this.#ended || (this.#partial.length === 0 && this.#skipping === null)) return null
    return this.#finish(Buffer.alloc(0))
  }

  /** Skips blank lines quickly: a few kilobytes of gzip may hold a hundred million of them, and none is answered. */
  #passBlankLines(bytes: Buffer): void {
    for (let end = pastBlanks(bytes, this.#at); bytes[end] === LF; end = pastBlanks(bytes, this.#at)) this.#at = end + 1
  }

  #shift(): void {
    // A blank line cut from the previous chunk is no longer in use.
    this.#giveBackSpent()
    this.#spent = this.#chunks.shift()?.copy ?? null
    this.#at = 0
  }

  #giveBackSpent(): void {
    if (this.#spent === null) return
    pool.giveBack(this.#spent)
    this.#spent = null
  }

  /** Keeps the beginning of a line, as far as the bound goes. */
  #hold(piece: Buffer): void {
    if (this.#skipping !== null || piece.length === 0) return
    if (this.#partial.length + piece.length > this.#lineBytesMax) this.#skip(tooLong)
    else if (!this.#partial.add(piece)) this.#skip(noRoom)
  }

  #skip(as: Skipped): void {
    this.#partial.clear()
    this.#skipping = as
  }

  #finish(tail: Buffer): Buffer | Skipped {
    const length = this.#partial.length + tail.length
    if (this.#skipping === null && length > this.#lineBytesMax) this.#skip(tooLong)
    else if (this.#skipping === null && this.#partial.length > 0 && !this.#partial.add(tail)) this.#skip(noRoom)
    const skipped = this.#skipping
    this.#skipping = null
    if (skipped !== null) return skipped
    return this.#partial.length === 0 ? tail : this.#partial.take()
  }
}
