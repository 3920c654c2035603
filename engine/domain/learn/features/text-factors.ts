/**
 * The topic of a text as a few numbers. Two texts without a common word are alike where their words occur with the same
 * other words.
 *
 * Latent semantic analysis (Deerwester et al., "Indexing by latent semantic analysis", 1990). Words are weighed by how
 * rare they are, and texts have length 1. The factors are the leading singular vectors of all texts. No labels are
 * needed.
 *
 * Owns: the coordinates of an event, and the bytes of factors. Leaves out: the choice of factors (factor-choice.ts).
 */
import type { PointValues } from '../classifier.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { FeatureTable } from './feature-table.js'
import { TextWords, textWordsMax } from './text-words.js'

export interface TextFactors {
  /** The number of factors; 0 where no point has texts. */
  readonly count: number
  /** Points whose texts are read. */
  readonly points: Int32Array
  /** Hashes of the words, and their weights. */
  readonly words: Int32Array
  readonly weights: Float32Array
  /** Word by word. */
  readonly vectors: Float32Array
}

export const noFactors: TextFactors = {
  count: 0,
  points: new Int32Array(0),
  words: new Int32Array(0),
  weights: new Float32Array(0),
  vectors: new Float32Array(0),
}

/** More than the length of a sentence's words in the linear member (features.ts), which it learns word by word. */
const coordinatesLength = 3.5

/** Reads texts as known words with weights, each word once. */
export class WordReader {
  /** The known words of the last event, `count` of them, with weights of length 1: more for rare and repeated words. */
  readonly numbers = new Int32Array(textWordsMax)
  readonly values = new Float64Array(textWordsMax)
  count = 0
  readonly #points: Int32Array
  readonly #table: FeatureTable
  readonly #weights: Float32Array
  readonly #words = new TextWords()
  /** How often the event has each word; 0 between two events. */
  readonly #times: Int32Array

  constructor({ points, words, weights }: Pick<TextFactors, 'points' | 'words' | 'weights'>) {
    this.#points = points
    this.#weights = weights
    this.#table = new FeatureTable(words.length)
    for (const word of words) this.#table.add(word)
    this.#times = new Int32Array(words.length)
  }

  read(values: PointValues): void {
    const words = this.#words
    words.clear()
    for (const point of this.#points) words.add(values[point] ?? null)
    this.count = 0
    for (let j = 0; j < words.count; j++) {
      const number = this.#table.find(words.hashes[j] as number)
      if (number < 0) continue
      const times = this.#times[number] as number
      this.#times[number] = times + 1
      if (times === 0) this.numbers[this.count++] = number
    }
    let squares = 0
    for (let j = 0; j < this.count; j++) {
      const number = this.numbers[j] as number
      const times = this.#times[number] as number
      const value = (times === 1 ? 1 : 1 + Math.log(times)) * (this.#weights[number] as number)
      this.#times[number] = 0
      this.values[j] = value
      squares += value * value
    }
    if (squares === 0) this.count = 0
    const scale = 1 / Math.sqrt(squares)
    for (let j = 0; j < this.count; j++) this.values[j] = (this.values[j] as number) * scale
  }
}

/** The coordinates of an event's texts: a vector of length `coordinatesLength`, or 0 where no word is known. */
export class FactorReader {
  /** Coordinates of the last event. */
  readonly coordinates: Float32Array
  readonly #sums: Float64Array
  readonly #vectors: Float32Array
  readonly #reader: WordReader

  constructor(factors: TextFactors) {
    this.coordinates = new Float32Array(factors.count)
    this.#sums = new Float64Array(factors.count)
    this.#vectors = factors.vectors
    this.#reader = new WordReader(factors)
  }

  read(values: PointValues): void {
    const { coordinates } = this
    const sums = this.#sums
    const size = sums.length
    if (size === 0) return
    const reader = this.#reader
    reader.read(values)
    const vectors = this.#vectors
    const { numbers, values: weights, count } = reader
    for (let k = 0; k < size; k++) sums[k] = 0
    for (let j = 0; j < count; j++) {
      const weight = weights[j] as number
      const from = (numbers[j] as number) * size
      for (let k = 0; k < size; k++) sums[k] = (sums[k] as number) + weight * (vectors[from + k] as number)
    }
    let squares = 0
    for (let k = 0; k < size; k++) squares += (sums[k] as number) ** 2
    const scale = squares === 0 ? 0 : coordinatesLength / Math.sqrt(squares)
    for (let k = 0; k < size; k++) coordinates[k] = (sums[k] as number) * scale
  }
}

export function writeFactors(factors: TextFactors, to: ModelWriter): void {
  to.u32(factors.count)
  to.u32s(factors.points)
  to.u32s(factors.words)
  to.f32s(factors.weights)
  to.f32s(factors.vectors)
}

export function readFactors(from: ModelReader): TextFactors {
  return {
    count: from.u32(),
    points: from.i32s(),
    words: from.i32s(),
    weights: from.f32s(),
    vectors: from.f32s(),
  }
}
