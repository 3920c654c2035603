/**
 * The answers of models to events that they cannot tell apart.
 *
 * A model sees an event as codes: features that it knows, places of numbers, tokens of labelled events. Values that it
 * has never seen are no part of them. So an event that is new only by such a value, as an id or a new host, has the
 * codes of an earlier one, and gets the same answer without the members being asked.
 *
 * Owns: which answers are in memory, and whether looking for them pays. Leaves out: what an answer depends on
 * (pooled-answer.ts).
 *
 * 1. A kept answer has the bits of the computed one: the members are functions of the key, and keys are compared whole.
 * 2. All models of a thread share one memory, however many they are. Their keys begin with the number of the model.
 * 3. Where hardly any answer is found again, as with measured numbers, most events are decided without a look.
 */
import { ABSENT, ByteTable, hashBytes, viewOfBytes } from '../../event/byte-table.js'
import { grown } from '../../event/grown.js'

const wordsMax = 1_024
/** All answers of all models are forgotten above this: about 10,000 usual ones. */
const bytesMax = 4 * 1024 * 1024
/** After so many looks it is judged whether they pay. */
const looksPerTrial = 512
const foundMin = 1 / 16
/** Events without a look after a trial in vain. */
const pause = 8 * looksPerTrial

/** The key of the event that any model of this thread answers now. */
const words = new Int32Array(wordsMax)
const floats = new Float32Array(words.buffer)
const view = viewOfBytes(new Uint8Array(words.buffer))

/**
 * Collects what an answer depends on, as words of 32 bits, the first of which is the number of the model. Valid until
 * another key begins.
 */
export class AnswerKey {
  readonly view = view
  readonly #model: number
  #count = 1

  constructor(model: number) {
    this.#model = model
  }

  /** Begins a new key. */
  clear(): void {
    words[0] = this.#model
    this.#count = 1
  }

  /** The bytes so far; more than there is room for where the key is too long. */
  get bytes(): number {
    return 4 * this.#count
  }

  get isWhole(): boolean {
    return this.#count <= wordsMax
  }

  int(value: number): void {
    words[this.#count++] = value
  }

  /** The first `count` of these, and how many they are. */
  ints(values: ArrayLike<number>, count: number): void {
    this.int(count)
    for (let i = 0; i < count; i++) words[this.#count++] = values[i] as number
  }

  /** A token and its weight. */
  token(token: number, weight: number): void {
    words[this.#count++] = token
    floats[this.#count++] = weight
  }

  /** The first `count` of these, in single precision. */
  floats(values: Float32Array, count: number): void {
    for (let i = 0; i < count; i++) floats[this.#count++] = values[i] as number
  }
}

/** Lists of numbers by key. */
class NumberLists {
  readonly keys = new ByteTable()
  /** Where the numbers of each key begin. */
  #starts = new Int32Array(64)
  #numbers = new Float64Array(256)
  #used = 0

  get bytes(): number {
    return this.keys.bytesUsed + 8 * this.#used + 4 * this.keys.size
  }

  /** The list of a key with this place is numbers[startOf(place)] and those behind it. */
  startOf(place: number): number {
    return this.#starts[place] as number
  }

  get numbers(): Float64Array {
    return this.#numbers
  }

  /** Makes room for the list of the key with this place; returns where it begins. */
  begin(place: number, length: number): number {
    if (place >= this.#starts.length) this.#starts = grown(this.#starts, new Int32Array(2 * place))
    if (this.#used + length > this.#numbers.length)
      this.#numbers = grown(this.#numbers, new Float64Array(2 * this.#numbers.length + length))
    const start = this.#used
    this.#starts[place] = start
    this.#used += length
    return start
  }
}

/** The answers of all models of this thread: the probabilities of the labels, then the score. */
let kept = new NumberLists()
let models = 0

/** Bytes of all kept answers of this thread, about. */
export function keptAnswerBytes(): number {
  return kept.bytes
}

export class CodedAnswers {
  readonly key = new AnswerKey(models++)
  readonly #labelCount: number
  #hash = 0
  #looks = 0
  #found = 0
  /** Events to go without a look. */
  #paused = 0

  constructor(labelCount: number) {
    this.#labelCount = labelCount
  }

  /** Whether the next event is worth a look. */
  isWorthwhile(): boolean {
    if (this.#paused > 0) {
      this.#paused--
      return false
    }
    if (this.#looks < looksPerTrial) return true
    if (this.#found < foundMin * this.#looks) this.#paused = pause
    this.#looks = this.#found = 0
    return this.#paused === 0
  }

  /** Fills `probabilities` with the answer to the present key, and returns its score; NaN where there is none. */
  find(probabilities: Float64Array): number {
    this.#looks++
    const { view, bytes, isWhole } = this.key
    if (!isWhole) return Number.NaN
    this.#hash = hashBytes(view, 0, bytes)
    const place = kept.keys.find(view, 0, bytes, this.#hash)
    if (place < 0) return Number.NaN
    this.#found++
    const start = kept.startOf(place)
    const { numbers } = kept
    for (let k = 0; k < this.#labelCount; k++) probabilities[k] = numbers[start + k] as number
    return numbers[start + this.#labelCount] as number
  }

  /** Keeps the answer to the present key, for which `find` has found none. */
  keep(probabilities: Float64Array, score: number): void {
    const { view, bytes, isWhole } = this.key
    if (!isWhole) return
    if (kept.bytes > bytesMax) kept = new NumberLists()
    // A key among too many of the same hash must not be added.
    if (kept.keys.find(view, 0, bytes, this.#hash) !== ABSENT) return
    const start = kept.begin(kept.keys.add(view, 0, bytes, this.#hash), this.#labelCount + 1)
    const { numbers } = kept
    for (let k = 0; k < this.#labelCount; k++) numbers[start + k] = probabilities[k] as number
    numbers[start + this.#labelCount] = score
  }
}
