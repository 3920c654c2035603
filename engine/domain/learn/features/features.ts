/**
 * Values at decision points as hashed features: a list of (hash, weight) an event, without a vocabulary.
 *
 * Owns: what a value tells. A whole value is a category. Text has its words beside, an IPv4 address its networks, a
 * number, written as a text or not, its bin and its standardised logarithm, a time its weekday beside its hour, an array
 * its items and its length; missing is a value. Chosen pairs of points tell their two values together.
 * Leaves out: which features a model knows (feature-table.ts), what they weigh (logistic.ts).
 *
 * 1. Any value is survived: an unknown type is missing, a long string is cut, further items are ignored.
 * 2. Nothing is allocated for an event except where its lists outgrow every event before.
 */
import { limits } from '../../../limits.js'
import type { PointValue, PointValues, ScalarValue } from '../classifier.js'
import { hashEnd, hashNumber, hashPair, hashScalar, hashStart, hashStep, hashText } from '../hash.js'
import { standardLog, type PointProfile } from './point-profile.js'
import { hashWord, isDigit, isWordCode, lowerCase } from './text-words.js'
import { hourOf, numberIn, timeIn, weekdayOf } from './written-values.js'

/** Kinds of features at one point, kept apart by salts. */
const MISSING = 1
const TEXT = 2
const WORD = 3
const NETWORK = 4
const NUMBER = 5
const BIN = 6
const LOG = 7
const TRUE = 8
const FALSE = 9
const ITEM = 10
const LENGTH = 11
const ARRAY = 12
const HOUR = 13
const WEEKDAY = 14
const KINDS = 16

/** What a feature is: a value or a part of one, a bin or a length as the linear model reads it, two values together, or a number itself. */
export const PLAIN = 0
export const SCALED = 1
export const PAIRED = 2
export const MEASURED = 3

/** How much the parts of a value weigh beside the whole value's 1. */
const nameScale = 0.8
const sentenceScale = 2.2
/** From so many words with spaces between them on a text is a sentence, and its words tell more than in a name. */
const sentenceWordsMin = 3
const logWeight = 0.5
const lengthWeight = 0.3
const pairWeight = 0.5

const wordsMax = 256
const addressCharsMax = 15
const DOT = 46

export class FeatureEncoder {
  /** The features of the last event, `count` of them; hashes are not 0. */
  hashes = new Int32Array(64)
  weights = new Float32Array(64)
  /** PLAIN, SCALED, PAIRED or MEASURED. */
  kinds = new Uint8Array(64)
  count = 0
  /** The last event's whole value at each point, as one hash. */
  readonly atoms: Int32Array
  /** Where in `hashes` that whole value stands; -1 for missing at a sparse point, which is no feature. */
  readonly atomAt: Int32Array
  readonly profiles: readonly PointProfile[]
  /** Two indices of points a pair. */
  readonly pairs: Int32Array
  readonly #salts: Int32Array
  /** Room for a list of one. */
  readonly #alone: ScalarValue[] = [false]

  constructor(names: readonly string[], profiles: readonly PointProfile[], pairs: Int32Array) {
    this.atoms = new Int32Array(names.length)
    this.atomAt = new Int32Array(names.length)
    this.profiles = profiles
    this.pairs = pairs
    this.#salts = new Int32Array(names.length * KINDS)
    for (let point = 0; point < names.length; point++) {
      const base = hashText(0, names[point] as string)
      for (let kind = 0; kind < KINDS; kind++) this.#salts[point * KINDS + kind] = hashNumber(base, kind)
    }
  }

  /** Takes an event apart into `hashes`, `weights` and `atoms`. */
  encode(values: PointValues): void {
    this.count = 0
    const atoms = this.atoms
    for (let point = 0; point < atoms.length; point++) atoms[point] = this.#encodePoint(point, values[point] ?? null)
    const pairs = this.pairs
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
      const { hashes, weights, kinds } = this
      this.hashes = new Int32Array(at * 2)
      this.hashes.set(hashes)
      this.weights = new Float32Array(at * 2)
      this.weights.set(weights)
      this.kinds = new Uint8Array(at * 2)
      this.kinds.set(kinds)
    }
    this.hashes[at] = hash
    this.weights[at] = weight
    this.kinds[at] = kind
  }

  /** Adds the features of one value, its atom in front; answers the atom. */
  #encodePoint(point: number, value: PointValue): number {
    this.atomAt[point] = this.count
    if ((this.profiles[point] as PointProfile).listed && value !== null && !Array.isArray(value))
      return this.#encodeAlone(point, value as ScalarValue)
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

  /** A value where there are lists: a list of one; a number is a number too. */
  #encodeAlone(point: number, value: ScalarValue): number {
    if (typeof value === 'number') {
      const atom = this.#encodeNumber(point, value)
      this.#push(hashScalar(this.#salt(point, ITEM), value), 1)
      return atom
    }
    this.#alone[0] = value
    return this.#encodeArray(point, this.#alone)
  }

  /** A text, or what the texts at this point are. */
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
    const isSentence = words >= sentenceWordsMin && spaces >= sentenceWordsMin - 1
    const scale = isSentence ? sentenceScale : nameScale
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
    const hash = hashEnd(running)
    this.hashes[whole] = hash
    return hash
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
    const hash = hashEnd(sum)
    this.hashes[whole] = hash
    return hash
  }
}

/** True for digits with three dots among them, as an IPv4 address has. */
function isAddress(text: string): boolean {
  if (text.length > addressCharsMax) return false
  let dots = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === DOT) dots++
    else if (!isDigit(code)) return false
  }
  return dots === 3
}
