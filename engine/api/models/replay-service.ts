/** The contract of replays: a period is decided again with another model or other terms, and nothing is changed. */
import type { PointValue } from '../../domain/event/point-value.js'
import type { Objective } from '../../domain/job/objective.js'
import type { ConsensusAgreement, Reached } from '../../domain/metrics/replay-tally.js'
import type { Author, JobHandle } from '../principal.js'

export interface ReplayRequest {
  /** Ingest times, microseconds. */
  readonly fromMicros?: number | undefined
  readonly toMicros?: number | undefined
  /** Decide with this model of the registry; by default with the active one, or with one trained as below. */
  readonly modelId?: string | undefined
  /** Compare with this model; by default with the stored decisions. */
  readonly against?: string | undefined
  /** Train a model for the replay. */
  readonly objective?: Objective | undefined
  readonly decisionPoints?: readonly string[] | undefined
  readonly withoutAnalysts?: readonly string[] | undefined
  readonly seed?: number | undefined
  /** The least confidence, 0 to 100, with which events are settled and sent. */
  readonly threshold?: number | undefined
}

/** Label names; null: no decision. */
export interface ShownMove {
  readonly before: string | null
  readonly after: string | null
  readonly events: number
}

export interface ReplayReport {
  readonly before: string
  readonly after: string
  readonly seconds: number
  readonly events: number
  readonly changed: number
  /** 0 to 1. */
  readonly changedShare: number
  readonly moves: readonly ShownMove[]
  readonly outliers: { readonly before: number; readonly after: number }
  readonly lowConfidence: { readonly before: number; readonly after: number }
  readonly buckets: number
  readonly bucketsChanged: number
  /** The most changed events first. */
  readonly topBuckets: readonly {
    readonly bucketId: string
    /** By decision point; null where the bucket is gone. */
    readonly values: Readonly<Record<string, PointValue>> | null
    readonly events: number
    readonly changed: number
    readonly moves: readonly ShownMove[]
  }[]
  /** Ids of changed events that are still stored. */
  readonly examples: readonly string[]
  /** Beside the consensus of now: where neither model was trained on it, and where one was. */
  readonly unseenVotes: ConsensusAgreement
  readonly seenVotes: ConsensusAgreement
  readonly queue: Reached
  readonly outputs: readonly (Reached & { readonly integrationId: number; readonly role: string })[]
}

export interface ReplayView {
  readonly replayId: string
  readonly state: 'queued' | 'running' | 'finished' | 'failed' | 'cancelled'
  readonly message: string
  readonly percent: number
  readonly requestedBy: string
  readonly requestedMicros: number
  readonly finishedMicros: number | null
  readonly fromMicros: number
  readonly toMicros: number
  readonly modelId: string | null
  readonly against: string | null
  readonly objective: Objective | null
  readonly decisionPoints: readonly string[] | null
  readonly withoutAnalysts: readonly string[]
  readonly threshold: number | null
  readonly report: ReplayReport | null
}

export interface ReplayService {
  /**
   * Rejects with model_not_found, model_not_kept, not_enough_feedback, limit_exceeded, invalid_body, event_not_found
   * where the job has no events.
   */
  start(job: JobHandle, request: ReplayRequest, by: Author): Promise<ReplayView>
  /** Latest first, without reports. */
  list(job: JobHandle): readonly ReplayView[]
  /** @throws Refusal replay_not_found. */
  replay(job: JobHandle, replayId: string): ReplayView
  /** The report as text, for people. @throws Refusal replay_not_found. */
  table(job: JobHandle, replayId: string): string
  /** Rejects with replay_not_found. One that is over is unchanged. */
  cancel(job: JobHandle, replayId: string, by: Author): Promise<ReplayView>
}
