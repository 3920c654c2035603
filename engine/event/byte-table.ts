/**
 * Pieces of bytes, each kept once and named by a number.
 *
 * Owns: finding a piece by its bytes. Leaves out: which pieces are kept, and where they stand outside of memory.
 *
 * 1. Pieces are only ever added, until all are forgotten at once; numbers run from 0.
 * 2. The hash only finds candidates: bytes are compared, and a chain that somebody made long on purpose is given up after a
 *    few steps.
 */
const PROBES_MAX = 16

/** `find`: no such piece. */
export const ABSENT = -1
/** `find`: too many others with that hash; such a piece is not to be added. */
export const CROWDED = -2

const HASH_START = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193

/** All of these bytes as a view; what is asked for it by the thousand makes it once. */
export function viewOfBytes(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The hash of nothing yet; `hashWord` goes on with four bytes, `hashByte` with each of the last three, `hashEnd` ends. */
export const hashStart = HASH_START

/** After FNV-1a (Fowler, Noll, Vo), four bytes at a time; what a word changes above is brought down at once. */
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
  /** Numbers plus one, by hash; 0 is free. Open addressing. */
  #slots = new Int32Array(1 << 10)
  #hashes = new Int32Array(1 << 9)
  /** Where each piece ends in the arena; it starts where the one before ends. */
  #ends = new Int32Array(1 << 9)
  #arena = new Uint8Array(1 << 13)
  #view = viewOfBytes(this.#arena)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** A piece's bytes; a view. */
  bytes(piece: number): Uint8Array {
    if (piece >= this.#size) throw new Error(`no piece ${piece}`)
    return this.#arena.subarray(this.#startOf(piece), this.#ends[piece])
  }

  /** The number of the piece, or ABSENT, or CROWDED. */
  find(source: DataView, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const entry = this.#slots[slot] as number
      if (entry === 0) return ABSENT
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, source, start, end)) return entry - 1
      slot = (slot + 1) & mask
    }
    return CROWDED
  }

  /** Adds a piece that is not there; returns its number. */
  add(source: DataView, start: number, end: number, hash: number): number {
    this.#makeRoom(end - start)
    const piece = this.#size++
    let to = this.#startOf(piece)
    for (let i = start; i < end; i++) this.#arena[to++] = source.getUint8(i)
    this.#ends[piece] = to
    this.#hashes[piece] = hash
    this.#place(piece, hash)
    return piece
  }

  /** Forgets all pieces. */
  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  #startOf(piece: number): number {
    return piece === 0 ? 0 : (this.#ends[piece - 1] as number)
  }

  #equals(piece: number, source: DataView, start: number, end: number): boolean {
    const view = this.#view
    let own = this.#startOf(piece)
    if ((this.#ends[piece] as number) - own !== end - start) return false
    let at = start
    for (; at + 4 <= end; at += 4, own += 4) if (source.getInt32(at, true) !== view.getInt32(own, true)) return false
    for (; at < end; at++, own++) if (source.getUint8(at) !== view.getUint8(own)) return false
    return true
  }

  #makeRoom(bytes: number): void {
    const used = this.#startOf(this.#size)
    if (used + bytes > this.#arena.length) {
      this.#arena = grown(this.#arena, new Uint8Array(Math.max(this.#arena.length * 2, used + bytes)))
      this.#view = viewOfBytes(this.#arena)
    }
    if (this.#size < this.#hashes.length) return
    this.#hashes = grown(this.#hashes, new Int32Array(this.#hashes.length * 2))
    this.#ends = grown(this.#ends, new Int32Array(this.#ends.length * 2))
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let piece = 0; piece < this.#size; piece++) this.#place(piece, this.#hashes[piece] as number)
  }

  #place(piece: number, hash: number): void {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = piece + 1
  }
}

function grown<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from)
  return to
}
