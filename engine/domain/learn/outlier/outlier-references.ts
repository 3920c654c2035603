/**
 * The labelled events that new events are compared with, and the distance to the nearest of them.
 *
 * The nearest one is found by  distance = (1 - cosine of the tokens) + mean |difference| of the numbers.
 *
 * The distance for the outlier check is the mean of two: that of the nearest reference, and the mean of the nearest 15.
 * The first is by Ramaswamy, Rastogi and Shim ("Efficient algorithms for mining outliers from large data sets", 2000).
 * The second is by Angiulli and Pizzuti ("Fast outlier detection in high dimensional spaces", 2002). There are two
 * changes. The largest difference of a number counts as much as the mean: a strange event is often strange in one
 * number of dozens. And distances from a reference with others near it count more. This follows LOF (Breunig, Kriegel,
 * Ng and Sander, "LOF: identifying density-based local outliers", 2000).
 *
 * 1. There are at most `referencesMax` references, so a check costs the same at 3,000 and 300,000 labels. The first
 *    `outlierReferencesMax` give the distance of the outlier check. All of them give the nearest one
 *    (further-references.ts).
 * 2. Tokens are compared by an inverted index. Numbers are compared only while a reference may still be among the
 *    nearest.
 */
import { FeatureTable } from '../features/feature-table.js'
import { InKernel } from '../kernel/kernel.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { FurtherReferences, type ReferenceParts } from './further-references.js'
import { KernelReferences } from './kernel-references.js'
import { insert, nearestCount } from './nearest-list.js'
import { tokensMax, type OutlierView } from './outlier-view.js'

/** The most references of a model. */
export const referencesMax = 1_024
/** Those that the outlier check compares. */
export const outlierReferencesMax = 256

/**
 * The weights of the mean and of the largest difference of numbers in the outlier check; tokens have 1. Together they
 * count about as much as the mean alone would with weight 1.
 */
const meanWeight = 0.35
const mostWeight = 0.35
/** The power of a reference's own distance to others by which distances from it are divided. */
const localPower = 0.25
/** Added to the distances of references to others, so that duplicates do not divide by 0. */
const spreadMin = 1e-3
/** Numbers between two checks whether a reference is still near enough. */
const numbersPerCheck = 8

export class OutlierReferences {
  readonly #parts: ReferenceParts
  /** The tokens of the references. */
  readonly tokens: FeatureTable
  readonly #likeness: Float32Array
  /** By reference, the factor of its distances; 1 until `localise`. */
  #scales: Float32Array
  readonly #nearest = new Float64Array(nearestCount)
  readonly #further: FurtherReferences
  readonly #outlierCount: number
  /** The numbers of the last event's tokens, -1 for unknown ones. */
  readonly #found = new Int32Array(tokensMax)
  #nearestPlace = -1
  #nearestDistance = Infinity
  #inKernel: InKernel<KernelReferences> | null = null

  private constructor(parts: ReferenceParts, scales?: Float32Array) {
    this.#parts = parts
    this.tokens = new FeatureTable(parts.tokens.length)
    for (const token of parts.tokens) this.tokens.add(token)
    this.#outlierCount = Math.min(parts.count, outlierReferencesMax)
    this.#scales = scales ?? new Float32Array(this.#outlierCount).fill(1)
    this.#likeness = new Float32Array(this.#outlierCount)
    this.#further = new FurtherReferences(parts, this.#outlierCount)
  }

