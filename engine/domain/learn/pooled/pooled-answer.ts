/**
 * The steps from an event to probabilities. The event is coded once, without the points that are left out. The members'
 * answers are mixed, corrected by the nearest event's label and the cell's labels, sharpened, and balanced. At last a
 * uniform share is added.
 *
 * Owns: their order. Leaves out: the bytes and the other answers of a model (pooled-model.ts).
 *
 * 1. Answers only read the parts, and use buffers that are made once. Nothing is kept here from one event to the next
 *    (coded-answers.ts keeps answers).
 * 2. `writeKey` writes whatever an answer depends on: a new step of an answer may need more in the key.
 */
import type { PointValues } from '../classifier.js'
import { makeCoder, type CoderTables } from '../features/coder-tables.js'
import type { EventCoder } from '../features/event-coder.js'
import { FeatureTable } from '../features/feature-table.js'
import { OutlierView } from '../outlier/outlier-view.js'
import type { UnseenValues } from '../outlier/unseen-values.js'
import { withoutPoints } from './block-points.js'
import { cellHash, mixCounts, type Cells } from './cells.js'
import { balance } from './class-balance.js'
import { doubted, fillDoubts } from './doubts.js'
import { MemberPanel, type Members } from './members.js'
import type { AnswerKey } from './coded-answers.js'
import { mix, type Pool } from './pool.js'
import { limitOf, mixRecalled, type Recall } from './recall.js'
import { sharpen } from './sharpness.js'
import { ShortKeys } from './short-keys.js'
import { spread } from './uniform-share.js'

/** The parts of a model that an answer needs. */
export interface AnswerParts {
  /** The labels that have examples, ascending; a class is an index here. */
  readonly labels: Int32Array
  /** Indices of the points that are left out (block-points.ts). */
  readonly leftOut: Int32Array
  readonly coder: CoderTables
  readonly members: Members
  readonly pool: Pool
  readonly recall: Recall
  readonly cells: Cells
  /** The power of the corrected answer (sharpness.ts), 1 or more. */
  readonly sharpness: number
  /** The factors of the classes (class-balance.ts); empty for none. */
  readonly balance: Float64Array
  /** The share of every answer that is spread over all labels. */
  readonly uniformShare: number
}

/** Told of a step of an answer. The numbers are those of a buffer: copy them. */
export type StepSeen = (step: string, probabilities: Float64Array) => void

/** From an event to probabilities. A training uses it before the model is complete. */
export class PooledAnswer {
  readonly coder: EventCoder
  readonly #parts: AnswerParts
  readonly #panel: MemberPanel
  readonly #view: OutlierView
  readonly #cellTable: FeatureTable
  /** The probabilities of the classes for the last event. */
  readonly #answer: Float64Array

  constructor(parts: AnswerParts) {
    this.#parts = parts
    this.coder = makeCoder(parts.coder)
    this.#view = new OutlierView(parts.coder.profiles)
    this.#panel = new MemberPanel(parts.members, parts.labels.length)
    this.#cellTable = new FeatureTable(parts.cells.hashes.length)
    for (const hash of parts.cells.hashes) this.#cellTable.add(hash)
    this.#answer = new Float64Array(parts.labels.length)
  }

  /** The doubts of some members about the last event. */
  readonly doubts = new Float64Array(doubted.length)
  /** The distance of the last event for the outlier check. */
  distance = 0
  /** The last event, without the points that are left out. */
  values: PointValues = []

  /** For a model that decides a stream: as MemberPanel.useKernel and EventCoder.keepValues. */
  decideStream(): void {
    this.#panel.useKernel()
    this.coder.keepValues()
  }

  /**
   * Fills `probabilities`, one for each label; `except` is the index of a reference that is this event. `seen` is told
   * of the classes' probabilities after each step, and before the first.
   */
  fill(event: PointValues, probabilities: Float64Array, except = -1, seen?: StepSeen): void {
    this.code(event)
    this.answer(probabilities, except, seen)
  }

  /** As `fill`, for the event that was coded last. */
  answer(probabilities: Float64Array, except = -1, seen?: StepSeen): void {
    const { pool, recall, cells, sharpness, balance: factors } = this.#parts
    const answer = this.#answer
    this.distance = this.#panel.predict(this.coder, this.#view, except)
    fillDoubts(this.#panel.chances, 0, answer.length, this.doubts)
    seen?.('members', this.#panel.chances)
    mix(pool, this.#panel.chances, 0, answer)
    seen?.('mixture', answer)
    if (recall.reach > 0) mixRecalled(recall, this.#panel.nearestWithin(this.#view, limitOf(recall), except), answer)
    seen?.('nearest label', answer)
    if (cells.key.length > 0) {
      const cell = this.#cell()
      if (cell >= 0) mixCounts(cells.counts, cell * answer.length, cells.smoothing, answer)
    }
    seen?.('cell', answer)
    sharpen(answer, sharpness)
    seen?.('sharpened', answer)
    balance(answer, factors)
    seen?.('balanced', answer)
    spread(this.#parts, answer, 0, probabilities)
  }

  /** The distance of every labelled event that it compares with to this one. */
  distances(event: PointValues): Float64Array {
    this.code(event)
    return this.#panel.distances(this.#view)
  }

  /** Reads an event. */
  code(event: PointValues): void {
    this.take(event)
    this.codeTaken()
  }

  /** As `code`, in two steps: the event without the points that are left out, then the rest. */
  take(event: PointValues): void {
    this.values = withoutPoints(event, this.#parts.leftOut)
  }
  codeTaken(): void {
    this.coder.code(this.values)
    this.#view.take(this.values, this.coder.encoder)
  }

  /** Short keys of events, with this check of unseen values. */
  shortKeys(unseen: UnseenValues): ShortKeys {
    const { tokens } = this.#parts.members.nearest.references
    const cell = (): number => (this.#parts.cells.key.length > 0 ? this.#cell() : -1)
    return new ShortKeys({ coder: this.coder, unseen, tokens, cell })
  }

  /** Writes all that the answer to the event that was coded last depends on. */
  writeKey(key: AnswerKey): void {
    const { features, values, count, codes, numberCount, coordinates } = this.coder
    const view = this.#view
    key.clear()
    key.ints(features, count)
    key.floats(values, count)
    key.floats(coordinates, coordinates.length)
    // The columns behind those of numbers follow from the features.
    key.ints(codes, numberCount)
    key.floats(view.numbers, view.numbers.length)
    key.int(this.#parts.cells.key.length > 0 ? this.#cell() : -1)
    const found = this.#panel.findTokens(view)
    key.int(view.count === 0 ? 1 : 0)
    for (let j = 0; j < view.count; j++)
      if ((found[j] as number) >= 0) key.token(found[j] as number, view.weights[j] as number)
  }

  /** The cell of the event, or -1. */
  #cell(): number {
    return this.#cellTable.find(cellHash(this.#parts.cells.key, this.coder.encoder.atoms, 0))
  }
}
