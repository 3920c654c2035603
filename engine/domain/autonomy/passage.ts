/**
 * Whether an answered event passes a gate, is an audit of it, or goes to people.
 *
 * Owns: what never passes a gate. Leaves out: whether the gate is open (gate.ts), the draw (sampling.ts).
 */
import type { Decision } from '../decide/decision.js'

/**
 * What becomes of an answered event. An audit looks like `review` to everybody who votes. `none`: the job had no
 * contract.
 */
export type Autonomy = 'none' | 'settled' | 'review' | 'audit'

export const autonomies: readonly Autonomy[] = ['none', 'settled', 'review', 'audit']

/** The answers that a gate is about (gate.ts, 1). */
export interface GateScope {
  /** Index of the label. */
  readonly label: number
  /** The least confidence, hundredths of a percent. */
  readonly threshold: number
  readonly modelVersion: number
}

/** What is known of the event's bucket that speaks against settling. */
export interface BucketVotes {
  /** The contract leaves the bucket out. */
  readonly excluded: boolean
  /** Whether its votes name more than one label. */
  readonly dissent: boolean
  /** Whether any vote names a protected label. */
  readonly protectedVote: boolean
  /** Whether that is their consensus. */
  readonly protectedConsensus: boolean
}

/** What the votes on a bucket, and the contract, mean for its events. */
export interface BucketStanding {
  /** They are never settled. */
  readonly barred: boolean
  /** People say that they have a protected label. */
  readonly isProtected: boolean
}

/** One object for each case: there are millions of buckets. */
const standings = {
  free: { barred: false, isProtected: false },
  barred: { barred: true, isProtected: false },
  protected: { barred: true, isProtected: true },
} as const satisfies Record<string, BucketStanding>

export function standingOf({ excluded, dissent, protectedVote, protectedConsensus }: BucketVotes): BucketStanding {
  if (protectedConsensus) return standings.protected
  return excluded || dissent || protectedVote ? standings.barred : standings.free
}

/** Whether the gate would settle the event: everything but its bucket, the draw and the gate's state. */
export function isEligible(scope: GateScope, decision: Decision): boolean {
  return (
    decision.label === scope.label &&
    decision.confidence >= scope.threshold &&
    decision.modelVersion === scope.modelVersion &&
    (decision.source === 'model' || decision.source === 'knowledge_base') &&
    !decision.outlier &&
    // The evidence of the gate has no such answers: the rule answered them with another label.
    decision.ruleOff !== true
  )
}

interface DecidedBefore {
  readonly label: number
  readonly autonomy: Autonomy
}

/** What becomes of an event that is decided again: one that was settled with another label goes back to people. */
export function autonomyAgain(before: DecidedBefore, label: number): Autonomy {
  return before.autonomy === 'settled' && before.label !== label ? 'review' : before.autonomy
}

/** As people who vote see it: audits are not to be told from the rest. */
export function blind(autonomy: Autonomy): Exclude<Autonomy, 'audit'> {
  return autonomy === 'audit' ? 'review' : autonomy
}
