/**
 * A trained `pooled/3` model: its parts, its bytes, its answers.
 *
 * Owns: the layout of the bytes, and the way from an event to probabilities: coded once, five opinions, one mixture, the
 * nearest event's label, the cell's own labels, and a share for what few labels cannot know. Leaves out: how the parts come about (pooled.ts).
 * 1. Answers only read the parts; what they need room for is made once. Nothing is kept from one event to the next.
 */
import { cellHash, mixCounts, readCells, writeCells, type Cells } from './cells.js'
import type { Model, ModelSummary, PointValues } from './classifier.js'
import { chooseBy, readRule, writeRule, type DecisionRule } from './decision-rule.js'
import { EventCoder } from './event-coder.js'
import { FeatureEncoder } from './features.js'
import { FeatureTable } from './feature-table.js'
import { doubtOf, MemberPanel, readMembers, writeMembers, type Members } from './members.js'
import { kindOf, ModelReader, ModelWriter } from './model-bytes.js'
import { outlierThresholdUsual } from './outlier-anchor.js'
import { OutlierDetector } from './outlier-detector.js'
import { OutlierView } from './outlier-view.js'
import { readNumberColumns, writeNumberColumns, type NumberColumn } from './number-columns.js'
import { readProfiles, writeProfiles, type PointProfile } from './point-profile.js'
import { mute, readNearest } from './nearest.js'
import { OutlierReferences } from './outlier-references.js'
import { mix, readPool, writePool, type Pool } from './pool.js'
import { limitOf, mixRecalled, noRecall, readRecall, writeRecall, type Recall } from './recall.js'

export const pooledKind = 'pooled/3'
/** Kinds whose models are still read: without the nearest neighbour among the members, and without recall. */
export const firstPooledKind = 'pooled/1'
export const secondPooledKind = 'pooled/2'
const pooledKinds: readonly string[] = [firstPooledKind, secondPooledKind, pooledKind]

/** How events are coded. */
export interface CoderParts {
  readonly points: readonly string[]
  readonly profiles: readonly PointProfile[]
  /** Two indices of points a pair. */
  readonly pairs: Int32Array
  /** Hashes of the features, those with weights first, and how often each was seen. */
  readonly features: Int32Array
  readonly counts: Int32Array
  readonly columns: readonly NumberColumn[]
  /** For each feature with weights its column in the trees, or -1. */
  readonly columnOf: Int32Array
  readonly columnCount: number
  /** See features.ts; false in models of the first kind. */
  readonly spaced: boolean
}

/** What an answer is made from. */
export interface AnswerParts {
  /** The labels that have examples, ascending; a class is an index here. */
  readonly labels: Int32Array
  readonly coder: CoderParts
  readonly members: Members
  readonly pool: Pool
  readonly recall: Recall
  readonly cells: Cells
  /** Of every answer, spread over all labels. */
  readonly uniformShare: number
}

/** All that a model is made of. */
export interface PooledParts extends AnswerParts {
  readonly labelCount: number
  readonly rule: DecisionRule
  readonly detector: OutlierDetector
  readonly examples: number
  readonly logLoss: number | null
  readonly accuracy: number | null
  /** What the bytes said. */
  readonly kind: string
}

function writeCoder(parts: CoderParts, to: ModelWriter): void {
  to.u32(parts.points.length)
  for (const point of parts.points) to.text(point)
  writeProfiles(parts.profiles, to)
  to.u32s(parts.pairs)
  to.u32s(parts.features)
  to.u32s(parts.counts)
  writeNumberColumns(parts.columns, to)
  to.u32s(parts.columnOf)
  to.u32(parts.columnCount)
}

function readCoder(from: ModelReader, spaced: boolean): CoderParts {
  const points: string[] = []
  for (let left = from.u32(); left > 0; left--) points.push(from.text())
  return {
    points,
    profiles: readProfiles(from),
    pairs: Int32Array.from(from.u32s()),
    features: Int32Array.from(from.u32s()),
    counts: Int32Array.from(from.u32s()),
    columns: readNumberColumns(from),
    columnOf: Int32Array.from(from.u32s()),
    columnCount: from.u32(),
    spaced,
  }
}

/** What codes an event for the model with these parts. */
export function makeCoder(parts: CoderParts): EventCoder {
  const encoder = new FeatureEncoder(parts.points, parts.profiles, parts.pairs, parts.spaced)
  const table = new FeatureTable(parts.features.length)
  for (const hash of parts.features) table.add(hash)
  return new EventCoder(encoder, table, parts.counts, parts.columns, parts.columnOf, parts.columnCount)
}

