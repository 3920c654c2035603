/**
 * Counts of a job's buckets, for readers of a snapshot: the rows of `counts`, and the events that these lack.
 *
 * Owns: how the two are added up. Leaves out: which events a row may lack (deferred-counters.ts).
 *
 * 1. A bucket without a row of counts has them in its own row. Counts have all events of the bucket up to their own
 *    `lastMicros`. Later events of the bucket are still to be added.
 * 2. No row lacks an event up to the time `counted_through`. In a shard without that entry no row lacks any.
 */
import { must } from '../../assert.js'
import type { Environment } from '../../store/environment.js'
import { bucketIdTextOf, isInBucket, isInThisBucket, labelOf } from '../../store/record-header.js'
import { countsInBucket, decodeCount, type CountRow } from '../../store/bucket-row.js'
import { countKey, jobKey, metaKey, timeKey, timeOfKey, timeOfValue } from '../../store/tables.js'
import type { Reads } from '../event-table.js'

/** The rows of `counts` have all events up to this time; infinity where they lack none. */
export function countedThrough(reads: Reads): number {
  const value = reads.get('meta', metaKey('counted_through'))
  return value === undefined ? Number.POSITIVE_INFINITY : timeOfValue(value)
}

/** Events that rows of `counts` may lack, by bucket. */
export class UncountedEvents {
  readonly #byBucket = new Map<string, { micros: number; label: number }[]>()

  /** Adds an event, oldest first. `bucketId` has one character a byte; label -1: not decided. */
  add(bucketId: string, micros: number, label: number): void {
    const known = this.#byBucket.get(bucketId)
    if (known === undefined) this.#byBucket.set(bucketId, [{ micros, label }])
    else known.push({ micros, label })
  }

  get isEmpty(): boolean {
    return this.#byBucket.size === 0
  }

  /** Ids of the buckets that have such events. */
  bucketIds(): Iterable<string> {
    return this.#byBucket.keys()
  }

  /** The row with the events that it lacks. */
  addTo(row: CountRow, bucketId: string): CountRow {
    const lacking = this.#byBucket.get(bucketId)?.filter(({ micros }) => micros > row.lastMicros) ?? []
    if (lacking.length === 0) return row
    const decided = [...row.decided]
    for (const { label } of lacking) if (label >= 0) decided[label] = (decided[label] ?? 0) + 1
    return { events: row.events + lacking.length, lastMicros: lacking.at(-1)?.micros ?? row.lastMicros, decided }
  }
}

type ScanReads = Reads & Pick<Environment, 'scan'>

/** Reads the uncounted events of a job, or of one bucket of it. */
export function uncountedEventsOf(reads: ScanReads, jobId: number, bucketId: string | null = null): UncountedEvents {
  const uncounted = new UncountedEvents()
  const through = countedThrough(reads)
  if (through === Number.POSITIVE_INFINITY) return uncounted
  const wanted = bucketId === null ? null : Buffer.from(bucketId, 'latin1')
  reads.scan('events', { from: timeKey(jobId, through + 1), to: jobKey(jobId + 1) }, (key, record) => {
    if (wanted === null ? isInBucket(record) : isInThisBucket(record, wanted))
      uncounted.add(bucketIdTextOf(record), timeOfKey(key), labelOf(record))
    return true
  })
  return uncounted
}

/** The counts of one bucket; its id has one character a byte. @throws Error where there are none. */
export function countOfBucket(reads: ScanReads, jobId: number, id: string, number: number): CountRow {
  return uncountedEventsOf(reads, jobId, id).addTo(mustCount(reads, jobId, number), id)
}

/** The counts of a bucket as they are stored; null where it is gone. */
export function readCount(reads: Reads, jobId: number, number: number): CountRow | null {
  const key = countKey(jobId, number)
  const counts = reads.get('counts', key)
  if (counts !== undefined) return decodeCount(counts)
  const bucket = reads.get('buckets', key)
  return bucket === undefined ? null : countsInBucket(bucket)
}

function mustCount(reads: Reads, jobId: number, number: number): CountRow {
  return must(readCount(reads, jobId, number) ?? undefined, 'the counts of a bucket')
}

/** The counts of all buckets of a job in one snapshot. */
export class BucketCounts {
  readonly #reads: ScanReads
  readonly #jobId: number
  /** null until a count is read. */
  #uncounted: UncountedEvents | null = null

  constructor(reads: ScanReads, jobId: number) {
    this.#reads = reads
    this.#jobId = jobId
  }

  /** As countOfBucket. */
  of(id: string, number: number): CountRow {
    this.#uncounted ??= uncountedEventsOf(this.#reads, this.#jobId)
    return this.#uncounted.addTo(mustCount(this.#reads, this.#jobId, number), id)
  }
}
