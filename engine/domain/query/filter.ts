/**
 * Filters: `[{field, operator, value}]`. An event must pass all of them (C3.11).
 *
 * Owns: the fourteen operators. Leaves out: what a field is (field.ts), how values compare (scalar.ts, comparison.ts).
 *
 * 1. `is`, `starts with`, `contains` and the comparisons hold if one of the field's values passes.
 * 2. Their negations hold if no value passes, and so for an event without the field.
 * 3. `starts with` and `contains` test a value's text. A number has its shortest text, a time ISO 8601 UTC with
 *    microseconds. Case counts.
 * 4. `exists` holds for anything but null, an empty object or an empty array. An event without a decision has the
 *    result '', which does not exist.
 *
 * Use: `const fields = new FieldSet(names)`, then `const condition = compileFilters(filters, fields, context)`, then
 * `matches(condition, event)` for each event (condition.ts).
 */
import { Refusal, type Issue } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import { between, instantWithin, isOneOf, type BoundName } from './comparison.js'
import { allOf, everything, not, withKey, type Condition } from './condition.js'
import type { Field, FieldSet } from './field.js'
import { instantText, spanOf, type DateContext, type Span } from './instant.js'
import { compileQuery, namesOfQuery, type QueryTerms } from './query-language.js'

/** The operators, in the order in which they are shown. */
export const filterOperators = [
  'is',
  'is not',
  'is one of',
  'is not one of',
  'starts with',
  'not starts with',
  'contains',
  'not contains',
  'exists',
  'not exists',
  'lt',
  'lte',
  'gt',
  'gte',
] as const

export type FilterOperator = (typeof filterOperators)[number]

/** A query in the query language, as a filter beside others. */
export interface QueryFilter {
  readonly query: string
}

/** One filter, checked. */
export type Filter = FieldFilter | QueryFilter

export interface FieldFilter {
  readonly field: string
  readonly operator: FilterOperator
  /** Absent for `exists` and `not exists`, a list for `is one of` and `is not one of`, else one value. */
  readonly value?: ScalarValue | readonly ScalarValue[]
}

const isList = (operator: FilterOperator): boolean => operator === 'is one of' || operator === 'is not one of'
const isExists = (operator: FilterOperator): boolean => operator === 'exists' || operator === 'not exists'

/** True for a text, number or boolean. */
export function isScalar(value: unknown): value is ScalarValue {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  )
}

/**
 * Checks filters as a client sent them. Undefined and null mean no filters. `place` is where they are in the request.
 * @throws Refusal invalid_body, with an issue for each mistake.
 */
export function parseFilters(filters: unknown, place: readonly (string | number)[] = ['body', 'filters']): Filter[] {
  if (filters === undefined || filters === null) return []
  const issues: Issue[] = []
  const parsed: Filter[] = []
  if (!Array.isArray(filters)) issues.push({ loc: place, msg: 'Input should be a list of filters', type: 'list_type' })
  else if (filters.length > limits.queryFiltersMax) {
    issues.push({ loc: place, msg: `List should have at most ${limits.queryFiltersMax} filters`, type: 'too_long' })
  } else {
    for (const [at, filter] of filters.entries()) {
      const found = parseFilter(filter, (path, msg, type) => issues.push({ loc: [...place, at, ...path], msg, type }))
      if (found !== null) parsed.push(found)
    }
  }
  if (issues.length > 0) throw new Refusal('invalid_body', 'the filters are not valid', { issues })
  return parsed
}

/** True for a query beside filters. */
export function isQuery(filter: object): filter is QueryFilter {
  return typeof (filter as Partial<QueryFilter>).query === 'string' && !('field' in filter)
}

/** What a filter is about, without its values: for the audit log. */
export function subjectOfFilter(filter: Filter): string {
  if (!isQuery(filter)) return `${filter.field} ${filter.operator}`
  return `query on ${namesOfQuery(filter.query)
    .map(({ name }) => name)
    .join(', ')}`
}

/** The filters of a request, with its query as the last of them. */
export function filtersWith(filters: unknown, query: string | undefined): unknown {
  if (query === undefined || query.trim() === '') return filters
  return Array.isArray(filters) || filters === undefined || filters === null ? [...(filters ?? []), { query }] : filters
}

type Report = (path: readonly string[], msg: string, type: string) => unknown

function parseFilter(filter: unknown, report: Report): Filter | null {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    report([], 'Input should be an object with field, operator and value', 'object_type')
    return null
  }
  if (isQuery(filter)) return { query: filter.query }
  const { field, operator, value } = filter as Record<string, unknown>
  if (typeof field !== 'string' || field === '' || field.length > limits.decisionPointCharsMax) {
    report(
      ['field'],
      `Input should be the name of a field, at most ${limits.decisionPointCharsMax} characters`,
      'string_type',
    )
    return null
  }
  const known =
    typeof operator === 'string'
      ? filterOperators.find((one) => one === operator.trim().toLowerCase().replace(/\s+/g, ' '))
      : undefined
  if (known === undefined) {
    report(['operator'], `Input should be one of: ${filterOperators.join(', ')}`, 'enum')
    return null
  }
  if (isExists(known)) return { field, operator: known }
  if (!isList(known)) {
    if (isScalar(value) && !(typeof value === 'boolean' && isBound(known))) return { field, operator: known, value }
    report(
      ['value'],
      `Input should be ${isBound(known) ? 'a number or a text' : 'a text, a number or a boolean'}`,
      'value_type',
    )
    return null
  }
  const values = isScalar(value) ? [value] : value
  if (Array.isArray(values) && values.every(isScalar) && values.length <= limits.queryValuesMax) {
    return { field, operator: known, value: values }
  }
  report(
    ['value'],
    `Input should be a list of at most ${limits.queryValuesMax} texts, numbers or booleans`,
    'list_type',
  )
  return null
}

