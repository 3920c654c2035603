/**
 * The gates of one label, from the strictest threshold to the laxest, and their states.
 *
 * Owns: which gates are open, which events they take, what revokes them. Leaves out: the evidence of one gate
 * (gate.ts), audits (audit.ts), the store (actor/autonomy/).
 *
 * 1. A threshold is tried only while all stricter ones are certified, so trying several needs no correction
 *    (Angelopoulos et al., "Learn then test", arXiv 2110.01052: fixed sequence testing).
 * 2. A gate is open while it and all stricter ones are certified, and the contract's mode is `open`.
 * 3. Where a gate is revoked, laxer ones of the label are revoked with it.
 * 4. Evidence and counts of a gate always equal a count over its audits (`recount`).
 */
import { countsOf, isCounted, type Audit } from './audit.js'
import type { AutonomyMode, LabelTerms, SafetyContract } from './contract.js'
import {
  epochWeeks,
  judge,
  noEvidence,
  weekOf,
  withAudits,
  type Gate,
  type GateTerms,
  type StateReason,
  type Verdict,
} from './gate.js'
import { dueHour, withDue } from './waiting.js'

/** A gate that begins now. */
export function newGate(
  { label, epsilon, delta, exclusions }: LabelTerms,
  of: { readonly number: number; readonly threshold: number; readonly modelVersion: number; readonly atMicros: number },
): Gate {
  const { number, threshold, modelVersion, atMicros } = of
  return {
    number,
    label,
    threshold,
    modelVersion,
    exclusions,
    epsilon,
    delta,
    startedMicros: atMicros,
    state: 'shadow',
    reason: 'set',
    stateMicros: atMicros,
    evidence: noEvidence,
    pending: 0,
    second: { answered: 0, differ: 0 },
    flow: [],
  }
}

/** The gate after one of its audits changed. Null: there was none before, or is none any more. */
export function withAudit(gate: Gate, before: Audit | null, after: Audit | null, nowMicros: number): Gate {
  let { evidence, pending } = gate
  let { answered, differ } = gate.second
  const now = weekOf(gate.startedMicros, nowMicros)
  for (const sign of [-1, 1] as const) {
    const audit = sign === -1 ? before : after
    if (audit === null || !isCounted(audit, gate)) continue
    const { clean, failures } = countsOf(audit, gate.exclusions)
    const week = weekOf(gate.startedMicros, audit.drawnMicros)
    if (clean + failures > 0)
      evidence = withAudits(evidence, { week, clean: sign * clean, failures: sign * failures }, now)
    const isPending = audit.outcome === 'pending'
    if (isPending) pending += sign
    const hour = dueHour(audit.dueMicros)
    const due = { hour, week, clean: sign * clean, pending: isPending ? sign : 0 }
    if (isPending || clean > 0) evidence = { ...evidence, hours: withDue(evidence.hours ?? [], due, nowMicros) }
    if (!audit.second || audit.analysts < 2) continue
    answered += sign
    if (audit.differ) differ += sign
  }
  return { ...gate, evidence, pending, second: { answered, differ } }
}

/** The gate without weeks that no epoch covers any more, and without hours in which nothing can be due. */
export function atTime(gate: Gate, nowMicros: number): Gate {
  const week = weekOf(gate.startedMicros, nowMicros)
  const flow = gate.flow.filter((each) => each.week > week - epochWeeks)
  const { weeks } = withAudits(gate.evidence, { week, clean: 0, failures: 0 }, week)
  return { ...gate, flow, evidence: { weeks, hours: withDue(gate.evidence.hours ?? [], null, nowMicros) } }
}

/** The gate with evidence and counts made anew from all audits of its job (4). */
export function recount(gate: Gate, audits: Iterable<Audit>, nowMicros: number): Gate {
  let next: Gate = { ...gate, evidence: noEvidence, pending: 0, second: { answered: 0, differ: 0 } }
  for (const audit of audits) next = withAudit(next, null, audit, nowMicros)
  return next
}

export function verdictOf(gate: Gate, nowMicros: number, revokeOnMiss: boolean): Verdict {
  const terms: GateTerms = { epsilon: gate.epsilon, delta: gate.delta, revokeOnMiss }
  return judge(gate.evidence, weekOf(gate.startedMicros, nowMicros), terms)
}

/** The gates of one label with the states that the evidence gives them. They come from strict to lax. */
export function judged(gates: readonly Gate[], { mode, revokeOnMiss }: SafetyContract, nowMicros: number): Gate[] {
  let [certifiedSoFar, revokedSoFar] = [true, false]
  return gates.map((gate) => {
    const here = atTime(gate, nowMicros)
    if (here.state === 'revoked') {
      revokedSoFar = true
      return here
    }
    const verdict = verdictOf(here, nowMicros, revokeOnMiss)
    if (revokedSoFar || verdict.alarmed) {
      const reason = revokedSoFar ? 'stricter_revoked' : 'evidence'
      revokedSoFar = true
      return revoked(here, reason, nowMicros)
    }
    certifiedSoFar &&= verdict.certified
    return withState(here, mode, certifiedSoFar, nowMicros)
  })
}

function withState(gate: Gate, mode: AutonomyMode, certified: boolean, nowMicros: number): Gate {
  const state = mode === 'open' && certified ? 'open' : 'shadow'
  if (state === gate.state) return gate
  const reason = state === 'open' ? 'certified' : mode === 'open' ? 'not_certified' : 'by_hand'
  return { ...gate, state, reason, stateMicros: nowMicros }
}

export function revoked(gate: Gate, reason: StateReason, nowMicros: number): Gate {
  return gate.state === 'revoked' ? gate : { ...gate, state: 'revoked', reason, stateMicros: nowMicros }
}

/** What the gates of a label do with events. Confidences in hundredths of a percent; Infinity for no event. */
export interface Reach {
  /** Audits are drawn from this confidence on. */
  readonly auditedFrom: number
  /** Events are settled from this confidence on. */
  readonly settledFrom: number
  /** The gate that settles: the laxest open one. */
  readonly settles: Gate | null
}

/** Audits are drawn for the first gate that is not certified, and so for all stricter ones (1). */
export function reachOf(gates: readonly Gate[], nowMicros: number): Reach {
  let [auditedFrom, settles] = [Infinity, null as Gate | null]
  for (const gate of gates) {
    if (gate.state === 'revoked') break
    auditedFrom = gate.threshold
    if (gate.state === 'open') settles = gate
    if (!verdictOf(gate, nowMicros, false).certified) break
  }
  return { auditedFrom, settledFrom: settles === null ? Infinity : settles.threshold, settles }
}
