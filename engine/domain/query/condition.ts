/**
 * Conditions: what a question asks of one event, compiled.
 *
 * Owns: yes or no for an event, and what a condition says of ids and ingest times beforehand. Leaves out: how questions are
 * written (filter.ts, clause.ts), where events come from.
 *
 * 1. A test on a field with several values holds where any of them passes; its negation where none does. So an event
 *    without the field fails every test but a negation.
 * 2. What is cheap is asked first: the answer does not depend on the order.
 */
import type { ScalarValue } from '../event/point-value.js'
import { costOf, type Field } from './field.js'

/** What a condition reads of an event. */
export interface EventFields {
  /** Every value at the field, in the order of the body; until the next event. A time's is an instant, microseconds. */
  values(field: Field): readonly ScalarValue[]
  /** True where there is anything but null, empty objects and empty arrays at the field or under it. */
  has(field: Field): boolean
}

export type Test = (value: ScalarValue) => boolean

export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  /** At least `least` of the parts. */
  | { readonly kind: 'or'; readonly parts: readonly Condition[]; readonly least: number }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'some'; readonly field: Field; readonly test: Test }
  | { readonly kind: 'has'; readonly field: Field }
  /** The values as a whole. */
  | { readonly kind: 'values'; readonly field: Field; readonly test: (values: readonly ScalarValue[]) => boolean }
  /** Microseconds of ingest, both ends included. */
  | { readonly kind: 'ingested'; readonly field: Field; readonly first: number; readonly last: number }
  | { readonly kind: 'ids'; readonly field: Field; readonly ids: ReadonlySet<string> }

export const everything: Condition = { kind: 'all' }
export const nothing: Condition = { kind: 'none' }

export function allOf(parts: readonly Condition[]): Condition {
  if (parts.some(({ kind }) => kind === 'none')) return nothing
  const json = parts.filter(({ kind }) => kind !== 'all').flatMap((part) => (part.kind === 'and' ? part.parts : [part]))
  if (json.length === 0) return everything
  return json.length === 1 ? (json[0] as Condition) : { kind: 'and', parts: cheapFirst(json) }
}

/** `least` may be more than there are parts: then nothing passes. */
export function anyOf(parts: readonly Condition[], least = 1): Condition {
  if (least <= 0) return everything
  if (least > parts.length) return nothing
  return parts.length === 1 ? (parts[0] as Condition) : { kind: 'or', parts: cheapFirst(parts), least }
}

export function not(part: Condition): Condition {
  switch (part.kind) {
    case 'all':
      return nothing
    case 'none':
      return everything
    case 'not':
      return part.part
    default:
      return { kind: 'not', part }
  }
}

function cheapFirst(parts: readonly Condition[]): Condition[] {
  return [...parts].sort((a, b) => cost(a) - cost(b))
}

function cost(condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'none':
      return 0
    case 'and':
    case 'or':
      return Math.max(...condition.parts.map(cost))
    case 'not':
      return cost(condition.part)
    default:
      return costOf(condition.field)
  }
}

/** True where the event is asked for. */
export function matches(condition: Condition, event: EventFields): boolean {
  switch (condition.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'and':
      for (let i = 0; i < condition.parts.length; i++)
        if (!matches(condition.parts[i] as Condition, event)) return false
      return true
    case 'or':
      return matchesSome(condition.parts, condition.least, event)
    case 'not':
      return !matches(condition.part, event)
    case 'has':
      return event.has(condition.field)
    case 'values':
      return condition.test(event.values(condition.field))
    case 'some':
      return event.values(condition.field).some(condition.test)
    case 'ingested': {
      const [micros] = event.values(condition.field) as readonly [number]
      return micros >= condition.first && micros <= condition.last
    }
    case 'ids':
      return event.values(condition.field).some((id) => condition.ids.has(id as string))
  }
}

function matchesSome(parts: readonly Condition[], least: number, event: EventFields): boolean {
  let found = 0
  for (let i = 0; i < parts.length && found + parts.length - i >= least; i++) {
    if (matches(parts[i] as Condition, event) && ++found >= least) return true
  }
  return false
}

/** The ingest times outside of which no event passes, both ends included. */
export function ingestedWithin(condition: Condition): { readonly first: number; readonly last: number } {
  let [first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const part of demanded(condition)) {
    if (part.kind !== 'ingested') continue
    first = Math.max(first, part.first)
    last = Math.min(last, part.last)
  }
  return { first, last }
}

/** The ids beside which no event passes; null where the condition does not say. */
export function queriedIds(condition: Condition): ReadonlySet<string> | null {
  const lists = demanded(condition).filter((part) => part.kind === 'ids')
  return lists.reduce<ReadonlySet<string> | null>(
    (least, { ids }) => (least === null || ids.size < least.size ? ids : least),
    null,
  )
}

/** What every event that passes has to pass. */
function demanded(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.parts : [condition]
}
