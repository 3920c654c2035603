/** A stored decision with all that it was made from, computed again. */
import type { DecisionSource } from '../../domain/decide/decision.js'
import type { PointValue } from '../../domain/event/point-value.js'
import type { AnswerShown } from './answer-shown.js'

/** Probabilities by name of the label, 0 to 1. */
export type ByLabel = Readonly<Record<string, number>>

export interface ShownDifference {
  readonly field: string
  readonly stored: string | number | boolean
  readonly computed: string | number | boolean
}

/** Where a decision came from, step by step. */
export interface DecisionParts {
  /** Values of the event at the decision points of the model, as it reads them. */
  readonly features: readonly { readonly field: string; readonly value: PointValue }[]
  readonly members: readonly {
    readonly name: string
    readonly weight: number
    readonly temperature: number
    readonly probabilities: ByLabel
  }[]
  /** From the mixture of the members to the calibrated probabilities. */
  readonly calibration: readonly { readonly step: string; readonly probabilities: ByLabel }[]
  /** The answer before votes and the trust watch. */
  readonly answer: AnswerShown
  readonly outlier: { readonly score: number; readonly threshold: number; readonly outlier: boolean }
  /** The votes as the decision knew them; null for none. */
  readonly votes: {
    readonly state: number
    readonly consensus: string | null
    /** Voted events by name of the label. */
    readonly split: ByLabel
    readonly override: string | null
    /** They were in the knowledge base of the model, so they count. */
    readonly counted: boolean
    /** The label stands whatever the model says. */
    readonly settled: boolean
    /** So many voted events the model counts as beside them. */
    readonly modelWeight: number | null
  } | null
  /** What doubt in the model did to the confidence; and whether the rule for macro F1 was off. */
  readonly trust: {
    readonly ageing: boolean
    readonly doubt: number
    readonly baseRate: number
    readonly ruleOff: boolean
  }
}

export interface ComputedDecision {
  readonly eventId: string
  readonly ingestMicros: number
  readonly decision: AnswerShown & {
    readonly outlier: boolean
    readonly source: DecisionSource
    readonly modelId: string | null
  }
  readonly computed: {
    /** The same bytes come out; null where nothing could be computed. */
    readonly isSame: boolean | null
    /** Why nothing could be computed, or why it may differ; null otherwise. */
    readonly reason: string | null
    readonly differences: readonly ShownDifference[]
  }
  readonly model: {
    readonly modelId: string
    readonly version: number
    readonly algorithm: string
    readonly trainedMicros: number
    readonly isActive: boolean
    /** The position in the log that it was trained from, microseconds; null where it is not known. */
    readonly throughMicros: number | null
    readonly seed: number | null
  } | null
  /** Null where nothing could be computed. */
  readonly parts: DecisionParts | null
}
