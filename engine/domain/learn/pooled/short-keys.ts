/**
 * Keys of events for the answers that a model keeps (coded-answers.ts), written before the event is coded.
 *
 * The answer to an event follows from its values one by one, from pairs of them, and from its cell. A value that the
 * coder keeps stands for all that follows from it. Of another text, and of a list, the key has what the model knows of
 * it. So an event that is new by an id or a host is answered without being coded.
 *
 * Owns: which events have such a key. Leaves out: keys of all others (pooled-answer.ts).
 *
 * 1. Events with equal keys have the same answer, bit for bit. So the key has what an answer depends on: known features
 *    with their weights, tokens of labelled events, weights of other tokens, and columns of numbers, by value.
 * 2. An event with a short key has a value that the model has seen, so the check of unseen values needs no more of it.
 */
import type { PointValue, PointValues } from '../classifier.js'
import type { EventCoder } from '../features/event-coder.js'
import type { FeatureTable } from '../features/feature-table.js'
import type { PointProfile } from '../features/point-profile.js'
import { AS_TEXT } from '../features/written-values.js'
import type { UnseenValues } from '../outlier/unseen-values.js'
import type { AnswerKey } from './coded-answers.js'

/** Begins a short key; others begin with a count. */
const SHORT = -1
/** Before what is known of a value that is not kept; kept values have numbers from 0 on. */
const NOT_KEPT = -2

export interface ShortKeyDeps {
  readonly coder: EventCoder
  readonly unseen: UnseenValues
  /** The tokens of labelled events. */
  readonly tokens: FeatureTable
  /** The cell of the event whose whole values the encoder has, or -1. */
  readonly cell: () => number
}

export class ShortKeys {
  readonly #deps: ShortKeyDeps
  /** By kept value: 1 where it was seen at the training. */
  #seen = new Uint8Array(64)
  readonly #hasFactors: boolean
  /** The last event would have a key if one of its values were known to be seen. */
  #lacksSeen = false

  constructor(deps: ShortKeyDeps) {
    this.#deps = deps
    this.#hasFactors = deps.coder.coordinates.length > 0
  }

  /** Writes the key of an event; false where it has none. What the encoder has of another event is void then. */
  write(values: PointValues, key: AnswerKey): boolean {
    this.#lacksSeen = false
    if (this.#hasFactors) return false
    const { coder } = this.#deps
    const { encoder } = coder
    key.clear()
    key.int(SHORT)
    encoder.count = 0
    let isSeen = false
    let isWhole = true
    for (let point = 0; point < encoder.atoms.length; point++) {
      const value = values[point] ?? null
      const kept = coder.keptValue(point, value)
      if (kept !== null) {
        encoder.atoms[point] = kept.atom
        key.int(kept.number)
        isSeen ||= this.#seen[kept.number] === 1
      } else if (this.#isWritten(point, value)) {
        isWhole = false
        this.#writeValue(point, value, key)
      } else return false
    }
    if (!isWhole) this.#writeTogether(key)
    this.#lacksSeen = !isSeen
    return isSeen
  }

  /** Notes which values of the last event the model has seen, where that is needed. The event was coded since. */
  note(values: PointValues): void {
    if (!this.#lacksSeen) return
    const { coder, unseen } = this.#deps
    for (let point = 0; point < coder.encoder.atoms.length; point++) {
      const kept = coder.keptValue(point, values[point] ?? null)
      if (kept === null || this.#seen[kept.number] === 1) continue
      if (kept.number >= this.#seen.length) {
        const before = this.#seen
        this.#seen = new Uint8Array(2 * kept.number)
        this.#seen.set(before)
      }
      if (unseen.hasSeen(values, coder, point)) this.#seen[kept.number] = 1
    }
  }

  /** Whether all that follows from a value that is not kept are features: it is no number and no time. */
  #isWritten(point: number, value: PointValue): boolean {
    const { reading } = this.#deps.coder.encoder.profiles[point] as PointProfile
    return typeof value === 'string' ? reading === AS_TEXT : Array.isArray(value)
  }

  #writeValue(point: number, value: PointValue, key: AnswerKey): void {
    const { coder, tokens } = this.#deps
    const { encoder } = coder
    const from = encoder.count
    encoder.add(point, value)
    key.int(NOT_KEPT)
    key.int(Array.isArray(value) ? value.length : -1)
    key.int(encoder.count - from)
    for (let j = from; j < encoder.count; j++) {
      const hash = encoder.hashes[j] as number
      key.int(coder.numberOf(hash))
      key.token(tokens.find(hash), encoder.weights[j] as number)
    }
  }

  /** What follows from several values: pairs, and the cell. */
  #writeTogether(key: AnswerKey): void {
    const { coder, cell } = this.#deps
    const { encoder } = coder
    const from = encoder.count
    encoder.addPairs()
    for (let j = from; j < encoder.count; j++) key.int(coder.numberOf(encoder.hashes[j] as number))
    key.int(cell())
  }
}
