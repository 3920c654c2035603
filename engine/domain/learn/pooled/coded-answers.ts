/**
 * The answers of a model to events that it cannot tell apart.
 *
 * A model sees an event as codes: features that it knows, places of numbers, tokens of labelled events. Values that it
 * has never seen are no part of them. So an event that is new only by such a value, as an id or a new host, has the
 * codes of an earlier one, and gets the same answer without the members being asked.
 *
 * Owns: which answers are in memory, and whether looking for them pays. Leaves out: what an answer depends on
 * (pooled-answer.ts).
 *
 * 1. A kept answer has the bits of the computed one: the members are functions of the key, and keys are compared whole.
 * 2. Where hardly any answer is found again, as with measured numbers, most events are decided without a look.
 */
import { ABSENT, ByteTable, hashBytes, viewOfBytes } from '../../event/byte-table.js'

const wordsMax = 1_024
/** All answers are forgotten above this: about 2,500 usual ones. */
const bytesMax = 1024 * 1024
/** After so many looks it is judged whether they pay. */
const looksPerTrial = 512
const foundMin = 1 / 16
/** Events without a look after a trial in vain. */
const pause = 8 * looksPerTrial

/** Collects what an answer depends on, as words of 32 bits. */
export class AnswerKey {
  readonly #words = new Int32Array(wordsMax)
  readonly #floats = new Float32Array(this.#words.buffer)
  readonly view = viewOfBytes(new Uint8Array(this.#words.buffer))
  #count = 0

  /** Begins a new key. */
  clear(): void {
    this.#count = 0
  }

  /** The bytes so far; more than there is room for where the key is too long. */
  get bytes(): number {
    return 4 * this.#count
  }

  get isWhole(): boolean {
    return this.#count <= wordsMax
  }

  int(value: number): void {
    this.#words[this.#count++] = value
  }

  /** The first `count` of these, and how many they are. */
  ints(values: ArrayLike<number>, count: number): void {
    this.int(count)
    for (let i = 0; i < count; i++) this.#words[this.#count++] = values[i] as number
  }

  /** A token and its weight. */
  token(token: number, weight: number): void {
    this.#words[this.#count++] = token
    this.#floats[this.#count++] = weight
  }

  /** The first `count` of these, in single precision. */
  floats(values: Float32Array, count: number): void {
    for (let i = 0; i < count; i++) this.#floats[this.#count++] = values[i] as number
  }
}

export class CodedAnswers {
  readonly key = new AnswerKey()
  readonly #width: number
  #keys: ByteTable | null = null
  /** For each key the probabilities of the labels, then the score. */
  #answers = new Float64Array(0)
  #hash = 0
  #looks = 0
  #found = 0
  /** Events to go without a look. */
  #paused = 0

  constructor(labelCount: number) {
    this.#width = labelCount + 1
  }

  /** Whether the next event is worth a look. */
  isWorthwhile(): boolean {
    if (this.#paused > 0) {
      this.#paused--
      return false
    }
    if (this.#looks < looksPerTrial) return true
    if (this.#found < foundMin * this.#looks) {
      this.#paused = pause
      this.#keys = null
      this.#answers = new Float64Array(0)
    }
    this.#looks = this.#found = 0
    return this.#paused === 0
  }

  /** Fills `probabilities` with the answer to the present key, and returns its score; NaN where there is none. */
  find(probabilities: Float64Array): number {
    this.#looks++
    const { view, bytes, isWhole } = this.key
    if (!isWhole) return Number.NaN
    this.#hash = hashBytes(view, 0, bytes)
    const at = this.#keys === null ? ABSENT : this.#keys.find(view, 0, bytes, this.#hash)
    if (at < 0) return Number.NaN
    this.#found++
    const first = at * this.#width
    for (let k = 0; k < this.#width - 1; k++) probabilities[k] = this.#answers[first + k] as number
    return this.#answers[first + this.#width - 1] as number
  }

  /** Keeps the answer to the present key, for which `find` has found none. */
  keep(probabilities: Float64Array, score: number): void {
    const { view, bytes, isWhole } = this.key
    if (!isWhole) return
    if (this.#keys === null || this.#keys.bytesUsed + 8 * this.#width * this.#keys.size > bytesMax)
      this.#keys = new ByteTable()
    const keys = this.#keys
    // A key among too many of the same hash must not be added.
    if (keys.find(view, 0, bytes, this.#hash) !== ABSENT) return
    const first = keys.add(view, 0, bytes, this.#hash) * this.#width
    if (first + this.#width > this.#answers.length) {
      const grown = new Float64Array(Math.max(64 * this.#width, 2 * this.#answers.length))
      grown.set(this.#answers)
      this.#answers = grown
    }
    for (let k = 0; k < this.#width - 1; k++) this.#answers[first + k] = probabilities[k] as number
    this.#answers[first + this.#width - 1] = score
  }
}
