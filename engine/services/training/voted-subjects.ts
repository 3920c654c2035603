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
import { fingerprintOf } from '../../domain/event/decision-points.js'
import type { Types } from '../../domain/event/plain-value.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { countVotes, isLabel, majorityOf, totalOf, type Consensus } from '../../domain/learn/consensus.js'
import { SingleVotes, type CountedVote, type VotedSubject } from '../../domain/learn/voted-examples.js'
import type { Environment } from '../../store/environment.js'
import { consensusIn, decodeBallot, decodeVotes, type BallotRow, type StoredVote } from '../../store/ballot-row.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { JOB_BYTES, jobRange, TIME_KEY_BYTES, timeOfKey, voteRange, writeTimeKey } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { votesOn, WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import { StoredValues } from './stored-values.js'

/** What is read of a job. */
export interface VotedJob {
  readonly jobId: number
  readonly points: readonly string[]
  readonly types?: Types
  /** Number of labels. */
  readonly labels: readonly string[]
  readonly buckets: boolean
  /** Their votes and overrides do not count. */
  readonly withoutAnalysts?: readonly string[]
}

interface Growing extends VotedSubject {
  readonly voted: CountedVote[]
}

/** What was voted on in a job. */
export interface VotedSubjects {
  /** In the order of ballots. Those of a job without buckets are `singles`. */
  readonly subjects: readonly VotedSubject[]
  readonly singles: SingleVotes
}

const BUCKET_KEY_BYTES = JOB_BYTES + BUCKET_ID_BYTES
/** As long as most records. */
const RECORD_BYTES = 16 * 1024

class SubjectReader {
  readonly #environment: Environment
  readonly #job: VotedJob
  readonly #fingerprint: number
  readonly #counts: BucketCounts
  readonly #table: BucketTable
  readonly #values: StoredValues
  /** By the id of a bucket. */
  readonly #subjects = new Map<string, Growing>()
  readonly #singles = new SingleVotes()
  readonly #key = Buffer.allocUnsafe(TIME_KEY_BYTES)
  readonly #record = Buffer.allocUnsafeSlow(RECORD_BYTES)

  constructor(environment: Environment, job: VotedJob, values: StoredValues) {
    this.#environment = environment
    this.#job = job
    this.#fingerprint = fingerprintOf(job.points, job.types)
    this.#values = values
    this.#counts = new BucketCounts(environment, job.jobId)
    this.#table = new BucketTable(environment, job.jobId)
  }

  all(): VotedSubjects {
    if (this.#job.buckets) this.#readBuckets()
    else this.#readEvents()
    const subjects = [...this.#subjects.values()].filter(({ voted }) => voted.length > 0)
    return { subjects, singles: this.#singles }
  }

  #readBuckets(): void {
    for (const { key, value } of this.#environment.range('ballots', jobRange(this.#job.jobId)))
      if (key.length === BUCKET_KEY_BYTES) this.#bucket(Buffer.from(key.subarray(JOB_BYTES)), decodeBallot(value))
  }

  #readEvents(): void {
    this.#environment.scan('ballots', jobRange(this.#job.jobId), (key, value) => {
      if (key.length === BUCKET_KEY_BYTES) return true
      const consensus = this.#isWhole
        ? consensusIn(value)
        : this.#consensusOfRest(Buffer.from(key.subarray(JOB_BYTES)), decodeBallot(value))
      if (isLabel(consensus)) this.#addEvent(timeOfKey(key), consensus)
      return true
    })
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
    const values = this.#valuesAt(micros)
    if (values === null) return
    if (!this.#job.buckets) return this.#singles.add(values, micros, label)
    const one: CountedVote = { micros, label, count: 1 }
    const id = bucketIdOf(this.#fingerprint, bucketText(values))
    const row = this.#table.row(id)
    const events = row === undefined ? 1 : this.#counts.of(bucketIdText(id), decodeBucket(row).number).events
    this.#grow(id, values, events).voted.push(one)
  }

  /** Null where the event is gone. Most records are read into the same memory. */
  #valuesAt(micros: number): PointValues | null {
    const key = writeTimeKey(this.#key, this.#job.jobId, micros)
    const length = this.#environment.read('events', key, this.#record)
    if (length <= this.#record.length) return length < 0 ? null : this.#values.of(this.#record.subarray(0, length))
    return this.#values.of(must(this.#environment.get('events', key), 'an event that was there'))
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
    const subject = this.#grow(id, row.values, events)
    for (const one of voted) subject.voted.push(one)
  }

  #votedEvents(id: Buffer, ballot: BallotRow, firstMicros: number): CountedVote[] {
    const { override } = ballot
    if (override !== null && this.#isCounted(override.by))
      return [{ micros: firstMicros, label: override.label, count: totalOf(ballot) + 1 }]
    const voted: CountedVote[] = []
    this.#environment.scan('votes', voteRange(this.#job.jobId, id), (key, value) => {
      const micros = timeOfKey(key, BUCKET_KEY_BYTES)
      const votes = this.#counted(decodeVotes(value))
      if (micros === WHOLE_BUCKET) {
        for (const { label, eventMicros, events = 1 } of votes)
          voted.push({ micros: eventMicros, label, count: events })
        return true
      }
      const label = majorityOf(countVotes(votes, this.#job.labels.length))
      const isUniform = votes.some(({ pickedBy }) => pickedBy === 'uniform')
      if (isLabel(label)) voted.push({ micros, label, count: 1, ...(isUniform ? { isUniform } : {}) })
      return true
    })
    return voted
  }
}

/** What was voted on in a job; `values` reads its stored events. */
export function votedSubjects(
  environment: Environment,
  job: VotedJob,
  values = new StoredValues(environment, job.points, job.types),
): VotedSubjects {
  return new SubjectReader(environment, job, values).all()
}
