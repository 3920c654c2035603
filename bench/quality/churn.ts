/**
 * How many answers another training changes: with the same labels in another order and another seed, and with one label
 * more.
 */
import type { Model, PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { trainingSetOf } from './classify.js'
import type { Dataset } from './dataset.js'

export interface ChurnTask {
  readonly seed: number
  readonly labels: number
  readonly single: boolean
}

/** Shares of the scored events whose answer changes, and how far confidence moves on average, in points. */
export interface ChurnRun {
  readonly again: number
  readonly againPoints: number
  readonly oneMore: number
  readonly oneMorePoints: number
}

interface Answers {
  readonly labels: readonly number[]
  readonly confidences: readonly number[]
}

const otherSeed = 7_919

function answersOf(dataset: Dataset, set: TrainingSet): Answers {
  const model: Model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const probabilities = new Float64Array(set.labelCount)
  const labels: number[] = []
  const confidences: number[] = []
  for (const line of dataset.protocol.test) {
    model.predict(dataset.values[line] as PointValues, probabilities)
    const answer = model.choose(probabilities)
    labels.push(answer)
    confidences.push(probabilities[answer] as number)
  }
  return { labels, confidences }
}

function changedBetween(a: Answers, b: Answers): { share: number; points: number } {
  const count = a.labels.length
  const changed = a.labels.filter((label, i) => label !== b.labels[i]).length
  const moved = a.confidences.reduce(
    (sum, confidence, i) => sum + Math.abs(confidence - (b.confidences[i] as number)),
    0,
  )
  return { share: changed / count, points: (100 * moved) / count }
}

export function followChurn(dataset: Dataset, task: ChurnTask): ChurnRun {
  const random = { ...task, strategy: 'random' as const }
  const set = trainingSetOf(dataset, random)
  const first = answersOf(dataset, set)
  // The service puts examples in the order of time, so the order of votes is lost; equal times keep any order.
  const again = changedBetween(first, answersOf(dataset, { ...set, seed: set.seed + otherSeed }))
  const more = trainingSetOf(dataset, { ...random, labels: task.labels + 1 })
  const oneMore = changedBetween(first, answersOf(dataset, more))
  return { again: again.share, againPoints: again.points, oneMore: oneMore.share, oneMorePoints: oneMore.points }
}
