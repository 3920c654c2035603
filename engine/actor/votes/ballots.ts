/**
 * Ballots of one job: the votes, their consensus, and the job's counts of consensuses.
 *
 * Owns: what a vote and an override change on a ballot. Leaves out: the event (voting.ts), the majority rule
 * (consensus.ts), the states of the knowledge base (knowledge-base.ts).
 *
 * 1. The same vote again (same analyst, label and time) changes nothing. So a turn that runs again counts it once.
 * 2. `consensusCounts`, `undecidedBallots` and `lowScoreBallots` always equal a count over all ballots.
 */
import { limits } from '../../limits.js'
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
import type { JobSettings, Label } from '../../domain/job/job.js'
import type { KnownConsensus } from '../../domain/decide/decision.js'
import { bucketKey } from '../../store/tables.js'
import { decodeBallot, encodeBallot, type BallotRow, type StoredOverride, type StoredVote } from '../../store/rows.js'
import type { Reads } from '../event-table.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'

/** The ballot of a bucket or of an event, or null where nobody has voted. */
export function readBallot(reads: Reads, jobId: number, subject: Uint8Array): BallotRow | null {
  const bytes = reads.get('ballots', bucketKey(jobId, subject))
  return bytes === undefined ? null : decodeBallot(bytes)
}

/** The state of a ballot since the job's last training. */
export function stateOf(ballot: BallotRow | null, trainedThroughSeq: number): BucketState {
  return ballot === null ? 'new' : knowledgeState(ballot.changes, trainedThroughSeq)
}

/** A consensus as people read it: the label's name, `Undecided`, or null where nobody has voted. */
export function consensusName(labels: readonly Label[], consensus: Consensus): string | null {
  if (consensus === UNDECIDED) return 'Undecided'
  return isLabel(consensus) ? (labels[consensus]?.name ?? null) : null
}

/** The consensus that the knowledge base has for a ballot, or null where the model decides (S16). */
export function knownConsensus(ballot: BallotRow | null, trainedThroughSeq: number): KnownConsensus | null {
  if (ballot === null || !isLabel(ballot.consensus)) return null
  const state = stateOf(ballot, trainedThroughSeq)
  if (state !== 'in_knowledge_base' && state !== 'retrain') return null
  // An override counts as if every analyst and the administrator had voted for its label.
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

/** When the consensus was last computed, microseconds: with the latest vote, or the override. Null without both. */
export function consensusMicros(ballot: BallotRow | null): number | null {
  if (ballot === null) return null
  const latest = ballot.votes.reduce((at, { atMicros }) => Math.max(at, atMicros), ballot.override?.atMicros ?? 0)
  return latest === 0 ? null : latest
}

/** What ballots are read from and counted in. */
export interface BallotDeps {
  readonly store: TurnStore
  readonly settings: Pick<JobSettings, 'id'>
  readonly stats: JobStats
}

/**
 * Casts a vote and writes the ballot, which is read and written whole. So it keeps the votes of the latest
 * limits.votesPerBallotMax analysts, and their latest notes up to limits.ballotNotesCharsMax characters.
 */
export function vote(deps: BallotDeps, subject: Uint8Array, cast: StoredVote): BallotChange {
  const before = readBallot(deps.store, deps.settings.id, subject)
  const votes = withLatestNotes(latestVotes(castVote(before?.votes ?? [], cast)))
  return settle(deps, subject, before, { votes, override: before?.override ?? null })
}

/** Sets an administrator's override, or withdraws it with null, and writes the ballot. */
export function override(deps: BallotDeps, subject: Uint8Array, word: StoredOverride | null): BallotChange {
  const before = readBallot(deps.store, deps.settings.id, subject)
  return settle(deps, subject, before, { votes: before?.votes ?? [], override: word })
}

/** Writes a ballot and everything that follows from its consensus. */
function settle(
  { store, settings, stats }: BallotDeps,
  subject: Uint8Array,
  before: BallotRow | null,
  { votes, override: word }: Pick<BallotRow, 'votes' | 'override'>,
): BallotChange {
  const was = before?.consensus ?? NO_CONSENSUS
  const consensus = consensusOf(votes, word === null ? null : word.label, stats.row.consensusCounts.length)
  let changes = before?.changes ?? []
  if (consensus !== was) {
    changes = withChange(changes, { seq: stats.nextFeedbackSeq(), consensus }, stats.row.trainedThroughSeq)
  }
  const after: BallotRow = { votes, override: word, consensus, changes }
  recount(stats, before, after)
  store.put('ballots', bucketKey(settings.id, subject), encodeBallot(after))
  return { before, after }
}

/** The latest by time, not by place: a vote that runs again must not displace a later one. */
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

/** Deletes the votes that were given on one event from a ballot; false where there are none. */
export function withdrawVotes(deps: BallotDeps, subject: Uint8Array, eventMicros: number): boolean {
  const before = readBallot(deps.store, deps.settings.id, subject)
  const votes = before?.votes.filter((each) => each.eventMicros !== eventMicros) ?? []
  if (before === null || votes.length === before.votes.length) return false
  if (votes.length === 0 && before.override === null) dropBallot(deps, subject)
  else settle(deps, subject, before, { votes, override: before.override })
  return true
}

/** Deletes a ballot, if there is one. */
export function dropBallot({ store, settings, stats }: BallotDeps, subject: Uint8Array): void {
  const ballot = readBallot(store, settings.id, subject)
  if (ballot === null) return
  recount(stats, ballot, null)
  store.delete('ballots', bucketKey(settings.id, subject))
}

/** 1 for a ballot with a small majority, otherwise 0. */
function lowScore(ballot: BallotRow | null): number {
  return Number(
    ballot !== null &&
      isLowScore(ballot.votes, ballot.override === null ? null : ballot.override.label, ballot.consensus),
  )
}

/** Updates the counters for a ballot that changed from `before` to `after`; null where there is none. */
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
