/**
 * What analysts agree on: votes in, one consensus out (S15).
 *
 * 1. Only each analyst's latest vote counts; of two at one time, the one that was cast later.
 * 2. The majority decides: the label with the most votes, where no other has as many.
 * 3. An administrator's override wins until it is withdrawn.
 */

import { limits } from '../../limits.js'

/** One analyst's word on one ballot. */
export interface Vote {
  readonly analyst: string
  /** Index of the label in the job's list. */
  readonly label: number
  readonly atMicros: number
}

/** Index of a label, 0 or more; or one of the two below. A plain number, as stored. */
export type Consensus = number

/** Nobody has voted. */
export const NO_CONSENSUS: Consensus = -1

/** The votes are tied: for attention, not for training. */
export const UNDECIDED: Consensus = -2

/** True where the consensus is a label. */
export function isLabel(consensus: Consensus): boolean {
  return consensus >= 0
}

/**
 * The votes with one more: the latest of each analyst, in the order in which they were cast. A vote of the same analyst
 * at the same time takes the place of the one that is there, so that casting one twice is casting it once.
 */
export function castVote<V extends Vote>(votes: readonly V[], cast: V): V[] {
  const own = votes.find((vote) => vote.analyst === cast.analyst)
  if (own === undefined) return [...votes, cast]
  if (own.atMicros > cast.atMicros) return [...votes]
  if (own.atMicros === cast.atMicros) return votes.map((vote) => (vote === own ? cast : vote))
  return [...votes.filter((vote) => vote !== own), cast]
}

/** How many votes each of the labels 0 to labelCount - 1 has, among the latest vote of each analyst. */
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
 * True where the consensus is a label by so small a majority that it may as well be another one: fewer votes for it than
 * limits.lowConsensusShare of all. What an administrator has set is beyond that.
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
