/**
 * Reads a shard to verify it.
 *
 * Owns: which jobs have rows, and the list of problems. Leaves out: what must hold (verify-job.ts), pages
 * (page-walk.ts), the catalog (verify-resources.ts).
 */
import { BodyCodec } from '../../store/body-codec.js'
import { DATA_FORMAT } from '../../store/directory/data-dir.js'
import type { Entry, Environment, KeyRange } from '../../store/environment.js'
import { jobKey, jobRange, type ShardTable } from '../../store/tables.js'

/** A problem: its place, and the predicate of a sentence about it. */
export interface StoreProblem {
  readonly file: string
  readonly table: string
  /** Hexadecimal; '' for more than one entry. */
  readonly key: string
  readonly what: string
}

/** Problems that are reported of one shard. */
const PROBLEMS_MAX = 1_000

export class ShardCheck {
  readonly problems: StoreProblem[] = []
  readonly format: number
  readonly #environment: Environment
  readonly #file: string
  readonly #codec: BodyCodec

  /** `format`: that of the data directory. */
  constructor(environment: Environment, file: string, format: number = DATA_FORMAT) {
    this.#environment = environment
    this.#file = file
    this.format = format
    this.#codec = new BodyCodec(environment)
  }

  entries(table: ShardTable, jobId: number): Iterable<Entry> {
    return this.#environment.range(table, jobRange(jobId))
  }

  range(table: ShardTable, range: KeyRange): Iterable<Entry> {
    return this.#environment.range(table, range)
  }

  /** The same for large tables: entries are valid only during the call. */
  scan(table: ShardTable, jobId: number, visit: (entry: Entry) => void): void {
    this.#environment.scan(table, jobRange(jobId), (key, value) => {
      visit({ key, value })
      return true
    })
  }

  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined {
    return this.#environment.get(table, key)
  }

  /** Throws where an event's body cannot be read. */
  body(bytes: Uint8Array): void {
    this.#codec.decode(bytes)
  }

  note(table: ShardTable, key: Uint8Array | null, what: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return
    this.problems.push({ file: this.#file, table, key: key === null ? '' : Buffer.from(key).toString('hex'), what })
  }

  /** The decoded value. One that cannot be read is noted, and is null. */
  read<T>(table: ShardTable, { key, value }: Entry, decode: (value: Uint8Array) => T): T | null {
    try {
      return decode(value)
    } catch (error) {
      this.note(table, key, `cannot be read: ${(error as Error).message}`)
      return null
    }
  }

  /** Every job with a row. */
  jobIds(): Set<number> {
    const ids = new Set<number>()
    for (const table of [
      'events',
      'ids',
      'pending',
      'awaited',
      'lookups',
      'buckets',
      'bucket_ids',
      'bucket_tail',
      'counts',
      'ballots',
      'votes',
      'states',
      'answers',
      'notes',
      'picks',
      'tasks',
      'history',
      'models',
      'registry',
      'replays',
      'trials',
      'shadows',
      'stats',
      'points',
      'findings',
    ] as const) {
      for (let from = jobKey(0); ; ) {
        const [first] = this.#environment.range(table, { from, limit: 1 })
        if (first === undefined) break
        const jobId = Buffer.from(first.key).readUInt32BE(0)
        ids.add(jobId)
        if (jobId === 2 ** 32 - 1) break
        from = jobKey(jobId + 1)
      }
    }
    return ids
  }
}
