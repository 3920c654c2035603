/**
 * Hands the entries of a batch to lmdb without a view for each of them: a turn would make thousands of objects.
 *
 * Owns: the form in which the library takes keys and values. Its write.js calls the table's `writeKey`, and reads
 * `start`, `end` and `address` of a value as of the results of its own encoder. Leaves out: transactions (lmdb.ts).
 */
import { CHECKSUM_BYTES } from '../checksums.js'
import type { WriteBatch } from '../write-batch.js'

/** The property in which the library finds bytes that need no encoding. */
const BINARY = '\x10binary-data\x02'

/** A piece of a batch's memory. The library keeps the memory's address in `address`. */
interface Span {
  readonly memory: Uint8Array
  readonly buffer: ArrayBufferLike
  start: number
  end: number
  address: number
}

/** The table that is written to. */
interface Target {
  putSync(key: Uint8Array, value: never): unknown
  removeSync(key: Uint8Array): unknown
}

function spanOf(memory: Buffer): Span {
  return { memory, buffer: memory.buffer, start: 0, end: 0, address: 0 }
}

/** Writes the bytes of a key or a span to the library's memory. Returns where they end. */
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

  /** The batch is sealed: each value is followed by its checksum. */
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
