/** A vote, and what it changes. */
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { PickedBy } from './next-service.js'

/** A vote, or its withdrawal. */
export interface FeedbackInput {
  readonly analyst: string
  /** A label's name in any case, its id, or an alias `label_n`, `class_n` (C1.9); null withdraws. */
  readonly label: string | null
  /** `bucket`: the vote is about all events of the bucket, in place of the analyst's votes on them. Default `event`. */
  readonly scope?: VoteScope
  /** What picked the event for the analyst; absent where the analyst did. */
  readonly pickedBy?: PickedBy
  readonly closingNotes?: string
  readonly indicators?: unknown
}

export type VoteScope = 'event' | 'bucket'

/** How the events of a bucket are answered. */
export interface AnswerView {
  readonly result: string
  readonly resultLabel: string
  /** A percentage. */
  readonly confidenceScore: number
}

/** What a vote changed. */
export interface VoteEffect {
  /** Hexadecimal, or null where the job has no buckets. */
  readonly bucketId: string | null
  /** Number of events that the vote has a say in: those of the bucket. */
  readonly appliesToEvents: number
  /** The name of a label, `Undecided`, or null. */
  readonly consensusBefore: string | null
  readonly consensus: string | null
  /** The evidence by the names of the labels: voted events of the bucket, or analysts where there are no buckets. */
  readonly split: Readonly<Record<string, number>>
  readonly mixed: boolean
  readonly bucketState: BucketState
  /** How the next event of the bucket is answered; null where there is no model, or no bucket. */
  readonly answerBefore: AnswerView | null
  readonly answer: AnswerView | null
}
