/**
 * The job's counts of its ballots.
 *
 * 1. `consensusCounts`, `labelledEvents`, `undecidedBallots`, `lowScoreBallots` and `mixedBallots` always equal a count
 *    over all ballots.
 */
import { isLabel, isLowScore, isMixed, NO_CONSENSUS, UNDECIDED } from '../../domain/learn/consensus.js'
import { flipsBack } from '../../domain/learn/knowledge-base.js'
import { labelledBy, type BallotRow } from '../../store/ballot-row.js'
import type { JobStats } from '../job-stats.js'

/** 1 for a ballot with a small majority, otherwise 0. */
function lowScore(ballot: BallotRow | null): number {
  return Number(
    ballot !== null && isLowScore(ballot, ballot.override === null ? null : ballot.override.label, ballot.consensus),
  )
}

/** True where the events of a bucket have more than one label, and no administrator has settled it. */
export function isMixedBallot(ballot: BallotRow | null): boolean {
  return ballot !== null && ballot.override === null && isMixed(ballot)
}

function countLabelled(stats: JobStats, subject: Uint8Array, ballot: BallotRow | null, factor: 1 | -1): void {
  if (ballot === null) return
  const found = labelledBy(subject, ballot)
  const { labelledEvents } = stats.row
  stats.change({ labelledEvents: labelledEvents.map((count, label) => count + factor * (found[label] ?? 0)) })
}

/** Updates the counters for a ballot that changed from `before` to `after`; null where there is none. */
export function recount(stats: JobStats, subject: Uint8Array, before: BallotRow | null, after: BallotRow | null): void {
  const { row } = stats
  countLabelled(stats, subject, before, -1)
  countLabelled(stats, subject, after, 1)
  const lowScoreBallots = row.lowScoreBallots + lowScore(after) - lowScore(before)
  if (lowScoreBallots !== row.lowScoreBallots) stats.change({ lowScoreBallots })
  const mixedBallots = row.mixedBallots + Number(isMixedBallot(after)) - Number(isMixedBallot(before))
  if (mixedBallots !== row.mixedBallots) stats.change({ mixedBallots })
  const [was, is] = [before?.consensus ?? NO_CONSENSUS, after?.consensus ?? NO_CONSENSUS]
  if (was === is) return
  const counts = [...row.consensusCounts]
  if (isLabel(was)) counts[was] = (counts[was] as number) - 1
  if (isLabel(is)) counts[is] = (counts[is] as number) + 1
  stats.change({
    consensusCounts: counts,
    undecidedBallots: row.undecidedBallots + Number(is === UNDECIDED) - Number(was === UNDECIDED),
    consensusChangesSinceTraining: row.consensusChangesSinceTraining + Number(was !== NO_CONSENSUS),
    consensusFlipsSinceTraining:
      row.consensusFlipsSinceTraining + Number(flipsBack(before?.changes ?? [], row.trainedThroughSeq, is)),
  })
}
