/**
 * One side of a replay: how it decides an event, as if the event arrived now.
 *
 * Owns: which model, which votes it knows, one answer for each bucket. Leaves out: the walk (run-replay.ts).
 *
 * 1. A model of the registry decides with its own knowledge base, and with the votes of now.
 * 2. A model that was trained for the replay knows the votes that it was trained on, and those alone.
 * 3. Doubt and the threshold of outliers follow the stream, so both sides are without: an outlier is what the model
 *    calls one by its own threshold.
 */
import { must } from '../../assert.js'
import { decide, noDecision, type Decision, type KnownConsensus } from '../../domain/decide/decision.js'
import { bucketIdOf, bucketIdText, bucketText } from '../../domain/event/bucket-key.js'
import { lacksPoints } from '../../domain/event/decision-points.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasBuckets, hasClusters } from '../../domain/job/job.js'
import { absentPoints } from '../../domain/metrics/point-tally.js'
import type { Model } from '../../domain/learn/classifier.js'
import { isLabel, majorityOf } from '../../domain/learn/consensus.js'
import { consensusAt } from '../../domain/learn/knowledge-base.js'
import type { VotedSubject } from '../../domain/learn/voted-examples.js'
import type { BallotRow } from '../../store/ballot-row.js'
import type { RecordHeader } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import type { FoundEvent } from '../../actor/event-table.js'
import { knownConsensus, readBallot } from '../../actor/votes/ballots.js'
import { EventValues } from '../explain/event-values.js'
import type { JobAt } from '../explain/job-at.js'

type StoredEvent = Pick<FoundEvent, 'micros' | 'record' | 'header'>

/** An event of a replay. Its record is read when it is asked for: most answers are those of its bucket. */
export interface ReplayedRecord extends StoredEvent {
  /** The id of its bucket, as text; null for none. */
  readonly bucket: string | null
}

export interface VariantModel {
  readonly model: Model
  readonly version: number
  readonly points: readonly string[]
  readonly fingerprint: number
  readonly throughSeq: number
  /** What it was trained on, where that alone is its knowledge base. */
  readonly subjects: readonly VotedSubject[] | null
}

/** Answers that are kept, so that a bucket is asked about once. */
const ANSWERS_MAX = 500_000

export class Variant {
  readonly #at: JobAt
  readonly #table: BucketTable
  readonly #own: VariantModel
  readonly #reader: EventValues
  readonly #known: ReadonlyMap<string, KnownConsensus> | null
  readonly #answers = new Map<string, Decision>()
  /** Whether a stored bucket is one of the decision points of the model. */
  readonly #fits = new Map<string, boolean>()
  readonly #probabilities: Float64Array
  /** Places of decision points at which no event had a value yet. */
  #unseen: readonly number[]

  constructor(at: JobAt, own: VariantModel) {
    this.#at = at
    this.#table = new BucketTable(at.environment, at.job.id)
    this.#own = own
    this.#reader = new EventValues(at, own.model, own.points)
    this.#known = own.subjects === null ? null : knownOf(own, at.job.labels.length)
    this.#probabilities = new Float64Array(at.job.labels.length)
    this.#unseen = own.points.map((_, place) => place)
  }

  /** Decision points at which no event had a value. */
  get unseenPoints(): string[] {
    return this.#unseen.map((place) => this.#own.points[place] as string)
  }

  decide(event: ReplayedRecord): Decision {
    const { header, bucket } = event
    if (!hasBuckets(this.#at.job.category)) return this.#decideAlone(event)
    if (bucket !== null && header.bucketId !== null) {
      // Ids of buckets of other decision points are other ids.
      const answered = this.#answers.get(bucket)
      if (answered !== undefined) return answered
      if (this.#isOwn(header.bucketId, bucket)) return this.#decideBucket(bucket, () => this.#reader.of(event))
    }
    const values = must(this.#reader.of(event), 'the values of an event without clusters')
    return this.#decideBucket(bucketIdText(bucketIdOf(this.#own.fingerprint, bucketText(values))), () => values)
  }

  /** Whether events are read with other decision points than those of the job. */
  get readsRecords(): boolean {
    return !hasBuckets(this.#at.job.category) || this.#own.fingerprint !== this.#at.fingerprint
  }

  /** Whether the model was trained on a consensus of that ballot. */
  hasSeen(ballot: BallotRow): boolean {
    return isLabel(consensusAt(ballot.changes, this.#own.throughSeq))
  }

  #isOwn(bucketId: Uint8Array, id: string): boolean {
    let fits = this.#fits.get(id)
    if (fits === undefined) {
      const row = this.#table.row(bucketId)
      fits = row !== undefined && decodeBucket(row).fingerprint === this.#own.fingerprint
      if (this.#fits.size >= ANSWERS_MAX) this.#fits.clear()
      this.#fits.set(id, fits)
    }
    return fits
  }

  #decideBucket(id: string, values: () => PointValues | null): Decision {
    const answered = this.#answers.get(id)
    if (answered !== undefined) return answered
    const own = values()
    this.#see(own)
    const decision = own === null || lacksPoints(own) ? noDecision : this.#decide(own, this.#knownOf(id))
    if (this.#answers.size >= ANSWERS_MAX) this.#answers.clear()
    this.#answers.set(id, decision)
    return decision
  }

  #see(values: PointValues | null): void {
    if (values === null || this.#unseen.length === 0) return
    const absent = absentPoints(values)
    this.#unseen = this.#unseen.filter((place) => absent.includes(place))
  }

  #knownOf(id: string): KnownConsensus | null {
    if (this.#known !== null) return this.#known.get(id) ?? null
    const { environment, job } = this.#at
    return knownConsensus(readBallot(environment, job.id, Buffer.from(id, 'latin1')), this.#own.throughSeq, true)
  }

  /** An event arrives without votes of its own. */
  #decideAlone(event: StoredEvent): Decision {
    const values = this.#reader.of(event)
    this.#see(values)
    if (values === null) return noDecision
    if (!hasClusters(this.#at.job.category) && lacksPoints(values)) return noDecision
    return this.#decide(values, null)
  }

  #decide(values: PointValues, known: KnownConsensus | null): Decision {
    const { model, version } = this.#own
    return decide({ model, version, probabilities: this.#probabilities }, values, known)
  }
}

/** The knowledge base of the votes that a model was trained on. */
function knownOf({ subjects, fingerprint }: VariantModel, labelCount: number): Map<string, KnownConsensus> {
  const known = new Map<string, KnownConsensus>()
  for (const { values, voted } of subjects ?? []) {
    const counts = new Array<number>(labelCount).fill(0)
    for (const { label, count } of voted) counts[label] = (counts[label] ?? 0) + count
    const label = majorityOf(counts)
    const id = bucketIdText(bucketIdOf(fingerprint, bucketText(values)))
    if (isLabel(label)) known.set(id, { label, counts, isSettled: false })
  }
  return known
}

/** The decision that is stored. */
export function storedDecision({
  label,
  confidence,
  outlier,
  outlierScore,
  source,
  modelVersion,
}: RecordHeader): Decision {
  return { label, confidence, outlier, outlierScore, source, modelVersion }
}
