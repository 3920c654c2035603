/** The columns of the jobs that were listed lately, up to a bound of memory. They are those of one thread. */
import { limits } from '../../limits.js'
import type { QueryStore } from '../query/event-scan.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { BucketColumn } from './bucket-column.js'
import { BucketValues } from './bucket-values.js'
import { EventColumns } from './event-columns.js'
import { FieldColumns } from './field-columns.js'
import type { KeptVerdicts } from './row-filter.js'
import { SaidMemo } from './said-rows.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

/** Columns of a job that stay, however large they are: those of one query. */
const IN_USE = 4

interface Kept {
  readonly columns: EventColumns
  readonly verdicts: KeptVerdicts
  readonly values: BucketValues
  readonly fields: FieldColumns
  readonly said: SaidMemo
  /** What the verdicts are about. */
  buckets: BucketColumn
  fingerprint: number
}

export class ColumnStore {
  /** The one that was used last is the last. */
  readonly #jobs = new Map<string, Kept>()

  /** The columns of a job as the store has it, and verdicts on its buckets. */
  of(
    dataDir: string,
    { environment, codec }: Pick<QueryStore, 'environment' | 'codec'>,
    job: QueriedJob,
  ): Pick<Kept, 'columns' | 'verdicts' | 'values' | 'fields' | 'said'> {
    const key = `${dataDir}\0${job.id}`
    const known = this.#jobs.get(key)
    const columns = known?.columns ?? new EventColumns()
    columns.follow(environment, codec, job)
    const fingerprint = pointsFingerprint(job)
    const isKept = known?.buckets === columns.buckets && known.fingerprint === fingerprint
    const kept = isKept
      ? known
      : {
          columns,
          verdicts: new Map(),
          values: new BucketValues(),
          // The rows have their places as long as the buckets have theirs.
          fields: known?.buckets === columns.buckets ? known.fields : new FieldColumns(),
          said: new SaidMemo(),
          buckets: columns.buckets,
          fingerprint,
        }
    this.#jobs.delete(key)
    this.#jobs.set(key, kept)
    return kept
  }

  /** To be called when a request is over: what it used is the last to go. */
  bound(): void {
    let left: number = limits.listColumnBytesMax
    for (const { fields } of [...this.#jobs.values()].reverse()) left = Math.max(0, left - fields.bound(left, IN_USE))
    let rows = 0
    for (const { columns } of this.#jobs.values()) rows += columns.length
    for (const [key, { columns }] of this.#jobs) {
      if (rows <= limits.listRowsMax || this.#jobs.size === 1) return
      this.#jobs.delete(key)
      rows -= columns.length
    }
  }
}
