/**
 * The fields that jobs have, as found in their latest events.
 *
 * Owns: the sample, the type of a field. Leaves out: the operators (domain/query/filter.ts).
 *
 * 1. The sample is the latest limits.fieldSampleEventsMax events over all jobs, with an equal share for each job. A
 *    field that only older events have is not listed, but can be queried.
 * 2. Paths and values are those of decision points (event/field-reader.ts), with texts as they came.
 * 3. A field with numbers in some events and texts in others is a `keyword`. One with whole and other numbers is a
 *    `double`.
 */
import { limits } from '../../limits.js'
import { FieldReader } from '../../domain/event/field-reader.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import { ownFields, type FieldType } from '../../domain/query/field.js'
import { filterOperators, type FilterOperator } from '../../domain/query/filter.js'
import { isTimeText } from '../../domain/query/instant.js'
import { decodeContent } from '../../store/event-record.js'
import { jobRange } from '../../store/tables.js'
import type { QueryContext } from './event-scan.js'

/** Events of each job in the sample at least, until the sample is full. */
const SHARE_MIN = 20

interface Surveyed {
  type: FieldType
  readonly jobs: Set<number>
}

const always: readonly FilterOperator[] = ['is', 'is not', 'is one of', 'is not one of', 'exists', 'not exists']
const texts: readonly FilterOperator[] = ['starts with', 'not starts with', 'contains', 'not contains']
const bounds: readonly FilterOperator[] = ['lt', 'lte', 'gt', 'gte']

/** The operators to offer for a type. The service answers every operator for every field. */
function operatorsFor(type: FieldType): readonly FilterOperator[] {
  if (type === 'keyword') return filterOperators
  const sensible =
    type === 'boolean' ? always : type === 'date' ? [...always, ...bounds, ...texts] : [...always, ...bounds]
  return filterOperators.filter((operator) => sensible.includes(operator))
}

/** Elements of the answer to `filters/fields`, by name. */
export function surveyFields(ground: QueryContext): object[] {
  return survey(ground).map(([name, { type, jobs }]) => ({
    field_name: name,
    available_operators: operatorsFor(type),
    available_in_jobs: [...jobs].sort((a, b) => a - b),
  }))
}

/** The answer to `filters/fields_mapping`. */
export function surveyTypes(ground: QueryContext): Record<string, FieldType> {
  return Object.fromEntries(survey(ground).map(([name, { type }]) => [name, type]))
}

function survey({ task, stores, clock }: QueryContext): [string, Surveyed][] {
  const found = new Map<string, Surveyed>()
  const reader = new FieldReader('kept')
  const share = Math.max(SHARE_MIN, Math.ceil(limits.fieldSampleEventsMax / Math.max(1, task.jobs.length)))
  let left: number = limits.fieldSampleEventsMax
  for (const job of task.jobs) {
    const { environment, codec } = stores(job.shard)
    const note = (name: string, type: FieldType): void => addField(found, { name, type, jobId: job.id })
    for (const { value } of environment.range('events', {
      ...jobRange(job.id),
      reverse: true,
      limit: Math.min(share, left),
    })) {
      left--
      reader.each(codec.decode(decodeContent(value).body), (path, found) => {
        if (!Array.isArray(found)) return note(path, typeOf(found as ScalarValue))
        for (const one of found as readonly ScalarValue[]) note(path, typeOf(one))
      })
    }
    if (clock.cancelled.isCancelled || clock.nowMs() >= clock.deadlineMs) break
  }
  for (const job of task.jobs) {
    for (const name of ['@timestamp', 'timestamp_inference']) addOwnField(found, { name, type: 'date', jobId: job.id })
    for (const [name, type] of Object.entries(ownFields))
      addOwnField(found, { name: `${task.serviceNames[0]}.${name}`, type, jobId: job.id })
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

interface JobField {
  readonly name: string
  readonly type: FieldType
  readonly jobId: number
}

function addField(found: Map<string, Surveyed>, { name, type, jobId }: JobField): void {
  const known = found.get(name)
  if (known !== undefined) {
    known.jobs.add(jobId)
    known.type = wider(known.type, type)
  } else if (found.size < limits.fieldsListedMax) found.set(name, { type, jobs: new Set([jobId]) })
}

/** A field of the service's own has its type whatever events hold under that name, and is always listed. */
function addOwnField(found: Map<string, Surveyed>, { name, type, jobId }: JobField): void {
  const jobs = found.get(name)?.jobs ?? new Set()
  found.set(name, { type, jobs: jobs.add(jobId) })
}

function wider(a: FieldType, b: FieldType): FieldType {
  if (a === b) return a
  return (a === 'long' && b === 'double') || (a === 'double' && b === 'long') ? 'double' : 'keyword'
}

function typeOf(value: ScalarValue): FieldType {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double'
  return isTimeText(value) ? 'date' : 'keyword'
}
