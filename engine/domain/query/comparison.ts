/**
 * Compares a field with values of a query: for equality, or for order.
 *
 * Rules for order:
 *
 * 1. A time field, or a date in the query, compares instants (spans: instant.ts). A value that is no date fails.
 * 2. A number in the query, or a text that spells one, compares numbers. A value that is no number fails.
 * 3. Any other text compares texts by UTF-16 units. Numbers and booleans fail.
 * 4. A single value must satisfy all bounds of a range.
 */
import type { ScalarValue } from '../event/point-value.js'
import { asChoice, type Condition, type Test } from './condition.js'
import { wordsField, type Field } from './field.js'
import { instantOf, isTimeText, spanOf, type DateContext, type Span } from './instant.js'
import { equalTo, equalToOneOf, numberOf } from './scalar.js'

export type BoundName = 'lt' | 'lte' | 'gt' | 'gte'
export type Bounds = Readonly<Partial<Record<BoundName, ScalarValue>>>

/** Refuses the value at a place of the query. */
export type Refuse = (place: readonly (string | number)[], message: string) => never

/** An event whose field has a value between the bounds. */
export function between(field: Field, bounds: Bounds, context: DateContext, refuse: Refuse): Condition {
  if (field.kind === 'time') return timeBetween(field, bounds, context, refuse)
  const tests = namesOf(bounds).map((name) => boundTest(name, bounds[name] as ScalarValue, context, refuse))
  const [only] = tests
  return {
    kind: 'some',
    field,
    test: tests.length === 1 && only !== undefined ? only : (value) => tests.every((test) => test(value)),
  }
}

function namesOf(bounds: Bounds): BoundName[] {
  return Object.keys(bounds) as BoundName[]
}

function timeBetween(field: Field, bounds: Bounds, context: DateContext, refuse: Refuse): Condition {
  let [first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const name of namesOf(bounds)) {
    const span = spanOf(bounds[name] as ScalarValue, context) ?? refuse([name], 'Input should be a date')
    if (name === 'gt') first = Math.max(first, span.last + 1)
    else if (name === 'gte') first = Math.max(first, span.first)
    else if (name === 'lt') last = Math.min(last, span.first - 1)
    else last = Math.min(last, span.last)
  }
  return instantWithin(field, { first, last })
}

/** An event whose time, or date at another field, is within a span. */
export function instantWithin(field: Field, { first, last }: Span): Condition {
  if (field.kind !== 'time') {
    return { kind: 'some', field, test: (value) => within(instantOf(value), first, last) }
  }
  if (field.which === 'ingest') return { kind: 'ingested', field, first, last }
  return { kind: 'some', field, test: (value) => within(value as number, first, last) }
}

function within(instant: number | null, first: number, last: number): boolean {
  return instant !== null && instant >= first && instant <= last
}

function boundTest(name: BoundName, bound: ScalarValue, context: DateContext, refuse: Refuse): Test {
  if (typeof bound === 'boolean') return refuse([name], 'Input should be a number, a date or a text')
  const number = numberOf(bound)
  if (number !== null) {
    return (value) => {
      const own = numberOf(value)
      return own !== null && holds(name, own, number, number)
    }
  }
  const span =
    typeof bound === 'string' && (isTimeText(bound) || bound.startsWith('now') || bound.includes('||'))
      ? spanOf(bound, context)
      : null
  if (span !== null) {
    return (value) => {
      const own = instantOf(value)
      return own !== null && holds(name, own, span.first, span.last)
    }
  }
  return (value) => typeof value === 'string' && holds(name, value, bound as string, bound as string)
}

function holds<T extends string | number>(name: BoundName, value: T, first: T, last: T): boolean {
  switch (name) {
    case 'lt':
      return value < first
    case 'lte':
      return value <= last
    case 'gt':
      return value > last
    case 'gte':
      return value >= first
  }
}

/** An event whose field has a value equal to one of these. */
export function isOneOf(field: Field, wanted: readonly ScalarValue[], context: DateContext, refuse: Refuse): Condition {
  return asChoice(equalsOneOf(field, wanted, context, refuse))
}

function equalsOneOf(field: Field, wanted: readonly ScalarValue[], context: DateContext, refuse: Refuse): Condition {
  if (field.kind === 'time') {
    const spans = wanted.map((value) => spanOf(value, context) ?? refuse([], 'Input should be a date'))
    const [span] = spans
    if (spans.length === 1 && span !== undefined) return instantWithin(field, span)
    return {
      kind: 'some',
      field,
      test: (value) => spans.some(({ first, last }) => within(value as number, first, last)),
    }
  }
  if (field.kind === 'own' && field.own === 'event_id') return { kind: 'ids', field, ids: new Set(wanted.map(String)) }
  const compared = wordsField(field) ?? field
  return {
    kind: 'some',
    field: compared,
    test: wanted.length === 1 ? equalTo(wanted[0] as ScalarValue) : equalToOneOf(wanted),
  }
}
