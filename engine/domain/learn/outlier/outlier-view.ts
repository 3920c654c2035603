/**
 * An event as the outlier check sees it: tokens with weights, and numbers from -1 to 1.
 *
 * Owns: what likeness is measured on. A category, a word or an item is a token. A number is a place on a scale, even
 * where equal numbers recur: an unusual port near a usual one is not strange for that alone. A point that is mostly
 * missing has tokens only, so that hundreds of such points cost nothing.
 * Leaves out: the features (features.ts), distances (outlier-references.ts).
 */
import type { PointValues } from '../classifier.js'
import { PLAIN, type FeatureEncoder } from '../features/features.js'
import { signedLog, type PointProfile } from '../features/point-profile.js'
import { numberIn } from '../features/written-values.js'
import { hashNumber } from '../hash.js'

/** Tokens of one event that count; the rest is ignored. */
export const tokensMax = 64
/** Numbers of one event that count. */
const numbersMax = 48
/** The place of a missing number: about as far from usual ones as a very unusual number. */
const MISSING_AT = 1.2
/** The scale of a number at a point where all known numbers are equal. */
const constantScale = 4
const SPARSE_SALT = 0x51ed270b

/** z / (1 + |z|): linear around 0, between -1 and 1. */
function squash(z: number): number {
  return z / (1 + Math.abs(z))
}

export class OutlierView {
  /** Hashes of the tokens, `count` of them, and their weights. */
  readonly tokens = new Int32Array(tokensMax)
  readonly weights = new Float32Array(tokensMax)
  count = 0
  readonly numbers: Float32Array
  readonly #profiles: readonly PointProfile[]
  /** Points of the numbers. */
  readonly #numberPoints: Int32Array
  /** 1 where numbers at the point are no tokens. */
  readonly #dense: Uint8Array
  readonly #salts: Int32Array

  constructor(profiles: readonly PointProfile[]) {
    this.#profiles = profiles
    const points = [...profiles.keys()].filter((point) => {
      const { sparse, edges, deviation, mean } = profiles[point] as PointProfile
      return !sparse && (edges.length > 0 || deviation > 0 || mean !== 0)
    })
    this.#numberPoints = Int32Array.from(points.slice(0, numbersMax))
    this.#dense = new Uint8Array(profiles.length)
    for (const point of this.#numberPoints) this.#dense[point] = 1
    this.#salts = Int32Array.from(profiles, (_, point) => hashNumber(SPARSE_SALT, point))
    this.numbers = new Float32Array(this.#numberPoints.length)
  }

  /** Reads the event that `encoder`, with the same profiles, has just encoded. */
  take(values: PointValues, encoder: FeatureEncoder): void {
    this.#takeNumbers(values)
    this.count = 0
    this.#takeFeatures(values, encoder)
    this.#takeSparseNumbers(values)
    this.#normalize()
  }

  /** Features become tokens, but for numbers at points whose numbers are compared as such. */
  #takeFeatures(values: PointValues, encoder: FeatureEncoder): void {
    const { hashes, weights, kinds, atomAt } = encoder
    let point = 0
    let next = 0
    for (let j = 0; j < encoder.count && this.count < tokensMax; j++) {
      // The encoder's list is in the order of points; a sparse point that is missing has no place in it.
      while (next < atomAt.length && (atomAt[next] as number) <= j) {
        if ((atomAt[next] as number) >= 0) point = next
        next++
      }
      if (kinds[j] !== PLAIN) continue
      if (!Number.isNaN(this.#numberAt(values, point))) {
        if (j !== atomAt[point] || this.#dense[point] === 1) continue
      }
      this.#push(hashes[j] as number, weights[j] as number)
    }
  }

  #takeSparseNumbers(values: PointValues): void {
    for (let p = 0; p < this.#dense.length && this.count < tokensMax; p++) {
      if (this.#dense[p] === 1) continue
      const number = this.#numberAt(values, p)
      if (!Number.isNaN(number)) this.#takeSparse(p, number)
    }
  }

  /** The number at a point, written as a text or not; NaN for none. */
  #numberAt(values: PointValues, point: number): number {
    return numberIn(values[point] ?? null, (this.#profiles[point] as PointProfile).reading)
  }

  #push(token: number, weight: number): void {
    this.tokens[this.count] = token
    this.weights[this.count++] = weight
  }

  /** A number at a sparse point: one token for its presence, one for its rough size. */
  #takeSparse(point: number, value: number): void {
    const salt = this.#salts[point] as number
    this.#push(salt, 1)
    if (this.count < tokensMax) this.#push(hashNumber(salt, Math.round(signedLog(value) * 2)), 0.5)
  }

  #takeNumbers(values: PointValues): void {
    const points = this.#numberPoints
    for (let i = 0; i < points.length; i++) {
      const value = this.#numberAt(values, points[i] as number)
      if (!Number.isFinite(value)) {
        this.numbers[i] = MISSING_AT
        continue
      }
      const { mean, deviation } = this.#profiles[points[i] as number] as PointProfile
      const off = signedLog(value) - mean
      this.numbers[i] = squash(deviation > 0 ? off / deviation : off * constantScale)
    }
  }

  #normalize(): void {
    let squares = 0
    for (let i = 0; i < this.count; i++) squares += (this.weights[i] as number) ** 2
    if (squares === 0) return
    const scale = 1 / Math.sqrt(squares)
    for (let i = 0; i < this.count; i++) this.weights[i] = (this.weights[i] as number) * scale
  }
}
