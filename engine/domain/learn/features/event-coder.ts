/**
 * Codes an event for the members: the known features with their weights, and a code in each column of the trees.
 *
 * Owns: coding, the same in training and in deciding. Leaves out: the features (features.ts), the choice of columns
 * (number-columns.ts, learning-table.ts).
 */
import type { PointValue, PointValues } from '../classifier.js'
import { CodedValues, type KeptValue } from './coded-values.js'
import type { FeatureTable } from './feature-table.js'
import type { FeatureEncoder } from './features.js'
import { codeOf, FACTOR, numberCode, type NumberColumn } from './number-columns.js'
import { FactorReader, type TextFactors } from './text-factors.js'

export interface EventCoderDeps {
  readonly encoder: FeatureEncoder
  /** The features that the model knows. */
  readonly table: FeatureTable
  /** How often each was seen. */
  readonly counts: Int32Array
  readonly columns: readonly NumberColumn[]
  /** The column of each feature, or -1. */
  readonly columnOf: Int32Array
  readonly columnCount: number
  readonly factors: TextFactors
}

export class EventCoder {
  /** The known features of the last event and their weights, `count` of them. */
  features = new Int32Array(64)
  values = new Float32Array(64)
  count = 0
  /** A code in each column; 0 for missing. */
  readonly codes: Uint8Array
  readonly encoder: FeatureEncoder
  readonly #table: FeatureTable
  readonly #counts: Int32Array
  readonly #columns: readonly NumberColumn[]
  readonly #factors: FactorReader
  /** The column of each feature, or -1. */
  readonly #columnOf: Int32Array
  /** The number of each of the encoder's features, or -1. */
  #numbers = new Int32Array(64)
  #set = new Int32Array(64)
  #setCount = 0
  #kept: CodedValues | null = null

  constructor({ encoder, table, counts, columns, columnOf, columnCount, factors }: EventCoderDeps) {
    this.encoder = encoder
    this.#factors = new FactorReader(factors)
    this.#table = table
    this.#counts = counts
    this.#columns = columns
    this.#columnOf = columnOf
    this.codes = new Uint8Array(columnCount)
  }

  /** The number of number columns; columns of features follow them. */
  get numberCount(): number {
    return this.#columns.length
  }

  /** The columns of features that the last event has, in no order. Valid until the next event. */
  get present(): Int32Array {
    return this.#set.subarray(0, this.#setCount)
  }

  /** The coordinates of the last event's texts (text-factors.ts). Valid until the next event. */
  get coordinates(): Float32Array {
    return this.#factors.coordinates
  }

  /** Keeps what it finds for single values from now on: the tables do not change any more. */
  keepValues(): void {
    this.#kept ??= new CodedValues(this.encoder)
  }

  /** A value whose features are kept, or null. */
  keptValue(point: number, value: PointValue): KeptValue | null {
    return this.#kept === null ? null : this.#kept.find(point, value)
  }

  /** The number of a feature; -1 if the model does not know it. */
  numberOf(hash: number): number {
    return this.#table.find(hash)
  }

  code(event: PointValues): void {
    const { encoder, codes } = this
    // First: an event with more features than any before gets a new list of columns.
    for (let i = 0; i < this.#setCount; i++) codes[this.#set[i] as number] = 0
    this.#setCount = 0
    this.#encode(event)
    this.#factors.read(event)
    this.count = 0
    for (let j = 0; j < encoder.count; j++) {
      const feature = this.#numbers[j] as number
      if (feature < 0) continue
      this.features[this.count] = feature
      this.values[this.count++] = encoder.weights[j] as number
      const column = feature < this.#columnOf.length ? (this.#columnOf[feature] as number) : -1
      if (column < 0 || codes[column] === 1) continue
      codes[column] = 1
      this.#set[this.#setCount++] = column
    }
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i] as NumberColumn
      codes[i] =
        column.what === FACTOR
          ? codeOf(column.edges, this.coordinates[column.point] as number)
          : numberCode(column, event[column.point] ?? null, this.seenAt(column.point))
    }
  }

  /** Encodes an event, and finds the numbers of its features. */
  #encode(event: PointValues): void {
    const { encoder } = this
    const kept = this.#kept
    if (kept === null) {
      encoder.encode(event)
      return this.#findNumbers(0)
    }
    encoder.count = 0
    for (let point = 0; point < encoder.atoms.length; point++) {
      const value = event[point] ?? null
      if (kept.take(point, value, this.#numbers)) continue
      const from = encoder.count
      encoder.add(point, value)
      this.#findNumbers(from)
      kept.keep(point, value, from, this.#numbers)
    }
    const from = encoder.count
    encoder.addPairs()
    this.#findNumbers(from)
  }

  /** Of the encoder's features from place `from` on. */
  #findNumbers(from: number): void {
    const { hashes, count } = this.encoder
    if (this.#numbers.length < hashes.length) {
      this.features = new Int32Array(hashes.length)
      this.values = new Float32Array(hashes.length)
      this.#set = new Int32Array(hashes.length)
      const before = this.#numbers
      this.#numbers = new Int32Array(hashes.length)
      this.#numbers.set(before)
    }
    for (let j = from; j < count; j++) this.#numbers[j] = this.#table.find(hashes[j] as number)
  }

  /** The number of the encoder's feature j of the last event; -1 if the model does not know it. */
  featureAt(j: number): number {
    return this.#numbers[j] as number
  }

  /** How often the last event's value at this point was seen at the training. */
  seenAt(point: number): number {
    const at = this.encoder.atomAt[point] as number
    return at < 0 ? 0 : this.countAt(at)
  }

  /** How often the encoder's feature j of the last event was seen at the training. */
  countAt(j: number): number {
    const feature = this.#numbers[j] as number
    return feature < 0 ? 0 : (this.#counts[feature] as number)
  }
}
