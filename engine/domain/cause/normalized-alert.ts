/**
 * Normalizes an alert of any form: its time, its entity, the related entities, its kind.
 *
 * Owns: which fields are read and how. Leaves out: what follows from it (clustering.ts).
 *
 * 1. Any body is accepted. An alert has entity 0, which no other alert shares, where it lacks one of the equal fields,
 *    or its id where one is required.
 * 2. An entity is 53 bits of hash over the equal fields and the id. So no relation crosses from one value of the equal
 *    fields to another.
 */
import { DecisionPoints } from '../event/decision-points.js'
import type { Types } from '../event/plain-value.js'
import type { PointValue, PointValues } from '../event/point-value.js'
import { hashText } from '../learn/hash.js'
import { millisOf } from './alert-time.js'
import { causeBounds } from './bounds.js'
import { noFound, type FoundReaders } from './found-readers.js'
import { knownNames, type CauseSettings } from './settings.js'

export interface NormalizedAlert {
  /** Milliseconds since 1970; null without a time. */
  readonly timeMs: number | null
  /** 0: an entity that no other alert shares. */
  readonly entity: number
  /** The id, for display. */
  readonly entityName: string
  /** Entities that its own lists, each once. */
  readonly related: readonly number[]
  /** '' where all its fields are missing. */
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

/** Normalizes the alerts of one job. */
export class AlertNormalizer {
  readonly #settings: CauseSettings
  readonly #points: DecisionPoints
  readonly #equal: DecisionPoints
  readonly #id: DecisionPoints
  readonly #related: DecisionPoints
  readonly #time: DecisionPoints
  readonly #kind: DecisionPoints
  readonly #kindsKnown: boolean

  constructor(settings: CauseSettings, decisionPoints: readonly string[], types?: Types) {
    const namedOr = (field: string, known: readonly string[], kept?: 'kept'): DecisionPoints =>
      new DecisionPoints(field === '' ? known : [field], kept)
    this.#settings = settings
    this.#points = new DecisionPoints(decisionPoints, types)
    this.#equal = new DecisionPoints(settings.equalFields)
    this.#id = namedOr(settings.idField, knownNames.id)
    this.#related = namedOr(settings.relatedField, knownNames.related)
    this.#time = namedOr(settings.timeField, knownNames.time, 'kept')
    this.#kindsKnown = settings.kindFields.length === 0
    this.#kind = new DecisionPoints(this.#kindsKnown ? knownNames.kind : settings.kindFields)
  }

  /** The values at the job's decision points. `read` returns the body; it is not called without decision points. */
  valuesOf(read: () => Readonly<Record<string, unknown>>): PointValues {
    return this.#points.count === 0 ? [] : this.#points.valuesOf(read())
  }

  /** `found`: fields without a known name (field-finder.ts). `nearMicros`: when the alert arrived. */
  normalize(
    body: Readonly<Record<string, unknown>>,
    found: FoundReaders = noFound,
    nearMicros: number | null = null,
  ): NormalizedAlert {
    const values = this.#points.valuesOf(body)
    const equal = this.#equal.valuesOf(body)
    const scope = equal.length === 0 ? '' : JSON.stringify(equal)
    const id = textOf(this.#id.firstOf(body) ?? found.id.firstOf(body))
    // Without an id, and where none is required, the equal fields alone name the entity.
    const needsId = this.#settings.idField !== '' || (equal.length === 0 && !found.isEverywhere)
    const isAlone = equal.includes(null) || (id === '' && needsId)
    const entity = isAlone ? 0 : entityOf(scope, id)
    const related = isAlone
      ? []
      : this.#relatedOf(this.#related.firstOf(body) ?? found.related.firstOf(body), scope, entity)
    return {
      timeMs: this.#timeOf(this.#time, body, nearMicros) ?? this.#timeOf(found.time, body, nearMicros),
      entity,
      entityName: id,
      related,
      kind: this.#kindOf(body, values, found),
      values,
    }
  }

  /** The first of the fields that holds a time. */
  #timeOf(fields: DecisionPoints, body: Readonly<Record<string, unknown>>, nearMicros: number | null): number | null {
    for (const value of fields.valuesOf(body)) {
      const millis = millisOf(value, nearMicros)
      if (millis !== null) return millis
    }
    return null
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

  #kindOf(body: Readonly<Record<string, unknown>>, values: PointValues, found: FoundReaders): string {
    const kind = this.#kindsKnown ? this.#likelyKind(body, values, found) : this.#kind.valuesOf(body)
    const text = kind.every((part) => part === null) ? '' : kind.map(textOf).join(' | ')
    return text.slice(0, causeBounds.causeKindCharsMax).toWellFormed()
  }

  /** Found fields come first: a field with a known name that is always the same is no kind. */
  #likelyKind(body: Readonly<Record<string, unknown>>, values: PointValues, found: FoundReaders): PointValues {
    if (found.kind.count > 0) return found.kind.valuesOf(body)
    const named = this.#kind.firstOf(body)
    if (named !== null) return [named]
    // Numbers that are measured would make each alert a kind of its own.
    return values.some((value) => typeof value === 'string')
      ? values.filter((value) => typeof value !== 'number')
      : values
  }
}

function textOf(value: PointValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : Array.isArray(value) ? JSON.stringify(value) : String(value)
}
