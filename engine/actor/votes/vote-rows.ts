/**
 * The rows of votes: one for each event that was voted on, and one for the votes on a whole bucket.
 *
 * Owns: reading rows, changing them, and what a change adds to the evidence. Leaves out: the ballot, which adds up the
 * rows of a bucket (ballots.ts).
 *
 * 1. The votes of a bucket are never read to cast one: a row has the votes on one event. Only a vote on the whole
 *    bucket walks over all rows, since it replaces others.
 */
import { limits } from '../../limits.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import {
  addEvidence,
  castVote,
  countVotes,
  evidenceOfEvent,
  evidenceOfWhole,
  type Evidence,
} from '../../domain/learn/consensus.js'
import type { Environment } from '../../store/environment.js'
import { decodeVotes, encodeVotes, type StoredVote } from '../../store/ballot-row.js'
import { voteKey, voteOfKey, voteRange } from '../../store/tables.js'
import type { Reads } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'

/** The time in the key of votes on a whole bucket. */
export const WHOLE_BUCKET = 0

/** The votes on an event of a subject, or on the whole bucket. */
export interface VoteRow {
  /** Ingest time of the event, or WHOLE_BUCKET. */
  readonly micros: number
  readonly votes: readonly StoredVote[]
}

/** What changed rows add to a ballot. */
export interface VotesChange extends Evidence {
  /** By label: stored votes, more or fewer. */
  readonly votes: readonly number[]
}

export function readVotes(reads: Reads, jobId: number, subject: Uint8Array, micros: number): readonly StoredVote[] {
  const bytes = reads.get('votes', voteKey(jobId, subject, micros))
  return bytes === undefined ? [] : decodeVotes(bytes)
}

/** The votes on a subject in a snapshot: those on the whole bucket first, then by events. */
export function* votesOn(
  reads: Pick<Environment, 'range'>,
  jobId: number,
  subject: Uint8Array,
): Generator<VoteRow, void, undefined> {
  for (const { key, value } of reads.range('votes', voteRange(jobId, subject)))
    yield { micros: voteOfKey(key).micros, votes: decodeVotes(value) }
}

/** The same for the thread that writes, with what its turn wrote. */
export function votesNow(store: TurnStore, jobId: number, subject: Uint8Array): VoteRow[] {
  return store
    .walk('votes', voteRange(jobId, subject))
    .map(({ key, value }) => ({ micros: voteOfKey(key).micros, votes: decodeVotes(value) }))
}

/** What the votes of one row say about their subject. On a single event every analyst is evidence. */
export function evidenceOf(subject: Uint8Array, { micros, votes }: VoteRow, labelCount: number): Evidence {
  if (subject.length !== BUCKET_ID_BYTES) return { counts: countVotes(votes, labelCount), ties: 0 }
  return micros === WHOLE_BUCKET ? evidenceOfWhole(votes, labelCount) : evidenceOfEvent(votes, labelCount)
}

export function noChange(labelCount: number): VotesChange {
  const none = new Array<number>(labelCount).fill(0)
  return { counts: none, ties: 0, votes: none }
}

/** Where rows of votes are written. */
export interface VoteTable {
  readonly store: TurnStore
  readonly jobId: number
  readonly subject: Uint8Array
  readonly labelCount: number
}

/** Replaces a row, and returns `change` with what that adds to the ballot. */
export function replaceRow(
  { store, jobId, subject, labelCount }: VoteTable,
  before: VoteRow,
  votes: readonly StoredVote[],
  change: VotesChange,
): VotesChange {
  const { micros } = before
  const key = voteKey(jobId, subject, micros)
  const kept = withLatestNotes(latestVotes(votes))
  if (kept.length > 0) store.put('votes', key, encodeVotes(kept))
  else if (before.votes.length > 0) store.delete('votes', key)
  const stored = [...change.votes]
  for (const { label } of before.votes) stored[label] = (stored[label] ?? 0) - 1
  for (const { label } of kept) stored[label] = (stored[label] ?? 0) + 1
  const less = addEvidence(change, evidenceOf(subject, before, labelCount), -1)
  return { ...addEvidence(less, evidenceOf(subject, { micros, votes: kept }, labelCount), 1), votes: stored }
}

/** Casts a vote on one event. */
export function castOnEvent(table: VoteTable, cast: StoredVote): VotesChange {
  const { store, jobId, subject, labelCount } = table
  const micros = cast.eventMicros
  const before = { micros, votes: readVotes(store, jobId, subject, micros) }
  return replaceRow(table, before, castVote(before.votes, cast), noChange(labelCount))
}

/** What a vote on a whole bucket changed. */
export interface WholeChange {
  readonly change: VotesChange
  /** Events whose own votes have changed. */
  readonly touched: readonly number[]
}

/** Takes an analyst's votes on a bucket and its events back, and casts one on the whole bucket, if there is one. */
export function castOnWhole(table: VoteTable, analyst: string, cast: StoredVote | null): WholeChange {
  const { store, jobId, subject, labelCount } = table
  let change = noChange(labelCount)
  let events = 0
  let whole: VoteRow = { micros: WHOLE_BUCKET, votes: [] }
  const touched: number[] = []
  for (const row of votesNow(store, jobId, subject)) {
    const own = row.votes.find((vote) => vote.analyst === analyst)
    if (row.micros === WHOLE_BUCKET) whole = row
    if (own === undefined) continue
    events += own.events ?? 1
    if (row.micros === WHOLE_BUCKET) continue
    const others = row.votes.filter((vote) => vote !== own)
    touched.push(row.micros)
    change = replaceRow(table, row, others, change)
  }
  const others = whole.votes.filter((vote) => vote.analyst !== analyst)
  if (cast === null && others.length === whole.votes.length) return { change, touched }
  const votes = cast === null ? others : [...others, { ...cast, events: Math.max(1, events) }]
  return { change: replaceRow(table, whole, votes, change), touched }
}

/** The latest by time, not by place: a vote that runs again must not displace a later one. */
function latestVotes(votes: readonly StoredVote[]): readonly StoredVote[] {
  if (votes.length <= limits.votesPerEventMax) return votes
  return [...votes].sort((a, b) => a.atMicros - b.atMicros).slice(-limits.votesPerEventMax)
}

function notesLength({ closingNotes = '', indicators }: StoredVote): number {
  return closingNotes.length + (indicators === undefined ? 0 : JSON.stringify(indicators).length)
}

function withLatestNotes(votes: readonly StoredVote[]): readonly StoredVote[] {
  let room = limits.voteNotesCharsMax
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
