/** What the outside may ask about consensus, and what it gets. */
import type { PointValue } from '../domain/event/point-value.js'
import type { Author, JobHandle } from './principal.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'

/** A bucket by its id (hexadecimal), or whatever votes on an event count for: its bucket, or the event itself. */
export type ConsensusTarget = { readonly eventId: string } | { readonly bucketId: string }

/** What analysts and administrators have said, and what it came to. */
export interface ConsensusView {
  /** Hexadecimal, or null where the job has no buckets. */
  readonly bucketId: string | null
  /** Where the job has no buckets: the event. */
  readonly eventId: string | null
  /** Events that it decides. */
  readonly events: number
  /** The values at the decision points; null where there are no buckets, and for a bucket of earlier decision points. */
  readonly values: Readonly<Record<string, PointValue>> | null
  /** A label's name, `Undecided`, or null where nobody has voted. */
  readonly consensus: string | null
  readonly bucketState: BucketState
  /** An administrator's word, or null. */
  readonly override: { readonly label: string; readonly by: string; readonly atMicros: number } | null
  /** The latest of each analyst, in the order in which they were cast. */
  readonly votes: readonly {
    readonly analyst: string
    readonly label: string
    readonly atMicros: number
    /** The event that it was cast on; null where another version has taken its place. */
    readonly eventId: string | null
    /** What the analyst wrote beside it, and any JSON that came with it; null where nothing. In the view of one alone: a page might burst. */
    readonly notes?: { readonly closingNotes: string | null; readonly indicators: unknown }
  }[]
}

export interface DisagreementQuery {
  /** From 0. */
  readonly page: number
  readonly size: number
  /** True: only those with an override. False: only those without. */
  readonly overridden?: boolean
  /** True: only ties. False: only those with a majority or an override. */
  readonly undecided?: boolean
}

export interface DisagreementPage {
  /** Those with the latest votes first. */
  readonly disagreements: readonly ConsensusView[]
  readonly total: number
  /** False where there are more than could be counted in the time. */
  readonly exact: boolean
}

export interface ConsensusService {
  /** @throws Refusal event_not_found, bucket_not_found. */
  of(job: JobHandle, target: ConsensusTarget): ConsensusView
  /** Rejects with event_not_found, bucket_not_found, unknown_label. Resolves when it is flushed. */
  override(job: JobHandle, target: ConsensusTarget, label: string, by: Author): Promise<ConsensusView>
  /** Rejects with event_not_found, bucket_not_found, override_not_found. */
  withdraw(job: JobHandle, target: ConsensusTarget, by: Author): Promise<ConsensusView>
  /** Buckets, or events where there are none, on which analysts differ. Rejects with queries_busy. */
  disagreements(job: JobHandle, query: DisagreementQuery): Promise<DisagreementPage>
}
