/**
 * The model of a root cause job: the weights that feedback gave to pairs of kinds, and a classifier over the alert in
 * its cluster.
 *
 * Owns: training both from labelled alerts, mixing their answers, the bytes. Leaves out: the classifier (learn/), the
 * fit of pairs (feedback-weights.ts), reading labelled alerts (services/training/cause-training.ts).
 *
 * 1. The classifier sees structural answers that the alert's own label had no part in (five folds). So it learns how
 *    far structure can be trusted, not how well labels can be repeated.
 * 2. The structural answer's probabilities are how often it was right on such alerts. The mix of the two answers
 *    follows their held-out likelihoods.
 */
import type { PointValues } from '../event/point-value.js'
import type { LabelsByRole } from '../job/label-roles.js'
import {
  TrainingCancelled,
  type Classifier,
  type AnswerSteps,
  type EventLikeness,
  type Model,
  type ModelSummary,
  type Neighbour,
  type TrainingProgress,
} from '../learn/classifier.js'
import { ModelReader, ModelWriter } from '../learn/model-bytes.js'
import { loadModel } from '../learn/registry.js'
import { causeBounds } from './bounds.js'
import { predecessorsOf, type AlertRow } from './cause-rows.js'
import {
  answerNames,
  contextPoints,
  contextValues,
  isAdopted,
  structuralAnswer,
  SYMPTOM,
  type KindFacts,
} from './context.js'
import { LinkBelief, fitFeedbackWeights, type LabelledAlert, type FeedbackWeights } from './feedback-weights.js'

export const causeModelKind = 'cause/1'

export interface CauseExample {
  readonly alert: AlertRow
  readonly label: number
  /** Its values at the job's decision points. */
  readonly values: PointValues
}

export interface CauseTrainingSet {
  readonly examples: readonly CauseExample[]
  /** Recent alerts, labelled or not. */
  readonly background: readonly Omit<CauseExample, 'label'>[]
  readonly decisionPoints: readonly string[]
  readonly labelCount: number
  readonly byRole: LabelsByRole
  readonly facts: KindFacts
  /** The window that the stream shows, milliseconds. `fixed`: the job set it. */
  readonly window: { readonly ms: number; readonly fixed: boolean }
  readonly seed: number
  readonly objective?: Parameters<Classifier['train']>[0]['objective']
}

const folds = 5
/** Prior counts of a structural answer: for its own label, and for each other one. */
const rightBefore = 2
const wrongBefore = 0.25
/** At most this many labels count towards the mix of the two answers. */
const mixLabelsMax = 200
const mixPace = 0.25

function labelledAlerts(examples: readonly CauseExample[], byRole: LabelsByRole): LabelledAlert[] {
  return examples.map(({ alert, label }) => {
    const { kind, parentKind, side, delayMs, belief } = alert
    const before = predecessorsOf(alert)
    // A parent that arrived later is a predecessor too.
    const predecessors = isAdopted(alert) ? [...before, { kind: parentKind, side, delayMs, belief }] : before
    return { kind, isSymptom: label === byRole[SYMPTOM], predecessors }
  })
}

/** One row for each structural answer: how often it had which label. */
function freshTable(labels: number, present: readonly boolean[], byRole: LabelsByRole): Float64Array {
  const table = new Float64Array(labels * labels)
  for (let answer = 0; answer < labels; answer++) {
    for (let label = 0; label < labels; label++)
      table[answer * labels + label] = !present[label] ? 0 : byRole[answer] === label ? rightBefore : wrongBefore
  }
  return table
}

function shareOf(table: Float64Array, labels: number, answer: number, label: number): number {
  let total = 0
  for (let each = 0; each < labels; each++) total += table[answer * labels + each] as number
  return total === 0 ? 0 : (table[answer * labels + label] as number) / total
}

