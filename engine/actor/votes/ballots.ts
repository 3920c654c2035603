/**
 * Ballots of one job: the votes on a bucket added up, their consensus, and the job's counts of consensuses.
 *
 * Owns: what a vote and an override change on a ballot. Leaves out: the event (voting.ts), the rows of votes
 * (vote-rows.ts), the majority rule (consensus.ts), the states of the knowledge base (knowledge-base.ts), the job's
 * counts (ballot-counts.ts).
 *
 * 1. The same vote again (same analyst, label and time) changes nothing. So a turn that runs again counts it once.
 * 2. A ballot's evidence and its counts of votes always equal a count over its rows of votes.
 * 3. Each state of a ballot is kept under its number (ballot-states.ts).
 */
import {
  addEvidence,
  consensusOf,
  isLabel,
  NO_CONSENSUS,
  totalOf,
  UNDECIDED,
  type Consensus,
} from '../../domain/learn/consensus.js'
import { knowledgeState, withChange, type BucketState } from '../../domain/learn/knowledge-base.js'
import type { JobSettings, Label } from '../../domain/job/job.js'
import type { KnownConsensus } from '../../domain/decide/decision.js'
import { bucketKey, voteKey, voteRange } from '../../store/tables.js'
import {
  decodeBallot,
  encodeBallot,
  type BallotRow,
  type StoredOverride,
  type StoredVote,
} from '../../store/ballot-row.js'
import type { Reads } from '../event-table.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import { recount } from './ballot-counts.js'
import { keepState } from './ballot-states.js'
import {
  castOnEvent,
  castOnWhole,
  noChange,
  readVotes,
  noteWithdrawal,
  replaceRow,
  restoreOnEvent,
  WHOLE_BUCKET,
  type VotesChange,
  type VoteTable,
  type WholeChange,
} from './vote-rows.js'

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

/** What the knowledge base knows of a ballot's subject, or null where the model decides (S16). */
export function knownConsensus(
  ballot: BallotRow | null,
  trainedThroughSeq: number,
  isBucket: boolean,
): KnownConsensus | null {
  if (ballot === null || !isLabel(ballot.consensus)) return null
  const state = stateOf(ballot, trainedThroughSeq)
  if (state !== 'in_knowledge_base' && state !== 'retrain') return null
  const label = ballot.consensus
  // The model has seen the votes on a bucket only as they were at the training.
  if (ballot.override === null) return { label, counts: ballot.counts, isSettled: !isBucket || state === 'retrain' }
  // An override counts as if every vote and the administrator had named its label.
  const counts = ballot.counts.map((_, at) => (at === label ? totalOf(ballot) + 1 : 0))
  return { label, counts, isSettled: true }
}

/** A ballot before and after a vote or an override. */
export interface BallotChange {
  readonly before: BallotRow | null
  readonly after: BallotRow
}

/** When the consensus was last computed, microseconds: with the latest vote, or the override. Null without both. */
export function consensusMicros(ballot: BallotRow | null): number | null {
  if (ballot === null) return null
  const at = Math.max(ballot.votedMicros, ballot.override?.atMicros ?? 0)
  return at === 0 ? null : at
}

/** What ballots are read from and counted in. */
export interface BallotDeps {
  readonly store: TurnStore
  readonly settings: Pick<JobSettings, 'id'>
  readonly stats: JobStats
}

/** When the service was told of a vote, and the model at that time, where it was told before, on another bucket. */
export interface Told {
  /** Not the time of the vote itself, which may have waited: what is known follows from what has arrived. */
  readonly atMicros: number
  readonly firstVersion?: number | undefined
}

/** Casts a vote on one event, and writes the ballot. */
export function vote(deps: BallotDeps, subject: Uint8Array, cast: StoredVote, told: Told): BallotChange {
  const { atMicros, firstVersion = Number.POSITIVE_INFINITY } = told
  const before = readBallot(deps.store, deps.settings.id, subject)
  const change = castOnEvent(tableOf(deps, subject), cast)
  const next = changed(deps, before, change, atMicros)
  return settle(deps, subject, before, { ...next, firstVersion: Math.min(next.firstVersion, firstVersion) })
}

/** Casts an analyst's vote on a whole bucket, in place of all votes of the same analyst on it and on its events. */
export function voteOnWhole(
  deps: BallotDeps,
  subject: Uint8Array,
  cast: StoredVote,
  { atMicros }: Told,
): BallotChange & { readonly touched: readonly number[] } {
  const before = readBallot(deps.store, deps.settings.id, subject)
  const { change, touched } = castOnWhole(tableOf(deps, subject), cast)
  return { ...settle(deps, subject, before, changed(deps, before, change, atMicros)), touched }
}

/** Puts an analyst's earlier vote on an event in the place of the present one. */
export function restore(
  deps: BallotDeps,
  subject: Uint8Array,
  { analyst, micros, atMicros }: Pick<Withdrawal, 'analyst' | 'micros' | 'atMicros'>,
): BallotChange {
  const before = readBallot(deps.store, deps.settings.id, subject)
  const change = restoreOnEvent(tableOf(deps, subject), micros, analyst)
  return settle(deps, subject, before, changed(deps, before, change, atMicros))
}

/** Sets an administrator's override, or withdraws it with null, and writes the ballot. */
export function override(deps: BallotDeps, subject: Uint8Array, word: StoredOverride | null): BallotChange {
  const before = readBallot(deps.store, deps.settings.id, subject)
  return settle(deps, subject, before, { ...(before ?? emptyBallot(deps, word?.atMicros ?? 0)), override: word })
}

