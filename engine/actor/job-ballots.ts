/**
 * What the votes of one job come to, subject by subject, for whoever counts events.
 *
 * Owns: the standings of all subjects with votes, kept from one question to the next while nothing changed. Leaves out:
 * counting (metrics/), single ballots (ballots.ts).
 *
 * 1. Standings are those of one snapshot: the job's counters of the same snapshot say whether kept ones still hold. Every
 *    change of a consensus goes up by one in `feedbackSeq`; a ballot that goes with its event shows in the counts.
 */
import { NO_CONSENSUS } from '../learn/consensus.js'
import type { Standing } from '../metrics/event-tally.js'
import type { BucketState } from '../service.js'
import type { Environment } from '../store/environment.js'
import type { RecordHeader } from '../store/event-record.js'
import { decodeBallot, type StatsRow } from '../store/rows.js'
import { jobRange, timeValue } from '../store/tables.js'
import { stateOf } from './ballots.js'

const KEY_JOB_BYTES = 4
/** Subjects whose standings one thread keeps. */
const SUBJECTS_KEPT_MAX = 200_000

const nobodyVoted: Standing = { consensus: NO_CONSENSUS, state: 'new' }

export class JobBallots {
  /** By subject, one character a byte. */
  readonly standings: ReadonlyMap<string, Standing>

  constructor(standings: ReadonlyMap<string, Standing>) {
    this.standings = standings
  }

  standingOf(header: RecordHeader, micros: number): Standing {
    if (this.standings.size === 0) return nobodyVoted
    return this.standings.get(subjectKey(header, micros)) ?? nobodyVoted
  }
}

/** A subject as a key of maps. */
export function subjectKey(header: RecordHeader, micros: number): string {
  const id = header.bucketId ?? timeValue(micros)
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1')
}

interface Kept {
  readonly signature: string
  readonly ballots: JobBallots
}

/** Ballots of the jobs that were asked about last. */
export class BallotShelf {
  readonly #kept = new Map<string, Kept>()
  #subjects = 0

  /** `place` names the job among all that the thread reads. */
  of(place: string, environment: Environment, jobId: number, stats: StatsRow): JobBallots {
    const signature = JSON.stringify([stats.feedbackSeq, stats.trainedThroughSeq, stats.consensusCounts, stats.undecidedBallots])
    const kept = this.#kept.get(place)
    if (kept?.signature === signature) return kept.ballots
    if (kept !== undefined) this.#drop(place, kept)
    const ballots = readBallots(environment, jobId, stats.trainedThroughSeq)
    for (const [oldest, one] of this.#kept) {
      if (this.#subjects + ballots.standings.size <= SUBJECTS_KEPT_MAX) break
      this.#drop(oldest, one)
    }
    if (ballots.standings.size > SUBJECTS_KEPT_MAX) return ballots
    this.#kept.set(place, { signature, ballots })
    this.#subjects += ballots.standings.size
    return ballots
  }

  #drop(place: string, { ballots }: Kept): void {
    this.#kept.delete(place)
    this.#subjects -= ballots.standings.size
  }
}

function readBallots(environment: Environment, jobId: number, trainedThroughSeq: number): JobBallots {
  const shared = new Map<string, Standing>()
  const share = (consensus: number, state: BucketState): Standing => {
    const name = `${consensus} ${state}`
    let standing = shared.get(name)
    if (standing === undefined) shared.set(name, (standing = { consensus, state }))
    return standing
  }
  const standings = new Map<string, Standing>()
  for (const { key, value } of environment.range('ballots', jobRange(jobId))) {
    const ballot = decodeBallot(value)
    const subject = Buffer.from(key.buffer, key.byteOffset + KEY_JOB_BYTES, key.byteLength - KEY_JOB_BYTES).toString('latin1')
    standings.set(subject, share(ballot.consensus, stateOf(ballot, trainedThroughSeq)))
  }
  return new JobBallots(standings)
}
