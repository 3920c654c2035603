/** Answers of models in the contracts. */

/** An answer of a model, as a decision is shown. */
export interface AnswerShown {
  /** Label id, or '' without a decision. */
  readonly result: string
  readonly resultLabel: string
  /** A percentage. */
  readonly confidenceScore: number
  /** In nats; 0 without a decision. */
  readonly outlierScore: number
}
