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
import {
  decodeVotes,
  decodeWithdrawn,
  encodeVotes,
  type SaidVote,
  type StoredVote,
  type Withdrawn,
} from '../../store/ballot-row.js'
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

/** When analysts withdrew their votes on an event, or on the whole bucket. */
export function readWithdrawn(reads: Reads, jobId: number, subject: Uint8Array, micros: number): readonly Withdrawn[] {
  const bytes = reads.get('votes', voteKey(jobId, subject, micros))
  return bytes === undefined ? [] : decodeWithdrawn(bytes)
}

/** Notes when an analyst withdraws, in the row as it is then. The latest are kept, as many as votes. */
export function noteWithdrawal({ store, jobId, subject }: VoteTable, micros: number, withdrawn: Withdrawn): void {
  const known = readWithdrawn(store, jobId, subject, micros).filter(({ analyst }) => analyst !== withdrawn.analyst)
  const kept = [...known, withdrawn].slice(-limits.votesPerEventMax)
  store.put('votes', voteKey(jobId, subject, micros), encodeVotes(readVotes(store, jobId, subject, micros), kept))
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
  const withdrawn = readWithdrawn(store, jobId, subject, micros)
  const rest = withdrawn.filter(({ analyst }) => !kept.some((vote) => vote.analyst === analyst))
  if (kept.length + rest.length > 0) store.put('votes', key, encodeVotes(kept, rest))
  else if (before.votes.length > 0) store.delete('votes', key)
  const stored = [...change.votes]
  for (const { label } of before.votes) stored[label] = (stored[label] ?? 0) - 1
  for (const { label } of kept) stored[label] = (stored[label] ?? 0) + 1
  const less = addEvidence(change, evidenceOf(subject, before, labelCount), -1)
  return { ...addEvidence(less, evidenceOf(subject, { micros, votes: kept }, labelCount), 1), votes: stored }
}

/** Casts a vote on one event. It remembers the analyst's earlier ones. */
export function castOnEvent(table: VoteTable, cast: StoredVote): VotesChange {
  const { store, jobId, subject, labelCount } = table
  const micros = cast.eventMicros
  const before = { micros, votes: readVotes(store, jobId, subject, micros) }
  const own = before.votes.find(({ analyst }) => analyst === cast.analyst)
  const kept = own === undefined || own.atMicros >= cast.atMicros ? cast : { ...cast, earlier: chainOf(own) }
  return replaceRow(table, before, castVote(before.votes, kept), noChange(labelCount))
}

/** A vote and those before it, the latest first. */
function chainOf({ earlier = [], ...own }: StoredVote): readonly SaidVote[] {
  return [own, ...earlier].slice(0, limits.earlierVotesMax)
}

/** Puts the analyst's earlier vote in the place of the present one; without one the analyst has no vote. */
export function restoreOnEvent(table: VoteTable, micros: number, analyst: string): VotesChange {
  const { store, jobId, subject, labelCount } = table
  const before = { micros, votes: readVotes(store, jobId, subject, micros) }
  const [first, ...rest] = before.votes.find((vote) => vote.analyst === analyst)?.earlier ?? []
  const restored = first === undefined ? [] : [rest.length === 0 ? first : { ...first, earlier: rest }]
  const others = before.votes.filter((vote) => vote.analyst !== analyst)
  return replaceRow(table, before, [...others, ...restored], noChange(labelCount))
}

/** What a vote on a whole bucket changed. */
export interface WholeChange {
  readonly change: VotesChange
  /** Events whose own votes have changed. */
  readonly touched: readonly number[]
}

/** What an analyst says of a whole bucket; `label` null withdraws. */
export type WholeCast = StoredVote | { readonly label: null; readonly analyst: string; readonly atMicros: number }

/** Takes an analyst's votes on a bucket and its events back, and casts one on the whole bucket, if there is one. */
export function castOnWhole(table: VoteTable, cast: WholeCast): WholeChange {
  const { analyst } = cast
  const { store, jobId, subject, labelCount } = table
  let change = noChange(labelCount)
  let events = 0
  let whole: VoteRow = { micros: WHOLE_BUCKET, votes: [] }
  const touched: number[] = []
  for (const row of votesNow(store, jobId, subject)) {
    const own = row.votes.find((vote) => vote.analyst === analyst)
    if (row.micros === WHOLE_BUCKET) whole = row
    // What was said later of a single event stands.
    if (own === undefined || own.atMicros > cast.atMicros) continue
    events += own.events ?? 1
    if (row.micros === WHOLE_BUCKET) continue
    const others = row.votes.filter((vote) => vote !== own)
    touched.push(row.micros)
    change = replaceRow(table, row, others, change)
  }
  const others = whole.votes.filter((vote) => vote.analyst !== analyst || vote.atMicros > cast.atMicros)
  if (cast.label === null && others.length === whole.votes.length) return { change, touched }
  const votes = cast.label === null ? others : [...others, { ...cast, events: Math.max(1, events) }]
  return { change: replaceRow(table, whole, votes, change), touched }
}

/** The latest by time, not by place: a vote that runs again must not displace a later one. */
function latestVotes(votes: readonly StoredVote[]): readonly StoredVote[] {
  if (votes.length <= limits.votesPerEventMax) return votes
  return [...votes].sort((a, b) => a.atMicros - b.atMicros).slice(-limits.votesPerEventMax)
}

function notesLength({ closingNotes = '', indicators, earlier = [] }: StoredVote): number {
  const own = closingNotes.length + (indicators === undefined ? 0 : JSON.stringify(indicators).length)
  return earlier.reduce((sum, each) => sum + notesLength(each), own)
}

function withoutNotes<V extends SaidVote>({ closingNotes: _notes, indicators: _indicators, ...vote }: V) {
  return vote
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
    const { earlier, ...vote } = each
    return { ...withoutNotes(vote), ...(earlier === undefined ? {} : { earlier: earlier.map(withoutNotes) }) }
  })
}
