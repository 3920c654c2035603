/**
 * Questions to the audit log: a walk over its index by time, in the order that was asked for.
 *
 * Owns: what matches, and one page of it. Leaves out: the thread that it runs on (readers/reader-thread.ts).
 *
 * 1. Filters compare marks; only entries of the page are opened, and for a free text all that the filters let through.
 * 2. A question ends after limits.readerMsMax with what it has, and says so.
 */
import { limits } from '../../limits.js'
import type { Environment, KeyRange } from '../../store/environment.js'
import { FILTER_BYTES, filterFields, markOf, type FilterField } from './field-hashes.js'
import type { AuditPage, AuditQuery, AuditRecord } from '../../api/audit-service.js'
import {
  decodeChained,
  decodeHead,
  headKey,
  sequenceKey,
  sequenceOfTimesKey,
  splitChained,
  timesKey,
} from './audit-tables.js'

/** Between two looks at the time. */
const ROWS_PER_LOOK = 1_024

/** True for marks that fit. */
type Filter = (marks: Buffer) => boolean

/** A page of what matches; `nowMs` counts milliseconds from anywhere. */
export function queryAudit(environment: Environment, query: AuditQuery, nowMs: () => number): AuditPage {
  const filters = filtersOf(query)
  const matches = query.text === undefined ? null : textMatcher(query.text)
  const isWhole =
    filters.length === 0 && matches === null && query.fromMicros === undefined && query.toMicros === undefined
  const from = query.page * query.size
  const end = from + query.size
  const untilMs = nowMs() + limits.readerMsMax
  const found: number[] = []
  let [total, rows] = [0, 0]
  for (const { key, value } of environment.range('audit_times', rangeOf(query))) {
    if (++rows % ROWS_PER_LOOK === 0 && nowMs() > untilMs) return pageOf(environment, found, total, false)
    const marks = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    if (!filters.every((filter) => filter(marks))) continue
    const sequence = sequenceOfTimesKey(key)
    if (matches !== null && !matches(environment.get('audit', sequenceKey(sequence)))) continue
    if (total >= from && total < end) found.push(sequence)
    total++
    if (isWhole && total >= end)
      return pageOf(environment, found, decodeHead(environment.get('audit_meta', headKey)).count, true)
  }
  return pageOf(environment, found, total, true)
}

function rangeOf({ fromMicros, toMicros, order }: AuditQuery): KeyRange {
  return {
    ...(fromMicros === undefined ? {} : { from: timesKey(fromMicros) }),
    ...(toMicros === undefined ? {} : { to: timesKey(toMicros) }),
    reverse: order === 'desc',
  }
}

function pageOf(environment: Environment, sequences: readonly number[], total: number, exact: boolean): AuditPage {
  const records = sequences.flatMap((sequence): AuditRecord[] => {
    const value = environment.get('audit', sequenceKey(sequence))
    // An entry that somebody has taken out; the proof names it.
    if (value === undefined) return []
    const { entry, hash } = decodeChained(value)
    return [{ ...entry, hash: Buffer.from(hash).toString('hex') }]
  })
  return { records, total, exact }
}

function filtersOf({ user, actions, objectTypes, objectId, jobId }: AuditQuery): Filter[] {
  const filters: Filter[] = []
  const add = (fields: readonly FilterField[], values: readonly string[] | undefined): void => {
    if (values === undefined) return
    const wanted = fields.flatMap((field) =>
      values.map((value) => [filterFields.indexOf(field) * FILTER_BYTES, markOf(field, value)] as const),
    )
    filters.push((marks) => wanted.some(([at, mark]) => mark.compare(marks, at, at + FILTER_BYTES) === 0))
  }
  add(['user', 'analyst'], user === undefined ? undefined : [user])
  add(['action'], actions)
  add(['object_type'], objectTypes)
  add(['object_id'], objectId === undefined ? undefined : [objectId])
  add(['job_id'], jobId === undefined ? undefined : [String(jobId)])
  return filters
}

/** True for the value of `audit` of an entry that has the text in any of its values. */
function textMatcher(text: string): (value: Uint8Array | undefined) => boolean {
  const wanted = text.toLowerCase()
  // As it stands in JSON: a quick look at the bytes before the entry is opened.
  const quick = JSON.stringify(wanted).slice(1, -1)
  return (value) => {
    if (value === undefined) return false
    const { canonical } = splitChained(value)
    const json = Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).toString('utf8')
    return json.toLowerCase().includes(quick) && holdsText(JSON.parse(json), wanted)
  }
}

function holdsText(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted)
  if (typeof value === 'object' && value !== null) return Object.values(value).some((inner) => holdsText(inner, wanted))
  return value !== null && String(value) === wanted
}
