/** The contract of consensus: votes, overrides, and where analysts disagree. */
import type { PickedBy } from '../domain/learn/selection/slots.js'
import type { PointValue } from '../domain/event/point-value.js'
import type { Author, JobHandle } from './principal.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { SeparatingField } from '../domain/metrics/separating-fields.js'

/** A bucket by its id (hexadecimal), or an event: its votes count for its bucket, or for itself where there is none. */
export type ConsensusTarget = { readonly eventId: string } | { readonly bucketId: string }

/** The votes and the override of a bucket or an event, and the resulting consensus. */
export interface ConsensusView {
  /** Hexadecimal, or null where the job has no buckets. */
  readonly bucketId: string | null
  /** The event, where the job has no buckets. */
  readonly eventId: string | null
  /** Number of events that it decides. */
  readonly events: number
  /** Values at the decision points; null without buckets, and for a bucket of earlier decision points. */
  readonly values: Readonly<Record<string, PointValue>> | null
  /** The name of a label, `Undecided`, or null where nobody has voted. */
  readonly consensus: string | null
  readonly bucketState: BucketState
  /** The override of an administrator, or null. */
  readonly override: { readonly label: string; readonly by: string; readonly atMicros: number } | null
  /** Voted events by the names of labels; analysts, where there are no buckets. */
  readonly split: Readonly<Record<string, number>>
  /** Voted events whose analysts are tied: they say nothing. */
  readonly tiedEvents: number
  /** The voted events have more than one label. */
  readonly mixed: boolean
  /** Number of stored votes. */
  readonly votesCount: number
  /** Each analyst's latest vote on each event, oldest first; the latest limits.votesShownMax of them. */
  readonly votes: readonly {
    readonly analyst: string
    readonly label: string
    readonly atMicros: number
    /** The event that the vote was cast on; null where a newer version has replaced it. */
    readonly eventId: string | null
    /** What picked the event for the analyst; absent where the analyst did. */
    readonly pickedBy?: PickedBy
    /** Only in a vote on the whole bucket: the number of events that it counts for. */
    readonly countsForEvents?: number
    /**
     * The analyst's notes and any JSON with them, or null. Only in the view of one target: a page could grow too large.
     */
    readonly notes?: { readonly closingNotes: string | null; readonly indicators: unknown }
  }[]
}

export interface DisagreementQuery {
  /** From 0. */
  readonly page: number
  readonly size: number
  /** True: only targets with an override. False: only those without. */
  readonly overridden?: boolean
  /** True: only ties. False: only targets with a majority or an override. */
  readonly undecided?: boolean
}

export interface DisagreementPage {
  /** The latest votes first. */
  readonly disagreements: readonly ConsensusView[]
  readonly total: number
  /** False where the count ran out of time: there are `total` or more. */
  readonly exact: boolean
}

export interface MixedQuery {
  /** From 0. */
  readonly page: number
  readonly size: number
}

/** Buckets whose voted events have more than one label. */
export interface MixedPage {
  /** The largest first. */
  readonly buckets: readonly ConsensusView[]
  /** Fields that are no decision points and tell the events of these buckets apart, best first. */
  readonly fields: readonly SeparatingField[]
  /** The number of voted events that the fields were ranked by. */
  readonly votedEvents: number
  readonly total: number
  /** False where the walk ran out of time: there are `total` or more. */
  readonly exact: boolean
}

export interface ConsensusService {
  /** @throws Refusal event_not_found, bucket_not_found. */
  of(job: JobHandle, target: ConsensusTarget): ConsensusView
  /** Rejects with event_not_found, bucket_not_found, unknown_label. Resolves when the override is flushed. */
  override(job: JobHandle, target: ConsensusTarget, label: string, by: Author): Promise<ConsensusView>
  /** Rejects with event_not_found, bucket_not_found, override_not_found. */
  withdraw(job: JobHandle, target: ConsensusTarget, by: Author): Promise<ConsensusView>
  /** Buckets (events, where there are none) on which analysts disagree. Rejects with queries_busy. */
  disagreements(job: JobHandle, query: DisagreementQuery): Promise<DisagreementPage>
  /** Mixed buckets, and what would tell their events apart. Rejects with queries_busy. */
  mixedBuckets(job: JobHandle, query: MixedQuery): Promise<MixedPage>
}
