/**
 * A trained `pooled/1` model: its parts, its bytes, its answers.
 *
 * Owns: the layout of the bytes, and the steps from an event to probabilities. The event is coded once. The members'
 * answers are mixed, corrected by the nearest event's label and the cell's labels, sharpened, and balanced. At last a
 * uniform share is added. Leaves out: the training (pooled.ts).
 *
 * 1. Answers only read the parts, and use buffers that are made once. Nothing is kept from one event to the next.
 */
import type { EventLikeness, Model, ModelSummary, Neighbour, PointValues } from '../classifier.js'
import { chooseBy, readRule, writeRule, type DecisionRule } from '../decision-rule.js'
import { makeCoder, readCoder, writeCoder, type CoderTables } from '../features/coder-tables.js'
import type { EventCoder } from '../features/event-coder.js'
import { FeatureTable } from '../features/feature-table.js'
import { Likeness } from '../likeness.js'
import { ModelReader, ModelWriter } from '../model-bytes.js'
import { certainScore, outlierThresholdUsual } from '../outlier/outlier-anchor.js'
import { OutlierDetector } from '../outlier/outlier-detector.js'
import { OutlierView } from '../outlier/outlier-view.js'
import { UnseenValues } from '../outlier/unseen-values.js'
import { cellHash, mixCounts, readCells, writeCells, type Cells } from './cells.js'
import { balance } from './class-balance.js'
import { doubted, fillDoubts, MemberPanel, readMembers, writeMembers, type Members } from './members.js'
import { neighboursOf } from './nearest.js'
import { mix, readPool, writePool, type Pool } from './pool.js'
import { limitOf, mixRecalled, readRecall, writeRecall, type Recall } from './recall.js'
import { readScored, writeScored } from '../scored-answers.js'
import { sharpen } from './sharpness.js'
import { spread } from './uniform-share.js'

export const pooledKind = 'pooled/1'

/** The parts of a model that an answer needs. */
export interface AnswerParts {
  /** The labels that have examples, ascending; a class is an index here. */
  readonly labels: Int32Array
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

/** All parts of a model. */
export interface PooledParts
  extends AnswerParts,
    Pick<ModelSummary, 'logLoss' | 'accuracy' | 'scored' | 'evidenceWeight'> {
  readonly labelCount: number
  readonly rule: DecisionRule
  readonly detector: OutlierDetector
  readonly unseen: UnseenValues
  readonly examples: number
  /** The examples that the nearest neighbour compares with, by index; empty in a model that was stored without. */
  readonly references: Int32Array
}

export function writePooled(parts: PooledParts): Uint8Array {
  const to = new ModelWriter(pooledKind)
  to.u32(parts.labelCount)
  to.u32(parts.examples)
  to.f64(parts.logLoss ?? NaN)
  to.f64(parts.accuracy ?? NaN)
  to.f64(parts.evidenceWeight ?? NaN)
  writeScored(parts.scored, to)
  to.u32s(parts.labels)
  to.f64(parts.uniformShare)
  writeCoder(parts.coder, to)
  writeMembers(parts.members, to)
  writePool(parts.pool, to)
  writeRecall(parts.recall, to)
  writeCells(parts.cells, to)
  to.f64(parts.sharpness)
  to.f64s(parts.balance)
  writeRule(parts.rule, to)
  parts.detector.write(to)
  parts.unseen.write(to)
  if (parts.references.length > 0) to.u32s(parts.references)
  return to.seal()
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

/** @throws Error on bytes that are not a model of this kind, or damaged. */
export function readPooled(bytes: Uint8Array): PooledParts {
  const from = new ModelReader(bytes, pooledKind)
  const parts: PooledParts = {
    labelCount: from.u32(),
    examples: from.u32(),
    logLoss: orNull(from.f64()),
    accuracy: orNull(from.f64()),
    evidenceWeight: orNull(from.f64()),
    scored: readScored(from),
    labels: Int32Array.from(from.u32s()),
    uniformShare: from.f64(),
    coder: readCoder(from),
    members: readMembers(from),
    pool: readPool(from),
    recall: readRecall(from),
    cells: readCells(from),
    sharpness: from.f64(),
    balance: from.f64s(),
    rule: readRule(from),
    detector: OutlierDetector.read(from, doubted.length),
    unseen: UnseenValues.read(from),
    references: from.isAtEnd ? new Int32Array(0) : Int32Array.from(from.u32s()),
  }
  from.finish()
  return parts
}

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

  /** Fills `probabilities`, one for each label; `except` is the index of a reference that is this event. */
  fill(values: PointValues, probabilities: Float64Array, except = -1): void {
    const { pool, recall, cells, sharpness, balance: factors } = this.#parts
    const answer = this.#answer
    this.coder.code(values)
    this.#view.take(values, this.coder.encoder)
    this.distance = this.#panel.predict(this.coder, this.#view, except)
    fillDoubts(this.#panel.chances, 0, answer.length, this.doubts)
    mix(pool, this.#panel.chances, 0, answer)
    if (recall.reach > 0) mixRecalled(recall, this.#panel.nearestWithin(this.#view, limitOf(recall), except), answer)
    if (cells.key.length > 0) {
      const cell = this.#cellTable.find(cellHash(cells.key, this.coder.encoder.atoms, 0))
      if (cell >= 0) mixCounts(cells.counts, cell * answer.length, cells.smoothing, answer)
    }
    sharpen(answer, sharpness)
    balance(answer, factors)
    spread(this.#parts, answer, 0, probabilities)
  }

  /** The distance of every labelled event that it compares with to this one. */
  distances(values: PointValues): Float64Array {
    this.coder.code(values)
    this.#view.take(values, this.coder.encoder)
    return this.#panel.distances(this.#view)
  }
}

export class PooledModel implements Model {
  readonly summary: ModelSummary
  readonly references: Int32Array
  readonly #parts: PooledParts
  readonly #answer: PooledAnswer
  readonly #probabilities: Float64Array

  constructor(parts: PooledParts) {
    this.#parts = parts
    this.references = parts.references
    this.#answer = new PooledAnswer(parts)
    this.#probabilities = new Float64Array(parts.labelCount)
    this.summary = {
      kind: pooledKind,
      examples: parts.examples,
      features: parts.coder.features.length,
      logLoss: parts.logLoss,
      accuracy: parts.accuracy,
      scored: parts.scored,
      evidenceWeight: parts.evidenceWeight,
      outlierThreshold: outlierThresholdUsual,
    }
  }

  predict(values: PointValues, probabilities: Float64Array): void {
    this.#answer.fill(values, probabilities)
  }

  choose(probabilities: Float64Array): number {
    return chooseBy(this.#parts.rule, probabilities, this.#parts.labels)
  }

  outlierScore(values: PointValues): number {
    return this.assess(values, this.#probabilities)
  }

  assess(values: PointValues, probabilities: Float64Array): number {
    this.#answer.fill(values, probabilities)
    const { distance, doubts, coder } = this.#answer
    const score = this.#parts.detector.score(distance, doubts)
    return this.#parts.unseen.holds(values, coder) ? certainScore + score : score
  }

  neighbours(values: PointValues, count: number): Neighbour[] {
    const { members, labels } = this.#parts
    return neighboursOf(members.nearest, this.#answer.distances(values), labels).slice(0, count)
  }

  likeness(): EventLikeness {
    const { points, profiles } = this.#parts.coder
    return new Likeness(points, profiles)
  }
}
