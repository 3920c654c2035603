/**
 * Finds the nearest of many labelled events, beyond those that the outlier check compares: exact, by bounds that
 * exclude most.
 *
 * The search is for an event nearer than a known distance. A cosine is at most its sum so far plus the length of the
 * remaining tokens. This is the bound of MaxScore (Turtle, Flood, "Query evaluation: strategies and optimizations",
 * 1995). So the rarest tokens name the few candidates. And sums of numbers differ by no more than the numbers do.
 *
 * Owns: its lists by token and by event, built from the stored parts. Leaves out: the distance (outlier-references.ts).
 */
import { tokensMax, type OutlierView } from './outlier-view.js'

/** Plain data, as stored. */
export interface ReferenceParts {
  readonly count: number
  readonly numberCount: number
  /** Hashes of the references' tokens. */
  readonly tokens: Int32Array
  /** The references with token t, at starts[t] to starts[t + 1] - 1 of `holders`. */
  readonly starts: Int32Array
  readonly holders: Int32Array
  readonly weights: Float32Array
  /** Reference by reference. */
  readonly numbers: Float32Array
}

/** Numbers in one sum. */
const numbersPerSum = 8
/** The largest rounding error of a sum in single precision. */
const roundingMax = 1e-5

/** Fills `sums` with sums of `numbersPerSum` numbers each. */
function sumUp(numbers: Float32Array, sums: Float32Array): void {
  for (let j = 0; j < numbers.length; j++) {
    const at = Math.floor(j / numbersPerSum)
    sums[at] = (j % numbersPerSum === 0 ? 0 : (sums[at] as number)) + (numbers[j] as number)
  }
}

export class FurtherReferences {
  /** The result of the last search: the nearest one, or -1 where none is nearer than the limit; and its distance. */
  place = -1
  distance = Infinity
  readonly #parts: ReferenceParts
  readonly #first: number
  /** Where the holders from `first` on begin, by token. */
  readonly #furtherStarts: Int32Array
  /** The tokens of reference i, counted from `first`, are at #ownStarts[i] to #ownStarts[i + 1] - 1. */
  readonly #ownStarts: Int32Array
  readonly #ownTokens: Int32Array
  readonly #ownWeights: Float32Array
  /** The length of the longest reference, with equal tokens added up: 1, or more where tokens recur. */
  readonly #longest: number
  readonly #sumCount: number
  readonly #sums: Float32Array
  readonly #mySums: Float32Array
  /** The event's weights by token; 0 between searches. */
  readonly #mine: Float32Array
  /** The event's tokens, each once, the rarest first. */
  readonly #order = new Int32Array(tokensMax)
  readonly #likeness: Float32Array
  readonly #candidates: Int32Array
  #candidateCount = 0

