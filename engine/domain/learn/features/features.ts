/**
 * Values at decision points as hashed features: a list of (hash, weight) for each event, without a vocabulary.
 *
 * Owns: the features of a value. The whole value is a category; missing is a value. A text also has its words, and an
 * IPv4 address its networks. A number, written as a text or not, has its bin and its standardised logarithm. A time has
 * its weekday and its hour. An array has its items and its length. Chosen pairs of points have a feature for both
 * values together.
 * Leaves out: which features a model knows (feature-table.ts), their weights (logistic.ts).
 *
 * 1. Any value is accepted: an unknown type is missing, a long string is cut, further items are ignored.
 * 2. An event allocates nothing, except where its lists are longer than ever before.
 */
import { limits } from '../../../limits.js'
import { grown } from '../../event/grown.js'
import type { PointValue, PointValues, ScalarValue } from '../classifier.js'
import { hashEnd, hashNumber, hashPair, hashScalar, hashStart, hashStep } from '../hash.js'
import {
  ARRAY,
  BIN,
  FALSE,
  HOUR,
  ITEM,
  KINDS,
  LENGTH,
  LOG,
  MISSING,
  NETWORK,
  NUMBER,
  TEXT,
  TRUE,
  WEEKDAY,
  WORD,
  featureSalts,
} from './feature-salts.js'
import { standardLog, type PointProfile } from './point-profile.js'
import { DOT, hashWord, isAddress, isDigit, isWordCode, lowerCase } from './text-words.js'
import { hourOf, numberIn, timeIn, weekdayOf } from './written-values.js'

/** A value or a part of one; a bin or a length, for the linear member; two values together; a number itself. */
export const PLAIN = 0
export const SCALED = 1
export const PAIRED = 2
export const MEASURED = 3

/** Weights of the parts of a value; the whole value has 1. */
const nameScale = 0.8
const sentenceScale = 2.2
/** A text with at least this many words between spaces is a sentence. Its words tell more than those of a name. */
const sentenceWordsMin = 3
const [logWeight, lengthWeight, pairWeight] = [0.5, 0.3, 0.5]

const wordsMax = 256

export class FeatureEncoder {
  /** The features of the last event, `count` of them; hashes are not 0. */
  hashes = new Int32Array(64)
  weights = new Float32Array(64)
  /** PLAIN, SCALED, PAIRED or MEASURED. */
  kinds = new Uint8Array(64)
  count = 0
  /** The whole value of the last event at each point, as one hash. */
  readonly atoms: Int32Array
  /** Its place in `hashes`; -1 for missing at a sparse point, which is no feature. */
  readonly atomAt: Int32Array
  readonly profiles: readonly PointProfile[]
  /** Two indices of points for each pair. */
  readonly pairs: Int32Array
  readonly #salts: Int32Array
  /** A list of one, used again and again. */
  readonly #single: ScalarValue[] = [false]

  constructor(names: readonly string[], profiles: readonly PointProfile[], pairs: Int32Array) {
    this.atoms = new Int32Array(names.length)
    this.atomAt = new Int32Array(names.length)
    this.profiles = profiles
    this.pairs = pairs
    this.#salts = featureSalts(names)
  }

  /** Fills `hashes`, `weights` and `atoms` with the features of an event. */
  encode(values: PointValues): void {
    this.count = 0
    for (let point = 0; point < this.atoms.length; point++) this.add(point, values[point] ?? null)
    this.addPairs()
  }

  /** Adds the features of the value at a point; points come in their order. */
  add(point: number, value: PointValue): void {
    this.atoms[point] = this.#encodePoint(point, value)
  }

  /** Adds those of pairs, when all points were added. */
  addPairs(): void {
    const { atoms, pairs } = this
    for (let i = 0; i < pairs.length; i += 2) {
      const hash = hashPair(atoms[pairs[i] as number] as number, atoms[pairs[i + 1] as number] as number)
      this.#push(hash, pairWeight, PAIRED)
    }
  }

