/**
 * The protocol `--coarse`: few decision points, so that buckets are mixed, and votes on random events.
 *
 * Ours is the whole way of an answer: votes, evidence, examples, training, knowledge base. Beside it are the majority
 * of the bucket with its shares, a random forest on the same points, and the best that these points allow, which is
 * computed from the truth of the scored events.
 */
import { decide } from '../../engine/domain/decide/decision.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { backgroundOf } from './classify.js'
import { coarsePoints } from './coarse-points.js'
import type { Dataset } from './dataset.js'
import { ClassificationTally, type ClassificationFigures } from './figures.js'
import { forestOf } from './forest.js'
import { castVotes, VotedJob, type VotesTask } from './voted-job.js'

export type CoarseTask = VotesTask

/** Who answers. */
export const coarseAnswers = ['ours', 'ours for accuracy', 'bucket majority', 'forest', 'best possible'] as const

export interface CoarseRun {
  readonly points: readonly string[]
  readonly figures: Readonly<Record<(typeof coarseAnswers)[number], ClassificationFigures>>
}

/** The weight of the overall shares in those of a bucket. */
const smoothing = 1

export function runCoarse(dataset: Dataset, task: CoarseTask): CoarseRun {
  const kinds = dataset.labelNames.length
  const votes = castVotes(dataset, task)
  const job = new VotedJob(dataset, coarsePoints(dataset), votes)
  const inner: Dataset = { ...dataset, values: dataset.values.map((_, line) => job.valuesOf(line)) }
  const set = job.trainingSet(backgroundOf(inner), task.seed + 1)
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const forest = forestOf({
    ...set,
    examples: votes.map(({ line, label }) => ({ values: job.valuesOf(line), label, weight: 1 })),
  })
  const truths = job.countBy(dataset.protocol.test.map((line) => ({ line, label: dataset.labels[line] as number })))
  const shares = new Array<number>(kinds).fill(0)
  for (const { label } of votes) shares[label] = (shares[label] as number) + 1 / votes.length
  const tallies = new Map(coarseAnswers.map((name) => [name, new ClassificationTally(kinds)]))
  const tell = (name: (typeof coarseAnswers)[number], chances: Float64Array, truth: number, answer?: number): void =>
    tallies.get(name)?.add(chances, truth, answer)
  const probabilities = new Float64Array(kinds)
  for (const line of dataset.protocol.test) {
    const truth = dataset.labels[line] as number
    const row = job.countsOf(line)
    const { label, source } = decide({ model, version: 1, probabilities }, job.valuesOf(line), job.known(line))
    tell('ours', probabilities, truth, label)
    tell('ours for accuracy', probabilities, truth, source === 'knowledge_base' ? label : undefined)
    const total = (row ?? []).reduce((sum, count) => sum + count, 0)
    const majority = shares.map((share, k) => ((row?.[k] ?? 0) + smoothing * share) / (total + smoothing))
    tell('bucket majority', Float64Array.from(majority), truth)
    tell('forest', forest(job.valuesOf(line)), truth)
    const best = truths.get(job.keyOf(line)) as number[]
    const all = best.reduce((sum, count) => sum + count, 0)
    tell(
      'best possible',
      Float64Array.from(best, (count) => count / all),
      truth,
    )
  }
  const figures = Object.fromEntries([...tallies].map(([name, tally]) => [name, tally.figures()]))
  return { points: set.points, figures: figures as CoarseRun['figures'] }
}
