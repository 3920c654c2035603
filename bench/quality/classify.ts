/** One run of the protocol: so many labels, a training as the service does it, decisions on the scored events. */
import type { Example, PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { examplesOf as votedExamples, type VotedEvent } from '../../engine/domain/learn/voted-examples.js'
import { limits } from '../../engine/limits.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Dataset, Strategy } from './dataset.js'
import { ClassificationTally, type ClassificationFigures } from './figures.js'

/**
 * Figures of the most probable label (objective `accuracy`), and of the rule for `macro_f1`, the default of a job, from
 * the same training.
 */
export interface ClassificationRun extends ClassificationFigures {
  readonly ruleMacroF1: number
  readonly ruleAccuracy: number
  readonly trainingMs: number
  /** Microseconds of one event, without the outlier check. */
  readonly decisionUs: number
  readonly modelBytes: number
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
  const subjects = new Map<string, { values: PointValues; events: number; voted: VotedEvent[] }>()
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

export function classify(dataset: Dataset, task: ClassificationTask): ClassificationRun {
  const picks = dataset.protocol.pick(task.strategy, task.seed)
  const picked = picks.slice(0, task.labels)
  const examples = examplesOf(dataset, picked, task.single)
  const set: TrainingSet = {
    points: dataset.points,
    labelCount: dataset.labelNames.length,
    examples,
    background: backgroundOf(dataset),
    seed: task.seed + 1,
    objective: 'macro_f1',
  }
  const startedAt = performance.now()
  const bytes = defaultClassifier.train(set, () => true)
  const trainingMs = performance.now() - startedAt
  const model = defaultClassifier.load(bytes)
  const tally = new ClassificationTally(dataset.labelNames.length)
  const ruled = new ClassificationTally(dataset.labelNames.length)
  const probabilities = new Float64Array(dataset.labelNames.length)
  let predictingMs = 0
  for (const line of dataset.protocol.test) {
    const before = performance.now()
    model.predict(dataset.values[line] as PointValues, probabilities)
    predictingMs += performance.now() - before
    tally.add(probabilities, dataset.labels[line] as number)
    ruled.add(probabilities, dataset.labels[line] as number, model.choose(probabilities))
  }
  const decisionUs = (predictingMs * 1000) / dataset.protocol.test.length
  const rule = ruled.figures()
  return {
    ...tally.figures(),
    ruleMacroF1: rule.macroF1,
    ruleAccuracy: rule.accuracy,
    trainingMs,
    decisionUs,
    modelBytes: bytes.length,
  }
}
