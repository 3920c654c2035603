/**
 * What a gate's evidence says, for people: the two rates with their bounds, and the certificate of a change of state.
 *
 * Owns: figures and words. Leaves out: the evidence (gate.ts), the audit log (services/audit/).
 *
 * 1. The first rate is the share of settled events that people would have answered with a protected label. Its bound b
 *    is proved by audits. The second is the share of protected events that were settled: at most b S / (b S + P) for S
 *    settled events, and P events that went to people who answered with a protected label. A bound on the first is
 *    none on the second. The answers of the model are not in P: the more of them are wrong, the better it would look.
 */
import type { SafetyContract } from './contract.js'
import { logCapital } from './evidence.js'
import { epochWeeks, weekMicros, type Gate } from './gate.js'
import { verdictOf } from './ladder.js'
import { waitingOf } from './waiting.js'

export interface GateFigures {
  /** With confidence 1 - δ the first rate is at most this; 1 where nothing is known. */
  readonly bound: number
  /** The same for the second rate (1); null where no event was settled. */
  readonly protectedBound: number | null
  /** Audits with an outcome, and those of them that failed. */
  readonly audits: number
  readonly failures: number
  /** Clean answers that wait for audits that were drawn before them. */
  readonly waiting: number
  /** In the last weeks. */
  readonly settled: number
  readonly protectedEvents: number
  readonly certified: boolean
  /** ln K of these audits against "the rate is ε or more". */
  readonly logCapital: number
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
  // People may have given up a consensus in a later week.
  protectedEvents = Math.max(0, protectedEvents)
  const missed = bound * settled
  return {
    bound,
    protectedBound: settled === 0 ? null : missed / (missed + protectedEvents),
    audits: counts.clean + counts.failures,
    failures: counts.failures,
    waiting: waitingOf(gate.evidence.hours ?? [], 0),
    settled,
    protectedEvents,
    certified,
    logCapital: logCapital(gate.epsilon, counts),
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

/** What the gate promises; before it is open, what it would promise. */
export function statementOf(gate: Gate, contract: SafetyContract, name: LabelNames): string {
  const protectedNames = contract.protectedLabels.map(name).join(' or ')
  const about = `${name(gate.label)} automatically at a confidence of ${gate.threshold / 100} or more`
  if (gate.state !== 'open')
    return (
      `The job does not settle ${about}: that is for the proof that at most ${percent(gate.epsilon)} of the settled ` +
      `events would be ${protectedNames}, with a confidence of ${percent(1 - gate.delta)}.`
    )
  return (
    `The job settles ${about}. With a ` +
    `confidence of ${percent(1 - gate.delta)}, at any time, analysts would have answered at most ` +
    `${percent(gate.epsilon)} of the settled events with ${protectedNames}.`
  )
}

/** The two rates in plain words. */
export function ratesInWords(gate: Gate, figures: GateFigures, contract: SafetyContract, name: LabelNames): string[] {
  const protectedNames = contract.protectedLabels.map(name).join(' or ')
  const { audits, failures, waiting, bound, settled, protectedEvents, protectedBound } = figures
  const first =
    audits === 0
      ? 'No audit counts yet, so nothing is known of the events that would be settled.'
      : `Of ${count(audits, 'audit', 'audits')} ${failures} failed: at most ${percent(bound)} of the settled events ` +
        `are wrong, with a confidence of ${percent(1 - gate.delta)}.`
  const second =
    protectedBound === null
      ? `No event was settled, so no ${protectedNames} was missed.`
      : `${count(settled, 'event was', 'events were')} settled, and people answered ` +
        `${count(protectedEvents, 'other', 'others')} with ${protectedNames}: at most ${percent(protectedBound)} ` +
        `of all ${protectedNames} were settled.`
  const third =
    `${count(waiting, 'clean answer does', 'clean answers do')} not count yet: audits of an hour before are not ` +
    'answered.'
  return waiting === 0 ? [first, second] : [first, second, third]
}

/** `1 audit`, `2 audits`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** How who does not trust the service computes a certificate again. */
const capitalInWords =
  'K = sum of w r^failures ((1 - r epsilon) / (1 - epsilon))^(audits - failures) over (r, w) = (0, 0.4), (0.1, 0.2), ' +
  '(0.25, 0.2), (0.5, 0.2). The gate is certified while K is at least 1 / level, and level is delta / 4. The bound ' +
  'is the least epsilon for which that holds, within 5 %.'

/** What has to hold for the bounds to hold. */
export const assumptions: readonly string[] = [
  'Audits are drawn by a keyed hash of the event id before anything is done, and no answer marks them.',
  'Analysts answer an audit as they answer any other event. Who compares its confidence with an open threshold can ' +
    'guess that it is one, and only second opinions show whether that changes the answer.',
  'What analysts answer on an audit is right; the measured disagreement of second persons is given beside the bound.',
  'Clean answers count in the order in which audits were drawn, hour by hour: leaving hard ones gains nothing. ' +
    'An audit that nobody answers in time counts as a failure.',
  'Evidence older than 28 days does not count, so the rate may change slowly but not within a week.',
  'A new epoch of evidence begins each week. The four that run at a time share delta, so the statement holds at any ' +
    'time of a gate; over many months of a gate at its limit, the chance that it is false at some time is larger.',
  'Each gate has a delta of its own. Who sets a contract again and again until a gate opens has tried as often.',
  'An event counts as protected where people answered it, or its bucket before it came, with a protected label. ' +
    'There may be more, and then the share of them that was settled is smaller.',
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
    level: gate.delta / epochWeeks,
    capital: Number(Math.exp(Math.min(figures.logCapital, 700)).toPrecision(6)),
    proof: capitalInWords,
    hold_out_rate: contract.holdOutRate,
    audits: figures.audits,
    failures: figures.failures,
    pending: gate.pending,
    waiting: figures.waiting,
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
