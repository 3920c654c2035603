/**
 * Ballots of one job: votes, the consensus they come to, and the job's count of consensuses.
 *
 * Owns: what a vote and an override change. Leaves out: which event they are about (voting.ts), the rule of the majority
 * (learn/consensus.ts), the states (learn/knowledge-base.ts).
 *
 * 1. The same vote twice (same analyst, label and time) changes nothing: a turn that runs again counts once.
 * 2. `consensusCounts`, `undecidedBallots` and `lowScoreBallots` always equal a count over all ballots.
 */
import {
  castVote,
  consensusOf,
  countVotes,
  isLabel,
  isLowScore,
  NO_CONSENSUS,
  UNDECIDED,
  type Consensus,
} from '../../domain/learn/consensus.js'
import { flipsBack, knowledgeState, withChange, type BucketState } from '../../domain/learn/knowledge-base.js'
import type { Label } from '../../domain/job/job.js'
import type { KnownConsensus } from '../../domain/decide/decision.js'
import { bucketKey } from '../../store/tables.js'
import { decodeBallot, encodeBallot, type BallotRow, type StoredOverride, type StoredVote } from '../../store/rows.js'
import { limits } from '../../limits.js'
import type { JobStats } from '../job-stats.js'
import type { Reads } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'

/** The ballot of a bucket or of an event, or null where nobody has voted. */
export function readBallot(reads: Reads, jobId: number, subject: Uint8Array): BallotRow | null {
  const bytes = reads.get('ballots', bucketKey(jobId, subject))
  return bytes === undefined ? null : decodeBallot(bytes)
}

/** Where a ballot stands, seen from the job's last training. */
export function stateOf(ballot: BallotRow | null, trainedThroughSeq: number): BucketState {
  return ballot === null ? 'new' : knowledgeState(ballot.changes, trainedThroughSeq)
}

/** A consensus for people: the label's name, `Undecided`, or null where nobody has voted. */
export function consensusName(labels: readonly Label[], consensus: Consensus): string | null {
  if (consensus === UNDECIDED) return 'Undecided'
  return isLabel(consensus) ? (labels[consensus]?.name ?? null) : null
}

/** What the knowledge base answers for a ballot, or null where the model has to (S16). */
export function knownConsensus(ballot: BallotRow | null, trainedThroughSeq: number): KnownConsensus | null {
  if (ballot === null || !isLabel(ballot.consensus)) return null
  const state = stateOf(ballot, trainedThroughSeq)
  if (state !== 'in_knowledge_base' && state !== 'retrain') return null
  // An administrator's word settles it: as sure as if every analyst and the administrator had voted for it.
  if (ballot.override !== null)
    return { label: ballot.consensus, votesFor: ballot.votes.length + 1, votes: ballot.votes.length + 1 }
  const counts = countVotes(ballot.votes, ballot.consensus + 1)
  return { label: ballot.consensus, votesFor: counts[ballot.consensus] as number, votes: ballot.votes.length }
}

/** A ballot before and after a vote or an override. */
export interface BallotChange {
  readonly before: BallotRow | null
  readonly after: BallotRow
}

/**
 * Casts a vote and writes the ballot. Of more than limits.votesPerBallotMax analysts the latest ones count, and of their notes
 * the latest are kept, up to limits.ballotNotesCharsMax: a ballot is read and written whole at each vote.
 */
export function vote(
  store: TurnStore,
  jobId: number,
  subject: Uint8Array,
  cast: StoredVote,
  stats: JobStats,
): BallotChange {
  const before = readBallot(store, jobId, subject)
  return settle(
    store,
    jobId,
    subject,
    before,
    withLatestNotes(latestVotes(castVote(before?.votes ?? [], cast))),
    before?.override ?? null,
    stats,
  )
}

/** Sets an administrator's override, or withdraws it with null, and writes the ballot. */
export function override(
  store: TurnStore,
  jobId: number,
  subject: Uint8Array,
  word: StoredOverride | null,
  stats: JobStats,
): BallotChange {
  const before = readBallot(store, jobId, subject)
  return settle(store, jobId, subject, before, before?.votes ?? [], word, stats)
}

/** Writes a ballot and all that follows from its consensus. */
function settle(
  store: TurnStore,
  jobId: number,
  subject: Uint8Array,
  before: BallotRow | null,
  votes: readonly StoredVote[],
  word: StoredOverride | null,
  stats: JobStats,
): BallotChange {
  const was = before?.consensus ?? NO_CONSENSUS
  const consensus = consensusOf(votes, word === null ? null : word.label, stats.row.consensusCounts.length)
  let changes = before?.changes ?? []
  if (consensus !== was) {
    changes = withChange(changes, { seq: stats.nextFeedbackSeq(), consensus }, stats.row.trainedThroughSeq)
  }
  const after: BallotRow = { votes, override: word, consensus, changes }
  recount(stats, before, after)
  store.put('ballots', bucketKey(jobId, subject), encodeBallot(after))
  return { before, after }
}

/** By time and not by place, so that a vote which runs again does not push out a later one. */
function latestVotes(votes: readonly StoredVote[]): readonly StoredVote[] {
  if (votes.length <= limits.votesPerBallotMax) return votes
  return [...votes].sort((a, b) => a.atMicros - b.atMicros).slice(-limits.votesPerBallotMax)
}

function notesLength({ closingNotes = '', indicators }: StoredVote): number {
  return closingNotes.length + (indicators === undefined ? 0 : JSON.stringify(indicators).length)
}

function withLatestNotes(votes: readonly StoredVote[]): readonly StoredVote[] {
  let room = limits.ballotNotesCharsMax
  if (votes.reduce((sum, each) => sum + notesLength(each), 0) <= room) return votes
  const noted = new Set<StoredVote>()
  for (const each of [...votes].sort((a, b) => b.atMicros - a.atMicros)) {
    room -= notesLength(each)
    if (room < 0) break
    noted.add(each)
  }
  return votes.map((each) => {
    if (noted.has(each)) return each
    const { closingNotes: _notes, indicators: _indicators, ...vote } = each
    return vote
  })
}

/** Takes the votes that were given on one event out of a ballot; false where there are none. */
export function withdrawVotes(
  store: TurnStore,
  jobId: number,
  subject: Uint8Array,
  eventMicros: number,
  stats: JobStats,
): boolean {
  const before = readBallot(store, jobId, subject)
  const votes = before?.votes.filter((each) => each.eventMicros !== eventMicros) ?? []
  if (before === null || votes.length === before.votes.length) return false
  if (votes.length === 0 && before.override === null) dropBallot(store, jobId, subject, stats)
  else settle(store, jobId, subject, before, votes, before.override, stats)
  return true
}

/** Takes a ballot away, with its event. */
export function dropBallot(store: TurnStore, jobId: number, subject: Uint8Array, stats: JobStats): void {
  const ballot = readBallot(store, jobId, subject)
  if (ballot === null) return
  recount(stats, ballot, null)
  store.delete('ballots', bucketKey(jobId, subject))
}

/** One for a ballot of a small majority, else nothing. */
function lowScore(ballot: BallotRow | null): number {
  return Number(
    ballot !== null &&
      isLowScore(ballot.votes, ballot.override === null ? null : ballot.override.label, ballot.consensus),
  )
}

/** Takes a ballot that was `before` and is `after` into the counters; null where there is none. */
function recount(stats: JobStats, before: BallotRow | null, after: BallotRow | null): void {
  const { row } = stats
  const lowScoreBallots = row.lowScoreBallots + lowScore(after) - lowScore(before)
  if (lowScoreBallots !== row.lowScoreBallots) stats.change({ lowScoreBallots })
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
