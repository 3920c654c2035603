/**
 * The disagreements of analysts: a walk over the ballots of one job, in one snapshot.
 *
 * 1. The walk reads ballots, which count votes by label; votes are read for the page alone.
 * 2. The walk ends after limits.readerMsMax milliseconds, or after limits.disagreementsMax disagreements. It then
 *    returns what it has found, with `exact` false.
 */
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { UNDECIDED } from '../../domain/learn/consensus.js'
import type { Environment } from '../../store/environment.js'
import { decodeBallot, type BallotRow } from '../../store/ballot-row.js'
import { jobRange } from '../../store/tables.js'
import { ballotView } from '../read/ballot-view.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { readBallot } from '../../actor/votes/ballots.js'
import type { DisagreementPage, DisagreementQuery } from '../../api/consensus-service.js'
import { readStats } from '../../actor/job-stats.js'

const KEY_JOB_BYTES = 4
/** The walk checks its time after so many rows. */
const CHECK_ROWS = 1_024

interface Candidate {
  readonly subject: Uint8Array
  readonly lastMicros: number
}

/** A page of the job's disagreements, latest votes first. `nowMs` counts milliseconds from any origin. */
export function disagreementsOf(
  environment: Environment,
  job: JobSettings,
  query: DisagreementQuery,
  nowMs: () => number,
): DisagreementPage {
  const untilMs = nowMs() + limits.readerMsMax
  const candidates: Candidate[] = []
  let [rows, exact] = [0, true]
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    if (candidates.length >= limits.disagreementsMax || (++rows % CHECK_ROWS === 0 && nowMs() > untilMs)) {
      exact = false
      break
    }
    const ballot = decodeBallot(value)
    if (!differs(ballot) || !isWanted(ballot, query)) continue
    candidates.push({ subject: key.subarray(KEY_JOB_BYTES), lastMicros: ballot.votedMicros })
  }
  candidates.sort((a, b) => b.lastMicros - a.lastMicros)
  const { trainedThroughSeq } = readStats(environment, job.id, job.labels.length)
  const counts = new BucketCounts(environment, job.id)
  const context = { reads: environment, countOf: counts.of.bind(counts), job, trainedThroughSeq }
  const from = query.page * query.size
  const disagreements = candidates.slice(from, from + query.size).map(({ subject }) => {
    const ballot = readBallot(environment, job.id, subject)
    return ballotView(context, { subject, ballot, withNotes: false })
  })
  return { disagreements, total: candidates.length, exact }
}

function differs({ votes }: BallotRow): boolean {
  return votes.filter((count) => count > 0).length > 1
}

function isWanted({ override, consensus }: BallotRow, { overridden, undecided }: DisagreementQuery): boolean {
  if (overridden !== undefined && overridden !== (override !== null)) return false
  return undecided === undefined || undecided === (consensus === UNDECIDED)
}
