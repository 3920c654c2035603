/**
 * What a coder has found for single values, so that a value that comes again is not read again.
 *
 * The features of a value at a point depend on nothing else of the event, nor do their numbers in a model. Most values
 * of a stream are among those that the model knows, in new buckets as well.
 *
 * Owns: which values are kept. Leaves out: reading a value (features.ts), the use of its features (event-coder.ts).
 *
 * 1. Values are kept while the model's tables stand: for a model that decides, not in a training.
 * 2. A value that is kept gives the same features in the same order as one that is read.
 * 3. Only values that the model knows are kept, `valuesMax` of them at most, no numbers that are measured, and no long
 *    texts. So a model keeps at most about 150 KiB.
 */
import { grown } from '../../event/grown.js'
import type { PointValue } from '../classifier.js'
import type { FeatureEncoder } from './features.js'
import type { PointProfile } from './point-profile.js'
import { AS_TEXT } from './written-values.js'

const valuesMax = 1_024
/** Of a text. */
const charsMax = 64

/** A kept value: its number, its hash as a whole, whether it has a feature of its own, and where its features lie. */
export interface KeptValue {
  readonly number: number
  readonly atom: number
  readonly hasAtom: boolean
  readonly start: number
  readonly end: number
}

/** Whether a value may come again and again, and its features are the same then. */
function recurs(value: PointValue, { exact, reading }: PointProfile): boolean {
  switch (typeof value) {
    case 'string':
      return value.length <= charsMax && (exact || reading === AS_TEXT)
    case 'number':
      // The two zeros are one key of a map.
      return exact && !Object.is(value, -0)
    case 'boolean':
      return true
    default:
      return value === null
  }
}

export class CodedValues {
  readonly #encoder: FeatureEncoder
  /** By point. */
  readonly #places: readonly Map<PointValue, KeptValue>[]
  #count = 0
  /** The features of all kept values, with their numbers in the model. */
  #hashes = new Int32Array(64)
  #weights = new Float32Array(64)
  #kinds = new Uint8Array(64)
  #numbers = new Int32Array(64)
  #end = 0

  constructor(encoder: FeatureEncoder) {
    this.#encoder = encoder
    this.#places = Array.from(encoder.profiles, () => new Map<PointValue, KeptValue>())
  }

  /** A value that is kept; null where it is not. */
  find(point: number, value: PointValue): KeptValue | null {
    if ((typeof value === 'object' && value !== null) || Object.is(value, -0)) return null
    return (this.#places[point] as Map<PointValue, KeptValue>).get(value) ?? null
  }

  /**
   * Adds the features of a value to those of the encoder, with their numbers; false where it is not kept. `numbers` has
   * as many places as the encoder.
   */
  take(point: number, value: PointValue, numbers: Int32Array): boolean {
    const kept = this.find(point, value)
    if (kept === null) return false
    const encoder = this.#encoder
    const { hashes, weights, kinds } = encoder
    let at = encoder.count
    if (at + kept.end - kept.start > hashes.length) return false
    encoder.atoms[point] = kept.atom
    encoder.atomAt[point] = kept.hasAtom ? at : -1
    for (let i = kept.start; i < kept.end; i++, at++) {
      hashes[at] = this.#hashes[i] as number
      weights[at] = this.#weights[i] as number
      kinds[at] = this.#kinds[i] as number
      numbers[at] = this.#numbers[i] as number
    }
    encoder.count = at
    return true
  }

  /** Keeps a value whose features the encoder has from place `from` on, if it is one to keep. */
  keep(point: number, value: PointValue, from: number, numbers: Int32Array): void {
    const { profiles, atoms, atomAt, hashes, weights, kinds, count } = this.#encoder
    if (this.#count === valuesMax || !recurs(value, profiles[point] as PointProfile)) return
    const hasAtom = (atomAt[point] as number) >= 0
    if (hasAtom && (numbers[from] as number) < 0 && value !== null) return
    const places = this.#places[point] as Map<PointValue, KeptValue>
    if (places.has(value)) return
    const start = this.#end
    this.#makeRoom(count - from)
    for (let j = from; j < count; j++) {
      const at = this.#end++
      this.#hashes[at] = hashes[j] as number
      this.#weights[at] = weights[j] as number
      this.#kinds[at] = kinds[j] as number
      this.#numbers[at] = numbers[j] as number
    }
    places.set(value, { number: this.#count++, atom: atoms[point] as number, hasAtom, start, end: this.#end })
  }

  #makeRoom(features: number): void {
    if (this.#end + features <= this.#hashes.length) return
    const length = 2 * this.#hashes.length + features
    this.#hashes = grown(this.#hashes, new Int32Array(length))
    this.#weights = grown(this.#weights, new Float32Array(length))
    this.#kinds = grown(this.#kinds, new Uint8Array(length))
    this.#numbers = grown(this.#numbers, new Int32Array(length))
  }
}
