/**
 * What analysts agree on: one consensus from all votes (S15).
 *
 * 1. Only the latest vote of each analyst counts; of two with one time, the one that was cast later.
 * 2. The consensus is the label with the most votes, unless another has as many.
 * 3. An administrator's override wins until it is withdrawn.
 */

import { limits } from '../../limits.js'

/** One analyst's vote on one ballot. */
export interface Vote {
  readonly analyst: string
  /** Index of the label in the job's list. */
  readonly label: number
  readonly atMicros: number
}

/** The index of a label, 0 or more, or one of the two below. A plain number, as stored. */
export type Consensus = number

/** Nobody has voted. */
export const NO_CONSENSUS: Consensus = -1

/** The votes are tied: analysts should look at it; training does not use it. */
export const UNDECIDED: Consensus = -2

/** True where the consensus is a label. */
export function isLabel(consensus: Consensus): boolean {
  return consensus >= 0
}

/**
 * The votes with one more: the latest of each analyst, in the order of casting. A vote of the same analyst at the same
 * time replaces the earlier one, so casting is idempotent.
 */
export function castVote<V extends Vote>(votes: readonly V[], cast: V): V[] {
  const own = votes.find((vote) => vote.analyst === cast.analyst)
  if (own === undefined) return [...votes, cast]
  if (own.atMicros > cast.atMicros) return [...votes]
  if (own.atMicros === cast.atMicros) return votes.map((vote) => (vote === own ? cast : vote))
  return [...votes.filter((vote) => vote !== own), cast]
}

/** The votes for each of the labels 0 to labelCount - 1, by the latest vote of each analyst. */
export function countVotes(votes: readonly Vote[], labelCount: number): number[] {
  const counts = new Array<number>(labelCount).fill(0)
  const latest = new Map<string, Vote>()
  for (const vote of votes) {
    const earlier = latest.get(vote.analyst)
    if (earlier === undefined || vote.atMicros >= earlier.atMicros) latest.set(vote.analyst, vote)
  }
  for (const { label } of latest.values()) if (label < labelCount) counts[label] = (counts[label] as number) + 1
  return counts
}

/**
 * True where the consensus is a label by a small majority: it has less than limits.lowConsensusShare of all votes.
 * Never true for a label that an administrator set.
 */
export function isLowScore(votes: readonly Vote[], override: number | null, consensus: Consensus): boolean {
  if (override !== null || !isLabel(consensus)) return false
  const counts = countVotes(votes, Math.max(consensus, ...votes.map(({ label }) => label)) + 1)
  const all = counts.reduce((sum, count) => sum + count, 0)
  return (counts[consensus] as number) < limits.lowConsensusShare * all
}

/** The consensus of these votes; `override` is the label that an administrator set, or null. */
export function consensusOf(votes: readonly Vote[], override: number | null, labelCount: number): Consensus {
  if (override !== null) return override
  const counts = countVotes(votes, labelCount)
  const most = Math.max(...counts)
  if (most <= 0) return NO_CONSENSUS
  const leader = counts.indexOf(most)
  return leader === counts.lastIndexOf(most) ? leader : UNDECIDED
}
