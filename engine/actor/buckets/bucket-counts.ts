/**
 * What the buckets of a job count to, for who reads a snapshot: their rows of `counts`, and the events that these do not have yet.
 *
 * Owns: how the two go together. Leaves out: which events a row may be behind by (deferred-counters.ts).
 *
 * 1. A row has all events of its bucket up to its own `lastMicros`. Later ones in the bucket are still to be added.
 * 2. No row lacks an event up to the time `counted_through`; where a shard does not say one, no row lacks any.
 */
import { must } from '../../assert.js'
import type { Environment } from '../../store/environment.js'
import { bucketIdTextOf, isInBucket, isInThisBucket, labelOf } from '../../store/record-header.js'
import { decodeCount, type CountRow } from '../../store/rows.js'
import { countKey, jobKey, metaKey, timeKey, timeOfKey, timeOfValue } from '../../store/tables.js'
import type { Reads } from '../event-table.js'

/** The time that all events up to are in the rows of `counts`; infinity where that is so of all. */
export function countedThrough(reads: Reads): number {
  const value = reads.get('meta', metaKey('counted_through'))
  return value === undefined ? Number.POSITIVE_INFINITY : timeOfValue(value)
}

/** Events that rows of `counts` may lack, by their buckets. */
export class UncountedEvents {
  readonly #byBucket = new Map<string, { micros: number; label: number }[]>()

  /** One of the bucket with that id, one character a byte; label -1: not decided. Oldest first. */
  add(bucketId: string, micros: number, label: number): void {
    const known = this.#byBucket.get(bucketId)
    if (known === undefined) this.#byBucket.set(bucketId, [{ micros, label }])
    else known.push({ micros, label })
  }

  /** Ids of buckets that have some. */
  bucketIds(): Iterable<string> {
    return this.#byBucket.keys()
  }

  /** The row with what it lacks. */
  addTo(row: CountRow, bucketId: string): CountRow {
    const late = this.#byBucket.get(bucketId)?.filter(({ micros }) => micros > row.lastMicros) ?? []
    if (late.length === 0) return row
    const decided = [...row.decided]
    for (const { label } of late) if (label >= 0) decided[label] = (decided[label] ?? 0) + 1
    return { events: row.events + late.length, lastMicros: late.at(-1)?.micros ?? row.lastMicros, decided }
  }
}

type ScanReads = Reads & Pick<Environment, 'scan'>

/** Those of one job, or of a single bucket of it. */
export function uncountedEventsOf(reads: ScanReads, jobId: number, bucketId: string | null = null): UncountedEvents {
  const late = new UncountedEvents()
  const through = countedThrough(reads)
  if (through === Number.POSITIVE_INFINITY) return late
  const wanted = bucketId === null ? null : Buffer.from(bucketId, 'latin1')
  reads.scan('events', { from: timeKey(jobId, through + 1), to: jobKey(jobId + 1) }, (key, record) => {
    if (wanted === null ? isInBucket(record) : isInThisBucket(record, wanted))
      late.add(bucketIdTextOf(record), timeOfKey(key), labelOf(record))
    return true
  })
  return late
}

/** The counts of a single bucket, with that id, one character a byte, and number. @throws Error where there are none. */
export function countOfBucket(reads: ScanReads, jobId: number, id: string, number: number): CountRow {
  return uncountedEventsOf(reads, jobId, id).addTo(readCount(reads, jobId, number), id)
}

function readCount(reads: Reads, jobId: number, number: number): CountRow {
  return decodeCount(must(reads.get('counts', countKey(jobId, number)), 'the counts of a bucket'))
}

/** The counts of all buckets of a job in one snapshot. */
export class BucketCounts {
  readonly #reads: ScanReads
  readonly #jobId: number
  /** null until somebody asks. */
  #late: UncountedEvents | null = null

  constructor(reads: ScanReads, jobId: number) {
    this.#reads = reads
    this.#jobId = jobId
  }

  /** As countOfBucket. */
  of(id: string, number: number): CountRow {
    this.#late ??= uncountedEventsOf(this.#reads, this.#jobId)
    return this.#late.addTo(readCount(this.#reads, this.#jobId, number), id)
  }
}
