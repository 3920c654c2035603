/** The contract of explanations: why an event has its decision, how a body would be decided, and similar events. */
import type { EvidenceLevel } from '../domain/metrics/evidence.js'
import type { PointValue } from '../domain/event/point-value.js'
import type { DecisionSource } from '../domain/decide/decision.js'
import type { AnswerShown } from './models/answer-shown.js'
import type { ComputedDecision } from './models/computed-decision.js'
import type { ConsensusView } from './consensus-service.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { JobHandle } from './principal.js'

export type { AnswerShown } from './models/answer-shown.js'

/** The decision that is explained. */
export interface ExplainedDecision extends AnswerShown {
  readonly status: 'pending_inference' | 'OK'
  readonly outlier: boolean
  readonly source: DecisionSource
  /** The model that made it, or null. */
  readonly modelId: string | null
  /** A model of the job that was installed later answers new events. */
  readonly isByEarlierModel: boolean
  /** How it was made, as a sentence. */
  readonly reason: string
  /**
   * What is said of the model gives this very decision when it is computed again. Null where no model had a part in it.
   */
  readonly isExact: boolean | null
  /** Where `isExact` is false: why the stored decision cannot be computed again. */
  readonly inexactReason: string | null
  /** How far the votes behind the model carry its confidence; `none` without a model. */
  readonly confidenceBasis: EvidenceLevel
  /** The same for people; '' where there is nothing to say. */
  readonly confidenceNote: string
}

/** The model's answer without some fields. */
export interface WithoutShown extends AnswerShown {
  readonly fields: readonly { readonly field: string; readonly value: PointValue }[]
  /** By how many percentage points the label of the whole answer is less probable. */
  readonly effect: number
}

/** A labelled event that the model remembers. */
export interface LabelledNeighbour {
  readonly eventId: string
  /** The label that the model was trained with. */
  readonly resultLabel: string
  /** The consensus now: a label's name, `Undecided`, or null. */
  readonly consensus: string | null
  /** Hexadecimal, or null. */
  readonly bucketId: string | null
  /** 1: equal to the model; 0: nothing in common. */
  readonly likeness: number
}

/** What a model says of an event, votes aside. */
export interface ModelExplanation {
  readonly modelId: string
  readonly version: number
  readonly isActive: boolean
  readonly trainedMicros: number
  /** Voted events that it was trained on. */
  readonly votedEvents: number
  /** How many voted events its answer counts as beside the votes on a bucket; null where that was not measured. */
  readonly evidenceWeight: number | null
  /** Null where the decision points have changed since its training: it cannot be asked about this event any more. */
  readonly answer: AnswerShown | null
  /** The probability of each label by its name, 0 to 1. */
  readonly probabilities: Readonly<Record<string, number>>
  /** For each field with a value, the largest effect first. */
  readonly fields: readonly WithoutShown[]
  readonly pair: WithoutShown | null
  readonly pairsTried: number
  readonly pairs: number
  /** The nearest first. */
  readonly nearest: readonly LabelledNeighbour[]
  /** The least score of an outlier now. */
  readonly outlierThreshold: number
  /**
   * The fields that make it unlike the nearest labelled event: with the value there, its outlier score would be this.
   * The largest change first.
   */
  readonly unlike: readonly {
    readonly field: string
    readonly value: PointValue
    readonly known: PointValue
    readonly outlierScore: number
  }[]
}

/** The votes on the event's bucket, or on the event, in short. */
export type VotesShown = Pick<
  ConsensusView,
  'bucketId' | 'consensus' | 'bucketState' | 'override' | 'split' | 'tiedEvents' | 'mixed' | 'votesCount'
>

export interface Explanation {
  /** The whole in a few sentences. */
  readonly inWords: readonly string[]
  readonly decision: ExplainedDecision
  /** Null where nobody has voted, and there is no override. */
  readonly votes: VotesShown | null
  /** Null where no model had a part in the decision. */
  readonly model: ModelExplanation | null
  /** Why the event is in its cluster, as a sentence; null where the job has no clusters. */
  readonly cluster: { readonly clusterId: string; readonly reason: string } | null
}

export interface EventExplanation extends Explanation {
  readonly eventId: string
  readonly ingestMicros: number
}

/** What a body would be decided as now. Nothing is stored. */
export interface WhatIf {
  readonly decision: ExplainedDecision
  readonly bucketState: BucketState
  /** Hexadecimal, or null where the job has no buckets. */
  readonly bucketId: string | null
  /** There is such a bucket already. */
  readonly isKnownBucket: boolean
  /** What is different for an event that is sent, as a sentence, or null. */
  readonly note: string | null
  /** Where it was asked for. */
  readonly explanation: Explanation | null
}

/** A bucket, or an event where the job has no buckets, that is like an event. */
export interface SimilarEvent {
  /** The latest event of the bucket; null where it was deleted. */
  readonly eventId: string | null
  readonly ingestMicros: number | null
  /** Its own time. */
  readonly ownMicros: number | null
  readonly bucketId: string | null
  /** Number of events with these values. */
  readonly events: number
  readonly likeness: number
  readonly result: string
  readonly resultLabel: string
  readonly consensus: string | null
  /** Where it differs: the values of the event, and its own. */
  readonly differences: readonly { readonly field: string; readonly value: PointValue; readonly other: PointValue }[]
}

export interface SimilarEvents {
  readonly eventId: string
  readonly bucketId: string | null
  /** Events with the same values at the decision points, this one among them. */
  readonly equalEvents: number
  /** The most similar first. */
  readonly similar: readonly SimilarEvent[]
  /** Buckets or events that were compared. */
  readonly compared: number
  /** False where time was up before all were compared. */
  readonly isComplete: boolean
  /** The model whose features they were compared by; null where these follow from the events alone. */
  readonly modelId: string | null
}

/** All of an answer is from one snapshot. Work that is no longer wanted is given up when `gone` is aborted. */
export interface ExplanationService {
  /** The stored decision, computed again. Rejects as `event`. */
  computed(job: JobHandle, eventId: string, gone: AbortSignal): Promise<ComputedDecision>
  /** Rejects with event_not_found, queries_busy, query_timeout. */
  event(job: JobHandle, eventId: string, gone: AbortSignal): Promise<EventExplanation>
  /**
   * `body` is the JSON of an event as it is sent, and may say `explain: true`. Rejects with the refusals of an event,
   * and with queries_busy, query_timeout.
   */
  decide(job: JobHandle, body: Uint8Array, gone: AbortSignal): Promise<WhatIf>
  /** Rejects with event_not_found, queries_busy, query_timeout. */
  similar(job: JobHandle, eventId: string, count: number, gone: AbortSignal): Promise<SimilarEvents>
}
