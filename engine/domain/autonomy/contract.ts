/**
 * The safety contract of a job: which labels it may settle by itself, within which terms.
 *
 * Owns: the contract as plain data, and the checks of what a person writes. Leaves out: the gates that follow from it
 * (ladder.ts), where it is stored (store/autonomy-row.ts).
 *
 * 1. A protected label is never settled, and every contract protects one at least.
 * 2. A label has its terms once. Its thresholds fall: the strictest comes first.
 */
import { Refusal, type Issue } from '../../errors.js'
import type { JobCategory, Label } from '../job/job.js'
import { areSameNames, defaultLabels, resolveLabel } from '../job/labels.js'
import {
  afterWorkingMs,
  peopleHoursOf,
  threeWorkingDaysHours,
  workingHoursOf,
  type PeopleHours,
} from '../job/working-hours.js'
import { autonomyBounds } from './bounds.js'

/** `shadow` collects evidence and settles nothing. `open`: gates open where the evidence allows it. */
export type AutonomyMode = 'off' | 'shadow' | 'open'

export const autonomyModes: readonly AutonomyMode[] = ['off', 'shadow', 'open']

/** What may be settled with one label. */
export interface LabelTerms {
  /** Index of the label. */
  readonly label: number
  /** ε: the share of settled events that may be wrong; above 0, at most 0.5. */
  readonly epsilon: number
  /** δ: the chance that the statement is false at any time; above 0, at most 0.5. */
  readonly delta: number
  /** The least confidences, hundredths of a percent, falling. */
  readonly thresholds: readonly number[]
  /** Ids of buckets that are never settled, hexadecimal, sorted. */
  readonly exclusions: readonly string[]
}

export interface SafetyContract {
  readonly mode: AutonomyMode
  /** ρ: the share of events that go to people although a gate would settle them; above 0, at most 1. */
  readonly holdOutRate: number
  /** Whether one confirmed miss of a protected label revokes the gate. */
  readonly revokeOnMiss: boolean
  /** How long an audit may stay unanswered before it counts as a failure. */
  readonly deadlineMicros: number
  /**
   * Set where only working hours count for that: those of the job, or of the service, when the contract was set. A job
   * with working hours of its own is counted by these as they are now.
   */
  readonly deadlineIn?: PeopleHours
  /** Indexes of labels. */
  readonly protectedLabels: readonly number[]
  /** The names of all labels when it was set: under other names nothing is settled. Absent in older rows. */
  readonly labelNames?: readonly string[]
  readonly labels: readonly LabelTerms[]
}

/** A contract as a person writes it. Absent fields have defaults. */
export interface ContractInput {
  readonly mode: AutonomyMode
  readonly holdOutRate?: number | undefined
  readonly revokeOnMiss?: boolean | undefined
  readonly auditDeadlineHours?: number | undefined
  /** Only working hours count for the deadline; default: where there are any. */
  readonly auditDeadlineWorkingHours?: boolean | undefined
  readonly protectedLabels?: readonly string[] | undefined
  readonly labels: readonly {
    readonly label: string
    readonly epsilon: number
    readonly delta?: number | undefined
    /** Percent. */
    readonly thresholds: readonly number[]
    readonly exclusions?: readonly string[] | undefined
  }[]
}

export const contractDefaults = { holdOutRate: 0.05, auditDeadlineHours: 72, delta: 0.05 } as const
/** ε and δ are at most this: beyond it a contract promises nothing. */
export const riskMax = 0.5
/** ε and δ are at least this: below it no number of audits proves anything, and bounds are not told (evidence.ts). */
export const riskMin = 1e-6
const HOUR_MICROS = 3_600_000_000
/** Evidence of four weeks counts. */
const DUE_MICROS_MAX = 28 * 24 * HOUR_MICROS
const bucketIdForm = /^[0-9a-f]{32}$/

interface ContractJob {
  readonly category: JobCategory
  readonly labels: readonly Label[]
}

