/**
 * How honest confidence stays along the stream. A model from the first labels decides the scored events in time order.
 * An analyst votes on one decision in so many. Calibration is measured tenth by tenth, with the model watch and
 * without.
 */
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { doubtShare, freshDrift, seeConfidence, seeFeedback, withDoubt } from '../../engine/domain/learn/drift.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { backgroundOf, examplesOf } from './classify.js'
import type { Dataset } from './dataset.js'
import { ClassificationTally } from './figures.js'

/** One decision in so many gets feedback. */
export type FeedbackPace = 0 | 20 | 5

/** A tenth of the stream. */
export interface DriftTenth {
  readonly confidence: number
  readonly accuracy: number
  readonly ece: number
  readonly logLoss: number
}

export interface DriftRun {
  readonly without: readonly DriftTenth[]
  readonly with: readonly DriftTenth[]
  /** The tenth in which the model was found to be ageing; 10 if it was not. */
  readonly ageingAt: number
}

export interface DriftTask {
  readonly seed: number
  readonly labels: number
  readonly single: boolean
  readonly pace: FeedbackPace
}

const tenths = 10

function tenthOf(tally: ClassificationTally): DriftTenth {
  const { accuracy, ece, logLoss } = tally.figures()
  return { confidence: tally.confidence, accuracy, ece, logLoss }
}

export function followDrift(dataset: Dataset, task: DriftTask): DriftRun {
  const examples = examplesOf(dataset, dataset.protocol.pick('random', task.seed).slice(0, task.labels), task.single)
  const classCount = dataset.labelNames.length
  const set: TrainingSet = {
    points: dataset.points,
    labelCount: classCount,
    examples,
    background: backgroundOf(dataset),
    seed: task.seed + 1,
  }
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const base = new Float64Array(classCount).fill(1)
  for (const { label } of examples) base[label] = (base[label] as number) + 1
  const total = base.reduce((a, b) => a + b, 0)
  for (let k = 0; k < classCount; k++) base[k] = (base[k] as number) / total
  const drift = freshDrift()
  const plain = new Float64Array(classCount)
  const doubtful = new Float64Array(classCount)
  const tallies = Array.from(
    { length: tenths },
    () => [new ClassificationTally(classCount), new ClassificationTally(classCount)] as const,
  )
  let ageingAt = tenths
  dataset.protocol.test.forEach((line, i) => {
    const truth = dataset.labels[line] as number
    const tenth = Math.floor((i * tenths) / dataset.protocol.test.length)
    model.predict(dataset.values[line] as PointValues, plain)
    const share = doubtShare(drift)
    for (let k = 0; k < classCount; k++) doubtful[k] = withDoubt(plain[k] as number, base[k] as number, share)
    const answer = plain.indexOf(Math.max(...plain))
    tallies[tenth]?.[0].add(plain, truth, answer)
    tallies[tenth]?.[1].add(doubtful, truth, answer)
    const confidence = plain[answer] as number
    seeConfidence(drift, confidence, i + 1)
    if (task.pace > 0 && i % task.pace === 0)
      seeFeedback(drift, { confidence, base: base[answer] as number, right: answer === truth, isChosen: false }, i + 1)
    if (drift.ageing !== 'no') ageingAt = Math.min(ageingAt, tenth)
  })
  return {
    without: tallies.map(([tally]) => tenthOf(tally)),
    with: tallies.map(([, tally]) => tenthOf(tally)),
    ageingAt,
  }
}
