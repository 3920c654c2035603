/**
 * Bytes of a request body that arrived and were not yet taken, in order.
 *
 * The piece that has just arrived is borrowed: its memory is reused after the call that brought it. `keep` copies the
 * rest of it behind the bytes that already wait. So many small pieces cost no more memory than a large one.
 *
 * 1. Bytes of `head` are valid until `release` after the `shift` that removed them, or until `keep` if they are
 *    borrowed. Bytes that are added later do not move them.
 * 2. `room` counts the memory of copies, not their bytes.
 */
import type { HeldBytes } from '../held-bytes.js'
import { PIECE_BYTES_MAX, PiecePool } from './piece-pool.js'

/** Idle memory for pieces of all requests: as much as one caller may hold (routes/bulk/round-limits.ts). */
const IDLE_BYTES_MAX = 144 * 1024 * 1024
/** Idle memory that stays after a flood. */
const REST_BYTES_MAX = 8 * 1024 * 1024

const pool = new PiecePool(IDLE_BYTES_MAX, REST_BYTES_MAX)

/** `memory` belongs to the pool; it is null while the piece is borrowed. `end` is where its bytes end. */
interface Piece {
  bytes: Buffer
  readonly memory: Buffer | null
  end: number
}

export class PieceQueue {
  readonly #room: HeldBytes
  #pieces: Piece[] = []
  /** Where the bytes of the first piece begin that are not taken. */
  at = 0
  /** Memory of a piece that was removed and may still be in use. */
  #spent: Buffer | null = null
  #length = 0

  constructor(room: HeldBytes) {
    this.#room = room
  }

  /** Bytes that wait, without those that are borrowed. */
  get length(): number {
    return this.#length - (this.#pieces[0]?.memory == null ? 0 : this.at)
  }

  /** The first piece; its bytes before `at` are taken. Null if nothing waits. */
  get head(): Buffer | null {
    const first = this.#pieces[0]
    if (first === undefined) return null
    // Many small pieces may have been added since the last call: one view is made for all of them.
    if (first.memory !== null && first.bytes.length !== first.end) first.bytes = first.memory.subarray(0, first.end)
    return first.bytes
  }

  /** Adds a piece. Its memory must stay valid until `keep`. */
  feed(bytes: Uint8Array): void {
    this.keep()
    if (bytes.length === 0) return
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#pieces.push({ bytes: view, memory: null, end: view.length })
  }

  /** Removes the first piece; its memory is in use until `release`. */
  shift(): void {
    this.release()
    const first = this.#pieces.shift()
    if (first !== undefined && first.memory !== null) {
      this.#length -= first.end
      this.#spent = first.memory
    }
    this.at = 0
  }

  /** The bytes of the piece that was removed last are no longer in use. */
  release(): void {
    if (this.#spent === null) return
    this.#giveBack(this.#spent)
    this.#spent = null
  }

  /** Copies what is left of a borrowed piece. False if there is no room for it; then it is lost. */
  keep(): boolean {
    this.release()
    const last = this.#pieces.at(-1)
    if (last === undefined || last.memory !== null) return true
    const isFirst = this.#pieces.length === 1
    this.#pieces.pop()
    const rest = isFirst ? last.bytes.subarray(this.at) : last.bytes
    if (isFirst) this.at = 0
    return this.append(rest)
  }

  /** Copies bytes behind those that wait. False if there is no room for all; the rest is lost. */
  append(bytes: Uint8Array): boolean {
    let from = 0
    while (from < bytes.length) {
      const last = this.#lastWithRoom(bytes.length - from)
      if (last === null) return false
      const { memory } = last
      const size = Math.min(bytes.length - from, memory!.length - last.end)
      memory!.set(size === bytes.length ? bytes : bytes.subarray(from, from + size), last.end)
      last.end += size
      from += size
      this.#length += size
    }
    return true
  }

  /** Drops everything. */
  clear(): void {
    this.release()
    for (const { memory } of this.#pieces) if (memory !== null) this.#giveBack(memory)
    this.#pieces = []
    this.at = 0
    this.#length = 0
  }

  /** The last piece if it has room, else a new one. Where more waits already, more is likely to follow. */
  #lastWithRoom(bytes: number): Piece | null {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.memory !== null && last.end < last.memory.length) return last
    const memory = pool.take(
      Math.min(PIECE_BYTES_MAX, Math.max(bytes, last?.memory == null ? 0 : last.memory.length * 2)),
    )
    if (!this.#room.take(memory.length)) {
      pool.giveBack(memory)
      return null
    }
    const piece = { bytes: memory.subarray(0, 0), memory, end: 0 }
    this.#pieces.push(piece)
    return piece
  }

  #giveBack(memory: Buffer): void {
    this.#room.giveBack(memory.length)
    pool.giveBack(memory)
  }
}