/** `people`: when people are there to answer audits of the job. @throws Refusal invalid_body, unknown_label. */
export function contractOf(input: ContractInput, job: ContractJob, people: PeopleHours): SafetyContract {
  const rate = input.holdOutRate ?? contractDefaults.holdOutRate
  mustBeRate(['hold_out_rate'], rate)
  const deadline = deadlineOf(input, people)
  const protectedLabels = protectedOf(input, job)
  const labels = input.labels.map((terms, place) => termsOf(terms, ['labels', place], job.labels))
  for (const [place, { label }] of labels.entries()) {
    const name = job.labels[label]?.name ?? ''
    if (protectedLabels.includes(label))
      throw wrong(
        ['labels', place, 'label'],
        `the label ${name} is protected, so it cannot settle itself: take it out of one of the two lists`,
      )
    if (labels.findIndex((other) => other.label === label) !== place)
      throw wrong(['labels', place, 'label'], `the label ${name} has two gates: write its thresholds in one list`)
  }
  if (input.mode !== 'off' && labels.length === 0)
    throw wrong(['labels'], 'no label is named: name one at least, or set the mode to off')
  return {
    mode: input.mode,
    holdOutRate: rate,
    revokeOnMiss: input.revokeOnMiss ?? false,
    ...deadline,
    protectedLabels,
    labelNames: job.labels.map(({ name }) => name),
    labels,
  }
}

/**
 * Why nothing is settled although gates are open: labels have other names than in the contract that somebody set. Null:
 * they have the same.
 */
export function pauseOf(
  { mode, labelNames }: Pick<SafetyContract, 'mode' | 'labelNames'>,
  labels: readonly Label[],
): string | null {
  if (mode === 'off' || labelNames === undefined || areSameNames(labelNames, labels)) return null
  const changed = labels.flatMap(({ name }, place) => {
    const was = labelNames[place] ?? ''
    return areSameNames([was], [labels[place] as Label]) ? [] : [`${was} is ${name} now`]
  })
  return (
    `Nothing is settled: labels were renamed after the safety contract was set (${changed.join(', ')}). ` +
    'Set the contract again to confirm it under the new names.'
  )
}

/** The deadline of audits, as a person writes it or by default. @throws Refusal invalid_body. */
export function deadlineOf(
  { auditDeadlineHours, auditDeadlineWorkingHours }: Partial<ContractInput>,
  people: PeopleHours,
): Pick<SafetyContract, 'deadlineMicros' | 'deadlineIn'> {
  const working = workingHoursOf(people.workingHours, people.timeZone)
  if (auditDeadlineWorkingHours === true && working === null)
    throw wrong(
      ['audit_deadline_working_hours'],
      'there are no working hours: give the job advanced_settings.working_hours, or the service SERVICE_WORKING_HOURS',
    )
  const counted = auditDeadlineWorkingHours === false ? null : working
  const usual = counted === null ? contractDefaults.auditDeadlineHours : threeWorkingDaysHours(counted)
  const hours = auditDeadlineHours ?? usual
  if (!(hours >= 1 && hours <= autonomyBounds.auditDeadlineHoursMax))
    throw wrong(['audit_deadline_hours'], `the deadline is 1 to ${autonomyBounds.auditDeadlineHoursMax} hours`)
  return { deadlineMicros: Math.round(hours * HOUR_MICROS), ...(counted === null ? {} : { deadlineIn: people }) }
}

/**
 * Until when an audit has to be answered that is drawn at a time. With working hours it is at most the longest deadline
 * of all, four weeks: later answers would be no evidence.
 */
export function dueMicros(
  { deadlineMicros, deadlineIn }: Pick<SafetyContract, 'deadlineMicros' | 'deadlineIn'>,
  advancedSettings: Readonly<Record<string, unknown>>,
  atMicros: number,
): number {
  if (deadlineIn === undefined) return atMicros + deadlineMicros
  const { workingHours, timeZone } = peopleHoursOf(advancedSettings, deadlineIn)
  const hours = workingHoursOf(workingHours, timeZone)
  if (hours === null) return atMicros + deadlineMicros
  // Whole milliseconds in working time; the microseconds of the draw stay, so no two audits are mixed up.
  const drawnMs = Math.floor(atMicros / 1_000)
  const due = afterWorkingMs(hours, drawnMs, deadlineMicros / 1_000) * 1_000 + (atMicros - drawnMs * 1_000)
  return Math.min(due, atMicros + DUE_MICROS_MAX)
}

