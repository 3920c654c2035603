/**
 * Conditions: a query's test of one event, compiled.
 *
 * Owns: testing an event, and the bounds of ids and ingest times that a condition implies. Leaves out: how queries are
 * written (filter.ts, clause.ts), where events come from (query/event-scan.ts).
 *
 * 1. A test on a field holds if one of the field's values passes, its negation if none does. So an event without the
 *    field fails every test but a negation.
 * 2. Cheap tests come first. The result does not depend on the order.
 */
import type { ScalarValue } from '../event/point-value.js'
import { costOf, type Field } from './field.js'

/** Reads the fields of one event. */
export interface EventFields {
  /** The values of a field in the order of the body, valid until the next event. A time is an instant, microseconds. */
  values(field: Field): readonly ScalarValue[]
  /** True if anything but null, empty objects and empty arrays is at the field or below it. */
  has(field: Field): boolean
}

export type Test = (value: ScalarValue) => boolean

/** A condition on one field. */
export type FieldCondition = {
  readonly field: Field
  /** Equal for conditions that pass the same events at all times; absent where that is not known. */
  readonly key?: string
  /** It chooses values: the field has one of them. */
  readonly isChoice?: true
} & (
  | { readonly kind: 'some'; readonly test: Test }
  | { readonly kind: 'has' }
  /** A test of all values together. */
  | { readonly kind: 'values'; readonly test: (values: readonly ScalarValue[]) => boolean }
  /** Microseconds of ingest, both ends included. */
  | { readonly kind: 'ingested'; readonly first: number; readonly last: number }
  | { readonly kind: 'ids'; readonly ids: ReadonlySet<string> }
)

export type Condition =
  | FieldCondition
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  /** At least `least` of the parts. */
  | { readonly kind: 'or'; readonly parts: readonly Condition[]; readonly least: number }
  | { readonly kind: 'not'; readonly part: Condition }

export const everything: Condition = { kind: 'all' }
export const nothing: Condition = { kind: 'none' }

export function allOf(parts: readonly Condition[]): Condition {
  if (parts.some(({ kind }) => kind === 'none')) return nothing
  const flat = parts.filter(({ kind }) => kind !== 'all').flatMap((part) => (part.kind === 'and' ? part.parts : [part]))
  if (flat.length === 0) return everything
  return flat.length === 1 ? (flat[0] as Condition) : { kind: 'and', parts: cheapFirst(flat) }
}

/** At least `least` of the parts. If there are fewer parts, nothing passes. */
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

/** The condition with a key for what it asks of its field. */
export function withKey(condition: Condition, key: string): Condition {
  if (condition.kind === 'not') return { kind: 'not', part: withKey(condition.part, key) }
  return 'field' in condition ? { ...condition, key } : condition
}

/** The key of a condition made of others; null where one of them has none. */
export function keyOf(condition: Condition): string | null {
  if ('field' in condition) return condition.key ?? null
  switch (condition.kind) {
    case 'all':
    case 'none':
      return condition.kind
    case 'not': {
      const key = keyOf(condition.part)
      return key === null ? null : `not ${key}`
    }
    default: {
      const keys = condition.parts.map(keyOf)
      if (keys.includes(null)) return null
      return JSON.stringify([condition.kind, condition.kind === 'or' ? condition.least : 0, keys])
    }
  }
}

/** The condition as one that chooses values of its field. */
export function asChoice(condition: Condition): Condition {
  return 'field' in condition ? { ...condition, isChoice: true } : condition
}

/** What must hold besides the values that are chosen of a field, and these. */
export function withoutChoices(
  condition: Condition,
  isMeant: (field: Field) => boolean,
): { readonly rest: Condition; readonly choices: Condition } {
  const isChoice = (part: Condition): boolean => {
    if (part.kind === 'not') return part.part.kind === 'has' && isMeant(part.part.field)
    if (part.kind === 'or') return part.least === 1 && part.parts.every(isChoice)
    return 'field' in part && part.isChoice === true && isMeant(part.field)
  }
  const parts = demanded(condition)
  return { rest: allOf(parts.filter((part) => !isChoice(part))), choices: allOf(parts.filter(isChoice)) }
}

/** The fields that a condition asks for, each once. */
export function fieldsOf(condition: Condition): ReadonlySet<Field> {
  if ('field' in condition) return new Set([condition.field])
  if (condition.kind === 'not') return fieldsOf(condition.part)
  return 'parts' in condition ? new Set(condition.parts.flatMap((part) => [...fieldsOf(part)])) : new Set()
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

/** True if the event passes. */
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

/** No event outside these ingest times passes; both ends are included. */
export function ingestedWithin(condition: Condition): { readonly first: number; readonly last: number } {
  let [first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const part of demanded(condition)) {
    if (part.kind !== 'ingested') continue
    first = Math.max(first, part.first)
    last = Math.min(last, part.last)
  }
  return { first, last }
}

/** No event with another id passes; null if the condition implies no ids. */
export function requiredIds(condition: Condition): ReadonlySet<string> | null {
  const lists = demanded(condition).filter((part) => part.kind === 'ids')
  return lists.reduce<ReadonlySet<string> | null>(
    (least, { ids }) => (least === null || ids.size < least.size ? ids : least),
    null,
  )
}

/** Conditions that every passing event meets. */
function demanded(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.parts : [condition]
}
