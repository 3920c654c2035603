/** The contract of asking people: which labels are worth most, which votes are doubted, how reliable analysts are. */
import type { PickedBy } from '../domain/learn/selection/slots.js'
import type { JobHandle } from './principal.js'

export type { PickedBy } from '../domain/learn/selection/slots.js'

export interface NextQuery {
  readonly count: number
  /** Who is asked: buckets that this person has voted on are left out. */
  readonly analyst: string
}

/** What a vote is expected to settle. */
export interface Promised {
  readonly events: number
  readonly days: number
  readonly message: string
}

/** An event to vote on. */
export interface NextLabel {
  readonly eventId: string
  readonly ingestMicros: number
  /** The event's own time. */
  readonly originalMicros: number
  readonly title: string | null
  readonly decisionPoints: Readonly<Record<string, unknown>>
  /** Hexadecimal; null where the job has no buckets. */
  readonly bucketId: string | null
  /** Stored events that the vote applies to. */
  readonly events: number
  readonly result: string
  readonly resultLabel: string
  readonly confidenceScore: number
  readonly outlier: boolean
  readonly pickedBy: PickedBy
  readonly reason: string
  /** Null where the job has no buckets: the vote settles its event alone. */
  readonly promise: Promised | null
}

export interface NextPage {
  readonly labels: readonly NextLabel[]
  /** How many earlier promises are measured, and the share of their events that came; null without one. */
  readonly promises: { readonly measured: number; readonly kept: number | null }
  /** Of held-out votes that were drawn: how many, and the share that the model answers rightly; null without any. */
  readonly drawn: { readonly votes: number; readonly right: number | null }
  /** Buckets, or events, that were looked at, and those that nobody has voted on. */
  readonly surveyed: number
  readonly unvoted: number
  /** False where the job has more than are looked at. */
  readonly isComplete: boolean
}

export interface SecondLookQuery {
  readonly count: number
  /** `doubt`: the most contradicted first. `gain`: the largest expected gain first. */
  readonly order: 'doubt' | 'gain'
}

/** A vote that the model contradicts, asked without it. */
export interface DoubtedVoteView {
  readonly eventId: string
  readonly ingestMicros: number
  readonly bucketId: string | null
  readonly events: number
  /** What people said, and who. */
  readonly label: string
  readonly analysts: readonly string[]
  /** What the model would say. Probabilities are from 0 to 1. */
  readonly suggested: string
  readonly labelProbability: number
  readonly suggestedProbability: number
  /** The chance that the vote is wrong, 0 to 1. */
  readonly wrongProbability: number
  /** Events in seven days that would be answered rightly in place of wrongly, on average. */
  readonly gain: { readonly events: number; readonly days: number; readonly message: string }
}

export interface SecondLook {
  readonly votes: readonly DoubtedVoteView[]
  /** Null without a model. */
  readonly modelId: string | null
}

export interface AnalystView {
  readonly analyst: string
  readonly votes: number
  /** Events that others answered too. */
  readonly sharedEvents: number
  /** By label of the job. Reliability is null where too few events were answered by two. */
  readonly labels: readonly {
    readonly label: string
    readonly votes: number
    /** The share of events with this true label that the analyst answers with it, estimated. */
    readonly reliability: number | null
    /** The chance that the analyst is right with it, estimated. */
    readonly precision: number | null
    /** How much a vote counts where the consensus is weighted. */
    readonly weight: number | null
  }[]
}

export interface AnalystsView {
  readonly analysts: readonly AnalystView[]
  /** Pairs with most events first. */
  readonly pairs: readonly {
    readonly analysts: readonly [string, string]
    readonly events: number
    readonly agreement: number
    readonly cohenKappa: number | null
  }[]
  readonly fleissKappa: number | null
  readonly krippendorffAlpha: number | null
  readonly sharedEvents: number
  readonly message: string
  /** False where the job has more votes than are read. */
  readonly isComplete: boolean
}

export interface NextService {
  /** How far analysts agree, and how reliable each is. Rejects with queries_busy. */
  analysts(job: JobHandle): Promise<AnalystsView>
  /** Votes that nobody has looked at again since the training. Rejects with queries_busy. */
  secondLook(job: JobHandle, query: SecondLookQuery): Promise<SecondLook>
  /** Rejects with queries_busy. */
  next(job: JobHandle, query: NextQuery): Promise<NextPage>
}