  /** For the references from `first` on. */
  constructor(parts: ReferenceParts, first: number) {
    const { count, numberCount, tokens, starts, holders, weights, numbers } = parts
    this.#parts = parts
    this.#first = first
    const size = Math.max(0, count - first)
    this.#furtherStarts = new Int32Array(tokens.length)
    this.#ownStarts = new Int32Array(size + 1)
    for (const holder of holders)
      if (holder >= first) this.#ownStarts[holder - first + 1] = (this.#ownStarts[holder - first + 1] as number) + 1
    for (let i = 0; i < size; i++)
      this.#ownStarts[i + 1] = (this.#ownStarts[i + 1] as number) + (this.#ownStarts[i] as number)
    this.#ownTokens = new Int32Array(this.#ownStarts[size] as number)
    this.#ownWeights = new Float32Array(this.#ownTokens.length)
    const next = this.#ownStarts.slice()
    for (let token = 0; token < tokens.length; token++) {
      let at = starts[token] as number
      while (at < (starts[token + 1] as number) && (holders[at] as number) < first) at++
      this.#furtherStarts[token] = at
      for (; at < (starts[token + 1] as number); at++) {
        const own = (holders[at] as number) - first
        const place = next[own] as number
        next[own] = place + 1
        this.#ownTokens[place] = token
        this.#ownWeights[place] = weights[at] as number
      }
    }
    this.#longest = this.#longestOf(size)
    this.#sumCount = Math.ceil(numberCount / numbersPerSum)
    this.#sums = new Float32Array(this.#sumCount * size)
    this.#mySums = new Float32Array(this.#sumCount)
    for (let i = 0; i < size; i++) {
      const own = numbers.subarray((first + i) * numberCount, (first + i + 1) * numberCount)
      sumUp(own, this.#sums.subarray(i * this.#sumCount, (i + 1) * this.#sumCount))
    }
    this.#mine = new Float32Array(tokens.length)
    this.#likeness = new Float32Array(size)
    this.#candidates = new Int32Array(size)
  }

  #longestOf(size: number): number {
    let longest = 1
    for (let i = 0; i < size; i++) {
      let squares = 0
      let token = -1
      let weight = 0
      for (let at = this.#ownStarts[i] as number; at < (this.#ownStarts[i + 1] as number); at++) {
        const again = this.#ownTokens[at] === token
        if (!again) squares += weight * weight
        token = this.#ownTokens[at] as number
        weight = (again ? weight : 0) + (this.#ownWeights[at] as number)
      }
      longest = Math.max(longest, squares + weight * weight)
    }
    return Math.sqrt(longest)
  }

  /**
   * Searches for a reference nearer than `limit`, other than `except`. `found` are the numbers of the view's tokens, -1
   * for unknown ones.
   */
  search(view: OutlierView, found: Int32Array, limit: number, except: number): this {
    this.place = -1
    this.distance = limit
    const size = this.#likeness.length
    if (size === 0) return this
    sumUp(view.numbers, this.#mySums)
    if (view.count === 0) {
      for (let i = 0; i < size; i++) if (this.#first + i !== except) this.#compareNumbers(i, 0, view.numbers)
      return this
    }
    const known = this.#sortTokens(view, found)
    const left = this.#gather(known)
    for (let c = 0; c < this.#candidateCount; c++) {
      const i = this.#candidates[c] as number
      const most = (this.#likeness[i] as number) + left
      this.#likeness[i] = 0
      if (this.#first + i === except || 1 - most - roundingMax >= this.distance) continue
      let likeness = 0
      for (let at = this.#ownStarts[i] as number; at < (this.#ownStarts[i + 1] as number); at++) {
        likeness += (this.#ownWeights[at] as number) * (this.#mine[this.#ownTokens[at] as number] as number)
      }
      this.#compareNumbers(i, 1 - likeness, view.numbers)
    }
    for (let j = 0; j < known; j++) this.#mine[this.#order[j] as number] = 0
    return this
  }

  /** Sorts the known tokens, the rarest first, and notes their weights; returns their number. */
  #sortTokens(view: OutlierView, found: Int32Array): number {
    const order = this.#order
    let known = 0
    for (let j = 0; j < view.count; j++) {
      const token = found[j] as number
      if (token < 0) continue
      const before = this.#mine[token] as number
      this.#mine[token] = before + (view.weights[j] as number)
      if (before !== 0) continue
      const holders = this.#holderCount(token)
      let place = known++
      while (place > 0 && this.#holderCount(order[place - 1] as number) > holders)
        order[place] = order[--place] as number
      order[place] = token
    }
    return known
  }

  #holderCount(token: number): number {
    return (this.#parts.starts[token + 1] as number) - (this.#furtherStarts[token] as number)
  }

  /** Sums likeness by token until no new candidate can be near; returns how much the remaining tokens can add. */
  #gather(known: number): number {
    const { starts, holders, weights } = this.#parts
    const likeness = this.#likeness
    let left = 0
    for (let j = 0; j < known; j++) left += (this.#mine[this.#order[j] as number] as number) ** 2
    this.#candidateCount = 0
    for (let j = 0; j < known && 1 - this.#longest * Math.sqrt(Math.max(0, left)) - roundingMax < this.distance; j++) {
      const token = this.#order[j] as number
      const weight = this.#mine[token] as number
      for (let at = this.#furtherStarts[token] as number; at < (starts[token + 1] as number); at++) {
        const i = (holders[at] as number) - this.#first
        if (likeness[i] === 0) this.#candidates[this.#candidateCount++] = i
        likeness[i] = (likeness[i] as number) + weight * (weights[at] as number)
      }
      left -= weight * weight
    }
    return this.#longest * Math.sqrt(Math.max(0, left))
  }

  /** Takes a reference if it is the nearest so far; `start` is its distance without numbers. */
  #compareNumbers(i: number, start: number, mine: Float32Array): void {
    const { numberCount, numbers } = this.#parts
    if (start >= this.distance) return
    const share = numberCount > 0 ? 1 / numberCount : 0
    const sumCount = this.#sumCount
    let least = start - roundingMax
    for (let j = 0; j < sumCount; j++)
      least += Math.abs((this.#mySums[j] as number) - (this.#sums[i * sumCount + j] as number)) * share
    if (least >= this.distance) return
    const at = (this.#first + i) * numberCount
    let sum = 0
    for (let j = 0; j < numberCount; j++) sum += Math.abs((mine[j] as number) - (numbers[at + j] as number))
    const distance = start + sum * share
    if (distance >= this.distance) return
    this.distance = distance
    this.place = this.#first + i
  }
}
