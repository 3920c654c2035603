/**
 * A table of byte strings ("pieces"), each held once and named by a number.
 *
 * Owns: finding a piece by its bytes. Leaves out: which pieces are added (words.ts), and storing them (body-codec.ts).
 *
 * 1. Pieces are only added, until all are cleared at once. Numbers begin with 0.
 * 2. The hash only finds candidates, and their bytes are compared. A chain of collisions, which an attacker can make,
 *    is given up after a few steps.
 */
import { grown } from './grown.js'

const PROBES_MAX = 16

/** Result of `find`: there is no such piece. */
export const ABSENT = -1
/** Result of `find`: too many other pieces with that hash. The piece must not be added. */
export const CROWDED = -2

const HASH_START = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193

/** A view of all these bytes. */
export function viewOfBytes(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The hash of nothing. `hashWord` adds four bytes, `hashByte` each of the last three, and `hashEnd` finishes. */
export const hashStart = HASH_START

/** FNV-1a (Fowler, Noll, Vo) of four bytes at a time. The shift lets high bits change low ones. */
export function hashWord(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, HASH_PRIME)
  return mixed ^ (mixed >>> 15)
}

export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, HASH_PRIME)
}

export function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return mixed ^ (mixed >>> 15)
}

/** The hash of a piece, 32 bits. */
export function hashBytes(view: DataView, start: number, end: number): number {
  let hash = HASH_START
  let at = start
  for (; at + 4 <= end; at += 4) hash = hashWord(hash, view.getInt32(at, true))
  for (; at < end; at++) hash = hashByte(hash, view.getUint8(at))
  return hashEnd(hash)
}

export class ByteTable {
  /**
   * Two entries for each slot: the piece's number plus one, or 0 for a free slot; and its hash. Open addressing; half
   * of the slots at most are taken.
   */
  #slots = new Int32Array(1 << 6)
  /** Two entries for each piece: its start and its end in the arena. */
  #places = new Int32Array(1 << 5)
  #arena = new Uint8Array(1 << 9)
  #view = viewOfBytes(this.#arena)
  #used = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Bytes of all pieces together. */
  get bytesUsed(): number {
    return this.#used
  }

  /** A view of a piece's bytes. */
  bytes(piece: number): Uint8Array {
    if (piece >= this.#size) throw new Error(`no piece ${piece}`)
    return this.#arena.subarray(this.#places[2 * piece], this.#places[2 * piece + 1])
  }

  /** The number of the piece, or ABSENT, or CROWDED. */
  find(source: DataView, start: number, end: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const entry = slots[slot] as number
      if (entry === 0) return ABSENT
      if (slots[slot + 1] === hash && this.#equals(entry - 1, source, start, end)) return entry - 1
      slot = (slot + 2) & mask
    }
    return CROWDED
  }

  /** Adds a piece that is not in the table. Returns its number. */
  add(source: DataView, start: number, end: number, hash: number): number {
    this.#makeRoom(end - start)
    const piece = this.#size++
    this.#places[2 * piece] = this.#used
    for (let i = start; i < end; i++) this.#arena[this.#used++] = source.getUint8(i)
    this.#places[2 * piece + 1] = this.#used
    this.#place(piece + 1, hash)
    return piece
  }

  /** Removes all pieces. */
  clear(): void {
    this.#slots.fill(0)
    this.#used = 0
    this.#size = 0
  }

  #equals(piece: number, source: DataView, start: number, end: number): boolean {
    const places = this.#places
    const view = this.#view
    let own = places[2 * piece] as number
    if ((places[2 * piece + 1] as number) - own !== end - start) return false
    let at = start
    for (; at + 4 <= end; at += 4, own += 4) if (source.getInt32(at, true) !== view.getInt32(own, true)) return false
    for (; at < end; at++, own++) if (source.getUint8(at) !== view.getUint8(own)) return false
    return true
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes > this.#arena.length) {
      this.#arena = grown(this.#arena, new Uint8Array(Math.max(this.#arena.length * 2, this.#used + bytes)))
      this.#view = viewOfBytes(this.#arena)
    }
    if (2 * this.#size < this.#places.length) return
    this.#places = grown(this.#places, new Int32Array(this.#places.length * 2))
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    for (let slot = 0; slot < before.length; slot += 2)
      if (before[slot] !== 0) this.#place(before[slot] as number, before[slot + 1] as number)
  }

  #place(entry: number, hash: number): void {
    const mask = this.#slots.length - 1
    let slot = (hash << 1) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 2) & mask
    this.#slots[slot] = entry
    this.#slots[slot + 1] = hash
  }
}