export function trainCause(set: CauseTrainingSet, classifier: Classifier, progress: TrainingProgress): Uint8Array {
  const { examples, facts, labelCount, byRole, window } = set
  const present = Array.from({ length: labelCount }, (_, label) => examples.some((example) => example.label === label))
  const learn = (from: readonly CauseExample[]): FeedbackWeights =>
    fitFeedbackWeights(labelledAlerts(from, byRole), window.ms, window.fixed)
  const table = freshTable(labelCount, present, byRole)
  let loss = 0
  const values = new Array<PointValues>(examples.length)
  for (let fold = 0; fold < folds; fold++) {
    if (!progress(0.02 * fold, 'learning what follows from what')) throw new TrainingCancelled('cancelled')
    const feedbackWeights = learn(examples.filter((_, at) => at % folds !== fold))
    const linkBelief = new LinkBelief(feedbackWeights)
    for (const [at, { alert, label, values: own }] of examples.entries()) {
      if (at % folds !== fold) continue
      const structure = structuralAnswer(alert, linkBelief, feedbackWeights.windowMs || window.ms)
      values[at] = contextValues(alert, structure, facts, own)
      loss -= Math.log(shareOf(table, labelCount, structure.answer, label))
      const cell = structure.answer * labelCount + label
      table[cell] = (table[cell] as number) + 1
    }
  }
  const feedbackWeights = learn(examples)
  const linkBelief = new LinkBelief(feedbackWeights)
  const background = set.background.map(({ alert, values: own }) => {
    return contextValues(alert, structuralAnswer(alert, linkBelief, feedbackWeights.windowMs || window.ms), facts, own)
  })
  const inner = classifier.train(
    {
      points: [...contextPoints, ...set.decisionPoints],
      labelCount,
      examples: examples.map(({ label }, at) => ({ values: values[at] as PointValues, label, weight: 1 })),
      background,
      seed: set.seed,
      ...(set.objective === undefined ? {} : { objective: set.objective }),
    },
    (done, what) => progress(0.1 + 0.9 * done, what),
  )
  const { logLoss } = loadModel(inner).summary
  const gain =
    logLoss === null ? 0 : Math.min(examples.length, mixLabelsMax) * mixPace * (loss / examples.length - logLoss)
  return encode({ feedbackWeights, table, mix: 1 / (1 + Math.exp(-gain)), inner })
}

interface CauseModelParts {
  readonly feedbackWeights: FeedbackWeights
  readonly table: Float64Array
  /** The classifier's share of the answer, 0 to 1. */
  readonly mix: number
  readonly inner: Uint8Array
}

function encode({ feedbackWeights, table, mix, inner }: CauseModelParts): Uint8Array {
  const writer = new ModelWriter(causeModelKind)
  writer.text(JSON.stringify(feedbackWeights))
  writer.f64s(table)
  writer.f64(mix)
  writer.u8s(inner)
  return writer.seal()
}

/** A trained model. It reads the values of contextValues. */
export class CauseModel implements Model {
  readonly feedbackWeights: FeedbackWeights
  readonly #table: Float64Array
  readonly #mix: number
  readonly #inner: Model
  /**
   * Probabilities and outlier score by array of values: alerts in equal contexts share one array (context-cache.ts).
   */
  readonly #memo = new Map<PointValues, Float64Array>()

  /** As in Classifier.load. */
  constructor(bytes: Uint8Array, checked = false) {
    const reader = new ModelReader(bytes, causeModelKind, checked)
    this.feedbackWeights = JSON.parse(reader.text()) as FeedbackWeights
    this.#table = reader.f64s()
    this.#mix = reader.f64()
    this.#inner = loadModel(reader.u8s(), checked)
    reader.finish()
  }

  /** The share of answers that the rule changes was measured without the answers of the clusters, so it is left out. */
  get summary(): ModelSummary {
    const { ruleChanges: _, ...summary } = this.#inner.summary
    return summary
  }

  predict(values: PointValues, probabilities: Float64Array): void {
    this.#inner.predict(values, probabilities)
    this.#mixIn(values, probabilities)
  }

  assess(values: PointValues, probabilities: Float64Array): number {
    const labels = probabilities.length
    const known = this.#memo.get(values)
    if (known !== undefined) {
      for (let label = 0; label < labels; label++) probabilities[label] = known[label] as number
      return known[labels] as number
    }
    const outlierScore = this.#inner.assess(values, probabilities)
    this.#mixIn(values, probabilities)
    if (this.#memo.size >= causeBounds.causeAnswersMax) this.#memo.clear()
    this.#memo.set(values, Float64Array.of(...probabilities, outlierScore))
    return outlierScore
  }

  choose(probabilities: Float64Array): number {
    return this.#inner.choose(probabilities)
  }

  mostProbable(probabilities: Float64Array): number {
    return this.#inner.mostProbable(probabilities)
  }

  outlierScore(values: PointValues): number {
    return this.#inner.outlierScore(values)
  }

  get references(): Int32Array {
    return this.#inner.references
  }

  neighbours(values: PointValues, count: number): Neighbour[] {
    return this.#inner.neighbours(values, count)
  }

  steps(values: PointValues): AnswerSteps {
    const { members, steps } = this.#inner.steps(values)
    const mixed = Float64Array.from(steps.at(-1)?.probabilities ?? [])
    this.#mixIn(values, mixed)
    return { members, steps: [...steps, { name: 'with the answer of the clusters', probabilities: [...mixed] }] }
  }

  likeness(): EventLikeness {
    return this.#inner.likeness()
  }

  #mixIn(values: PointValues, probabilities: Float64Array): void {
    const labels = probabilities.length
    const answer = (answerNames as readonly unknown[]).indexOf(values[0])
    for (let label = 0; label < labels; label++) {
      const structural = shareOf(this.#table, labels, answer, label)
      probabilities[label] = this.#mix * (probabilities[label] as number) + (1 - this.#mix) * structural
    }
  }
}
