/**
 * Sorts events by fields, then newest first, and keeps the first ones in that order.
 *
 * 1. The order is total, because ingest times are unique.
 * 2. Of several values, the smallest counts in ascending order and the largest in descending order. Events without a
 *    value come last, or first if the query says so.
 * 3. An answer shows the values that an event was sorted by, with times in milliseconds and three decimals. They can be
 *    sent back as `search_after`.
 */
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import type { EventFields } from './condition.js'
import type { Field, FieldSet } from './field.js'
import { spanOf, type DateContext } from './instant.js'
import type { JsonReader } from './json-reader.js'
import { compareScalars } from './scalar.js'

interface SortKey {
  /** null: all events are equal. */
  readonly field: Field | null
  readonly descending: boolean
  readonly missingFirst: boolean
}

/** The values that an event is sorted by: one for each key, null if it has none. */
export type SortValues = readonly (ScalarValue | null)[]

/** An event's position in the order. */
export interface SortPosition {
  readonly values: SortValues
  /** Ingest time, microseconds. */
  readonly micros: number
}

export class SortOrder {
  readonly #keys: readonly SortKey[]

  constructor(keys: readonly SortKey[]) {
    this.#keys = keys
  }

  /** True for newest first without any key: the order in which a store is walked backwards. */
  get isNewestFirst(): boolean {
    return this.#keys.length === 0
  }

  get length(): number {
    return this.#keys.length
  }

  valuesOf(event: EventFields): SortValues {
    return this.#keys.map(({ field, descending }) => {
      if (field === null) return 1
      const values = event.values(field)
      let best: ScalarValue | null = null
      for (const value of values) {
        if (best === null || (descending ? compareScalars(value, best) > 0 : compareScalars(value, best) < 0))
          best = value
      }
      return best
    })
  }

  /** Negative if `a` comes before `b`. */
  compare(a: SortPosition, b: SortPosition): number {
    for (let i = 0; i < this.#keys.length; i++) {
      const { descending, missingFirst } = this.#keys[i] as SortKey
      const [left, right] = [a.values[i] ?? null, b.values[i] ?? null]
      if (left === null || right === null) {
        if (left === right) continue
        return (left === null) === missingFirst ? -1 : 1
      }
      const order = compareScalars(left, right)
      if (order !== 0) return descending ? -order : order
    }
    return b.micros - a.micros
  }

  /** An event's values as an answer shows them, with its ingest time last. */
  shown({ values, micros }: SortPosition): SortValues {
    return [
      ...values.map((value, i) =>
        this.#keys[i]?.field?.kind === 'time' && value !== null ? (value as number) / 1000 : value,
      ),
      micros / 1000,
    ]
  }

  /** The position in `search_after`: the values, with or without the ingest time at the end. */
  after(json: JsonReader, context: DateContext): SortPosition {
    const values = json.list(limits.querySortKeysMax + 1)
    const { length } = this
    if (values.length !== length && values.length !== length + 1)
      json.fail(`List should have ${length} or ${length + 1} items, one for each sort key`)
    const read = (value: JsonReader, isTime: boolean): ScalarValue | null => {
      if (value.value === null) return null
      if (!isTime) return value.scalar()
      if (typeof value.value === 'number') return Math.round(value.value * 1000)
      return spanOf(value.scalar(), context)?.first ?? value.fail('Input should be a date')
    }
    // Without the ingest time, the position is after all events with equal values.
    const last = values[length]
    const micros = last === undefined ? Number.NEGATIVE_INFINITY : (read(last, true) ?? Number.NEGATIVE_INFINITY)
    return {
      values: this.#keys.map(({ field }, i) => read(values[i] as JsonReader, field?.kind === 'time')),
      micros: micros as number,
    }
  }
}

/** Reads `sort`: a field, `{field: "desc"}`, `{field: {order, missing}}`, or a list of those. */
export function parseSort(json: JsonReader | undefined, fields: FieldSet): SortOrder {
  if (json === undefined) return new SortOrder([])
  return new SortOrder(
    json.list(limits.querySortKeysMax).map((key) => {
      if (!key.isObject) return sortKey(key.name(), undefined, undefined, fields)
      const [name, body] = key.only()
      body.at(name, name).name()
      if (!body.isObject) return sortKey(name, body.oneOf<'asc' | 'desc'>(['asc', 'desc']), undefined, fields)
      const { order, missing } = body.object(['order', 'missing', 'unmapped_type', 'format', 'numeric_type'])
      return sortKey(
        name,
        order?.oneOf<'asc' | 'desc'>(['asc', 'desc']),
        missing?.oneOf<'_last' | '_first'>(['_last', '_first']),
        fields,
      )
    }),
  )
}

/** One key. By default a score is descending, and a field ascending. */
export function sortKey(
  name: string,
  order: 'asc' | 'desc' | undefined,
  missing: '_last' | '_first' | undefined,
  fields: FieldSet,
): SortKey {
  const isField = name !== '_score' && name !== '_doc' && name !== '_shard_doc'
  return {
    field: isField ? fields.field(name) : null,
    descending: (order ?? (isField ? 'asc' : 'desc')) === 'desc',
    missingFirst: missing === '_first',
  }
}

/** Keeps the first `max` of many events. */
export class FirstEvents<E extends SortPosition> {
  readonly #order: SortOrder
  readonly #max: number
  /** A heap with the last in the order on top. */
  readonly #heap: E[] = []

  constructor(order: SortOrder, max: number) {
    this.#order = order
    this.#max = max
  }

  /** True if a new event would replace the last in the order. */
  get isFull(): boolean {
    return this.#heap.length >= this.#max
  }

  /** True if an event at that position would be kept. */
  takes(position: SortPosition): boolean {
    if (!this.isFull) return true
    return this.#max > 0 && this.#order.compare(position, this.#heap[0] as E) < 0
  }

  /** Adds an event for which `takes` is true. */
  add(event: E): void {
    const heap = this.#heap
    let at: number
    if (heap.length < this.#max) {
      at = heap.push(event) - 1
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (this.#order.compare(heap[parent] as E, event) >= 0) break
        heap[at] = heap[parent] as E
        at = parent
      }
    } else at = this.#sink(event)
    heap[at] = event
  }

  /** The kept events in order. */
  sorted(): E[] {
    return [...this.#heap].sort((a, b) => this.#order.compare(a, b))
  }

  #sink(event: E): number {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) return at
      if (child + 1 < heap.length && this.#order.compare(heap[child + 1] as E, heap[child] as E) > 0) child++
      if (this.#order.compare(heap[child] as E, event) <= 0) return at
      heap[at] = heap[child] as E
      at = child
    }
  }
}
