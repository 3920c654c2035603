/**
 * The labelled events that new ones are held against, and how far the nearest of them are.
 *
 * distance = (1 - cosine of the tokens) + mean |difference| of the numbers; an event's is the mean of its distance to
 * the nearest reference and of its mean distance to the nearest five (Ramaswamy, Rastogi and Shim, "Efficient
 * algorithms for mining outliers
 * from large data sets", 2000; Angiulli and Pizzuti, "Fast outlier detection in high dimensional spaces", 2002).
 *
 * 1. At most `referencesMax` references, however many labels there are: a check costs the same at 3,000 and 300,000.
 *    Only the first `outlierReferencesMax` say how far an event is; all of them, which of them is nearest.
 * 2. Tokens are found by an inverted index; numbers are compared only while a reference may still be among the nearest,
 *    first as sums of some of them: no sum differs by more than its numbers do.
 */
import { FeatureTable } from './feature-table.js'
import type { ModelReader, ModelWriter } from './model-bytes.js'
import type { OutlierView } from './outlier-view.js'

/** References of a model. */
export const referencesMax = 1_024
/** Those of them that the outlier check counts. */
const outlierReferencesMax = 256
const nearestCount = 5
/** Numbers between two looks at whether a reference is still near enough. */
const numbersPerLook = 8

/** Plain parts, as stored. */
interface ReferenceParts {
  readonly count: number
  readonly numberCount: number
  /** Hashes of the tokens that references have. */
  readonly tokens: Int32Array
  /** Token t has its references from starts[t] to starts[t + 1]. */
  readonly starts: Int32Array
  readonly holders: Int32Array
  readonly weights: Float32Array
  /** Reference by reference. */
  readonly numbers: Float32Array
}

/** What sums in single precision may be off by. */
const roundingMax = 1e-5

/** Sums of `numbersPerLook` numbers each, `count` numbers in all. */
function sumUp(numbers: Float32Array, from: number, count: number, sums: Float32Array, to: number): void {
  for (let j = 0; j < count; j++) {
    const at = to + Math.floor(j / numbersPerLook)
    sums[at] = (j % numbersPerLook === 0 ? 0 : (sums[at] as number)) + (numbers[from + j] as number)
  }
}

export class OutlierReferences {
  readonly #parts: ReferenceParts
  readonly #table: FeatureTable
  readonly #likeness: Float32Array
  readonly #nearest = new Float64Array(nearestCount)
  /** Reference by reference the sums of `numbersPerLook` numbers each. */
  readonly #sums: Float32Array
  readonly #sumCount: number
  /** The same of the event. */
  readonly #mySums: Float32Array
  #nearestPlace = -1
  #nearestDistance = Infinity

  private constructor(parts: ReferenceParts) {
    this.#parts = parts
    this.#table = new FeatureTable(parts.tokens.length)
    for (const token of parts.tokens) this.#table.add(token)
    this.#likeness = new Float32Array(parts.count)
    this.#sumCount = Math.ceil(parts.numberCount / numbersPerLook)
    this.#mySums = new Float32Array(this.#sumCount)
    this.#sums = new Float32Array(this.#sumCount * parts.count)
    for (let i = 0; i < parts.count; i++) sumUp(parts.numbers, i * parts.numberCount, parts.numberCount, this.#sums, i * this.#sumCount)
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

  /** The reference that the event of the last look is nearest to, and how far that is; -1 where there is none. */
  get nearestPlace(): number {
    return this.#nearestPlace
  }

  get nearestDistance(): number {
    return this.#nearestDistance
  }

  /** How far the event in the view is from the nearest references, 0 or more; `except` is a reference that does not count. */
  distance(view: OutlierView, except = -1): number {
    this.#compareTokens(view)
    const nearest = this.#nearest.fill(Infinity)
    const { count, numberCount, numbers } = this.#parts
    const outlierCount = Math.min(count, outlierReferencesMax)
    const mine = view.numbers
    sumUp(mine, 0, numberCount, this.#mySums, 0)
    const share = numberCount > 0 ? 1 / numberCount : 0
    const likeness = this.#likeness
    let limit = Infinity
    let found = 0
    this.#nearestPlace = -1
    for (let i = 0; i < outlierCount; i++) {
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
    this.#nearestDistance = nearest[0] as number
    for (let i = outlierCount; i < count; i++) if (i !== except) this.#compareFurther(i, mine, share)
    return this.#blend(Math.min(found, nearestCount))
  }

  /** Makes a reference the nearest one where it is. */
  #compareFurther(i: number, mine: Float32Array, share: number): void {
    const { numberCount, numbers } = this.#parts
    const limit = this.#nearestDistance
    const start = 1 - (this.#likeness[i] as number)
    if (start >= limit) return
    const sumCount = this.#sumCount
    let least = start - roundingMax
    for (let j = 0; j < sumCount; j++) least += Math.abs((this.#mySums[j] as number) - (this.#sums[i * sumCount + j] as number)) * share
    if (least >= limit) return
    const first = i * numberCount
    let sum = 0
    for (let j = 0; j < numberCount; j++) sum += Math.abs((mine[j] as number) - (numbers[first + j] as number))
    const distance = start + sum * share
    if (distance >= limit) return
    this.#nearestDistance = distance
    this.#nearestPlace = i
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
      if (token < 0) continue
      const weight = view.weights[j] as number
      const end = starts[token + 1] as number
      for (let k = starts[token] as number; k < end; k++) {
        const holder = holders[k] as number
        likeness[holder] = (likeness[holder] as number) + weight * (weights[k] as number)
      }
    }
  }
}
