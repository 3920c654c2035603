/**
 * What fields jobs have: from what their latest events really hold.
 *
 * Owns: the sample, the type of a field. Leaves out: what can be asked of a field (query/filter.ts).
 *
 * 1. Looked at are the latest limits.fieldSampleEventsMax events over all jobs, a fair share of each; so a field that only
 *    old events have is not listed, but can be asked for all the same.
 * 2. A field with numbers here and texts there is a `keyword`; with whole and other numbers a `double`.
 */
import { limits } from '../../limits.js'
import { ownFields, type FieldType } from '../../domain/query/field.js'
import { filterOperators, type FilterOperator } from '../../domain/query/filter.js'
import { isDateText } from '../../domain/query/instant.js'
import { decodeContent } from '../../store/event-record.js'
import { jobRange } from '../../store/tables.js'
import type { QueryGround } from './query-runs.js'

/** Looked at in each job at least, while there is room at all. */
const SHARE_MIN = 20

interface Surveyed {
  type: FieldType
  readonly jobs: Set<number>
}

const always: readonly FilterOperator[] = ['is', 'is not', 'is one of', 'is not one of', 'exists', 'not exists']
const texts: readonly FilterOperator[] = ['starts with', 'not starts with', 'contains', 'not contains']
const bounds: readonly FilterOperator[] = ['lt', 'lte', 'gt', 'gte']

/** What makes sense for a field of that type; every operator is answered for every field. */
function operatorsFor(type: FieldType): readonly FilterOperator[] {
  if (type === 'keyword') return filterOperators
  const sensible =
    type === 'boolean' ? always : type === 'date' ? [...always, ...bounds, ...texts] : [...always, ...bounds]
  return filterOperators.filter((operator) => sensible.includes(operator))
}

/** Elements of the answer to `filters/fields`, by name. */
export function surveyFields(ground: QueryGround): object[] {
  return survey(ground).map(([name, { type, jobs }]) => ({
    field_name: name,
    available_operators: operatorsFor(type),
    available_in_jobs: [...jobs].sort((a, b) => a - b),
  }))
}

/** The answer to `filters/fields_mapping`. */
export function surveyTypes(ground: QueryGround): Record<string, FieldType> {
  return Object.fromEntries(survey(ground).map(([name, { type }]) => [name, type]))
}

function survey({ task, stores, clock }: QueryGround): [string, Surveyed][] {
  const found = new Map<string, Surveyed>()
  const share = Math.max(SHARE_MIN, Math.ceil(limits.fieldSampleEventsMax / Math.max(1, task.jobs.length)))
  let left: number = limits.fieldSampleEventsMax
  for (const job of task.jobs) {
    const { environment, codec } = stores(job.shard)
    const note = (name: string, type: FieldType): void => noteField(found, name, type, job.id)
    for (const { value } of environment.range('events', {
      ...jobRange(job.id),
      reverse: true,
      limit: Math.min(share, left),
    })) {
      left--
      noteValues(codec.decode(decodeContent(value).body), '', note)
    }
    if (clock.cancelled.isCancelled || clock.nowMs() >= clock.deadlineMs) break
  }
  for (const job of task.jobs) {
    for (const name of ['@timestamp', 'timestamp_inference']) noteField(found, name, 'date', job.id, true)
    for (const [name, type] of Object.entries(ownFields))
      noteField(found, `${task.serviceNames[0]}.${name}`, type, job.id, true)
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** `fixed`: the service's own, whatever events hold under that name. */
function noteField(found: Map<string, Surveyed>, name: string, type: FieldType, jobId: number, fixed = false): void {
  const known = found.get(name)
  if (known === undefined) {
    if (fixed || found.size < limits.fieldsListedMax) found.set(name, { type, jobs: new Set([jobId]) })
    return
  }
  known.jobs.add(jobId)
  known.type = fixed ? type : wider(known.type, type)
}

function wider(a: FieldType, b: FieldType): FieldType {
  if (a === b) return a
  return (a === 'long' && b === 'double') || (a === 'double' && b === 'long') ? 'double' : 'keyword'
}

function noteValues(value: unknown, path: string, note: (name: string, type: FieldType) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) noteValues(item, path, note)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) noteValues(inner, path === '' ? name : `${path}.${name}`, note)
  } else if (value !== null && path.length > 0 && path.length <= limits.decisionPointCharsMax) note(path, typeOf(value))
}

function typeOf(value: unknown): FieldType {
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double'
  return isDateText(value as string) ? 'date' : 'keyword'
}
