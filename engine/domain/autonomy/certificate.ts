/**
 * What a gate's evidence says, for people: the two rates with their bounds, and the certificate of a change of state.
 *
 * Owns: figures and words. Leaves out: the evidence (gate.ts), the audit log (services/audit/).
 *
 * 1. The first rate is the share of settled events that people would have answered with a protected label. Its bound b
 *    is proved by audits. The second is the share of protected events that were settled: at most b S / (b S + P) for S
 *    settled events, and P events that went to people with a protected label. A bound on the first is none on the
 *    second.
 */
import type { SafetyContract } from './contract.js'
import { epochWeeks, weekMicros, type Gate } from './gate.js'
import { verdictOf } from './ladder.js'

export interface GateFigures {
  /** With confidence 1 - δ the first rate is at most this; 1 where nothing is known. */
  readonly bound: number
  /** The same for the second rate (1); null where no event was settled. */
  readonly protectedBound: number | null
  /** Audits with an outcome, and those of them that failed. */
  readonly audits: number
  readonly failures: number
  /** In the last weeks. */
  readonly settled: number
  readonly protectedEvents: number
  readonly certified: boolean
  /** The first and last microsecond of the evidence. */
  readonly fromMicros: number
  readonly toMicros: number
}

export function figuresOf(gate: Gate, nowMicros: number): GateFigures {
  const { bound, counts, certified } = verdictOf(gate, nowMicros, false)
  let [settled, protectedEvents] = [0, 0]
  for (const week of gate.flow) {
    settled += week.settled
    protectedEvents += week.protectedEvents
  }
  const missed = bound * settled
  return {
    bound,
    protectedBound: settled === 0 ? null : missed / (missed + protectedEvents),
    audits: counts.clean + counts.failures,
    failures: counts.failures,
    settled,
    protectedEvents,
    certified,
    fromMicros: Math.max(gate.startedMicros, nowMicros - epochWeeks * weekMicros),
    toMicros: nowMicros,
  }
}

/** Names of labels by their index. */
export type LabelNames = (label: number) => string

/** 0.0061 as `0.61 %`. */
export function percent(rate: number): string {
  const value = rate * 100
  return `${value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : Number(value.toPrecision(2))} %`
}

export function gateId(jobId: number, { number }: Pick<Gate, 'number'>): string {
  return `${jobId}-${number}`
}

/** What the gate promises. */
export function statementOf(gate: Gate, contract: SafetyContract, name: LabelNames): string {
  const protectedNames = contract.protectedLabels.map(name).join(' or ')
  return (
    `The job settles ${name(gate.label)} by itself from a confidence of ${gate.threshold / 100} on. With a ` +
    `confidence of ${percent(1 - gate.delta)}, whenever one looks, analysts would have answered at most ` +
    `${percent(gate.epsilon)} of the settled events with ${protectedNames}.`
  )
}

/** The two rates in plain words. */
export function ratesInWords(gate: Gate, figures: GateFigures, contract: SafetyContract, name: LabelNames): string[] {
  const protectedNames = contract.protectedLabels.map(name).join(' or ')
  const { audits, failures, bound, settled, protectedEvents, protectedBound } = figures
  const first =
    audits === 0
      ? 'No audit has an outcome yet, so nothing is known of the events that would be settled.'
      : `Of ${audits} audits ${failures} failed: at most ${percent(bound)} of the settled events are wrong, with a ` +
        `confidence of ${percent(1 - gate.delta)}.`
  const second =
    protectedBound === null
      ? `No event was settled, so no ${protectedNames} was missed.`
      : `${settled} events were settled, and ${protectedEvents} went to people as ${protectedNames}: at most ` +
        `${percent(protectedBound)} of all ${protectedNames} were settled.`
  return [first, second]
}

/** What has to hold for the bounds to hold. */
export const assumptions: readonly string[] = [
  'Audits are drawn by a keyed hash of the event id before anything is done, and no answer marks them.',
  'Analysts answer an audit as they answer any other event. Who compares its confidence with an open threshold can ' +
    'guess that it is one, and only second opinions show whether that changes the answer.',
  'What analysts answer on an audit is right; the measured disagreement of second persons is given beside the bound.',
  'An audit that nobody answers in time counts as a failure.',
  'Evidence older than 28 days does not count, so the rate may change slowly but not within a week.',
  'An event counts as protected where the job answered with a protected label and people got it.',
]

/** The certificate of a gate that has just changed its state. */
export function certificateOf(
  jobId: number,
  gate: Gate,
  before: Gate,
  { contract, name, nowMicros }: { contract: SafetyContract; name: LabelNames; nowMicros: number },
): Record<string, unknown> {
  const figures = figuresOf(gate, nowMicros)
  return {
    gate: gateId(jobId, gate),
    state: gate.state,
    state_before: before.state,
    reason: gate.reason,
    statement: statementOf(gate, contract, name),
    label: name(gate.label),
    threshold: gate.threshold / 100,
    model: gate.modelVersion,
    exclusions: gate.exclusions.length,
    epsilon: gate.epsilon,
    delta: gate.delta,
    hold_out_rate: contract.holdOutRate,
    audits: figures.audits,
    failures: figures.failures,
    pending: gate.pending,
    bound: figures.bound,
    protected_bound: figures.protectedBound,
    settled: figures.settled,
    protected_events: figures.protectedEvents,
    rates: ratesInWords(gate, figures, contract, name),
    second_opinions: gate.second.answered,
    second_opinions_differ: gate.second.differ,
    evidence_from_micros: figures.fromMicros,
    evidence_to_micros: figures.toMicros,
    assumptions,
  }
}
