/**
 * Queries about the audit log: a walk over its index by time, in the order of the query.
 *
 * Owns: what matches, and one page of it. Leaves out: the thread that runs it (reader-thread.ts).
 *
 * 1. Filters compare hashes. Only the entries of the page are opened; for a free text, all entries that pass the
 *    filters.
 * 2. A query ends after limits.readerMsMax with what it has, and `exact` is false then.
 * 3. A cursor is the key of an entry in the index. The walk begins at it and ends with its page, however many follow.
 */
import { limits } from '../../limits.js'
import type { AuditPage, AuditQuery, AuditRecord } from '../../api/audit-service.js'
import type { Environment, KeyRange } from '../../store/environment.js'
import { HASH_BYTES, filterFields, fieldHash, type FilterField } from './field-hashes.js'
import {
  decodeChained,
  decodeHead,
  headKey,
  microsOfTimesKey,
  sequenceKey,
  sequenceOfTimesKey,
  splitChained,
  timesKey,
} from './audit-tables.js'

/** Rows between two checks of the time limit. */
const ROWS_PER_CHECK = 1_024

/** True for an entry's hashes that match. */
type Filter = (hashes: Buffer) => boolean

/** One page of matching entries. `nowMs` is a monotonic clock in milliseconds. */
export function queryAudit(environment: Environment, query: AuditQuery, nowMs: () => number): AuditPage {
  const filters = filtersOf(query)
  const matches = query.text === undefined ? null : textMatcher(query.text)
  const isWhole =
    filters.length === 0 && matches === null && query.fromMicros === undefined && query.toMicros === undefined
  const passes = (sequence: number, value: Uint8Array): boolean => {
    const hashes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    if (!filters.every((filter) => filter(hashes))) return false
    return matches === null || matches(environment.get('audit', sequenceKey(sequence)))
  }
  const from = query.page * query.size
  const end = from + query.size
  const untilMs = nowMs() + limits.readerMsMax
  const found: number[] = []
  const endPage = (total: number, exact: boolean, next: string | null): AuditPage => {
    return { ...pageOf(environment, found, total, exact), next: query.size === 0 ? null : next }
  }
  let [total, rows, last, passed] = [0, 0, '', '']
  for (const { key, value } of environment.range('audit_times', rangeOf(query))) {
    if (++rows % ROWS_PER_CHECK === 0 && nowMs() > untilMs)
      return endPage(total, false, found.length === query.size ? last : passed)
    passed = placeOf(key)
    const sequence = sequenceOfTimesKey(key)
    if (!passes(sequence, value)) continue
    if (total >= from && total < end) {
      found.push(sequence)
      last = passed
    }
    if (++total <= end) continue
    if (isWhole) return endPage(decodeHead(environment.get('audit_meta', headKey)).count, true, last)
    if (query.after !== undefined) return endPage(total, false, last)
  }
  const isAll = isWhole && query.after !== undefined
  const count = isAll ? decodeHead(environment.get('audit_meta', headKey)).count : total
  return endPage(count, isAll || query.after === undefined, total > end ? last : null)
}

/** The text of a place in the index. */
function placeOf(key: Uint8Array): string {
  return `${microsOfTimesKey(key)}.${sequenceOfTimesKey(key)}`
}

/** Whether a text is a place in the index. */
export function isAuditPlace(text: string): boolean {
  return /^\d{1,16}\.\d{1,16}$/.test(text) && text.split('.').every((part) => Number.isSafeInteger(Number(part)))
}

function rangeOf({ fromMicros, toMicros, order, after }: AuditQuery): KeyRange {
  const [micros, sequence] = after === undefined ? [] : (after.split('.').map(Number) as [number, number])
  const isDown = order === 'desc'
  const place = micros === undefined ? null : timesKey(micros, (sequence ?? 0) + Number(!isDown))
  const from = fromMicros === undefined ? null : timesKey(fromMicros)
  const to = toMicros === undefined ? null : timesKey(toMicros)
  const begin = isDown ? from : laterOf(from, place)
  const end = isDown ? earlierOf(to, place) : to
  return { ...(begin === null ? {} : { from: begin }), ...(end === null ? {} : { to: end }), reverse: isDown }
}

function laterOf(a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null {
  return a === null || (b !== null && Buffer.compare(a, b) < 0) ? b : a
}

function earlierOf(a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null {
  return a === null || (b !== null && Buffer.compare(a, b) > 0) ? b : a
}

function pageOf(
  environment: Environment,
  sequences: readonly number[],
  total: number,
  exact: boolean,
): Omit<AuditPage, 'next'> {
  const records = sequences.flatMap((sequence): AuditRecord[] => {
    const value = environment.get('audit', sequenceKey(sequence))
    // The entry was removed; the proof reports it.
    if (value === undefined) return []
    const { entry, hash } = decodeChained(value)
    return [{ ...entry, hash: Buffer.from(hash).toString('hex') }]
  })
  return { records, total, exact }
}

function filtersOf({ user, analyst, actions, objectTypes, objectId, jobId }: AuditQuery): Filter[] {
  const filters: Filter[] = []
  const add = (fields: readonly FilterField[], values: readonly string[] | undefined): void => {
    if (values === undefined) return
    const wanted = fields.flatMap((field) =>
      values.map((value) => [filterFields.indexOf(field) * HASH_BYTES, fieldHash(field, value)] as const),
    )
    filters.push((hashes) => wanted.some(([at, hash]) => hash.compare(hashes, at, at + HASH_BYTES) === 0))
  }
  add(['user', 'analyst'], user === undefined ? undefined : [user])
  add(['analyst'], analyst === undefined ? undefined : [analyst])
  add(['action'], actions)
  add(['object_type'], objectTypes)
  add(['object_id'], objectId === undefined ? undefined : [objectId])
  add(['job_id'], jobId === undefined ? undefined : [String(jobId)])
  return filters
}

/** A test of rows of `audit`: true where any value of the entry contains the text, in any case. */
function textMatcher(text: string): (value: Uint8Array | undefined) => boolean {
  const wanted = text.toLowerCase()
  // The text as JSON spells it: a quick search before the entry is parsed.
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
