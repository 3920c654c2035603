/**
 * Checksums of stored values. LMDB keeps none, so each value ends with four bytes that depend on its key and its bytes.
 *
 * Owns: the layout of a value with its checksum. Leaves out: the hash (xxh32.ts), checking all of them (page-walk.ts).
 *
 * | value | its bytes | XXH32 of key and value, seeded with the key's length, u32 little-endian |
 *
 * 1. Every environment has checksums in all of its tables. The empty table CHECKSUMS_TABLE, made before any other, says
 *    so. A file without it was not written by this service and is not opened.
 * 2. Every value is written with its checksum. Only `verify` checks it: a read just takes a shorter view.
 */
import { BEHIND_VALUE_BYTES, type WriteBatch } from './write-batch.js'
import { xxh32, type WordMemory } from './xxh32.js'

export const CHECKSUMS_TABLE = 'checksums'
export const CHECKSUM_BYTES = BEHIND_VALUE_BYTES
const WORD = 4
/** Memory kept from one value to the next. */
const KEPT_BYTES = 64 * 1024

/** Memory in which a key and its value are laid out as in a batch: first the key, then the value. */
export class ChecksumMemory {
  #memory = memoryOf(KEPT_BYTES)

  /** The value with its checksum; valid until the next call. */
  of(key: Uint8Array, value: Uint8Array): Uint8Array {
    // Whole words.
    this.#make((key.length + value.length + CHECKSUM_BYTES + WORD - 1) & ~(WORD - 1))
    return this.#append(key, value)
  }

  /** Whether `stored`, a value read with its checksum, is what was written under the key. */
  isRight(key: Uint8Array, stored: Uint8Array): boolean {
    const length = stored.length - CHECKSUM_BYTES
    if (length < 0) return false
    const right = this.of(key, stored.subarray(0, length))
    for (let i = length; i < stored.length; i++) if (right[i] !== stored[i]) return false
    return true
  }

  #append(key: Uint8Array, value: Uint8Array): Uint8Array {
    const { bytes } = this.#memory
    bytes.set(key)
    bytes.set(value, key.length)
    seal(this.#memory, 0, key.length, key.length + value.length)
    return bytes.subarray(key.length, key.length + value.length + CHECKSUM_BYTES)
  }

  #make(needed: number): void {
    const length = Math.max(needed, KEPT_BYTES)
    const { bytes } = this.#memory
    if (bytes.length === length) return
    if (bytes.length > length && length > KEPT_BYTES) return
    this.#memory = memoryOf(length)
  }
}

function memoryOf(length: number): WordMemory {
  const bytes = Buffer.allocUnsafeSlow(length)
  return { bytes, words: new Int32Array(bytes.buffer) }
}

/** Writes the checksum behind each value of a batch. */
export function sealBatch(batch: WriteBatch): void {
  const { memory: bytes, size } = batch
  const memory = { bytes, words: new Int32Array(bytes.buffer) }
  for (let i = 0; i < size; i++) {
    const valueBytes = batch.valueBytes(i)
    if (valueBytes < 0) continue
    const start = batch.startOf(i)
    const keyBytes = batch.keyBytes(i)
    seal(memory, start, keyBytes, start + keyBytes + valueBytes)
  }
}

/** Writes one checksum. Key and value lie from `start`, a multiple of 4, to `end`. */
function seal(memory: WordMemory, start: number, keyBytes: number, end: number): void {
  const { bytes } = memory
  const hash = xxh32(memory, start, end, keyBytes)
  bytes[end] = hash
  bytes[end + 1] = hash >> 8
  bytes[end + 2] = hash >> 16
  bytes[end + 3] = hash >> 24
}