function isBound(operator: FilterOperator): operator is BoundName {
  return operator === 'lt' || operator === 'lte' || operator === 'gt' || operator === 'gte'
}

/**
 * The filters as one condition.
 * @throws Refusal invalid_body if a time is not compared with a date or a query cannot be read, query_too_large for too
 * many fields.
 */
export function compileFilters(
  filters: readonly Filter[],
  fields: FieldSet,
  context: QueryTerms,
  place: readonly (string | number)[] = ['body', 'filters'],
): Condition {
  return allOf(
    filters.map((filter, at) => {
      if (isQuery(filter)) {
        return compileQuery(filter.query, fields, context, (msg, type) => {
          if (type === 'query_too_large') throw new Refusal('query_too_large', msg)
          throw new Refusal('invalid_body', `query: ${msg}`, {
            issues: [{ loc: [place[0] ?? 'body', 'query'], msg, type }],
          })
        })
      }
      const condition = compileFilter(filter, fields.field(filter.field), context, (message) => {
        const issue = { loc: [...place, at, 'value'], msg: message, type: 'value_error' }
        throw new Refusal('invalid_body', `filters.${at}.value: ${message}`, { issues: [issue] })
      })
      return isTimeless(filter.value) ? withKey(condition, JSON.stringify(filter)) : condition
    }),
  )
}

/** False where a value may mean another time tomorrow. */
export function isTimeless(value: FieldFilter['value']): boolean {
  return typeof value !== 'string' || !(value.startsWith('now') || value.includes('||'))
}

function compileFilter(
  filter: FieldFilter,
  field: Field,
  context: DateContext,
  fail: (message: string) => never,
): Condition {
  const { operator } = filter
  const value = filter.value as ScalarValue
  const refuse = (_: unknown, message: string): never => fail(message)
  switch (operator) {
    case 'is':
      return isOneOf(field, [value], context, refuse)
    case 'is not':
      return not(isOneOf(field, [value], context, refuse))
    case 'is one of':
      return isOneOf(field, filter.value as readonly ScalarValue[], context, refuse)
    case 'is not one of':
      return not(isOneOf(field, filter.value as readonly ScalarValue[], context, refuse))
    case 'starts with':
      return textTest(field, (text) => text.startsWith(String(value)))
    case 'not starts with':
      return not(textTest(field, (text) => text.startsWith(String(value))))
    case 'contains':
      return textTest(field, (text) => text.includes(String(value)))
    case 'not contains':
      return not(textTest(field, (text) => text.includes(String(value))))
    case 'exists':
      return { kind: 'has', field }
    case 'not exists':
      return not({ kind: 'has', field })
    default:
      return between(field, { [operator]: value }, context, refuse)
  }
}

/** An event whose field has a value whose text passes. */
export function textTest(field: Field, test: (text: string) => boolean): Condition {
  if (field.kind === 'time') return { kind: 'some', field, test: (value) => test(instantText(value as number)) }
  return { kind: 'some', field, test: (value) => test(typeof value === 'string' ? value : String(value)) }
}

/**
 * The span from `start_date` to `end_date` on a field, both included. Without the two, everything passes.
 * @throws Refusal invalid_body.
 */
export function compileDates(
  dates: { readonly dateField: string; readonly startDate?: unknown; readonly endDate?: unknown },
  fields: FieldSet,
  context: DateContext,
): Condition {
  const { dateField, startDate, endDate } = dates
  if (startDate === undefined && endDate === undefined) return everything
  const first = startDate === undefined ? Number.NEGATIVE_INFINITY : dateSpan(startDate, 'start_date', context).first
  const last =
    endDate === undefined ? Number.POSITIVE_INFINITY : untilNow(dateSpan(endDate, 'end_date', context).last, context)
  return instantWithin(fields.field(dateField), { first, last })
}

/** So much earlier than a query a client may have read its clock. */
const NOW_MICROS = 5e6

/**
 * Where the system's clock was set back, events have later times than it shows. An end at the present of that clock, or
 * after it, then means all of them.
 */
function untilNow(last: number, { nowMicros, clockMicros = nowMicros }: DateContext): number {
  return clockMicros < nowMicros && last >= clockMicros - NOW_MICROS ? Math.max(last, nowMicros) : last
}

function dateSpan(date: unknown, name: string, context: DateContext): Span {
  const span = isScalar(date) ? spanOf(date, context) : null
  if (span !== null) return span
  const issue = { loc: ['body', name], msg: 'Input should be a date', type: 'date_parsing' }
  throw new Refusal('invalid_body', `${name}: ${issue.msg}`, { issues: [issue] })
}