/** What an analyst withdraws: a vote on one event, or all votes on a bucket and its events. */
export interface Withdrawal {
  readonly analyst: string
  /** Ingest time of the event, or WHOLE_BUCKET. */
  readonly micros: number
  /** When the service was told. */
  readonly atMicros: number
  /** When the analyst said so. */
  readonly saidMicros: number
}

/** Withdraws votes of one analyst. Null where there are none. `touched` are the events whose own votes have changed. */
export function withdraw(
  deps: BallotDeps,
  subject: Uint8Array,
  { analyst, micros, atMicros, saidMicros }: Withdrawal,
): (BallotChange & { readonly touched: readonly number[] }) | null {
  const before = readBallot(deps.store, deps.settings.id, subject)
  if (before === null) return null
  const table = tableOf(deps, subject)
  let result: WholeChange
  if (micros === WHOLE_BUCKET) result = castOnWhole(table, { label: null, analyst, atMicros: saidMicros })
  else {
    const votes = readVotes(deps.store, deps.settings.id, subject, micros)
    const others = votes.filter((each) => each.analyst !== analyst)
    if (others.length === votes.length) return null
    const change = replaceRow(table, { micros, votes }, others, noChange(table.labelCount))
    result = { change, touched: [micros] }
  }
  if (totalVotes(result.change) === 0) return null
  noteWithdrawal(table, micros, { analyst, atMicros: saidMicros })
  const next = changed(deps, before, result.change, atMicros)
  return { ...settle(deps, subject, before, next), touched: result.touched }
}

/** Deletes the votes that were given on one event from a ballot, and returns them. */
export function removeVotes(deps: BallotDeps, subject: Uint8Array, eventMicros: number): readonly StoredVote[] {
  const { store, settings } = deps
  const before = readBallot(store, settings.id, subject)
  if (before === null) return []
  const table = tableOf(deps, subject)
  const votes = readVotes(store, settings.id, subject, eventMicros)
  const whole = readVotes(store, settings.id, subject, WHOLE_BUCKET)
  const given = whole.filter((each) => each.eventMicros === eventMicros)
  const key = voteKey(settings.id, subject, eventMicros)
  // Withdrawals go with the votes.
  if (store.get('votes', key) !== undefined) store.delete('votes', key)
  if (votes.length + given.length === 0) return []
  let change = replaceRow(table, { micros: eventMicros, votes }, [], noChange(table.labelCount))
  const rest = whole.filter((each) => each.eventMicros !== eventMicros)
  if (given.length > 0) change = replaceRow(table, { micros: WHOLE_BUCKET, votes: whole }, rest, change)
  const next = changed(deps, before, change, before.votedMicros)
  if (totalVotes(next) === 0 && before.override === null) dropBallot(deps, subject)
  else settle(deps, subject, before, next)
  return [...votes, ...given]
}

function tableOf({ store, settings, stats }: BallotDeps, subject: Uint8Array): VoteTable {
  return { store, jobId: settings.id, subject, labelCount: stats.row.consensusCounts.length }
}

function emptyBallot({ stats }: BallotDeps, firstMicros: number): BallotRow {
  const change = noChange(stats.row.consensusCounts.length)
  const firstVersion = stats.row.modelVersion
  return {
    ...change,
    state: 0,
    votedMicros: 0,
    firstMicros,
    firstVersion,
    override: null,
    consensus: NO_CONSENSUS,
    changes: [],
  }
}

/** The number of votes, or how many more. */
function totalVotes({ votes }: Pick<VotesChange, 'votes'>): number {
  return votes.reduce((sum, count) => sum + count, 0)
}

/** The ballot with changed votes, at the time `atMicros`. A vote that is moved may be older than the latest. */
function changed(deps: BallotDeps, before: BallotRow | null, change: VotesChange, atMicros: number): BallotRow {
  const from = before ?? emptyBallot(deps, atMicros)
  return {
    ...from,
    ...addEvidence(from, change, 1),
    votes: from.votes.map((count, label) => count + (change.votes[label] ?? 0)),
    votedMicros: Math.max(from.votedMicros, atMicros),
    firstMicros: Math.min(from.firstMicros, atMicros),
  }
}

/** Writes a ballot and everything that follows from its consensus. */
function settle(
  { store, settings, stats }: BallotDeps,
  subject: Uint8Array,
  before: BallotRow | null,
  next: BallotRow,
): BallotChange {
  const was = before?.consensus ?? NO_CONSENSUS
  const consensus = consensusOf(next, next.override === null ? null : next.override.label)
  let changes = before?.changes ?? []
  if (consensus !== was) {
    changes = withChange(changes, { seq: stats.nextFeedbackSeq(), consensus }, stats.row)
  }
  const after: BallotRow = { ...next, state: stats.nextBallotState(), consensus, changes }
  recount(stats, subject, before, after)
  keepState(store, settings.id, subject, after)
  store.put('ballots', bucketKey(settings.id, subject), encodeBallot(after))
  return { before, after }
}

/** Deletes a ballot with its votes, if there is one. */
export function dropBallot({ store, settings, stats }: BallotDeps, subject: Uint8Array): void {
  const ballot = readBallot(store, settings.id, subject)
  if (ballot === null) return
  recount(stats, subject, ballot, null)
  store.delete('ballots', bucketKey(settings.id, subject))
  for (const { key } of store.walk('votes', voteRange(settings.id, subject))) store.delete('votes', key)
}
