/**
 * Checksums of what is stored: each value ends with four bytes that follow from its key and itself, so that whoever verifies
 * finds a byte that was changed, which LMDB would not.
 *
 * Owns: the form of a value with its checksum, and which environments have them. Leaves out: the hash (xxh32.ts), looking at all
 * of them (page-walk.ts).
 *
 * | value | its bytes | XXH32 of key and value, seeded with the key's length, u32 little-endian |
 *
 * 1. An environment has them in all of its tables or in none: in all where there is a table of the name CHECKSUMS_TABLE, which is
 *    empty and is made before any other. Environments of before have none, and are read and written as they are.
 * 2. They are written with every value and looked at by `verify` alone: a read pays nothing but a shorter view.
 */
import type { WriteBatch } from './environment.js'
import { xxh32 } from './xxh32.js'

export const CHECKSUMS_TABLE = 'checksums'
export const CHECKSUM_BYTES = 4
const WORD = 4
/** Memory that is kept from one commit to the next: a usual turn fits. */
const KEPT_BYTES = 512 * 1024

/** Memory that keys and values are laid out in, one behind the other, each key at the beginning of a word. */
export class ChecksumMemory {
  #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES)
  #words = new Int32Array(this.#bytes.buffer)
  readonly #values: (Uint8Array | undefined)[] = []

  /** The values of a batch with their checksums; undefined deletes. Good until the next call. */
  ofBatch({ keys, values, size }: WriteBatch): readonly (Uint8Array | undefined)[] {
    let needed = 0
    for (let i = 0; i < size; i++) needed += bytesOf(keys[i] as Uint8Array, values[i])
    this.#make(needed)
    const out = this.#values
    out.length = 0
    let at = 0
    for (let i = 0; i < size; i++) {
      const [key, value] = [keys[i] as Uint8Array, values[i]]
      out.push(value === undefined ? undefined : this.#append(at, key, value))
      at += bytesOf(key, value)
    }
    return out
  }

  /** One value with its checksum; good until the next call. */
  of(key: Uint8Array, value: Uint8Array): Uint8Array {
    this.#make(bytesOf(key, value))
    return this.#append(0, key, value)
  }

  /** Whether the value, as it was read with its checksum, is the one that was written under the key. */
  isRight(key: Uint8Array, stored: Uint8Array): boolean {
    const length = stored.length - CHECKSUM_BYTES
    if (length < 0) return false
    const right = this.of(key, stored.subarray(0, length))
    for (let i = length; i < stored.length; i++) if (right[i] !== stored[i]) return false
    return true
  }

  #append(at: number, key: Uint8Array, value: Uint8Array): Uint8Array {
    const bytes = this.#bytes
    const valueAt = at + key.length
    const end = valueAt + value.length
    // Keys are short: a call would cost more than the bytes.
    for (let i = 0; i < key.length; i++) bytes[at + i] = key[i] as number
    bytes.set(value, valueAt)
    const hash = xxh32(this.#words, bytes, at, end, key.length)
    bytes[end] = hash
    bytes[end + 1] = hash >> 8
    bytes[end + 2] = hash >> 16
    bytes[end + 3] = hash >> 24
    // Not of `subarray`, which asks for the kind of array and makes a Buffer: one is made for every value that is written.
    return new Uint8Array(this.#words.buffer, valueAt, value.length + CHECKSUM_BYTES)
  }

  #make(needed: number): void {
    const length = Math.max(needed, KEPT_BYTES)
    if (this.#bytes.length === length) return
    if (this.#bytes.length > length && length > KEPT_BYTES) return
    this.#bytes = Buffer.allocUnsafeSlow(length)
    this.#words = new Int32Array(this.#bytes.buffer)
  }
}

function bytesOf(key: Uint8Array, value: Uint8Array | undefined): number {
  if (value === undefined) return 0
  const bytes = key.length + value.length + CHECKSUM_BYTES
  return bytes + ((WORD - (bytes % WORD)) % WORD)
}
