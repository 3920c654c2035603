/**
 * Cuts a stream of bytes into lines, one when asked.
 *
 * Owns: what came and was not yet taken. Leaves out: what a line means, and the pace (bulk/bulk-stream.ts).
 *
 * 1. A line that lies in one chunk is not copied; it is valid until the next call of `next`, `feed` or `keep`.
 * 2. A chunk's memory is used until `keep` at the latest, which copies what is left of it.
 * 3. Of a line over the bound no more than the bound is held; it comes out as `tooLong`, at its end. One that there is no
 *    room to hold comes out as `noRoom` likewise.
 * 4. Line ends are LF or CR LF. Blank lines do not come out. The last line needs no end. A byte order mark that the first one
 *    begins with is no part of it.
 */

import { withoutMark } from './body.js'
import { Gatherer } from './gatherer.js'
import { heldBodies, type HeldBytes } from './held-bytes.js'
import { PiecePool } from './piece-pool.js'

const LF = 0x0a
const CR = 0x0d

/** What waits, over all requests, is bounded by the window of bulk requests; this much of its memory is kept for more. */
const pool = new PiecePool(8 * 1024 * 1024)

/** Bytes that came: lines are cut from `bytes`; `copy` is the pool's memory they lie in, or null where it is borrowed. */
interface Chunk {
  readonly bytes: Buffer
  readonly copy: Buffer | null
}

/** Stands for a line over the bound. */
export const tooLong = Symbol('tooLong')
/** Stands for a line of which a part had come when all bodies together held too much (held-bytes.ts). */
export const noRoom = Symbol('noRoom')

/** A line that is not there. */
export type Skipped = typeof tooLong | typeof noRoom

/** The first place from `from` on that is not blank, the end of a line being none. */
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
  /** Chunks in order; the first one is taken from at `#at`. */
  #chunks: Chunk[] = []
  #at = 0
  /** A copy whose lines are all cut, the last of them perhaps still in use. */
  #spent: Buffer | null = null
  /** Beginning of a line whose end has not come. */
  readonly #partial: Gatherer
  /** What the line that we are inside of comes out as. */
  #skipping: Skipped | null = null
  #ended = false
  #isFirst = true

  /** `room` is what the beginnings of lines are held in. */
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

  /** Nothing will be fed any more. */
  end(): void {
    this.#ended = true
  }

  /** True when all lines are taken and no more can come. */
  get done(): boolean {
    return this.#ended && this.#chunks.length === 0 && this.#partial.length === 0 && this.#skipping === null
  }

  /** The next line without its end, what stands for it, or null when there is no whole line. */
  next(): Buffer | Skipped | null {
    this.#giveBackSpent()
    for (;;) {
      let line = this.#cut()
      if (line === null) return null
      if (typeof line === 'symbol') return line
      if (this.#isFirst) line = withoutMark(line)
      this.#isFirst = false
      if (!isBlank(line)) return line[line.length - 1] === CR ? line.subarray(0, line.length - 1) : line
    }
  }

  /** Copies what is left of a borrowed chunk, so that its memory may be taken back. */
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

  /** Forgets everything. */
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

  /** Gzip makes a hundred million of some kilobytes, and none is answered: they cost no more than their bytes. */
  #passBlankLines(bytes: Buffer): void {
    for (let end = pastBlanks(bytes, this.#at); bytes[end] === LF; end = pastBlanks(bytes, this.#at)) this.#at = end + 1
  }

  #shift(): void {
    // A line may have been cut from the chunk before and be blank: then it is not in use any more.
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
