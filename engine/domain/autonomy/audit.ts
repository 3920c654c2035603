/**
 * One audit: an event that a gate would have settled, and what people answered instead.
 *
 * Owns: which gates an audit counts for, and its outcome. Leaves out: the row in the store (store/autonomy-row.ts), the
 * evidence (gate.ts).
 *
 * 1. A gate counts the audits that were drawn from all of its events. Those that were drawn while only stricter
 *    thresholds were tested are a sample of other events.
 * 2. A failure in a bucket that was excluded afterwards still counts. Clean audits there do not.
 */
import type { AuditCounts } from './evidence.js'
import type { Gate } from './gate.js'

/** `late`: unanswered past its deadline, which counts as a failure until it is answered. */
export type AuditOutcome = 'pending' | 'clean' | 'failure' | 'late'

export interface Audit {
  /** When it was drawn, microseconds. */
  readonly drawnMicros: number
  readonly dueMicros: number
  /** Index of the label. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  /** The least confidence that audits were drawn from then. */
  readonly from: number
  readonly modelVersion: number
  /** ρ at the time of the draw. */
  readonly rate: number
  /** At the draw, hexadecimal; null without a bucket. */
  readonly bucketId: string | null
  /** Where the votes on its event are: its bucket, or the event itself. It moves with the event. Hexadecimal. */
  readonly subject: string
  /** A second person is asked. */
  readonly second: boolean
  readonly outcome: AuditOutcome
  /** People who answered. */
  readonly analysts: number
  /** They differ. */
  readonly differ: boolean
  /** Its event was erased: what people answered stands. */
  readonly gone?: true
}

/** Whether the audit is evidence for the gate (1). */
export function isCounted(audit: Audit, gate: Gate): boolean {
  return (
    audit.label === gate.label &&
    audit.modelVersion === gate.modelVersion &&
    audit.drawnMicros >= gate.startedMicros &&
    audit.from <= gate.threshold &&
    gate.threshold <= audit.confidence
  )
}

/** What the audit adds to the evidence of a gate that counts it (2). */
export function countsOf({ outcome, bucketId }: Audit, exclusions: readonly string[]): AuditCounts {
  if (outcome === 'pending') return { clean: 0, failures: 0 }
  if (outcome !== 'clean') return { clean: 0, failures: 1 }
  return { clean: bucketId !== null && exclusions.includes(bucketId) ? 0 : 1, failures: 0 }
}

/** The label that most votes name; null without votes and for a tie. */
export function majorityOf(labels: readonly number[]): number | null {
  const counts = new Map<number, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1])
  return first === undefined || first[1] === second?.[1] ? null : first[0]
}

/** A vote on an audited event. */
export interface AuditVote {
  /** Index of the label. */
  readonly label: number
}

/** The audit with these votes, at a time. A tie is no answer. */
export function answered(
  audit: Audit,
  votes: readonly AuditVote[],
  protectedLabels: readonly number[],
  nowMicros: number,
): Audit {
  const label = majorityOf(votes.map((vote) => vote.label))
  const outcome =
    label !== null
      ? protectedLabels.includes(label)
        ? 'failure'
        : 'clean'
      : audit.dueMicros <= nowMicros
        ? 'late'
        : 'pending'
  return { ...audit, outcome, analysts: votes.length, differ: new Set(votes.map((vote) => vote.label)).size > 1 }
}

/** Whether people agree that a protected label was missed. Where a second person is asked, two have to answer. */
export function isConfirmedMiss({ outcome, second, analysts }: Audit): boolean {
  return outcome === 'failure' && analysts >= (second ? 2 : 1)
}