function termsOf(
  {
    label: word,
    epsilon,
    delta = contractDefaults.delta,
    thresholds,
    exclusions = [],
  }: ContractInput['labels'][number],
  at: readonly (string | number)[],
  labels: readonly Label[],
): LabelTerms {
  const label = labelOf(labels, word)
  mustBeRisk([...at, 'epsilon'], epsilon, 'epsilon')
  mustBeRisk([...at, 'delta'], delta, 'delta')
  if (thresholds.length === 0 || thresholds.length > autonomyBounds.thresholdsMax)
    throw wrong([...at, 'thresholds'], `a label has 1 to ${autonomyBounds.thresholdsMax} thresholds`)
  const hundredths = thresholds.map((percent) => Math.round(percent * 100))
  for (const [place, threshold] of hundredths.entries()) {
    if (!(threshold >= 0 && threshold <= 10_000))
      throw wrong([...at, 'thresholds', place], 'a threshold is a confidence, 0 to 100')
    if (Math.abs(threshold - (thresholds[place] as number) * 100) > 1e-6)
      throw wrong([...at, 'thresholds', place], 'a threshold has at most two decimals, as confidences have')
    if (place > 0 && threshold >= (hundredths[place - 1] as number))
      throw wrong(
        [...at, 'thresholds', place],
        'thresholds have to fall: the strictest first, each lower than the last',
      )
  }
  if (exclusions.length > autonomyBounds.exclusionsMax)
    throw wrong([...at, 'exclusions'], `a label has at most ${autonomyBounds.exclusionsMax} exclusions`)
  const excluded = exclusions.map((id) => id.toLowerCase())
  for (const [place, id] of excluded.entries())
    if (!bucketIdForm.test(id)) throw wrong([...at, 'exclusions', place], 'an exclusion is the id of a bucket')
  return { label, epsilon, delta, thresholds: hundredths, exclusions: [...new Set(excluded)].sort() }
}

/** The first of the default labels; null where the job has labels of its own. */
export function protectedByDefault({ labels, category }: ContractJob): readonly number[] | null {
  return defaultLabels(category).every(({ name }, place) => labels[place]?.name === name) ? [0] : null
}

/** The labels that are protected: as written, or the first of the default labels. */
function protectedOf({ protectedLabels }: ContractInput, { labels, category }: ContractJob): readonly number[] {
  if (protectedLabels !== undefined) {
    const places = [...new Set(protectedLabels.map((word) => labelOf(labels, word)))].sort()
    if (places.length > 0) return places
    throw wrong(['protected_labels'], 'a contract protects one label at least')
  }
  const usual = protectedByDefault({ labels, category })
  if (usual !== null) return usual
  throw wrong(['protected_labels'], 'the job has labels of its own: name those that must never be settled')
}

function labelOf(labels: readonly Label[], word: string): number {
  const label = resolveLabel(labels, word)
  if (label !== null) return label
  throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
}

/** `where`: the part of the request. @throws Refusal invalid_body where ε or δ is out of range. */
export function mustBeRisk(loc: Issue['loc'], value: number, name: string, where: 'body' | 'query' = 'body'): void {
  if (!(value >= riskMin && value <= riskMax))
    throw wrong(loc, `${name} is a share above 0: at least 0.000001, at most ${riskMax}`, where)
}

/** @throws Refusal invalid_body where ρ is out of range. */
export function mustBeRate(loc: Issue['loc'], rate: number, where: 'body' | 'query' = 'body'): void {
  if (rate > 0 && rate <= 1) return
  throw wrong(loc, 'the hold-out rate is a share above 0, at most 1: without audits there is no proof', where)
}

function wrong(loc: Issue['loc'], msg: string, where: 'body' | 'query' = 'body'): Refusal {
  return new Refusal('invalid_body', `${loc.join('.')}: ${msg}`, {
    issues: [{ loc: [where, ...loc], msg, type: 'value_error' }],
  })
}
