/**
 * The labelled events that new ones are held against, and how far the nearest of them are.
 *
 * distance = (1 - cosine of the tokens) + mean |difference| of the numbers: by this the nearest one is found.
 *
 * How far an event is for the outlier check is the mean of its distance to the nearest reference and of its mean distance to the nearest
 * 15 (Ramaswamy, Rastogi and Shim, "Efficient algorithms for mining outliers from large data sets", 2000; Angiulli and Pizzuti, "Fast
 * outlier detection in high dimensional spaces", 2002), with two differences. The largest difference of a number counts as much as
 * the mean of all: what is strange is often strange in one number among dozens. And a distance counts for more from a
 * reference that has others near it (after Breunig, Kriegel, Ng and Sander, "LOF: identifying density-based local outliers", 2000).
 *
 * 1. At most `referencesMax` references, however many labels there are: a check costs the same at 3,000 and 300,000. The
 *    first `outlierReferencesMax` say how far an event is; all of them, which is nearest where one is near (further-references.ts).
 * 2. Tokens are found by an inverted index; numbers are compared only while a reference may still be among the nearest.
 */
import { FeatureTable } from '../features/feature-table.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { FurtherReferences, type ReferenceParts } from './further-references.js'
import { tokensMax, type OutlierView } from './outlier-view.js'

/** References of a model. */
export const referencesMax = 1_024
/** Those of them that the outlier check counts. */
export const outlierReferencesMax = 256

/** The nearest references that count for the outlier check. */
const nearestCount = 15
/**
 * What the mean of the differences of numbers counts for the outlier check, and what the largest does, beside the tokens' 1:
 * together about what the mean would by itself, for of the two the largest is the larger.
 */
const meanWeight = 0.35
const mostWeight = 0.35
/** The power of how far a reference is from others that distances from it are divided by: more of it gains on some streams what it loses on others. */
const localPower = 0.25
/** Added to how far references are from each other, so that duplicates are no division by 0. */
const spreadMin = 1e-3
/** Numbers between two looks at whether a reference is still near enough. */
const numbersPerCheck = 8

/** Inserts a distance into the ascending list of the nearest, `found` of them so far; past its end the largest goes. */
function insert(nearest: Float64Array, found: number, distance: number): void {
  let place = Math.min(found, nearestCount - 1)
  while (place > 0 && (nearest[place - 1] as number) > distance) nearest[place] = nearest[--place] as number
  nearest[place] = distance
}

export class OutlierReferences {
  readonly #parts: ReferenceParts
  readonly #table: FeatureTable
  readonly #likeness: Float32Array
  /** By reference, the factor of its distances; 1 until `localise`. */
  #scales: Float32Array
  readonly #nearest = new Float64Array(nearestCount)
  readonly #further: FurtherReferences
  readonly #outlierCount: number
  /** The numbers of the tokens of the last event, -1 for unknown ones. */
  readonly #found = new Int32Array(tokensMax)
  #nearestPlace = -1
  #nearestDistance = Infinity

  private constructor(parts: ReferenceParts, scales?: Float32Array) {
    this.#parts = parts
    this.#table = new FeatureTable(parts.tokens.length)
    for (const token of parts.tokens) this.#table.add(token)
    this.#outlierCount = Math.min(parts.count, outlierReferencesMax)
    this.#scales = scales ?? new Float32Array(this.#outlierCount).fill(1)
    this.#likeness = new Float32Array(this.#outlierCount)
    this.#further = new FurtherReferences(parts, this.#outlierCount)
  }

  /** `look(i)` leaves reference i in the view; `count` is at most referencesMax. */
  static of(count: number, view: OutlierView, look: (i: number) => void): OutlierReferences {
    const table = new FeatureTable()
    const holders: number[][] = []
    const weights: number[][] = []
    const numbers = new Float32Array(count * view.numbers.length)
    for (let i = 0; i < count; i++) {
      look(i)
      numbers.set(view.numbers, i * view.numbers.length)
      for (let j = 0; j < view.count; j++) {
        const token = table.add(view.tokens[j] as number)
        ;(holders[token] ??= []).push(i)
        ;(weights[token] ??= []).push(view.weights[j] as number)
      }
    }
    const starts = new Int32Array(table.size + 1)
    holders.forEach((list, token) => {
      starts[token + 1] = (starts[token] as number) + list.length
    })
    const parts = { holders: Int32Array.from(holders.flat()), weights: Float32Array.from(weights.flat()), numbers }
    return new OutlierReferences({ count, numberCount: view.numbers.length, tokens: table.hashes(), starts, ...parts })
  }

