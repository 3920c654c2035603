/**
 * The labelled events that new ones are held against, and how far the nearest of them are.
 *
 * distance = (1 - cosine of the tokens) + mean |difference| of the numbers; an event's is the mean of its distance to
 * the nearest reference and of its mean distance to the nearest five (Ramaswamy, Rastogi and Shim, "Efficient
 * algorithms for mining outliers
 * from large data sets", 2000; Angiulli and Pizzuti, "Fast outlier detection in high dimensional spaces", 2002).
 *
 * 1. At most `referencesMax` references, however many labels there are: a check costs the same at 3,000 and 300,000. The
 *    first `outlierReferencesMax` say how far an event is; all of them, which is nearest where one is near (further-references.ts).
 * 2. Tokens are found by an inverted index; numbers are compared only while a reference may still be among the nearest.
 */
import { FeatureTable } from './feature-table.js'
import { FurtherReferences, type ReferenceParts } from './further-references.js'
import type { ModelReader, ModelWriter } from './model-bytes.js'
import { tokensMax, type OutlierView } from './outlier-view.js'

/** References of a model. */
export const referencesMax = 1_024
/** Those of them that the outlier check counts. */
export const outlierReferencesMax = 256
const nearestCount = 5
/** Numbers between two looks at whether a reference is still near enough. */
const numbersPerLook = 8

export class OutlierReferences {
  readonly #parts: ReferenceParts
  readonly #table: FeatureTable
  readonly #likeness: Float32Array
  readonly #nearest = new Float64Array(nearestCount)
  readonly #further: FurtherReferences
  readonly #outlierCount: number
  /** The numbers of the tokens of the last event, -1 for unknown ones. */
  readonly #found = new Int32Array(tokensMax)
  #nearestPlace = -1

  private constructor(parts: ReferenceParts) {
    this.#parts = parts
    this.#table = new FeatureTable(parts.tokens.length)
    for (const token of parts.tokens) this.#table.add(token)
    this.#outlierCount = Math.min(parts.count, outlierReferencesMax)
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
    holders.forEach((list, token) => { starts[token + 1] = (starts[token] as number) + list.length })
    const parts = { holders: Int32Array.from(holders.flat()), weights: Float32Array.from(weights.flat()), numbers }
    return new OutlierReferences({ count, numberCount: view.numbers.length, tokens: table.hashes(), starts, ...parts })
  }

  static read(from: ModelReader): OutlierReferences {
    return new OutlierReferences({
      count: from.u32(),
      numberCount: from.u32(),
      tokens: Int32Array.from(from.u32s()),
      starts: Int32Array.from(from.u32s()),
      holders: Int32Array.from(from.u32s()),
      weights: from.f32s(),
      numbers: from.f32s(),
    })
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
  }

  /** The reference that the event of the last look is nearest to, of those that the outlier check counts, and how far that is; -1 where there is none. */
  get nearestPlace(): number {
    return this.#nearestPlace
  }

  get nearestDistance(): number {
    return this.#nearest[0] as number
  }

  /** The nearest of all references, and how far it is, where one is nearer than `limit`: of the event of the last `distance`. */
  nearestWithin(view: OutlierView, limit: number, except = -1): { readonly place: number; readonly distance: number } {
    const { place, distance } = this.#further.search(view, this.#found, Math.min(limit, this.nearestDistance), except)
    return place >= 0 ? { place, distance } : { place: this.nearestDistance < limit ? this.#nearestPlace : -1, distance: this.nearestDistance }
  }

  /** How far the event in the view is from the nearest references, 0 or more; `except` is a reference that does not count. */
  distance(view: OutlierView, except = -1): number {
    this.#compareTokens(view)
    const nearest = this.#nearest.fill(Infinity)
    const { numberCount, numbers } = this.#parts
    const count = this.#outlierCount
    const mine = view.numbers
    const share = numberCount > 0 ? 1 / numberCount : 0
    const likeness = this.#likeness
    let limit = Infinity
    let found = 0
    this.#nearestPlace = -1
    for (let i = 0; i < count; i++) {
      let distance = 1 - (likeness[i] as number)
      if (distance >= limit || i === except) continue
      const first = i * numberCount
      for (let from = 0; from < numberCount && distance < limit; from += numbersPerLook) {
        const end = Math.min(numberCount, from + numbersPerLook)
        let sum = 0
        for (let j = from; j < end; j++) sum += Math.abs((mine[j] as number) - (numbers[first + j] as number))
        distance += sum * share
      }
      if (distance >= limit) continue
      let place = Math.min(found, nearestCount - 1)
      while (place > 0 && (nearest[place - 1] as number) > distance) nearest[place] = nearest[--place] as number
      nearest[place] = distance
      if (place === 0) this.#nearestPlace = i
      if (++found >= nearestCount) limit = nearest[nearestCount - 1] as number
    }
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