export function writePooled(parts: Omit<PooledParts, 'kind'>): Uint8Array {
  const to = new ModelWriter(pooledKind)
  to.u32(parts.labelCount)
  to.u32(parts.examples)
  to.f64(parts.logLoss ?? NaN)
  to.f64(parts.accuracy ?? NaN)
  to.u32s(parts.labels)
  to.f64(parts.uniformShare)
  writeCoder(parts.coder, to)
  writeMembers(parts.members, to)
  writePool(parts.pool, to)
  writeRecall(parts.recall, to)
  writeCells(parts.cells, to)
  writeRule(parts.rule, to)
  parts.detector.write(to)
  return to.seal()
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

/** @throws Error on bytes that are not a model of this kind, or damaged. */
export function readPooled(bytes: Uint8Array): PooledParts {
  const found = kindOf(bytes)
  const kind = pooledKinds.includes(found) ? found : pooledKind
  const first = kind === firstPooledKind
  const from = new ModelReader(bytes, kind)
  const head = {
    kind,
    labelCount: from.u32(),
    examples: from.u32(),
    logLoss: orNull(from.f64()),
    accuracy: orNull(from.f64()),
    labels: Int32Array.from(from.u32s()),
    uniformShare: from.f64(),
  }
  const coder = readCoder(from, !first)
  const trees = readMembers(from)
  const nearest = first ? null : readNearest(from)
  const pool = readPool(from)
  const recall = kind === pooledKind ? readRecall(from) : noRecall
  const answers = { pool, recall, cells: readCells(from), rule: readRule(from) }
  // The first kind had the references for the outlier check alone.
  const members = { ...trees, nearest: nearest ?? mute(OutlierReferences.read(from)) }
  const parts: PooledParts = { ...head, coder, members, ...answers, detector: OutlierDetector.read(from) }
  from.finish()
  return parts
}

/** From an event to probabilities; what a training asks before there is a whole model. */
export class PooledAnswer {
  readonly coder: EventCoder
  readonly #parts: AnswerParts
  readonly #panel: MemberPanel
  readonly #view: OutlierView
  readonly #cellTable: FeatureTable
  /** The probability of each class of the event that was asked for last. */
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

  /** Of the event that was asked for last: how little it speaks for any one label (members.ts, doubtOf). */
  doubt = 0
  /** And how far it is from the nearest labelled events. */
  distance = 0

  /** Fills `probabilities`, one a label; `except` is the place of a reference that is this very event. */
  fill(values: PointValues, probabilities: Float64Array, except = -1): void {
    const { pool, recall, cells } = this.#parts
    const answer = this.#answer
    this.coder.code(values)
    this.#view.take(values, this.coder.encoder)
    this.distance = this.#panel.ask(this.coder, this.#view, except)
    this.doubt = doubtOf(this.#panel.chances, 0, answer.length)
    mix(pool, this.#panel.chances, 0, answer)
    if (recall.reach > 0) mixRecalled(recall, this.#panel.nearestWithin(this.#view, limitOf(recall), except), answer)
    if (cells.key.length > 0) {
      const cell = this.#cellTable.find(cellHash(cells.key, this.coder.encoder.atoms, 0))
      if (cell >= 0) mixCounts(cells.counts, cell * answer.length, cells.smoothing, answer)
    }
    spread(this.#parts, answer, 0, probabilities)
  }
}

/** Fills `probabilities`, one a label, with those of the classes, `answer` from `at` on, and the share of the uniform. */
export function spread(parts: Pick<AnswerParts, 'labels' | 'uniformShare'>, answer: Float64Array, at: number, probabilities: Float64Array): void {
  const { labels, uniformShare } = parts
  probabilities.fill(uniformShare / probabilities.length)
  for (let k = 0; k < labels.length; k++) {
    const label = labels[k] as number
    probabilities[label] = (probabilities[label] as number) + (1 - uniformShare) * (answer[at + k] as number)
  }
}

export class PooledModel implements Model {
  readonly summary: ModelSummary
  readonly #parts: PooledParts
  readonly #answer: PooledAnswer
  readonly #probabilities: Float64Array

  constructor(parts: PooledParts) {
    this.#parts = parts
    this.#answer = new PooledAnswer(parts)
    this.#probabilities = new Float64Array(parts.labelCount)
    this.summary = {
      kind: parts.kind,
      examples: parts.examples,
      features: parts.coder.features.length,
      logLoss: parts.logLoss,
      accuracy: parts.accuracy,
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
    return this.#parts.detector.score(this.#answer.distance, this.#answer.doubt)
  }
}
