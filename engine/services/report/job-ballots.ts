/**
 * The standings of a job: the consensus of each subject with votes, and its place in the knowledge base.
 *
 * Owns: standings, kept from one query to the next while nothing changed. Leaves out: counting (domain/metrics/),
 * single ballots (ballots.ts).
 *
 * 1. Standings are those of one snapshot; the job's counters of that snapshot show whether kept ones still hold. Every
 *    change of a consensus adds one to `feedbackSeq`. A ballot with a consensus that is deleted with its event shows in
 *    the counts. One without a consensus may be left here; it counts for nothing.
 */
import { must } from '../../assert.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { NO_CONSENSUS } from '../../domain/learn/consensus.js'
import type { VoteResult } from '../../domain/metrics/event-tally.js'
import type { BucketState } from '../../domain/learn/knowledge-base.js'
import type { Environment } from '../../store/environment.js'
import type { RecordHeader } from '../../store/event-record.js'
import { decodeBallot } from '../../store/ballot-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import type { StatsRow } from '../../store/rows.js'
import { jobRange, timeValue } from '../../store/tables.js'
import { stateOf } from '../../actor/votes/ballots.js'

const KEY_JOB_BYTES = 4
/** Largest number of subjects whose standings one thread keeps. */
const SUBJECTS_KEPT_MAX = 200_000

const nobodyVoted: VoteResult = { consensus: NO_CONSENSUS, state: 'new' }

/** A bucket, or an event without one: what a ballot is about. */
export interface BallotSubject {
  /** One character a byte. */
  readonly id: string
  readonly standing: VoteResult
  /** The number of the bucket; null for an event. */
  readonly number: number | null
}

export class JobBallots {
  readonly subjects: readonly BallotSubject[]
  readonly #standings: ReadonlyMap<string, VoteResult>

  constructor(subjects: readonly BallotSubject[]) {
    this.subjects = subjects
    this.#standings = new Map(subjects.map(({ id, standing }) => [id, standing]))
  }

  standingOf(header: RecordHeader, micros: number): VoteResult {
    if (this.subjects.length === 0) return nobodyVoted
    return this.#standings.get(subjectKey(header, micros)) ?? nobodyVoted
  }
}

/** The event's subject as a key of maps, one character a byte. */
export function subjectKey(header: RecordHeader, micros: number): string {
  const id = header.bucketId ?? timeValue(micros)
  return (Buffer.isBuffer(id) ? id : Buffer.from(id.buffer, id.byteOffset, id.byteLength)).toString('latin1')
}

interface Kept {
  readonly signature: string
  readonly ballots: JobBallots
}

/** The ballots of the jobs that were queried last. */
export class BallotCache {
  readonly #kept = new Map<string, Kept>()
  #subjects = 0

  /** `place` names the job among all data directories that the thread reads. */
  of(place: string, environment: Environment, jobId: number, stats: StatsRow): JobBallots {
    const signature = JSON.stringify([
      stats.feedbackSeq,
      stats.trainedThroughSeq,
      stats.consensusCounts,
      stats.undecidedBallots,
    ])
    const kept = this.#kept.get(place)
    if (kept?.signature === signature) return kept.ballots
    if (kept !== undefined) this.#drop(place, kept)
    const ballots = readBallots(environment, jobId, stats.trainedThroughSeq)
    for (const [oldest, one] of this.#kept) {
      if (this.#subjects + ballots.subjects.length <= SUBJECTS_KEPT_MAX) break
      this.#drop(oldest, one)
    }
    if (ballots.subjects.length > SUBJECTS_KEPT_MAX) return ballots
    this.#kept.set(place, { signature, ballots })
    this.#subjects += ballots.subjects.length
    return ballots
  }

  #drop(place: string, { ballots }: Kept): void {
    this.#kept.delete(place)
    this.#subjects -= ballots.subjects.length
  }
}

function readBallots(environment: Environment, jobId: number, trainedThroughSeq: number): JobBallots {
  const shared = new Map<string, VoteResult>()
  const share = (consensus: number, state: BucketState): VoteResult => {
    const name = `${consensus} ${state}`
    let standing = shared.get(name)
    if (standing === undefined) shared.set(name, (standing = { consensus, state }))
    return standing
  }
  const subjects: BallotSubject[] = []
  const table = new BucketTable(environment, jobId)
  for (const { key, value } of environment.range('ballots', jobRange(jobId))) {
    const ballot = decodeBallot(value)
    const subject = Buffer.from(key.subarray(KEY_JOB_BYTES))
    subjects.push({
      id: subject.toString('latin1'),
      standing: share(ballot.consensus, stateOf(ballot, trainedThroughSeq)),
      number:
        subject.length === BUCKET_ID_BYTES
          ? must(table.numberOf(subject) ?? undefined, 'the bucket of a ballot')
          : null,
    })
  }
  return new JobBallots(subjects)
}
