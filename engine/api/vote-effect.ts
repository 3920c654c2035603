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
  /**
   * When the analyst said so, microseconds: a vote may have waited for a connection. Of two votes the later one stands,
   * whichever arrives first. Absent: now.
   */
  readonly votedMicros?: number
  /** What its client calls the vote: sent again, it is the same vote. */
  readonly voteId?: string
  /**
   * Takes back the analyst's vote on the event that has this id or this time: what it replaced stands again, with its
   * time and notes. `label` is null. A vote that has changed since stays.
   */
  readonly takesBack?: { readonly voteId: string } | { readonly votedMicros: number }
}

export type VoteScope = 'event' | 'bucket'

/** How the events of a bucket are answered. */
export interface AnswerView {
  readonly result: string
  readonly resultLabel: string
  /** A percentage. */
  readonly confidenceScore: number
}

/** An analyst's vote as it stands. */
export interface OwnVoteView {
  /** The name of the label. */
  readonly label: string
  readonly scope: VoteScope
  readonly votedMicros: number
  readonly closingNotes: string | null
}

/** What a vote changed. */
export interface VoteEffect {
  /** False: nothing has changed, because a later vote of the analyst stands. */
  readonly applied: boolean
  /** The analyst's vote now; null without one. */
  readonly vote: OwnVoteView | null
  /** Hexadecimal, or null where the job has no buckets. */
  readonly bucketId: string | null
  /** Number of events that the vote applies to: those of the bucket. */
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
