/**
 * The search for the events to reprocess or erase, a part at a time, over a snapshot (D6).
 *
 * Owns: the way from a selection to ingest times. Leaves out: the language of filters (domain/query/), the thread
 * (event-search-thread.ts), reprocessing (actor/reprocess-tasks.ts).
 *
 * 1. A task covers events up to the time of its request. Later events were decided by the current model and feedback,
 *    and a task ends however many keep coming in.
 * 2. One search reads a bounded number of records, and says where it stopped.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings, Label } from '../../domain/job/job.js'
import { allOf, ingestedWithin, matches, type Condition } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileDates, compileFilters, isScalar, parseFilters } from '../../domain/query/filter.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import type { ReprocessSelection } from '../../store/reprocess-row.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import type { ReprocessRequest } from '../../api/reprocess-service.js'
import type { Assignees } from '../query/assignees.js'
import { RecordFields } from '../query/record-fields.js'

/** The time field where a request names none. */
const DATE_FIELD = '@timestamp'

/** One search, as plain data for the thread. */
export interface EventSearchTask {
  readonly dataDir: string
  readonly job: JobSettings
  /** SERVICE_NAME, then the neutral name. */
  readonly serviceNames: readonly string[]
  readonly selection: ReprocessSelection
  /** Time of the request, microseconds. */
  readonly requestedMicros: number
  /** The search begins behind this ingest time. */
  readonly after: number
  /** Whether to count the events without listing them. */
  readonly countOnly: boolean
}

export interface EventSearchResult {
  /** Ingest times, in order; empty where events are only counted. */
  readonly times: readonly number[]
  readonly count: number
  /** Ingest time up to which the search has read. */
  readonly through: number
  /** Whether nothing is left behind `through`. */
  readonly last: boolean
}

/** The selection that a request describes. @throws Refusal invalid_body. */
export function parseSelection({ dateField, startDate, endDate, filters }: ReprocessRequest): ReprocessSelection {
  const date = (value: unknown, name: string): string | number | boolean | null => {
    if (value === undefined || value === null || value === '') return null
    if (isScalar(value)) return value
    const issue = { loc: ['body', name], msg: 'Input should be a date', type: 'date_parsing' }
    throw new Refusal('invalid_body', `${name}: ${issue.msg}`, { issues: [issue] })
  }
  return {
    dateField: dateField || DATE_FIELD,
    startDate: date(startDate, 'start_date'),
    endDate: date(endDate, 'end_date'),
    filters: parseFilters(filters),
  }
}

/** The selection as a condition, and the fields it reads. @throws Refusal invalid_body, limit_exceeded. */
export function compileSelection(
  selection: ReprocessSelection,
  requestedMicros: number,
  serviceNames: readonly string[],
  labels?: readonly Label[],
): { condition: Condition; fields: FieldSet } {
  const fields = new FieldSet(serviceNames)
  const context = {
    nowMicros: requestedMicros,
    offsetMinutes: 0,
    ...(labels === undefined ? {} : { labels: [labels] }),
  }
  const { dateField, startDate, endDate, filters } = selection
  const dates = { dateField, ...(startDate === null ? {} : { startDate }), ...(endDate === null ? {} : { endDate }) }
  return { condition: allOf([compileDates(dates, fields, context), compileFilters(filters, fields, context)]), fields }
}

/** Searches once, over the latest snapshot of the job's shard. */
export function searchEvents(
  environment: Environment,
  task: EventSearchTask,
  assignees?: Assignees,
): EventSearchResult {
  const { job, requestedMicros } = task
  environment.refresh()
  const { condition, fields } = compileSelection(task.selection, requestedMicros, task.serviceNames, job.labels)
  const { first, last } = ingestedWithin(condition)
  const from = Math.max(task.after + 1, Math.ceil(first), 0)
  const to = Math.min(requestedMicros, Math.floor(last))
  const event = new RecordFields(environment, new BodyCodec(environment), fields, assignees)
  event.ofJob(job)
  const times: number[] = []
  let [count, records] = [0, 0]
  if (from > to) return { times, count, through: requestedMicros, last: true }
  for (const { key, value } of environment.range('events', {
    from: timeKey(job.id, from),
    to: timeKey(job.id, to + 1),
  })) {
    const micros = timeOfKey(key)
    event.event(micros, value)
    records++
    if (matches(condition, event)) {
      count++
      if (!task.countOnly) times.push(micros)
    }
    if (records >= limits.reprocessRecordsPerLook || times.length >= limits.reprocessFoundPerLook) {
      return { times, count, through: micros, last: false }
    }
  }
  return { times, count, through: requestedMicros, last: true }
}
