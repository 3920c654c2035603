/** One run of the protocol: so many labels, a training as the service does it, decisions on the scored events. */
import type { Example, PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { examplesOf as votedExamples, type CountedVote } from '../../engine/domain/learn/voted-examples.js'
import { limits } from '../../engine/limits.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Dataset, Strategy } from './dataset.js'
import { ClassificationTally, type ClassificationFigures } from './figures.js'
import { ReliabilityTally, worstGap, type Reliability } from './reliability.js'
import { countsOf, WatchedModel } from './watched.js'

/**
 * Figures of the most probable label (objective `accuracy`), and of the rule for `macro_f1`, the default of a job, from
 * the same training.
 */
export interface RunFigures extends ClassificationFigures {
  readonly ruleMacroF1: number
  readonly ruleAccuracy: number
  readonly ruleEce: number
  /** What perfectly calibrated answers of the same confidences would have by chance. */
  readonly chanceEce: number
  /** The largest gap between confidence and share right of a label's bin, by the rule. */
  readonly worstGap: number
  /** Answers by the rule with 99 % or more: their share of all answers, and the share of those that are wrong. */
  readonly sure: number
  readonly sureWrong: number
  /** Accuracy and macro F1 of always answering the label that most examples have. */
  readonly commonestAccuracy: number
  readonly commonestMacroF1: number
  readonly trainingMs: number
  /** Microseconds of one event, without the outlier check. */
  readonly decisionUs: number
  readonly modelBytes: number
}

export interface ClassificationRun {
  readonly figures: RunFigures
  readonly labelNames: readonly string[]
  readonly reliability: Reliability
}

/** A random sample of the first part, as large as a training looks at, the same for all runs. */
export function backgroundOf(dataset: Dataset, allowed: (line: number) => boolean = () => true): PointValues[] {
  const lines = dataset.seen.filter(allowed)
  const random = new SeededRandom(1)
  for (let i = lines.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = lines[i] as number
    lines[i] = lines[j] as number
    lines[j] = swapped
  }
  const drawn = lines.slice(0, limits.trainingBackgroundMax).sort((a, b) => a - b)
  return drawn.map((line) => dataset.values[line] as PointValues)
}

/**
 * The examples that the service makes of votes on these events. With `single`, one of weight 1 for each event, as in a
 * job without buckets.
 */
export function examplesOf(dataset: Dataset, picked: readonly number[], single: boolean): Example[] {
  const inOrder = [...picked].sort((a, b) => a - b)
  const valuesOf = (line: number): PointValues => dataset.values[line] as PointValues
  const labelOf = (line: number): number => dataset.labels[line] as number
  if (single) return inOrder.map((line) => ({ values: valuesOf(line), label: labelOf(line), weight: 1 }))
  const bucketOf = (line: number): string => JSON.stringify(valuesOf(line))
  const sizes = new Map<string, number>()
  for (const line of dataset.seen) sizes.set(bucketOf(line), (sizes.get(bucketOf(line)) ?? 0) + 1)
  const subjects = new Map<string, { values: PointValues; events: number; voted: CountedVote[] }>()
  for (const line of inOrder) {
    const key = bucketOf(line)
    const subject = subjects.get(key) ?? { values: valuesOf(line), events: sizes.get(key) ?? 1, voted: [] }
    subject.voted.push({ micros: line, label: labelOf(line), count: 1 })
    subjects.set(key, subject)
  }
  return votedExamples([...subjects.values()], dataset.seen.length, limits.trainingExamplesMax)
}

export interface ClassificationTask {
  readonly strategy: Strategy
  readonly seed: number
  readonly labels: number
  readonly single: boolean
}

/** The service's training set of the first `labels` picks. */
export function trainingSetOf(dataset: Dataset, { strategy, seed, labels, single }: ClassificationTask): TrainingSet {
  return {
    points: dataset.points,
    labelCount: dataset.labelNames.length,
    examples: examplesOf(dataset, dataset.protocol.pick(strategy, seed).slice(0, labels), single),
    background: backgroundOf(dataset),
    seed: seed + 1,
    objective: 'macro_f1',
  }
}

/** The label that most examples have. */
function commonestOf({ examples, labelCount }: TrainingSet): number {
  const sums = new Float64Array(labelCount)
  for (const { label, weight } of examples) sums[label] = (sums[label] as number) + weight
  return sums.indexOf(Math.max(...sums))
}

export function classify(dataset: Dataset, task: ClassificationTask): ClassificationRun {
  const set = trainingSetOf(dataset, task)
  const startedAt = performance.now()
  const bytes = defaultClassifier.train(set, () => true)
  const trainingMs = performance.now() - startedAt
  const model = defaultClassifier.load(bytes)
  const { labelNames, protocol } = dataset
  const [tally, ruled, commonest] = [0, 1, 2].map(() => new ClassificationTally(labelNames.length)) as [
    ClassificationTally,
    ClassificationTally,
    ClassificationTally,
  ]
  const reliable = new ReliabilityTally(labelNames.length)
  const usual = commonestOf(set)
  const watched = new WatchedModel(model, countsOf(set))
  const probabilities = new Float64Array(labelNames.length)
  let predictingMs = 0
  for (const line of protocol.test) {
    const before = performance.now()
    model.predict(dataset.values[line] as PointValues, probabilities)
    predictingMs += performance.now() - before
    const truth = dataset.labels[line] as number
    const { label: answer } = watched.decide(dataset.values[line] as PointValues, probabilities)
    tally.add(probabilities, truth)
    ruled.add(probabilities, truth, answer)
    commonest.add(probabilities, truth, usual)
    reliable.add(answer, probabilities[answer] as number, answer === truth)
  }
  const [rule, always] = [ruled.figures(), commonest.figures()]
  const { sure, bins } = reliable
  const figures = {
    ...tally.figures(),
    ruleMacroF1: rule.macroF1,
    ruleAccuracy: rule.accuracy,
    ruleEce: rule.ece,
    chanceEce: ruled.chanceEce,
    worstGap: worstGap(bins),
    sure: sure.count / protocol.test.length,
    sureWrong: (sure.count - sure.right) / protocol.test.length,
    commonestAccuracy: always.accuracy,
    commonestMacroF1: always.macroF1,
    trainingMs,
    decisionUs: (predictingMs * 1000) / protocol.test.length,
    modelBytes: bytes.length,
  }
  return { figures, labelNames, reliability: bins }
}