  #salt(point: number, kind: number): number {
    return this.#salts[point * KINDS + kind] as number
  }

  #push(hash: number, weight: number, kind = PLAIN): void {
    const at = this.count++
    if (at === this.hashes.length) {
      this.hashes = grown(this.hashes, new Int32Array(at * 2))
      this.weights = grown(this.weights, new Float32Array(at * 2))
      this.kinds = grown(this.kinds, new Uint8Array(at * 2))
    }
    this.hashes[at] = hash
    this.weights[at] = weight
    this.kinds[at] = kind
  }

  /** Adds the features of one value, its atom first; returns the atom. */
  #encodePoint(point: number, value: PointValue): number {
    this.atomAt[point] = this.count
    if ((this.profiles[point] as PointProfile).listed && value !== null && !Array.isArray(value))
      return this.#encodeSingle(point, value as ScalarValue)
    if (typeof value === 'string') return this.#encodeString(point, value)
    if (typeof value === 'number') return this.#encodeNumber(point, value)
    if (typeof value === 'boolean') {
      const hash = this.#salt(point, value ? TRUE : FALSE)
      this.#push(hash, 1)
      return hash
    }
    if (Array.isArray(value)) return this.#encodeArray(point, value as readonly ScalarValue[])
    const hash = this.#salt(point, MISSING)
    if ((this.profiles[point] as PointProfile).sparse) this.atomAt[point] = -1
    else this.#push(hash, 1)
    return hash
  }

  /** A value at a point with lists: a list of one. A number stays a number as well. */
  #encodeSingle(point: number, value: ScalarValue): number {
    if (typeof value === 'number') {
      const atom = this.#encodeNumber(point, value)
      this.#push(hashScalar(this.#salt(point, ITEM), value), 1)
      return atom
    }
    this.#single[0] = value
    return this.#encodeArray(point, this.#single)
  }

  /** A text, read as the texts at this point are: as a number, a time or a text. */
  #encodeString(point: number, text: string): number {
    const { reading } = this.profiles[point] as PointProfile
    const number = numberIn(text, reading)
    if (!Number.isNaN(number)) return this.#encodeNumber(point, number)
    const time = timeIn(text, reading)
    return Number.isNaN(time) ? this.#encodeText(point, text) : this.#encodeTime(point, time)
  }

  #encodeTime(point: number, time: number): number {
    const hash = hashNumber(this.#salt(point, HOUR), hourOf(time))
    this.#push(hash, 1)
    this.#push(hashNumber(this.#salt(point, WEEKDAY), weekdayOf(time)), 1)
    return hash
  }

  #encodeNumber(point: number, value: number): number {
    const profile = this.profiles[point] as PointProfile
    const category = hashNumber(this.#salt(point, NUMBER), value)
    if (profile.exact || !Number.isFinite(value)) this.#push(category, 1)
    if (!Number.isFinite(value)) return category
    let bin = 0
    while (value >= (profile.edges[bin] ?? Infinity)) bin++
    const binHash = hashNumber(this.#salt(point, BIN), bin)
    this.#push(binHash, 1, SCALED)
    if (profile.deviation > 0) this.#push(this.#salt(point, LOG), standardLog(value, profile) * logWeight, MEASURED)
    return profile.exact ? category : binHash
  }

  /** The whole text, and each word where there are several. */
  #encodeText(point: number, text: string): number {
    if (isAddress(text)) return this.#encodeAddress(point, text)
    const whole = this.count
    this.#push(1, 1)
    const length = Math.min(text.length, limits.pointValueCharsMax)
    const start = hashStart(this.#salt(point, WORD))
    let running = hashStart(this.#salt(point, TEXT))
    let word = start
    let chars = 0
    let digits = 0
    let spaces = 0
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      running = hashStep(running, code)
      if (isWordCode(code)) {
        word = hashStep(word, lowerCase(code))
        chars++
        if (isDigit(code)) digits++
        continue
      }
      if (code <= 32) spaces++
      if (chars === 0) continue
      if (this.count - whole <= wordsMax) this.#push(hashWord(start, word, chars, digits), 1)
      word = start
      chars = 0
      digits = 0
    }
    if (chars > 0 && this.count - whole <= wordsMax) this.#push(hashWord(start, word, chars, digits), 1)
    const hash = hashEnd(running)
    this.hashes[whole] = hash
    this.#weighWords(whole, spaces)
    return hash
  }

  /** Weighs the words behind the whole text at `whole`; a single word is dropped, since it is the whole text. */
  #weighWords(whole: number, spaces: number): void {
    const words = this.count - whole - 1
    if (words < 2) {
      this.count = whole + 1
      return
    }
    const scale = words >= sentenceWordsMin && spaces >= sentenceWordsMin - 1 ? sentenceScale : nameScale
    this.weights.fill(scale / Math.sqrt(words), whole + 1, this.count)
  }

  /** The whole address, and its networks of 16 and 24 bits. */
  #encodeAddress(point: number, text: string): number {
    const whole = this.count
    this.#push(1, 1)
    const salt = this.#salt(point, NETWORK)
    let running = hashStart(this.#salt(point, TEXT))
    let dots = 0
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === DOT && ++dots >= 2) this.#push(hashEnd(running ^ salt), 1)
      running = hashStep(running, code)
    }
    return (this.hashes[whole] = hashEnd(running))
  }

  #encodeArray(point: number, items: readonly ScalarValue[]): number {
    const whole = this.count
    this.#push(1, 1)
    const length = Math.min(items.length, limits.pointItemsMax)
    let sum = this.#salt(point, ARRAY)
    for (let i = 0; i < length; i++) {
      const hash = hashScalar(this.#salt(point, ITEM), items[i] ?? null)
      this.#push(hash, 1)
      sum = (sum + hash) | 0
    }
    this.#push(this.#salt(point, LENGTH), Math.log1p(items.length) * lengthWeight, SCALED)
    return (this.hashes[whole] = hashEnd(sum))
  }
}