  /** `load(i)` puts reference i into the view; `count` is at most referencesMax. */
  static of(count: number, view: OutlierView, load: (i: number) => void): OutlierReferences {
    const table = new FeatureTable()
    const holders: number[][] = []
    const weights: number[][] = []
    const numbers = new Float32Array(count * view.numbers.length)
    for (let i = 0; i < count; i++) {
      load(i)
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
      tokens: from.i32s(),
      starts: from.i32s(),
      holders: from.i32s(),
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

  /** Scales distances from now on; `spreads` are the distances of the outlier check's references to the others. */
  localise(spreads: Float64Array): void {
    const usual = (spreads.slice().sort()[spreads.length >> 1] ?? 0) + spreadMin
    this.#scales = Float32Array.from(spreads, (spread) => ((spread + usual) / (2 * usual)) ** -localPower)
    this.#inKernel?.forget()
  }

  /** Distances may be computed in WebAssembly from now on. */
  useKernel(): void {
    const compared = { parts: this.#parts, weights: { mean: meanWeight, most: mostWeight } }
    this.#inKernel = new InKernel((kernel) => KernelReferences.of(kernel, { ...compared, scales: this.#scales }))
  }

  /** The nearest of the outlier check's references to the event of the last `distance`; -1 where there is none. */
  get nearestPlace(): number {
    return this.#nearestPlace
  }
  get nearestDistance(): number {
    return this.#nearestDistance
  }

  /** The nearest of all references to the event of the last `distance`, if one is nearer than `limit`. */
  nearestWithin(view: OutlierView, limit: number, except = -1): { readonly place: number; readonly distance: number } {
    const { place, distance } = this.#further.search(view, this.#found, Math.min(limit, this.nearestDistance), except)
    return place >= 0
      ? { place, distance }
      : { place: this.nearestDistance < limit ? this.#nearestPlace : -1, distance: this.nearestDistance }
  }

  /** The distance by which the nearest one is found, of every reference to the event in the view. */
  distances(view: OutlierView): Float64Array {
    const { count, numberCount, numbers } = this.#parts
    this.findTokens(view)
    const likeness = this.#compareTokens(view, new Float32Array(count))
    const share = numberCount > 0 ? 1 / numberCount : 0
    const mine = view.numbers
    const distances = new Float64Array(count)
    for (let i = 0, at = 0; i < count; i++) {
      let sum = 0
      for (let j = 0; j < numberCount; j++) sum += Math.abs((mine[j] as number) - (numbers[at++] as number))
      distances[i] = 1 - (likeness[i] as number) + sum * share
    }
    return distances
  }

  /** The distance of the event in the view for the outlier check, 0 or more; the reference `except` does not count. */
  distance(view: OutlierView, except = -1): number {
    this.findTokens(view)
    const inKernel = this.#inKernel?.get() ?? null
    if (inKernel === null) return this.#blend(this.#compare(view, except))
    const found = inKernel.compare(view, this.#found, except, this.#nearest)
    this.#nearestPlace = inKernel.nearestPlace
    this.#nearestDistance = inKernel.nearestDistance
    return this.#blend(found)
  }

  /** Compares the references of the outlier check with the event in the view; returns how many are in the list. */
  #compare(view: OutlierView, except: number): number {
    this.#compareTokens(view, this.#likeness)
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
    return Math.min(found, nearestCount)
  }

  #blend(found: number): number {
    if (found === 0) return 2
    let sum = 0
    for (let i = 0; i < found; i++) sum += this.#nearest[i] as number
    return Math.max(0, (sum / found + (this.#nearest[0] as number)) / 2)
  }

  /** The numbers of the view's tokens, -1 for unknown ones; valid until the next event. */
  findTokens(view: OutlierView): Int32Array {
    for (let j = 0; j < view.count; j++) this.#found[j] = this.tokens.find(view.tokens[j] as number)
    return this.#found
  }

  /** Fills `likeness` with the cosines of the first references, as many as it has places, by the tokens found. */
  #compareTokens(view: OutlierView, likeness: Float32Array): Float32Array {
    const { starts, holders, weights } = this.#parts
    // An event without tokens is as far from all as their numbers are.
    likeness.fill(view.count === 0 ? 1 : 0)
    for (let j = 0; j < view.count; j++) {
      const token = this.#found[j] as number
      if (token < 0) continue
      const weight = view.weights[j] as number
      const end = starts[token + 1] as number
      for (let k = starts[token] as number; k < end; k++) {
        const holder = holders[k] as number
        if (holder >= likeness.length) break
        likeness[holder] = (likeness[holder] as number) + weight * (weights[k] as number)
      }
    }
    return likeness
  }
}
