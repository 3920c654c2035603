/**
 * Splits a stream of bytes into lines, one on request.
 *
 * Owns: bytes that arrived and were not yet taken. Leaves out: the meaning of a line, flow control
 * (bulk/bulk-stream.ts).
 *
 * 1. A line within one chunk is not copied; it is valid until the next call of `next`, `feed` or `keep`.
 * 2. The memory of a chunk is used until `keep`, which copies the rest of the chunk (pieces/piece-queue.ts).
 * 3. A line over the bound holds no more than the bound; it comes out as `tooLong` when it ends. A line without room
 *    comes out as `noRoom`.
 * 4. Lines end with LF or CR LF; the last line may lack an end. Blank lines are skipped. A byte order mark before the
 *    first line is removed.
 */

import { withoutByteOrderMark } from './body.js'
import { Gatherer } from './gatherer.js'
import { heldBodies, type HeldBytes } from './held-bytes.js'
import { PieceQueue } from './pieces/piece-queue.js'

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]

/** Stands for a line over the bound. */
export const tooLong = Symbol('tooLong')
/** Stands for a line that had partly arrived when all bodies together held too much (held-bytes.ts). */
export const noRoom = Symbol('noRoom')

/** Stands for a line that was not kept. */
export type Skipped = typeof tooLong | typeof noRoom

function isBlank(line: Buffer): boolean {
  let at = 0
  while (at < line.length && (line[at] === SPACE || line[at] === TAB || line[at] === CR)) at++
  return at === line.length
}

export class LineSplitter {
  readonly #lineBytesMax: number
  /** The next line begins at `at` in the head. */
  readonly #pieces: PieceQueue
  /** The beginning of a line whose end has not arrived. */
  readonly #partial: Gatherer
  /** Set while the current line is being skipped: what it comes out as. */
  #skipping: Skipped | null = null
  #ended = false
  #isFirst = true

  /** `lineRoom` counts the bytes of incomplete lines, `room` those of chunks that wait. */
  constructor(lineBytesMax: number, lineRoom: HeldBytes = heldBodies, room: HeldBytes = heldBodies) {
    this.#lineBytesMax = lineBytesMax
    this.#partial = new Gatherer(lineRoom)
    this.#pieces = new PieceQueue(room)
  }

  /** Adds a chunk. Its memory must stay valid until `keep`. */
  feed(chunk: Uint8Array): void {
    this.#pieces.feed(chunk)
  }

  /** Adds a copy of a chunk. False if there is no room for it. */
  append(chunk: Uint8Array): boolean {
    return this.#pieces.append(chunk)
  }

  /** Bytes that were copied and wait. */
  get waiting(): number {
    return this.#pieces.length
  }

  /** Ends the input: nothing is fed after this. */
  end(): void {
    this.#ended = true
  }

  /** True when all lines are taken and the input has ended. */
  get done(): boolean {
    return this.#ended && this.#pieces.head === null && this.#partial.length === 0 && this.#skipping === null
  }

  /** The next line without its end, or what stands for it; null if there is no complete line. */
  next(): Buffer | Skipped | null {
    this.#pieces.release()
    for (;;) {
      let line = this.#cut()
      if (line === null) return null
      if (typeof line === 'symbol') return line
      if (this.#isFirst) line = withoutByteOrderMark(line)
      this.#isFirst = false
      if (!isBlank(line)) return line[line.length - 1] === CR ? line.subarray(0, line.length - 1) : line
    }
  }

  /** Copies the rest of a borrowed chunk, so that its memory may be reused. False if there is no room for it. */
  keep(): boolean {
    return this.#pieces.keep()
  }

  /** Drops everything. */
  clear(): void {
    this.#pieces.clear()
    this.#partial.clear()
    this.#skipping = null
    this.#ended = true
  }

  #cut(): Buffer | Skipped | null {
    const pieces = this.#pieces
    for (let bytes = pieces.head; bytes !== null; bytes = pieces.head) {
      if (this.#partial.length === 0 && this.#skipping === null) this.#passBlankLines(bytes)
      const end = bytes.indexOf(LF, pieces.at)
      if (end < 0) {
        this.#hold(bytes.subarray(pieces.at))
        pieces.shift()
        continue
      }
      const line = this.#finish(bytes.subarray(pieces.at, end))
      pieces.at = end + 1
      if (pieces.at === bytes.length) pieces.shift()
      return line
    }
    if (!this.#ended || (this.#partial.length === 0 && this.#skipping === null)) return null
    return this.#finish(Buffer.alloc(0))
  }

  /** Skips blank lines quickly: a few kilobytes of gzip may hold a hundred million of them, and none is answered. */
  #passBlankLines(bytes: Buffer): void {
    let line = this.#pieces.at
    for (let at = line; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === LF) line = at + 1
      else if (byte !== SPACE && byte !== TAB && byte !== CR) break
    }
    this.#pieces.at = line
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
