/**
 * A page of events, newest first, in a bounded time.
 *
 * Owns: the page, its cursor, the count. Leaves out: the walk (list-walk.ts), the rows (query/event-documents.ts).
 *
 * 1. Ingest times are unique in the service, so one time is the cursor for all jobs.
 * 2. When the time is over, the page ends where everything newer was looked at, with what was found. `next` goes on.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import { FieldSet } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { ListQuery } from '../../api/live/list-service.js'
import { readStats } from '../../actor/job-stats.js'
import { listText } from '../query/answer-limits.js'
import { EventDocuments } from '../query/event-documents.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { ListWalk, parseSelection, type ListContext } from './list-walk.js'

const SIZE = 50
/** Milliseconds for a page: the first rows come soon, however rare they are. Counting has the time of facets. */
const PAGE_MS = 80

interface Ref {
  readonly job: QueriedJob
  readonly micros: number
}

/** The answer as JSON text. @throws Refusal. */
export function runList(context: ListContext, query: ListQuery): string {
  const { task, stores, clock } = context
  const { size = SIZE, after, count = false, rawBody = false } = query
  const before = after === undefined ? Number.POSITIVE_INFINITY : cursorOf(after)
  const selection = parseSelection(
    context,
    {
      filters: parseFilters(query.filters),
      dates: count ? query : { withinMs: PAGE_MS, ...query },
      atLeast: count ? limits.listRecordsMin : 0,
    },
    new FieldSet(task.serviceNames),
  )
  // What is counted already need not be walked.
  const isKnown = count && selection.condition.kind === 'all' && after === undefined
  let [found, looked, from, events] = [0, 0, 0, 0]
  let isCounted = true
  const refs: Ref[] = []
  for (const job of task.jobs) {
    const walk = new ListWalk(context, job, selection)
    let taken = 0
    let horizon = -1
    const walked = walk.walk(before, ({ micros }) => {
      found++
      if (taken < size) {
        refs.push({ job, micros })
        if (++taken === size) {
          horizon = micros
          return count && !isKnown
        }
      }
      return true
    })
    looked += walked.looked
    if (walked.from > 0 && !isKnown) isCounted = false
    from = Math.max(from, horizon >= 0 ? horizon : walked.from)
    events += readStats(stores(job.shard).environment, job.id, job.labels.length).events
  }
  refs.sort((a, b) => b.micros - a.micros)
  const certain = refs.filter(({ micros }) => micros >= from)
  const page = certain.slice(0, size)
  const next = certain.length > size ? (page.at(-1) as Ref).micros : from
  const documents = new EventDocuments(stores, task.serviceNames[0] as string, true)
  const rows = listText(page, clock, ({ job, micros }) => documents.listed(job, micros, rawBody))
  const rest = {
    next: next === 0 ? null : eventIdOf(next),
    looked_at: looked,
    looked_back_to: next === 0 ? null : isoMicros(next),
    job_events: events,
    total_count: count ? (isKnown ? events : found) : null,
    total_count_is_exact: count && isCounted,
  }
  return `{"events":${rows},${JSON.stringify(rest).slice(1)}`
}

/** The time in a cursor. @throws Refusal invalid_cursor. */
export function cursorOf(text: string): number {
  const micros = text.length > limits.nameCharsMax ? null : microsOfEventId(text)
  if (micros === null) throw new Refusal('invalid_cursor', '`after` is not the `next` of a page')
  return micros
}
