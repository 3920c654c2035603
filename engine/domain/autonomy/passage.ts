/**
 * Whether an answered event passes a gate, is an audit of it, or goes to people.
 *
 * Owns: what never passes a gate. Leaves out: whether the gate is open (gate.ts), the draw (sampling.ts).
 */
import type { Decision } from '../decide/decision.js'

/** What becomes of an answered event. An audit looks like `review` to everybody who votes. */
export type Autonomy = 'settled' | 'review' | 'audit'

/** The answers that a gate is about (gate.ts, 1). */
export interface GateScope {
  /** Index of the label. */
  readonly label: number
  /** The least confidence, hundredths of a percent. */
  readonly threshold: number
  readonly modelVersion: number
  /** Buckets in which a miss was found and that are kept out since. Their failures still count. */
  readonly exclusions: ReadonlySet<string>
}

/** What the votes on an event's bucket say against settling it. */
export interface BucketVotes {
  readonly bucketId: string
  /** Whether its votes name more than one label. */
  readonly dissent: boolean
  /** Whether any vote names a protected label. */
  readonly protectedVote: boolean
}

/** Whether the gate would settle the event: everything but the draw and the gate's state. */
export function isEligible(scope: GateScope, decision: Decision, votes: BucketVotes): boolean {
  return (
    decision.label === scope.label &&
    decision.confidence >= scope.threshold &&
    decision.modelVersion === scope.modelVersion &&
    (decision.source === 'model' || decision.source === 'knowledge_base') &&
    !decision.outlier &&
    !votes.dissent &&
    !votes.protectedVote &&
    !scope.exclusions.has(votes.bucketId)
  )
}
