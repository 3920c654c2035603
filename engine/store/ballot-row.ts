/** The rows of `ballots` and `votes`. */
import { BUCKET_ID_BYTES } from '../domain/event/bucket-key.js'
import { totalOf, type Consensus, type Evidence, type Vote } from '../domain/learn/consensus.js'
import type { ConsensusChange } from '../domain/learn/knowledge-base.js'
import type { PickedBy } from '../domain/learn/selection/slots.js'
import { assert } from '../assert.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** What an analyst has said of an event, with what was added. */
export interface SaidVote extends Vote {
  /** Ingest time of the event that the vote was cast on; also in a vote on a whole bucket. */
  readonly eventMicros: number
  /** What picked the event for the analyst; absent where the analyst did. */
  readonly pickedBy?: PickedBy
  readonly closingNotes?: string
  readonly indicators?: unknown
  /** What its client calls it. */
  readonly voteId?: string
}

/** A vote of one row of `votes`, which has all of them on one event. */
export interface StoredVote extends SaidVote {
  /** The analyst's earlier votes on the same event, the latest first: taking a vote back restores the first of them. */
  readonly earlier?: readonly SaidVote[]
}

/** An analyst has withdrawn a vote: one that was given before and arrives later does not count. */
export interface Withdrawn {
  readonly analyst: string
  readonly atMicros: number
}

/** An administrator's override, which wins until it is withdrawn (S15). */
export interface StoredOverride {
  /** Index of the label. */
  readonly label: number
  /** Who set it. */
  readonly by: string
  readonly atMicros: number
}

/** The votes on one subject, added up: on a bucket, or an event if the job has no buckets. */
export interface BallotRow extends Evidence {
  /** Counts up in the job with every change of a ballot: the key of a copy in `states`. */
  readonly state: number
  /** By label: stored votes. */
  readonly votes: readonly number[]
  /** The time of the latest vote, or of its withdrawal; 0 without any. */
  readonly votedMicros: number
  /** The time of the first vote or override. */
  readonly firstMicros: number
  /** The model that was in use at that time, 0 for none: it had not been told of any of the votes. */
  readonly firstVersion: number
  readonly override: StoredOverride | null
  /** The consensus after the last vote or override. */
  readonly consensus: Consensus
  readonly changes: readonly ConsensusChange[]
}

/** The changes come last: the first consensus in a row is that of the ballot (consensusIn). */
export function encodeBallot({ changes, ...row }: BallotRow): Buffer {
  return encodeJsonRow({ ...row, changes })
}

export function decodeBallot(value: Uint8Array): BallotRow {
  return decodeJsonRow(value) as BallotRow
}

/**
 * By label: the voted events that a training finds in the ballot of `subject`, a bucket or a single event. An override
 * stands for all voted events of its bucket, and for one more.
 */
export function labelledBy(subject: Uint8Array, ballot: BallotRow): readonly number[] {
  const { counts, override, consensus } = ballot
  if (subject.length !== BUCKET_ID_BYTES) return counts.map((_, label) => Number(label === consensus))
  return override === null ? counts : counts.map((_, label) => (label === override.label ? totalOf(ballot) + 1 : 0))
}

/** More than the characters of a consensus. */
const DIGITS = 8
const consensusName = Buffer.from(',"consensus":')

/** The consensus in a row, without reading the rest. In a text of the row the quotes of that name would be escaped. */
export function consensusIn(value: Uint8Array): Consensus {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const at = bytes.indexOf(consensusName)
  assert(at >= 0, 'a ballot has a consensus')
  return Number.parseInt(bytes.toString('latin1', at + consensusName.length, at + consensusName.length + DIGITS), 10)
}

/** A ballot as a decision knew it. It names nobody. */
export function encodeBallotState(row: BallotRow): Buffer {
  return encodeJsonRow({ ...row, override: row.override === null ? null : { ...row.override, by: '' } })
}

/** In the place of a label, in the entry of a withdrawal. */
const WITHDRAWN = -1

export function encodeVotes(votes: readonly StoredVote[], withdrawn: readonly Withdrawn[] = []): Buffer {
  return encodeJsonRow([...votes, ...withdrawn.map((one) => ({ ...one, label: WITHDRAWN }))])
}

const nextVote = Buffer.from('},{')

/** False where a row has one vote at most. */
export function mayHaveSeveral(value: Uint8Array): boolean {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(nextVote)
}

export function decodeVotes(value: Uint8Array): readonly StoredVote[] {
  const all = decodeJsonRow(value) as readonly StoredVote[]
  // Withdrawals come last.
  return all.at(-1)?.label === WITHDRAWN ? all.filter(({ label }) => label !== WITHDRAWN) : all
}

export function decodeWithdrawn(value: Uint8Array): readonly Withdrawn[] {
  const all = decodeJsonRow(value) as readonly StoredVote[]
  return all.flatMap(({ analyst, label, atMicros }) => (label === WITHDRAWN ? [{ analyst, atMicros }] : []))
}
