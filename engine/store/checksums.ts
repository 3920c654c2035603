/**
 * Checksums of what is stored: each value ends with four bytes that follow from its key and itself, so that whoever verifies
 * finds a byte that was changed, which LMDB would not.
 *
 * Owns: the form of a value with its checksum. Leaves out: the hash (xxh32.ts), looking at all
 * of them (page-walk.ts).
 *
 * | value | its bytes | XXH32 of key and value, seeded with the key's length, u32 little-endian |
 *
 * 1. Every environment has them in all of its tables. The table CHECKSUMS_TABLE, which is empty and is made before any other, says so;
 *    a file without it is not one of this service's and is not opened.
 * 2. They are written with every value and looked at by `verify` alone: a read pays nothing but a shorter view.
 */
import { BEHIND_VALUE_BYTES, type WriteBatch } from './write-batch.js'
import { xxh32 } from './xxh32.js'

export const CHECKSUMS_TABLE = 'checksums'
export const CHECKSUM_BYTES = BEHIND_VALUE_BYTES
const WORD = 4
/** Memory that is kept from one value to the next. */
const KEPT_BYTES = 64 * 1024

/** Memory that a key and its value are laid out in, one behind the other, as in a batch. */
export class ChecksumMemory {
  #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES)
  #words = new Int32Array(this.#bytes.buffer)

  /** One value with its checksum; good until the next call. */
  of(key: Uint8Array, value: Uint8Array): Uint8Array {
    // Whole words.
    this.#make((key.length + value.length + CHECKSUM_BYTES + WORD - 1) & ~(WORD - 1))
    return this.#append(key, value)
  }

  /** Whether the value, as it was read with its checksum, is the one that was written under the key. */
  isRight(key: Uint8Array, stored: Uint8Array): boolean {
    const length = stored.length - CHECKSUM_BYTES
    if (length < 0) return false
    const right = this.of(key, stored.subarray(0, length))
    for (let i = length; i < stored.length; i++) if (right[i] !== stored[i]) return false
    return true
  }

  #append(key: Uint8Array, value: Uint8Array): Uint8Array {
    const bytes = this.#bytes
    bytes.set(key)
    bytes.set(value, key.length)
    seal(this.#words, bytes, 0, key.length, key.length + value.length)
    return bytes.subarray(key.length, key.length + value.length + CHECKSUM_BYTES)
  }

  #make(needed: number): void {
    const length = Math.max(needed, KEPT_BYTES)
    if (this.#bytes.length === length) return
    if (this.#bytes.length > length && length > KEPT_BYTES) return
    this.#bytes = Buffer.allocUnsafeSlow(length)
    this.#words = new Int32Array(this.#bytes.buffer)
  }
}

/** Puts the checksum behind each value of a batch. */
export function sealBatch(batch: WriteBatch): void {
  const { memory, size } = batch
  const words = new Int32Array(memory.buffer)
  for (let i = 0; i < size; i++) {
    const valueBytes = batch.valueBytes(i)
    if (valueBytes < 0) continue
    const start = batch.startOf(i)
    const keyBytes = batch.keyBytes(i)
    seal(words, memory, start, keyBytes, start + keyBytes + valueBytes)
  }
}

/** Key and value lie from `start`, a multiple of 4, to `end`. */
function seal(words: Int32Array, bytes: Buffer, start: number, keyBytes: number, end: number): void {
  const hash = xxh32(words, bytes, start, end, keyBytes)
  bytes[end] = hash
  bytes[end + 1] = hash >> 8
  bytes[end + 2] = hash >> 16
  bytes[end + 3] = hash >> 24
}
