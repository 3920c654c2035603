/**
 * An alert as clustering sees it: when, what it is about, what that is next to, and what kind of alert it is.
 *
 * Owns: which fields are read and how. Leaves out: what follows from it (clustering.ts).
 *
 * 1. Any body is survived. Without an id where one is asked for, or without one of the equal fields, an alert is about
 *    nothing that others could share: entity 0.
 * 2. Entities are told apart by 53 bits of hash over the equal fields and the id, so that a relation never crosses from
 *    one value of the equal fields to another.
 */
import { DecisionPoints } from '../event/decision-points.js'
import type { PointValue, PointValues } from '../event/point-value.js'
import { hashText } from '../learn/hash.js'
import { causeBounds } from './bounds.js'
import { knownNames, type CauseSettings } from './settings.js'

export interface Sighting {
  /** Milliseconds since 1970; null where the alert says none. */
  readonly timeMs: number | null
  /** What it is about; 0 for nothing that others share. */
  readonly entity: number
  /** The id, for people. */
  readonly entityName: string
  /** Entities that this one lists, each once. */
  readonly related: readonly number[]
  /** '' where it has none of the fields. */
  readonly kind: string
  /** The values at the job's decision points. */
  readonly values: PointValues
}

const TWO_21 = 2 ** 21

/** 53 bits, never 0. */
function entityOf(scope: string, id: string): number {
  const text = `${scope}\u0000${id}`
  return (hashText(1, text) >>> 0) * TWO_21 + (hashText(2, text) >>> 11)
}

/** Reads the alerts of one job. */
export class Sightings {
  readonly #settings: CauseSettings
  readonly #points: DecisionPoints
  readonly #equal: DecisionPoints
  readonly #id: DecisionPoints
  readonly #related: DecisionPoints
  readonly #time: DecisionPoints
  readonly #kind: DecisionPoints
  readonly #kindsKnown: boolean

  constructor(settings: CauseSettings, decisionPoints: readonly string[]) {
    const namedOr = (field: string, known: readonly string[]): DecisionPoints =>
      new DecisionPoints(field === '' ? known : [field])
    this.#settings = settings
    this.#points = new DecisionPoints(decisionPoints)
    this.#equal = new DecisionPoints(settings.equalFields)
    this.#id = namedOr(settings.idField, knownNames.id)
    this.#related = namedOr(settings.relatedField, knownNames.related)
    this.#time = namedOr(settings.timeField, knownNames.time)
    this.#kindsKnown = settings.kindFields.length === 0
    this.#kind = new DecisionPoints(this.#kindsKnown ? knownNames.kind : settings.kindFields)
  }

  /** The values at the job's decision points; `read` gives the body, where there are any. */
  valuesOf(read: () => Readonly<Record<string, unknown>>): PointValues {
    return this.#points.count === 0 ? [] : this.#points.valuesOf(read())
  }

  of(body: Readonly<Record<string, unknown>>): Sighting {
    const values = this.#points.valuesOf(body)
    const equal = this.#equal.valuesOf(body)
    const scope = equal.length === 0 ? '' : JSON.stringify(equal)
    const id = textOf(this.#id.firstOf(body))
    // Where nobody asked for an id and none is there, the equal fields alone say what belongs together.
    const isAlone = equal.includes(null) || (id === '' && (this.#settings.idField !== '' || equal.length === 0))
    const entity = isAlone ? 0 : entityOf(scope, id)
    const related = isAlone ? [] : this.#relatedOf(this.#related.firstOf(body), scope, entity)
    return {
      timeMs: millisOf(this.#time.firstOf(body)),
      entity,
      entityName: id,
      related,
      kind: this.#kindOf(body, values),
      values,
    }
  }

  #relatedOf(value: PointValue, scope: string, own: number): number[] {
    if (value === null) return []
    const names = Array.isArray(value) ? (value as readonly unknown[]) : [value]
    const related: number[] = []
    for (const name of names) {
      if (related.length >= causeBounds.causeRelatedMax) break
      const entity = entityOf(scope, String(name))
      if (entity !== own && !related.includes(entity)) related.push(entity)
    }
    return related
  }

  #kindOf(body: Readonly<Record<string, unknown>>, values: PointValues): string {
    const parts = this.#kindsKnown ? [this.#kind.firstOf(body)] : this.#kind.valuesOf(body)
    const kind = parts.every((part) => part === null) && this.#kindsKnown ? values : parts
    const text = kind.every((part) => part === null) ? '' : kind.map(textOf).join(' | ')
    return text.slice(0, causeBounds.causeKindCharsMax).toWellFormed()
  }
}

function textOf(value: PointValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : Array.isArray(value) ? JSON.stringify(value) : String(value)
}

/** Latest time that a calendar has, milliseconds. */
const TIME_MAX = 8.64e15
const numeric = /^\s*\d+(\.\d+)?\s*$/
const zoned = /(?:z|utc|gmt|[+-]\d\d:?\d\d)\s*$/i

/** A date as milliseconds: ISO 8601 and its like, UTC where it says no zone, or a number that counts from 1970 in s, ms, µs or ns by its size. */
export function millisOf(value: PointValue): number | null {
  if (typeof value === 'string' && !numeric.test(value)) return within(parsed(value))
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number') return null
  if (number < 1e11) return within(number * 1000)
  if (number < 1e14) return within(number)
  return within(number < 1e17 ? number / 1e3 : number / 1e6)
}

/** Date.parse would take a time without a zone for one of the machine's. */
function parsed(text: string): number {
  const utc = zoned.test(text) ? Number.NaN : Date.parse(`${text.trim()}Z`)
  return Number.isNaN(utc) ? Date.parse(text) : utc
}

function within(millis: number): number | null {
  return millis >= 0 && millis <= TIME_MAX ? Math.floor(millis) : null
}
