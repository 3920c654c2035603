/**
 * Entries of a batch as lmdb takes them, without a view of each: views are objects, and a turn would make thousands.
 *
 * Owns: what the library looks at in a key and in a value that is handed to it (its write.js: `writeKey` of the table, and values
 * with `start`, `end` and `address` as its own encoder gives them). Leaves out: transactions (lmdb.ts).
 */
import { CHECKSUM_BYTES } from '../checksums.js'
import type { WriteBatch } from '../write-batch.js'

/** Where the library finds bytes that need no encoding. */
const BINARY = '\x10binary-data\x02'

/** A piece of a batch's memory. `address` is the library's own note of where the memory is. */
interface Span {
  readonly memory: Uint8Array
  readonly buffer: ArrayBufferLike
  start: number
  end: number
  address: number
}

/** What is written to. */
interface Target {
  putSync(key: Uint8Array, value: never): unknown
  removeSync(key: Uint8Array): unknown
}

function spanOf(memory: Buffer): Span {
  return { memory, buffer: memory.buffer, start: 0, end: 0, address: 0 }
}

/** Writes the bytes of a key, or of a span, to the library's own memory; returns where they end. */
export function writeKey(key: Uint8Array | Span, target: Uint8Array, at: number): number {
  if (key instanceof Uint8Array) {
    for (let i = 0; i < key.length; i++) target[at + i] = key[i] as number
    return at + key.length
  }
  const { memory, start, end } = key
  for (let i = start; i < end; i++) target[at + i - start] = memory[i] as number
  return at + end - start
}

/** Writes the entries of one batch. */
export class BatchEntry {
  readonly #batch: WriteBatch
  readonly #key: Span
  readonly #value: Span
  readonly #carrier: { readonly [BINARY]: Span }

  /** Of a sealed batch: behind each value is its checksum. */
  constructor(batch: WriteBatch) {
    this.#batch = batch
    this.#key = spanOf(batch.memory)
    this.#value = spanOf(batch.memory)
    this.#carrier = { [BINARY]: this.#value }
  }

  write(place: number, to: Target): void {
    const batch = this.#batch
    const key = this.#key
    const value = this.#value
    const bytes = batch.valueBytes(place)
    key.start = batch.startOf(place)
    key.end = value.start = key.start + batch.keyBytes(place)
    if (bytes < 0) {
      to.removeSync(key as never)
      return
    }
    value.end = value.start + bytes + CHECKSUM_BYTES
    to.putSync(key as never, this.#carrier as never)
  }
}
