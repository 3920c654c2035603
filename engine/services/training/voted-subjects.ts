/**
 * The votes of a job as a training reads them, from one snapshot: what was voted on, and what it is.
 *
 * Owns: reading votes, buckets and single events. Leaves out: examples and their weights (learn/voted-examples.ts).
 *
 * 1. A voted event is what most of its analysts say; one with a tie is left out. An override stands for all votes of
 *    its bucket, and for one event more.
 * 2. Votes on a bucket of earlier decision points are votes on its events: each is read with the present ones.
 */
import { must } from '../../assert.js'
import { BUCKET_ID_BYTES, bucketIdOf, bucketIdText, bucketText } from '../../domain/event/bucket-key.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { countVotes, isLabel, majorityOf, totalOf, type Consensus } from '../../domain/learn/consensus.js'
import type { VotedEvent, VotedSubject } from '../../domain/learn/voted-examples.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { decodeContent } from '../../store/event-record.js'
import { decodeBallot, type BallotRow, type StoredVote } from '../../store/ballot-row.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { JOB_BYTES, jobRange, timeKey, timeOfValue } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { votesOn, WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'

/** What is read of a job. */
export interface VotedJob {
  readonly jobId: number
  readonly points: readonly string[]
  /** Number of labels. */
  readonly labels: readonly string[]
  readonly buckets: boolean
  /** Their votes and overrides do not count. */
  readonly withoutAnalysts?: readonly string[]
}

/** Reads the values of a stored event at the job's decision points. */
export function valueReader(environment: Environment, points: DecisionPoints): (record: Uint8Array) => PointValues {
  const codec = new BodyCodec(environment)
  return (record) => points.valuesOf(codec.decode(decodeContent(record).body))
}

interface Growing extends VotedSubject {
  readonly voted: VotedEvent[]
}

/** Different values that single events share in memory. Most events have those of an earlier one. */
const sharedMax = 32_768

class SubjectReader {
  readonly #environment: Environment
  readonly #job: VotedJob
  readonly #fingerprint: number
  readonly #counts: BucketCounts
  readonly #table: BucketTable
  readonly #read: (record: Uint8Array) => PointValues
  /** By the id of a bucket. */
  readonly #subjects = new Map<string, Growing>()
  readonly #singles: VotedSubject[] = []
  readonly #shared = new Map<string, PointValues>()

  constructor(environment: Environment, job: VotedJob) {
    const points = new DecisionPoints(job.points)
    this.#environment = environment
    this.#job = job
    this.#fingerprint = points.fingerprint
    this.#counts = new BucketCounts(environment, job.jobId)
    this.#table = new BucketTable(environment, job.jobId)
    this.#read = valueReader(environment, points)
  }

  all(): VotedSubject[] {
    const { jobId, buckets } = this.#job
    for (const { key, value } of this.#environment.range('ballots', jobRange(jobId))) {
      const subject = Buffer.from(key.subarray(JOB_BYTES))
      if ((subject.length === BUCKET_ID_BYTES) !== buckets) continue
      if (buckets) this.#bucket(subject, decodeBallot(value))
      else this.#event(subject, decodeBallot(value))
    }
    return [...[...this.#subjects.values()].filter(({ voted }) => voted.length > 0), ...this.#singles]
  }

  #event(subject: Buffer, ballot: BallotRow): void {
    const consensus = this.#isWhole ? ballot.consensus : this.#consensusOfRest(subject, ballot)
    if (isLabel(consensus)) this.#addEvent(timeOfValue(subject), consensus)
  }

  /** What the analysts who count agree on for an event that has no bucket. */
  #consensusOfRest(subject: Buffer, { override }: BallotRow): Consensus {
    if (override !== null && this.#isCounted(override.by)) return override.label
    const rows = votesOn(this.#environment, this.#job.jobId, subject)
    return majorityOf(
      countVotes(
        [...rows].flatMap(({ votes }) => this.#counted(votes)),
        this.#job.labels.length,
      ),
    )
  }

  get #isWhole(): boolean {
    return (this.#job.withoutAnalysts ?? []).length === 0
  }

  #isCounted(analyst: string): boolean {
    return this.#job.withoutAnalysts?.includes(analyst) !== true
  }

  /** The votes of analysts who count. */
  #counted(votes: readonly StoredVote[]): readonly StoredVote[] {
    return this.#isWhole ? votes : votes.filter(({ analyst }) => this.#isCounted(analyst))
  }

  /** Adds one event by the values in its body, where it is still stored. */
  #addEvent(micros: number, label: number): void {
    const record = this.#environment.get('events', timeKey(this.#job.jobId, micros))
    if (record === undefined) return
    const values = this.#read(record)
    const one: VotedEvent = { micros, label, count: 1 }
    if (!this.#job.buckets) {
      this.#singles.push({ values: this.#share(values), events: 1, voted: [one] })
      return
    }
    const id = bucketIdOf(this.#fingerprint, bucketText(values))
    const row = this.#table.row(id)
    const events = row === undefined ? 1 : this.#counts.of(bucketIdText(id), decodeBucket(row).number).events
    this.#grow(id, values, events).voted.push(one)
  }

  #share(values: PointValues): PointValues {
    const text = bucketText(values)
    const known = this.#shared.get(text)
    if (known === undefined && this.#shared.size < sharedMax) this.#shared.set(text, values)
    return known ?? values
  }

  #grow(id: Uint8Array, values: PointValues, events: number): Growing {
    const name = bucketIdText(id)
    let subject = this.#subjects.get(name)
    if (subject === undefined) this.#subjects.set(name, (subject = { values, events, voted: [] }))
    return subject
  }

  #bucket(id: Buffer, ballot: BallotRow): void {
    const row = decodeBucket(must(this.#table.row(id), 'the bucket of a ballot'))
    const isPresent = row.fingerprint === this.#fingerprint
    const voted = this.#votedEvents(id, ballot, row.firstMicros)
    if (!isPresent) {
      for (const { micros, label } of voted) this.#addEvent(micros, label)
      return
    }
    const { events } = this.#counts.of(bucketIdText(id), row.number)
    this.#grow(id, row.values, events).voted.push(...voted)
  }

  #votedEvents(id: Buffer, ballot: BallotRow, firstMicros: number): VotedEvent[] {
    const { override } = ballot
    if (override !== null && this.#isCounted(override.by))
      return [{ micros: firstMicros, label: override.label, count: totalOf(ballot) + 1 }]
    const voted: VotedEvent[] = []
    for (const { micros, votes: all } of votesOn(this.#environment, this.#job.jobId, id)) {
      const votes = this.#counted(all)
      if (micros === WHOLE_BUCKET) {
        for (const { label, eventMicros, events = 1 } of votes)
          voted.push({ micros: eventMicros, label, count: events })
        continue
      }
      const label = majorityOf(countVotes(votes, this.#job.labels.length))
      const isUniform = votes.some(({ pickedBy }) => pickedBy === 'uniform')
      if (isLabel(label)) voted.push({ micros, label, count: 1, ...(isUniform ? { isUniform } : {}) })
    }
    return voted
  }
}

/** What was voted on in a job, in the order of ballots. */
export function votedSubjects(environment: Environment, job: VotedJob): VotedSubject[] {
  return new SubjectReader(environment, job).all()
}
