/** The rows of `ballots` and `votes`. */
import type { Consensus, Evidence, Vote } from '../domain/learn/consensus.js'
import type { ConsensusChange } from '../domain/learn/knowledge-base.js'
import type { PickedBy } from '../domain/learn/selection/slots.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** A vote with what the analyst added. One row of `votes` has all of them on one event. */
export interface StoredVote extends Vote {
  /** Ingest time of the event that the vote was cast on; also in a vote on a whole bucket. */
  readonly eventMicros: number
  /** What picked the event for the analyst; absent where the analyst did. */
  readonly pickedBy?: PickedBy
  readonly closingNotes?: string
  readonly indicators?: unknown
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

export function encodeBallot(row: BallotRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeBallot(value: Uint8Array): BallotRow {
  return decodeJsonRow(value) as BallotRow
}

/** A ballot as a decision knew it. It names nobody. */
export function encodeBallotState(row: BallotRow): Buffer {
  return encodeJsonRow({ ...row, override: row.override === null ? null : { ...row.override, by: '' } })
}

export function encodeVotes(votes: readonly StoredVote[]): Buffer {
  return encodeJsonRow(votes)
}

export function decodeVotes(value: Uint8Array): readonly StoredVote[] {
  return decodeJsonRow(value) as readonly StoredVote[]
}
