/**
 * Where analysts are asked again: they disagree, or the consensus changed since the last training.
 *
 * 1. Undecided buckets come first, then flipped ones, then small majorities; the largest evidence last.
 * 2. One more vote than the second label is enough to end it, and so are `dissentVotesMax` votes: a bucket whose events
 *    differ would stay for ever (it is mixed: services/consensus/mixed-buckets.ts).
 */
import { isLabel, UNDECIDED } from '../../domain/learn/consensus.js'
import { consensusAt } from '../../domain/learn/knowledge-base.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import type { PickedBy } from '../../domain/learn/selection/slots.js'
import { decodeBallot, type BallotRow } from '../../store/ballot-row.js'
import { JOB_BYTES, jobRange } from '../../store/tables.js'
import { consensusName, readBallot } from '../../actor/votes/ballots.js'
import { votesOn } from '../../actor/votes/vote-rows.js'
import type { JobAt } from '../explain/job-at.js'

export interface Dissent {
  readonly subject: Uint8Array
  readonly pickedBy: Extract<PickedBy, 'dissent' | 'flipped'>
  readonly reason: string
  /** The smaller, the sooner. */
  readonly rank: number
}

const CHECK_ROWS = 1_024
/** By how much the first label may lead. */
const LEAD_MAX = 1

/** The ballots that people should look at again. */
export function dissentOf(at: JobAt, isOver: () => boolean): Dissent[] {
  const { environment, job } = at
  const found: Dissent[] = []
  let rows = 0
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    if (++rows % CHECK_ROWS === 0 && isOver()) break
    const one = dissentIn(at, Buffer.from(key.subarray(JOB_BYTES)), decodeBallot(value))
    if (one !== null) found.push(one)
    if (found.length >= 8 * bounds.dissentMax) break
  }
  return found.sort((a, b) => a.rank - b.rank).slice(0, bounds.dissentMax)
}

/** As it is now, where the analyst has not voted on it; null where it needs nobody any more. */
export function dissentNow(at: JobAt, subject: Uint8Array, analyst: string): Dissent | null {
  const { environment, job } = at
  const ballot = readBallot(environment, job.id, subject)
  const one = ballot === null ? null : dissentIn(at, subject, ballot)
  if (one === null) return null
  for (const { votes } of votesOn(environment, job.id, subject))
    if (votes.some((vote) => vote.analyst === analyst)) return null
  return one
}

function dissentIn({ job, stats }: JobAt, subject: Uint8Array, ballot: BallotRow): Dissent | null {
  const { counts, ties, override, consensus, changes } = ballot
  const total = ballot.votes.reduce((sum, count) => sum + count, 0)
  if (override !== null || total === 0 || total >= bounds.dissentVotesMax) return null
  const split = counts
    .map((count, label) => ({ count, name: job.labels[label]?.name ?? '' }))
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(', ')
  if (consensus === UNDECIDED) {
    const said = split === '' ? `${ties} tied ${ties === 1 ? 'event' : 'events'}` : split
    return { subject, pickedBy: 'dissent', reason: `analysts disagree, and no label leads: ${said}`, rank: total }
  }
  const [first = 0, second = 0] = [...counts].sort((a, b) => b - a)
  if (first - second > LEAD_MAX) return null
  const then = consensusAt(changes, stats.trainedThroughSeq)
  if (isLabel(then) && then !== consensus) {
    const [before, now] = [consensusName(job.labels, then), consensusName(job.labels, consensus)]
    const reason = `the consensus changed from ${before} to ${now} since the last training`
    return { subject, pickedBy: 'flipped', reason, rank: 1_000 + total }
  }
  if (second === 0) return null
  return { subject, pickedBy: 'dissent', reason: `analysts disagree: ${split}`, rank: 2_000 + total }
}