  static read(from: ModelReader): OutlierReferences {
    const parts = {
      count: from.u32(),
      numberCount: from.u32(),
      tokens: Int32Array.from(from.u32s()),
      starts: Int32Array.from(from.u32s()),
      holders: Int32Array.from(from.u32s()),
      weights: from.f32s(),
      numbers: from.f32s(),
    }
    return new OutlierReferences(parts, from.f32s())
  }

  write(to: ModelWriter): void {
    const { count, numberCount, tokens, starts, holders, weights, numbers } = this.#parts
    to.u32(count)
    to.u32(numberCount)
    to.u32s(tokens)
    to.u32s(starts)
    to.u32s(holders)
    to.f32s(weights)
    to.f32s(numbers)
    to.f32s(this.#scales)
  }

  /** From now on distances count by how far each of the references that the outlier check counts is from the others: `spreads`, as `distance` says. */
  localise(spreads: Float64Array): void {
    const usual = (spreads.slice().sort()[spreads.length >> 1] ?? 0) + spreadMin
    this.#scales = Float32Array.from(spreads, (spread) => ((spread + usual) / (2 * usual)) ** -localPower)
  }

  /** The reference that the event of the last look is nearest to, of those that the outlier check counts, and how far that is; -1 where there is none. */
  get nearestPlace(): number {
    return this.#nearestPlace
  }

  get nearestDistance(): number {
    return this.#nearestDistance
  }

  /** The nearest of all references, and how far it is, where one is nearer than `limit`: of the event of the last `distance`. */
  nearestWithin(view: OutlierView, limit: number, except = -1): { readonly place: number; readonly distance: number } {
    const { place, distance } = this.#further.search(view, this.#found, Math.min(limit, this.nearestDistance), except)
    return place >= 0
      ? { place, distance }
      : { place: this.nearestDistance < limit ? this.#nearestPlace : -1, distance: this.nearestDistance }
  }

  /** How far the event in the view is from the nearest references, 0 or more; `except` is a reference that does not count. */
  distance(view: OutlierView, except = -1): number {
    this.#compareTokens(view)
    const { numberCount, numbers } = this.#parts
    const mine = view.numbers
    const share = numberCount > 0 ? 1 / numberCount : 0
    const nearest = this.#nearest.fill(Infinity)
    let limit = Infinity
    let found = 0
    let closest = Infinity
    this.#nearestPlace = -1
    for (let i = 0; i < this.#outlierCount; i++) {
      const start = 1 - (this.#likeness[i] as number)
      const scale = this.#scales[i] as number
      if ((start >= closest && start * scale >= limit) || i === except) continue
      const first = i * numberCount
      let plain = start
      let far = start
      let sum = 0
      let most = 0
      for (let from = 0; from < numberCount && (plain < closest || far * scale < limit); from += numbersPerCheck) {
        const end = Math.min(numberCount, from + numbersPerCheck)
        for (let j = from; j < end; j++) {
          const apart = Math.abs((mine[j] as number) - (numbers[first + j] as number))
          sum += apart
          if (apart > most) most = apart
        }
        plain = start + sum * share
        far = start + meanWeight * sum * share + mostWeight * most
      }
      if (plain < closest) {
        closest = plain
        this.#nearestPlace = i
      }
      const distance = far * scale
      if (distance >= limit) continue
      insert(nearest, found, distance)
      if (++found >= nearestCount) limit = nearest[nearestCount - 1] as number
    }
    this.#nearestDistance = closest
    return this.#blend(Math.min(found, nearestCount))
  }

  #blend(found: number): number {
    if (found === 0) return 2
    let sum = 0
    for (let i = 0; i < found; i++) sum += this.#nearest[i] as number
    return Math.max(0, (sum / found + (this.#nearest[0] as number)) / 2)
  }

  #compareTokens(view: OutlierView): void {
    const { starts, holders, weights } = this.#parts
    // An event without tokens is as far from all as their numbers are.
    const likeness = this.#likeness.fill(view.count === 0 ? 1 : 0)
    for (let j = 0; j < view.count; j++) {
      const token = this.#table.find(view.tokens[j] as number)
      this.#found[j] = token
      if (token < 0) continue
      const weight = view.weights[j] as number
      const end = starts[token + 1] as number
      for (let k = starts[token] as number; k < end; k++) {
        const holder = holders[k] as number
        if (holder >= this.#outlierCount) break
        likeness[holder] = (likeness[holder] as number) + weight * (weights[k] as number)
      }
    }
  }
}
