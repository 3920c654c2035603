/**
 * The values of buckets at the decision points that were filtered by, as numbers.
 *
 * 1. A bucket's values never change, so a value is read once. The next filter on the field asks about each different
 *    value, and not about each bucket.
 */
import type { ScalarValue } from '../../domain/event/point-value.js'

/** Fields that are remembered, and buckets of each. */
const FIELDS_MAX = 16
const BUCKETS_MAX = 1 << 20

interface Column {
  /** By bucket: the number of its value, 0 where it was not read yet. */
  numbers: Int32Array
  readonly known: Map<string, number>
}

export class BucketValues {
  readonly #columns = new Map<string, Column>()

  /** The number of the bucket's value at the field; 0: not read yet. */
  numberOf(field: string, bucket: number): number {
    return this.#columns.get(field)?.numbers[bucket] ?? 0
  }

  /** Remembers the values and returns their number; 0 where they are not remembered. */
  note(field: string, bucket: number, values: readonly ScalarValue[] | null, isThere = true): number {
    if (values === null || bucket >= BUCKETS_MAX) return 0
    let column = this.#columns.get(field)
    if (column === undefined) {
      column = { numbers: new Int32Array(1_024), known: new Map() }
      this.#columns.set(field, column)
      for (const old of this.#columns.keys()) if (this.#columns.size > FIELDS_MAX) this.#columns.delete(old)
    }
    if (bucket >= column.numbers.length) {
      const longer = new Int32Array(Math.max(bucket + 1, 2 * column.numbers.length))
      longer.set(column.numbers)
      column.numbers = longer
    }
    // An object at the field has no value, and is there.
    const key = `${isThere}${JSON.stringify(values)}`
    let number = column.known.get(key)
    if (number === undefined) column.known.set(key, (number = column.known.size + 1))
    column.numbers[bucket] = number
    return number
  }
}
