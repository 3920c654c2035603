/**
 * What analysts agree on: the evidence of their votes, and one consensus from it (S15).
 *
 * 1. On one event only the latest vote of each analyst counts; of two with one time, the one that was cast later.
 * 2. An event is what most of its analysts say. A tie says nothing, and is counted as a tie.
 * 3. The consensus of a bucket is the label of most of its voted events, unless another has as many. A vote on the
 *    whole bucket counts for the events whose votes it replaced, and for one at least.
 * 4. An administrator's override wins until it is withdrawn.
 */

import { limits } from '../../limits.js'

/** A bucket is mixed where no label has this share of its voted events. */
const mixedShare = 0.9

/** One analyst's vote. */
export interface Vote {
  readonly analyst: string
  /** Index of the label in the job's list. */
  readonly label: number
  readonly atMicros: number
  /** Only in a vote on a whole bucket: the number of events that it counts for, 1 or more. */
  readonly events?: number
  /** How much it counts against other votes on its event, as it was when it was cast; 1 where absent. Whole. */
  readonly weight?: number
}

/** What votes say together. */
export interface Evidence {
  /** By label: voted events of a bucket with this majority. On a single event: analysts. */
  readonly counts: readonly number[]
  /** Voted events whose analysts are tied. */
  readonly ties: number
}

/** The index of a label, 0 or more, or one of the two below. A plain number, as stored. */
export type Consensus = number

/** Nobody has voted. */
export const NO_CONSENSUS: Consensus = -1

/** The evidence is tied: analysts should look at it. */
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

/** The votes on one event for each of the labels 0 to labelCount - 1, by the latest vote of each analyst, weighted. */
export function countVotes(votes: readonly Vote[], labelCount: number): number[] {
  const counts = new Array<number>(labelCount).fill(0)
  const latest = new Map<string, Vote>()
  for (const vote of votes) {
    const earlier = latest.get(vote.analyst)
    if (earlier === undefined || vote.atMicros >= earlier.atMicros) latest.set(vote.analyst, vote)
  }
  for (const { label, weight = 1 } of latest.values())
    if (label < labelCount) counts[label] = (counts[label] as number) + weight
  return counts
}

/** The label with the most of these counts; UNDECIDED where another has as many, NO_CONSENSUS where all are 0. */
export function majorityOf(counts: readonly number[]): Consensus {
  const most = Math.max(...counts)
  if (most <= 0) return NO_CONSENSUS
  const leader = counts.indexOf(most)
  return leader === counts.lastIndexOf(most) ? leader : UNDECIDED
}

/** What the votes on one event of a bucket say about the bucket. */
export function evidenceOfEvent(votes: readonly Vote[], labelCount: number): Evidence {
  const majority = majorityOf(countVotes(votes, labelCount))
  const counts = new Array<number>(labelCount).fill(0)
  if (isLabel(majority)) counts[majority] = 1
  return { counts, ties: Number(majority === UNDECIDED) }
}

/** What votes on a whole bucket say about it. */
export function evidenceOfWhole(votes: readonly Vote[], labelCount: number): Evidence {
  const counts = new Array<number>(labelCount).fill(0)
  for (const { label, events = 1 } of votes) if (label < labelCount) counts[label] = (counts[label] as number) + events
  return { counts, ties: 0 }
}

/** `one` and `factor` (1 or -1) times `other`. */
export function addEvidence(one: Evidence, other: Evidence, factor: 1 | -1): Evidence {
  return {
    counts: one.counts.map((count, label) => count + factor * (other.counts[label] ?? 0)),
    ties: one.ties + factor * other.ties,
  }
}

export function totalOf({ counts }: Pick<Evidence, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * True where the consensus is a label by a small majority: it has less than limits.lowConsensusShare of the evidence.
 * Never true for a label that an administrator set.
 */
export function isLowScore(evidence: Evidence, override: number | null, consensus: Consensus): boolean {
  if (override !== null || !isLabel(consensus)) return false
  return (evidence.counts[consensus] as number) < limits.lowConsensusShare * totalOf(evidence)
}

/** True where the events of a bucket have more than one label: the most frequent has too small a share. */
export function isMixed(evidence: Evidence): boolean {
  const total = totalOf(evidence)
  return total >= 2 && Math.max(...evidence.counts) < mixedShare * total
}

/** The consensus of this evidence; `override` is the label that an administrator set, or null. */
export function consensusOf({ counts, ties }: Evidence, override: number | null): Consensus {
  if (override !== null) return override
  const majority = majorityOf(counts)
  return majority === NO_CONSENSUS && ties > 0 ? UNDECIDED : majority
}
