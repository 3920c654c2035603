/**
 * Puts and deletes of one transaction, in order. A later one for the same key wins.
 *
 * Owns: the memory of keys and values, laid out as the store takes it. Each key begins at a word, its value follows
 * without a gap, then room for a checksum. Leaves out: the checksum (checksums.ts), writing (lmdb.ts).
 *
 * 1. `put` copies. What `lay` reserves is filled in by the caller at once, before anything else is added.
 * 2. Views of keys and values are valid until something is added.
 */
import { must } from '../assert.js'

/** Room behind each value, for its checksum. */
export const BEHIND_VALUE_BYTES = 4
const WORD = 4
const FIRST_BYTES = 1024
/** Memory kept from one commit to the next: a usual turn fits. */
const KEPT_BYTES = 1024 * 1024
/** Words for each entry of a packed batch: its table's place in the list, its start, the lengths of key and value. */
const INDEX_WORDS = 4
/** Up to this length, copying in a loop is faster than a call. */
const LOOP_BYTES_MAX = 48

export class WriteBatch {
  readonly tables: string[] = []
  readonly #starts: number[] = []
  readonly #keyBytes: number[] = []
  /** -1 deletes. */
  readonly #valueBytes: number[] = []
  #memory: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0

  get size(): number {
    return this.tables.length
  }

  /** How much of `memory` is in use. */
  get bytes(): number {
    return this.#end
  }

  get memory(): Buffer {
    return this.#memory
  }

  put(table: string, key: Uint8Array, value: Uint8Array): void {
    const at = this.lay(table, key.length, value.length)
    copyTo(this.#memory, at, key)
    copyTo(this.#memory, at + key.length, value)
  }

  /**
   * Adds a put, or a delete if `valueBytes` is -1. Returns where in `memory` the caller now writes the key, followed by
   * the value.
   */
  lay(table: string, keyBytes: number, valueBytes: number): number {
    const at = this.#end
    const end = at + keyBytes + Math.max(valueBytes, 0) + BEHIND_VALUE_BYTES
    if (end > this.#memory.length) this.#grow(end)
    this.#end = (end + WORD - 1) & ~(WORD - 1)
    this.tables.push(table)
    this.#starts.push(at)
    this.#keyBytes.push(keyBytes)
    this.#valueBytes.push(valueBytes)
    return at
  }

  delete(table: string, key: Uint8Array): void {
    const at = this.lay(table, key.length, -1)
    copyTo(this.#memory, at, key)
  }

  /** Replaces the value of an entry; one of another length is put again. Returns the entry's place. */
  replace(place: number, value: Uint8Array): number {
    if (value.length !== this.valueBytes(place)) {
      this.put(this.tables[place] as string, this.key(place), value)
      return this.size - 1
    }
    copyTo(this.#memory, this.startOf(place) + this.keyBytes(place), value)
    return place
  }

  startOf(place: number): number {
    return this.#starts[place] as number
  }

  keyBytes(place: number): number {
    return this.#keyBytes[place] as number
  }

  /** -1 if the key is deleted. */
  valueBytes(place: number): number {
    return this.#valueBytes[place] as number
  }

  key(place: number): Uint8Array {
    const start = this.startOf(place)
    return this.#memory.subarray(start, start + this.keyBytes(place))
  }

  /** undefined if the key is deleted. */
  value(place: number): Uint8Array | undefined {
    const bytes = this.valueBytes(place)
    const start = this.startOf(place) + this.keyBytes(place)
    return bytes < 0 ? undefined : this.#memory.subarray(start, start + bytes)
  }

  /** Bytes that `pack` writes. */
  get packedBytes(): number {
    return this.size * INDEX_WORDS * WORD + this.#end
  }

  /** Copies the batch to `packedBytes` bytes that begin at a word. A table is written as its place in `tables`. */
  pack(into: Uint8Array, tables: readonly string[]): void {
    const index = indexIn(into, this.size)
    let at = 0
    for (let i = 0; i < this.size; i++) {
      const table = this.tables[i] as string
      index[at] = i > 0 && table === this.tables[i - 1] ? (index[at - INDEX_WORDS] as number) : tables.indexOf(table)
      index[at + 1] = this.#starts[i] as number
      index[at + 2] = this.#keyBytes[i] as number
      index[at + 3] = this.#valueBytes[i] as number
      at += INDEX_WORDS
    }
    into.set(this.#memory.subarray(0, this.#end), index.byteLength)
  }

  /** Replaces the batch by one of `entries` entries that was packed in `from`. */
  unpack(from: Uint8Array, entries: number, tables: readonly string[]): void {
    this.clear()
    const index = indexIn(from, entries)
    const bytes = from.length - index.byteLength
    if (bytes > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow((bytes + WORD - 1) & ~(WORD - 1))
    for (let at = 0; at < index.length; at += INDEX_WORDS) {
      this.tables.push(must(tables[index[at] as number], 'table', index[at] as number))
      this.#starts.push(index[at + 1] as number)
      this.#keyBytes.push(index[at + 2] as number)
      this.#valueBytes.push(index[at + 3] as number)
    }
    this.#memory.set(from.subarray(index.byteLength))
    this.#end = bytes
  }

  clear(): void {
    this.tables.length = this.#starts.length = this.#keyBytes.length = this.#valueBytes.length = 0
    this.#end = 0
    if (this.#memory.length > KEPT_BYTES) this.#memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow((Math.max(needed, 2 * this.#memory.length) + WORD - 1) & ~(WORD - 1))
    grown.set(this.#memory)
    this.#memory = grown
  }
}

function indexIn(memory: Uint8Array, entries: number): Int32Array {
  return new Int32Array(memory.buffer, memory.byteOffset, entries * INDEX_WORDS)
}

function copyTo(memory: Buffer, at: number, bytes: Uint8Array): void {
  if (bytes.length > LOOP_BYTES_MAX) memory.set(bytes, at)
  else for (let i = 0; i < bytes.length; i++) memory[at + i] = bytes[i] as number
}
