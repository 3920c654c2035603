/**
 * The protocol `--coarse`: few decision points, so that buckets are mixed, and votes on random events.
 *
 * Ours is the whole way of an answer: votes, evidence, examples, training, knowledge base. Beside it are the majority
 * of the bucket with its shares, a random forest on the same points, and the best that these points allow, which is
 * computed from the truth of the scored events.
 */
import { decide, type KnownConsensus } from '../../engine/domain/decide/decision.js'
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { majorityOf } from '../../engine/domain/learn/consensus.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { examplesOf, type VotedEvent } from '../../engine/domain/learn/voted-examples.js'
import { limits } from '../../engine/limits.js'
import { SeededRandom } from '../../engine/rng.js'
import { backgroundOf } from './classify.js'
import { bucketOf, coarsePoints } from './coarse-points.js'
import type { Dataset } from './dataset.js'
import { ClassificationTally, type ClassificationFigures } from './figures.js'
import { forestOf } from './forest.js'

export interface CoarseTask {
  readonly seed: number
  readonly labels: number
  /** One, who is right; or three, who are wrong on one event in ten. */
  readonly analysts: 1 | 3
}

/** Who answers. */
export const coarseAnswers = ['ours', 'ours for accuracy', 'bucket majority', 'forest', 'best possible'] as const

export interface CoarseRun {
  readonly points: readonly string[]
  readonly figures: Readonly<Record<(typeof coarseAnswers)[number], ClassificationFigures>>
}

const errorShare = 0.1
/** The weight of the overall shares in those of a bucket. */
const smoothing = 1

interface Vote {
  readonly line: number
  readonly label: number
}

function castVotes(dataset: Dataset, { seed, labels, analysts }: CoarseTask): Vote[] {
  const random = new SeededRandom(1_000 + seed)
  const kinds = dataset.labelNames.length
  return dataset.protocol
    .pick('random', seed)
    .slice(0, labels)
    .map((line) => {
      const truth = dataset.labels[line] as number
      const isWrong = analysts > 1 && random.below(1_000) < 1_000 * errorShare
      return { line, label: isWrong ? (truth + 1 + random.below(kinds - 1)) % kinds : truth }
    })
}

/** Counts by bucket. */
function countBy(lines: readonly Vote[], keyOf: (line: number) => string, kinds: number): Map<string, number[]> {
  const counts = new Map<string, number[]>()
  for (const { line, label } of lines) {
    const row = counts.get(keyOf(line)) ?? new Array<number>(kinds).fill(0)
    row[label] = (row[label] as number) + 1
    counts.set(keyOf(line), row)
  }
  return counts
}

function known(counts: readonly number[] | undefined): KnownConsensus | null {
  if (counts === undefined) return null
  const label = majorityOf(counts)
  return label < 0 ? null : { label, counts, isSettled: false }
}

export function runCoarse(dataset: Dataset, task: CoarseTask): CoarseRun {
  const places = coarsePoints(dataset)
  const keys = new Map<number, string>()
  const keyOf = (line: number): string => {
    let key = keys.get(line)
    if (key === undefined) keys.set(line, (key = bucketOf(dataset, line, places)))
    return key
  }
  const valuesOf = (line: number): PointValues => places.map((place) => dataset.values[line]?.[place] ?? null)
  const kinds = dataset.labelNames.length
  const votes = castVotes(dataset, task)
  const counts = countBy(votes, keyOf, kinds)
  const sizes = new Map<string, number>()
  for (const line of dataset.seen) sizes.set(keyOf(line), (sizes.get(keyOf(line)) ?? 0) + 1)
  const subjects = new Map<string, { values: PointValues; events: number; voted: VotedEvent[] }>()
  for (const { line, label } of votes) {
    const key = keyOf(line)
    const subject = subjects.get(key) ?? { values: valuesOf(line), events: sizes.get(key) ?? 1, voted: [] }
    subject.voted.push({ micros: line, label, count: 1 })
    subjects.set(key, subject)
  }
  const inner: Dataset = { ...dataset, values: dataset.values.map((_, line) => valuesOf(line)) }
  const set: TrainingSet = {
    points: places.map((place) => dataset.points[place] as string),
    labelCount: kinds,
    examples: examplesOf([...subjects.values()], dataset.seen.length, limits.trainingExamplesMax),
    background: backgroundOf(inner),
    seed: task.seed + 1,
    objective: 'macro_f1',
  }
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const forest = forestOf({
    ...set,
    examples: votes.map(({ line, label }) => ({ values: valuesOf(line), label, weight: 1 })),
  })
  const truths = countBy(
    dataset.protocol.test.map((line) => ({ line, label: dataset.labels[line] as number })),
    keyOf,
    kinds,
  )
  const shares = new Array<number>(kinds).fill(0)
  for (const { label } of votes) shares[label] = (shares[label] as number) + 1 / votes.length
  const tallies = new Map(coarseAnswers.map((name) => [name, new ClassificationTally(kinds)]))
  const tell = (name: (typeof coarseAnswers)[number], chances: Float64Array, truth: number, answer?: number): void =>
    tallies.get(name)?.add(chances, truth, answer)
  const probabilities = new Float64Array(kinds)
  for (const line of dataset.protocol.test) {
    const truth = dataset.labels[line] as number
    const row = counts.get(keyOf(line))
    const { label, source } = decide({ model, version: 1, probabilities }, valuesOf(line), known(row))
    tell('ours', probabilities, truth, label)
    tell('ours for accuracy', probabilities, truth, source === 'knowledge_base' ? label : undefined)
    const total = (row ?? []).reduce((sum, count) => sum + count, 0)
    const majority = shares.map((share, k) => ((row?.[k] ?? 0) + smoothing * share) / (total + smoothing))
    tell('bucket majority', Float64Array.from(majority), truth)
    tell('forest', forest(valuesOf(line)), truth)
    const best = truths.get(keyOf(line)) as number[]
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
