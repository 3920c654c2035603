/**
 * One gate: a model's answers with one label, from one confidence on, that may be settled without people while audits
 * show that few of them are wrong.
 *
 * Owns: the state of a gate, what opens, closes and revokes it. Leaves out: the arithmetic of the evidence
 * (evidence.ts), which events it takes (passage.ts), audits in the store (actor/).
 *
 * 1. A gate is immutable: another model, label, threshold or list of exclusions is another gate, without evidence.
 * 2. It is open while the evidence refutes "the rate is ε or more", and closed as soon as it does not: the largest
 *    capital of the past counts for nothing.
 * 3. Evidence is counted in weeks from the gate's beginning. An epoch begins each week and lasts four. The epochs that
 *    overlap share δ and δ' equally. Evidence of weeks before them counts for nothing.
 * 4. A revoked gate stays revoked.
 * 5. The same audits give the same state in any order, and a count made anew from the audits is the same.
 * 6. Clean answers count in the order of their audits (waiting.ts).
 */
import { logAlarm, logCapital, rateBound, type AuditCounts } from './evidence.js'
import { waitingOf, type DueHour } from './waiting.js'

/** What a job's owner asks of a gate. */
export interface GateTerms {
  /** ε: the share of settled events that may be wrong; above 0, at most 0.5. */
  readonly epsilon: number
  /** δ: the chance that the statement is false at any time; above 0, at most 0.5. */
  readonly delta: number
  /** Whether one confirmed miss of a protected label revokes the gate. */
  readonly revokeOnMiss: boolean
}

/** `shadow` collects evidence and settles nothing. */
export type GateState = 'shadow' | 'open' | 'revoked'

/** Why a gate is revoked. */
export type Revocation = 'new_model' | 'drift' | 'miss' | 'evidence' | 'by_hand'

export const weekMicros = 7 * 24 * 3600 * 1_000_000
/** The weeks of an epoch, and so the epochs that overlap. */
export const epochWeeks = 4
/** δ': the chance that a gate within its terms is ever revoked by the evidence. */
const alarmDelta = 0.01

/** The audits of one week. Weeks are counted from the gate's beginning, which is in week 0. */
export interface WeekCounts extends AuditCounts {
  readonly week: number
}

/** What a gate has collected: at most `epochWeeks` weeks with audits, the oldest first. */
export interface GateEvidence {
  readonly weeks: readonly WeekCounts[]
  /**
   * By hour of their deadlines, audits that are not answered, and clean ones that may wait for them (6). Absent in a
   * row of before answers waited: it is counted anew when its job is opened.
   */
  readonly hours?: readonly DueHour[]
}

export const noEvidence: GateEvidence = { weeks: [], hours: [] }

/** The week of a time, for a gate that began at `startedMicros`. Times before it are in week 0. */
export function weekOf(startedMicros: number, micros: number): number {
  return Math.max(0, Math.floor((micros - startedMicros) / weekMicros))
}

/**
 * The evidence with audits added to a week, or taken from it with counts below 0. Weeks that no epoch of `now` covers
 * are dropped; audits of such a week change nothing.
 */
export function withAudits(evidence: GateEvidence, added: WeekCounts, now: number): GateEvidence {
  const first = now - epochWeeks + 1
  const weeks = evidence.weeks.filter(({ week }) => week >= first && week !== added.week)
  if (added.week >= first) {
    const before = evidence.weeks.find(({ week }) => week === added.week)
    const clean = (before?.clean ?? 0) + added.clean
    const failures = (before?.failures ?? 0) + added.failures
    if (clean > 0 || failures > 0) weeks.push({ week: added.week, clean, failures })
  }
  return { ...evidence, weeks: weeks.sort((a, b) => a.week - b.week) }
}

/**
 * The audits that count in each epoch that runs in week `now`, the longest epoch first. A gate of less than four weeks
 * has fewer epochs.
 */
export function epochs(evidence: GateEvidence, now: number): AuditCounts[] {
  const first = Math.max(0, now - epochWeeks + 1)
  return Array.from({ length: now - first + 1 }, (_, at) => {
    let clean = 0
    let failures = 0
    for (const counts of evidence.weeks) {
      if (counts.week < first + at || counts.week > now) continue
      clean += counts.clean
      failures += counts.failures
    }
    return { clean: clean - waitingOf(evidence.hours ?? [], first + at), failures }
  })
}

/** What the evidence says in one week. */
export interface Verdict {
  /** Whether it refutes "the rate is ε or more". */
  readonly certified: boolean
  /** Whether it refutes "the rate is ε or less". */
  readonly alarmed: boolean
  /** With confidence 1 - δ the rate is at most this; 1 where nothing is known. */
  readonly bound: number
  /** The audits behind the bound. */
  readonly counts: AuditCounts
}

/** Judges the evidence in week `now`. */
export function judge(evidence: GateEvidence, now: number, { epsilon, delta }: GateTerms): Verdict {
  const level = delta / epochWeeks
  const running = epochs(evidence, now)
  let certified = false
  let alarmed = false
  let bound = 1
  let counts = running[0] as AuditCounts
  for (const epoch of running) {
    const isProof = logCapital(epsilon, epoch) >= -Math.log(level)
    certified ||= isProof
    alarmed ||= logAlarm(epsilon, epoch) >= Math.log(epochWeeks / alarmDelta)
    // ε itself lies between two rates of the grid.
    const rate = Math.min(rateBound(level, epoch), isProof ? epsilon : 1)
    if (rate < bound) {
      bound = rate
      counts = epoch
    }
  }
  return { certified, alarmed, bound, counts }
}

/** Why a gate is in its state. `evidence`: audits certify it, no longer certify it, or say that it fails. */
export type StateReason = Revocation | 'set' | 'certified' | 'not_certified' | 'stricter_revoked'

/** What a gate did with the events of one week. */
export interface GateFlow {
  readonly week: number
  /** Events that it settled. */
  settled: number
  /** Events that went to people who answered them, or their bucket, with a protected label. */
  protectedEvents: number
}

export interface Gate {
  /** Counts up in the job. */
  readonly number: number
  /** Index of the label. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly threshold: number
  readonly modelVersion: number
  readonly exclusions: readonly string[]
  readonly epsilon: number
  readonly delta: number
  /** When it began, microseconds. */
  readonly startedMicros: number
  readonly state: GateState
  readonly reason: StateReason
  /** Since when it is in its state. */
  readonly stateMicros: number
  readonly evidence: GateEvidence
  /** Audits that are not answered and not late. */
  readonly pending: number
  /** Audits that a second person answered, and how many of them differ. */
  readonly second: { readonly answered: number; readonly differ: number }
  /** The last weeks, oldest first. */
  readonly flow: GateFlow[]
}
