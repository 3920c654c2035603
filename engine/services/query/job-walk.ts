/**
 * The walk of a query over its jobs: it counts the events that pass, and keeps those of the page.
 *
 * Owns: the count, and what need not be read. Leaves out: the walk over one job (event-scan.ts), the order of a page
 * (domain/query/sort.ts).
 *
 * 1. A job is walked newest first. In that order, once the page is full of newer events, the rest of a job is only
 *    counted. It is not read at all where the count is known or not asked for.
 */
import { everything, matches, type Condition } from '../../domain/query/condition.js'
import type { EventRef } from '../../domain/query/collector.js'
import type { FieldSet } from '../../domain/query/field.js'
import type { FirstEvents, SortOrder, SortPosition } from '../../domain/query/sort.js'
import { readStats } from '../../actor/job-stats.js'
import type { EventScan, QueryContext } from './event-scan.js'
import type { QueriedJob } from './query-protocol.js'
import type { RecordFields } from './record-fields.js'

/** An event, and its values in the order of the page. */
export interface SortedRef extends SortPosition, EventRef {}

export interface JobWalk {
  readonly context: QueryContext
  readonly scan: EventScan
  readonly fields: FieldSet
  readonly condition: Condition
  readonly order: SortOrder
  /** The events of the page, and of the pages before it. */
  readonly first: FirstEvents<SortedRef>
  /** Events are counted up to this number at least. */
  readonly tracked: number
  /** The page begins behind this place. */
  readonly after?: SortPosition | null
  /** Narrows the page and the count, not the aggregations. */
  readonly postFilter?: Condition
  readonly aggregate?: (event: RecordFields, ref: EventRef) => void
}

const none: readonly never[] = []

/** Walks all jobs; how many events passed, and whether all of them were counted. */
export function walkJobs(walk: JobWalk): { count: number; isWhole: boolean } {
  const { context, scan, fields, condition, order, tracked, postFilter = everything, aggregate } = walk
  const isNewestFirst = order.isNewestFirst
  const isCountedOnly = aggregate === undefined && isNewestFirst && (walk.after ?? null) === null
  const isUnfiltered = condition.kind === 'all' && postFilter.kind === 'all'
  let count = 0
  let isWhole = true
  for (const job of context.task.jobs) {
    const before = count
    scan.walk(job, condition, fields, (event, { id }, micros) => {
      const ref = { jobId: id, micros, values: isNewestFirst ? none : order.valuesOf(event) }
      aggregate?.(event, ref)
      if (!matches(postFilter, event)) return true
      count++
      if (takes(walk, ref) || !isCountedOnly) return true
      // The rest of this job is older than the page.
      if (isUnfiltered) {
        count = before + eventsOf(context, job)
        return false
      }
      if (count <= tracked) return true
      isWhole = false
      return false
    })
  }
  return { count, isWhole }
}

/** Keeps the event if it comes onto the page, as far as is known. */
function takes({ order, first, after = null }: JobWalk, ref: SortedRef): boolean {
  if ((after !== null && order.compare(after, ref) >= 0) || !first.takes(ref)) return false
  first.add(ref)
  return true
}

function eventsOf({ stores }: QueryContext, job: QueriedJob): number {
  return readStats(stores(job.shard).environment, job.id, job.labels.length).events
}
