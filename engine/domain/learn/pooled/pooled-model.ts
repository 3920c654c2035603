/**
 * A trained `pooled/1` model: its parts, its bytes, its answers.
 *
 * Owns: the layout of the bytes. Leaves out: the steps from an event to probabilities (pooled-answer.ts), the training
 * (pooled.ts).
 */
import type {
  AnswerSteps,
  EventLikeness,
  MemberAnswer,
  Model,
  ModelSummary,
  Neighbour,
  PointValues,
} from '../classifier.js'
import { chooseBy, mostProbable, readRule, writeRule, type DecisionRule } from '../decision-rule.js'
import { readCoder, writeCoder } from '../features/coder-tables.js'
import { Likeness } from '../likeness.js'
import { ModelReader, ModelWriter } from '../model-bytes.js'
import { certainScore, outlierThresholdUsual } from '../outlier/outlier-anchor.js'
import { OutlierDetector } from '../outlier/outlier-detector.js'
import { UnseenValues } from '../outlier/unseen-values.js'
import { withoutPoints } from './block-points.js'
import { readCells, writeCells } from './cells.js'
import { CodedAnswers } from './coded-answers.js'
import { doubted } from './doubts.js'
import { memberNames, readMembers, writeMembers } from './members.js'
import { neighboursOf } from './nearest.js'
import { PooledAnswer, type AnswerParts } from './pooled-answer.js'
import type { ShortKeys } from './short-keys.js'
import { readPool, writePool } from './pool.js'
import { readRecall, writeRecall } from './recall.js'
import { readScored, writeScored } from '../scored-answers.js'

export const pooledKind = 'pooled/1'

/** All parts of a model. */
export interface PooledParts
  extends AnswerParts,
    Pick<ModelSummary, 'logLoss' | 'accuracy' | 'scored' | 'evidenceWeight'> {
  readonly labelCount: number
  readonly rule: DecisionRule
  /** As in rule-fit.ts; null in a model that was stored without, too. */
  readonly ruleChanges: number | null
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
  to.u32s(parts.leftOut)
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
  if (parts.references.length > 0 || parts.ruleChanges !== null) to.u32s(parts.references)
  if (parts.ruleChanges !== null) to.f64(parts.ruleChanges)
  return to.seal()
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

/** As in Classifier.load. */
export function readPooled(bytes: Uint8Array, checked = false): PooledParts {
  const from = new ModelReader(bytes, pooledKind, checked)
  const parts: PooledParts = {
    labelCount: from.u32(),
    examples: from.u32(),
    logLoss: orNull(from.f64()),
    accuracy: orNull(from.f64()),
    evidenceWeight: orNull(from.f64()),
    scored: readScored(from),
    labels: from.i32s(),
    uniformShare: from.f64(),
    leftOut: from.i32s(),
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
    references: from.isAtEnd ? new Int32Array(0) : from.i32s(),
    ruleChanges: from.isAtEnd ? null : from.f64(),
  }
  from.finish()
  return parts
}

export class PooledModel implements Model {
  readonly summary: ModelSummary
  readonly references: Int32Array
  readonly #parts: PooledParts
  readonly #answer: PooledAnswer
  readonly #probabilities: Float64Array
  readonly #kept: CodedAnswers
  readonly #shortKeys: ShortKeys

  constructor(parts: PooledParts) {
    this.#parts = parts
    this.references = parts.references
    this.#answer = new PooledAnswer(parts)
    this.#answer.decideStream()
    this.#shortKeys = this.#answer.shortKeys(parts.unseen)
    this.#probabilities = new Float64Array(parts.labelCount)
    this.#kept = new CodedAnswers(parts.labelCount)
    this.summary = {
      kind: pooledKind,
      examples: parts.examples,
      features: parts.coder.features.length,
      logLoss: parts.logLoss,
      accuracy: parts.accuracy,
      scored: parts.scored,
      evidenceWeight: parts.evidenceWeight,
      outlierThreshold: outlierThresholdUsual,
      ...(parts.ruleChanges === null ? {} : { ruleChanges: parts.ruleChanges }),
    }
  }

  predict(values: PointValues, probabilities: Float64Array): void {
    this.#answer.fill(values, probabilities)
  }

  choose(probabilities: Float64Array): number {
    return chooseBy(this.#parts.rule, probabilities, this.#parts.labels)
  }

  mostProbable(probabilities: Float64Array): number {
    return mostProbable(probabilities, this.#parts.labels)
  }

  outlierScore(values: PointValues): number {
    return this.assess(values, this.#probabilities)
  }

  assess(values: PointValues, probabilities: Float64Array): number {
    const kept = this.#kept
    const answer = this.#answer
    answer.take(values)
    if (!kept.isWorthwhile()) {
      answer.codeTaken()
      return this.#withUnseen(this.#compute(probabilities))
    }
    const isShort = this.#shortKeys.write(answer.values, kept.key)
    const first = isShort ? kept.find(probabilities) : Number.NaN
    // Where the key is short, some value was seen.
    if (!Number.isNaN(first)) return first
    answer.codeTaken()
    this.#shortKeys.note(answer.values)
    if (!isShort) answer.writeKey(kept.key)
    const known = isShort ? Number.NaN : kept.find(probabilities)
    if (!Number.isNaN(known)) return this.#withUnseen(known)
    const score = this.#compute(probabilities)
    kept.keep(probabilities, score)
    return this.#withUnseen(score)
  }

  /** Answers the event that was coded last; returns its score by distance and doubts. */
  #compute(probabilities: Float64Array): number {
    this.#answer.answer(probabilities)
    return this.#parts.detector.score(this.#answer.distance, this.#answer.doubts)
  }

  /** The score of the event that was coded last, with what its values add. */
  #withUnseen(score: number): number {
    const { coder, values } = this.#answer
    return this.#parts.unseen.holds(values, coder) ? certainScore + score : score
  }

  neighbours(values: PointValues, count: number): Neighbour[] {
    const { members, labels } = this.#parts
    return neighboursOf(members.nearest, this.#answer.distances(values), labels).slice(0, count)
  }

  steps(values: PointValues): AnswerSteps {
    const { labels, labelCount, pool } = this.#parts
    const byLabel = (classes: Float64Array): number[] => {
      const all = new Array<number>(labelCount).fill(0)
      for (const [at, label] of labels.entries()) all[label] = classes[at] as number
      return all
    }
    const steps: { name: string; probabilities: number[] }[] = []
    let members: MemberAnswer[] = []
    this.#answer.fill(values, this.#probabilities, -1, (name, classes) => {
      if (name !== 'members') return void steps.push({ name, probabilities: byLabel(classes) })
      const all = memberNames.map((member, m) => ({
        name: member,
        weight: pool.weights[m] as number,
        temperature: pool.temperatures[m] as number,
        probabilities: byLabel(classes.subarray(m * labels.length, (m + 1) * labels.length)),
      }))
      members = all.filter(({ weight }) => weight > 0)
    })
    return { members, steps: [...steps, { name: 'with a uniform share', probabilities: [...this.#probabilities] }] }
  }

  likeness(): EventLikeness {
    const { coder, leftOut } = this.#parts
    const likeness = new Likeness(coder.points, coder.profiles)
    return {
      hold: (values) => likeness.hold(withoutPoints(values, leftOut)),
      distance: (values) => likeness.distance(withoutPoints(values, leftOut)),
      holdAll: (events) => likeness.holdAll(events.map((values) => withoutPoints(values, leftOut))),
      distances: (values) => likeness.distances(withoutPoints(values, leftOut)),
    }
  }
}
