/**
 * A job that is labelled by votes on random events: its decision points, what the votes say of each bucket, and what a
 * training learns from them.
 */
import type { KnownConsensus } from '../../engine/domain/decide/decision.js'
import { bucketIdOf, bucketText } from '../../engine/domain/event/bucket-key.js'
import { fingerprintOf } from '../../engine/domain/event/decision-points.js'
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { majorityOf } from '../../engine/domain/learn/consensus.js'
import { examplesOf, type CountedVote } from '../../engine/domain/learn/voted-examples.js'
import { limits } from '../../engine/limits.js'
import { SeededRandom } from '../../engine/rng.js'
import { bucketOf } from './coarse-points.js'
import type { Dataset } from './dataset.js'

export interface VotesTask {
  readonly seed: number
  readonly labels: number
  /** One, who is right; or three, who are wrong on one event in ten. */
  readonly analysts: 1 | 3
}

export interface Vote {
  readonly line: number
  readonly label: number
}

const errorShare = 0.1

export function castVotes(dataset: Dataset, { seed, labels, analysts }: VotesTask): Vote[] {
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

export class VotedJob {
  /** Dot paths. */
  readonly points: readonly string[]
  readonly votes: readonly Vote[]
  readonly #dataset: Dataset
  readonly #places: readonly number[]
  readonly #keys = new Map<number, string>()
  readonly #counts: ReadonlyMap<string, number[]>

  /** `places` are those of the decision points in the set's list. */
  constructor(dataset: Dataset, places: readonly number[], votes: readonly Vote[]) {
    this.#dataset = dataset
    this.#places = places
    this.points = places.map((place) => dataset.points[place] as string)
    this.votes = votes
    this.#counts = this.countBy(votes)
  }

  valuesOf(line: number): PointValues {
    return this.#places.map((place) => this.#dataset.values[line]?.[place] ?? null)
  }

  keyOf(line: number): string {
    let key = this.#keys.get(line)
    if (key === undefined) this.#keys.set(line, (key = bucketOf(this.#dataset, line, this.#places)))
    return key
  }

  /** Counts of labels by bucket. */
  countBy(labelled: readonly Vote[]): Map<string, number[]> {
    const counts = new Map<string, number[]>()
    for (const { line, label } of labelled) {
      const row = counts.get(this.keyOf(line)) ?? new Array<number>(this.#dataset.labelNames.length).fill(0)
      row[label] = (row[label] as number) + 1
      counts.set(this.keyOf(line), row)
    }
    return counts
  }

  /** The votes on the bucket of this event, by label; undefined without any. */
  countsOf(line: number): readonly number[] | undefined {
    return this.#counts.get(this.keyOf(line))
  }

  /** What the knowledge base knows of this event's bucket. */
  known(line: number): KnownConsensus | null {
    const counts = this.countsOf(line)
    const label = counts === undefined ? -1 : majorityOf(counts)
    return counts === undefined || label < 0 ? null : { label, counts, isSettled: false }
  }

  /** By label: voted events. */
  labelCounts(): number[] {
    const sums = new Array<number>(this.#dataset.labelNames.length).fill(0)
    for (const counts of this.#counts.values())
      for (const [label, count] of counts.entries()) sums[label] = (sums[label] as number) + count
    return sums
  }

  trainingSet(background: readonly PointValues[], seed: number): TrainingSet {
    const { seen, labelNames } = this.#dataset
    const sizes = new Map<string, number>()
    for (const line of seen) sizes.set(this.keyOf(line), (sizes.get(this.keyOf(line)) ?? 0) + 1)
    const subjects = new Map<string, { values: PointValues; events: number; voted: CountedVote[] }>()
    for (const { line, label } of this.votes) {
      const key = this.keyOf(line)
      const subject = subjects.get(key) ?? { values: this.valuesOf(line), events: sizes.get(key) ?? 1, voted: [] }
      subject.voted.push({ micros: line, label, count: 1 })
      subjects.set(key, subject)
    }
    // As a training reads them: in the order of their ids. Sums of weights depend on the order in their last bits.
    const fingerprint = fingerprintOf(this.points)
    const idOf = (values: PointValues): Buffer => bucketIdOf(fingerprint, bucketText(values))
    const ordered = [...subjects.values()].map((subject) => ({ subject, id: idOf(subject.values) }))
    ordered.sort((a, b) => Buffer.compare(a.id, b.id))
    return {
      points: this.points,
      labelCount: labelNames.length,
      examples: examplesOf(
        ordered.map(({ subject }) => subject),
        seen.length,
        limits.trainingExamplesMax,
      ),
      background,
      seed,
      objective: 'macro_f1',
    }
  }
}
