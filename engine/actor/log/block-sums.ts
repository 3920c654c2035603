/**
 * Sums of what the records of a log made a shard write, so that copies on several nodes are compared while they work.
 *
 * Owns: what is summed, the row of sums in `meta`. Leaves out: who compares them (services/cluster/).
 *
 * 1. Records are counted in blocks. A block's sum depends on the rows that its records wrote, and not on how they were
 *    committed: rows are summed one by one, and only of tables whose rows no grouping of commits changes.
 * 2. Of an event only the header counts, which has the decision. Its body has numbers of words, which differ (D11).
 * 3. The row is in the commit that it belongs to. What was not committed is forgotten with the rest of the state.
 * 4. It finds what was decided otherwise, or from other records. Damage of a disk is found by `verify`, not here.
 */
import type { Environment, WriteBatch } from '../../store/environment.js'
import { pack, unpack } from '../../store/pack.js'
import { HEADER_BYTES } from '../../store/record-header.js'
import { metaKey } from '../../store/tables.js'
import { xxh32 } from '../../store/xxh32.js'

/** Records in a block, and blocks that are kept. */
export const BLOCK_RECORDS = 256
const KEPT = 32
/** Bytes of a row that count, at most: the header of an event. */
const VALUE_BYTES_MAX = HEADER_BYTES
/** Added to the seed of a row that is deleted. */
const DELETED = 0x10000

const summed: ReadonlySet<string> = new Set([
  'events',
  'ids',
  'votes',
  'ballots',
  'models',
  'audits',
  'dues',
  'answers',
])

/** A block that is over: its number, and its sum. */
export type BlockSum = readonly [block: number, sum: number]

interface Row {
  /** That of the last commit. */
  readonly block: number
  readonly sum: number
  /** Oldest first. */
  readonly closed: readonly BlockSum[]
}

const none: Row = { block: 0, sum: 0, closed: [] }

function readRow(environment: Pick<Environment, 'get'>): Row {
  const value = environment.get('meta', metaKey('log_sums'))
  return value === undefined ? none : (unpack(value) as Row)
}

/** Sums of the latest blocks that are over, by the last commit. */
export function readBlockSums(environment: Pick<Environment, 'get'>): readonly BlockSum[] {
  return readRow(environment).closed
}

/** The sum of one batch: rows in any order have the same. */
function sumOf(batch: WriteBatch): number {
  const { memory: bytes, tables, size } = batch
  const memory = { bytes, words: new Int32Array(bytes.buffer) }
  let sum = 0
  for (let i = 0; i < size; i++) {
    if (!summed.has(tables[i] as string)) continue
    const [start, keyBytes, valueBytes] = [batch.startOf(i), batch.keyBytes(i), batch.valueBytes(i)]
    const end = start + keyBytes + Math.min(Math.max(valueBytes, 0), VALUE_BYTES_MAX)
    sum = (sum + xxh32(memory, start, end, valueBytes < 0 ? keyBytes + DELETED : keyBytes)) >>> 0
  }
  return sum
}

export class BlockSums {
  /** Null: as in the store. */
  #row: Row | null = null

  /** Adds what the batch writes, under the sequence of its record, and the row itself. */
  write(batch: WriteBatch, sequence: number, environment: Pick<Environment, 'get'>): void {
    const { block, sum, closed } = (this.#row ??= readRow(environment))
    const now = Math.floor(sequence / BLOCK_RECORDS)
    const added = sumOf(batch)
    this.#row =
      now === block
        ? { block, sum: (sum + added) >>> 0, closed }
        : { block: now, sum: added, closed: [...closed, [block, sum] as const].slice(-KEPT) }
    batch.put('meta', metaKey('log_sums'), pack(this.#row))
  }

  /** What was not committed is void. */
  forget(): void {
    this.#row = null
  }
}
