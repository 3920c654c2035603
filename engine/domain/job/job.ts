/**
 * A job's settings: how its events are decided.
 *
 * Owns: the settings as plain data, as they are stored and as actors read them. Leaves out: the job's counters and
 * learning (actor/), the document that a person writes (resource/).
 */

/** The three categories (CONTRACT.md#jobs). */
export type JobCategory =
  | 'Decision intelligence'
  | 'Event centric decision intelligence'
  | 'Automated root cause analysis'

export const jobCategories: readonly JobCategory[] = [
  'Decision intelligence',
  'Event centric decision intelligence',
  'Automated root cause analysis',
]

/** What a label means in a root cause job. */
export type LabelRole = 'root_cause' | 'symptom' | 'irrelevant'

export const labelRoles: readonly LabelRole[] = ['root_cause', 'symptom', 'irrelevant']

/** One of a job's three answers. */
export interface Label {
  /** The value of `result`: `label_0`, `label_1`, `label_2`, or an id that the user chose (S5). */
  readonly id: string
  /** The value of `result_label`. */
  readonly name: string
  /** `#rrggbb`. */
  readonly hexColor: string
  /** Its meaning, where the user gave one (label-roles.ts). */
  readonly role?: LabelRole
  /** The job does not use it: nobody is told that it has no votes (metrics/evidence.ts). */
  readonly isUnused?: true
}

/** Scheduled training (CONTRACT.md#jobs). */
export interface AutoRetrain {
  readonly enabled: boolean
  /** Five- or six-field cron expression, in the time zone of the job. */
  readonly cron: string
  readonly blockers: {
    readonly outliers: boolean
    readonly consensusFlipping: boolean
    readonly lowConfidenceScore: boolean
    readonly undecidedConsensus: boolean
    readonly consensusLowScore: boolean
    readonly consensusChanges: boolean
  }
}

export type IntegrationRole = 'input' | 'processor' | 'output' | 'enrichment' | 'case_creation' | 'post_decision'

export const integrationRoles: readonly IntegrationRole[] = [
  'input',
  'processor',
  'output',
  'enrichment',
  'case_creation',
  'post_decision',
]

/** Roles of steps that send events out of the service. */
export const sinkRoles: readonly IntegrationRole[] = ['output', 'post_decision', 'case_creation']

/** One step of a job's pipeline. */
export interface PipelineStep {
  readonly integrationId: number
  readonly role: IntegrationRole
  readonly enabled: boolean
  readonly parameters: Readonly<Record<string, unknown>>
  /**
   * For a step that exchanges data with something outside the service: since when, microseconds. Set anew when the step
   * is enabled again.
   */
  readonly outsideSince?: number
  /** Fields of existing clients that mean nothing here. They are returned as sent (C3.7). */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** Whether events are decided when they arrive, or held (S11). */
export type JobStatus = 'STARTED' | 'STOPPED'

/** A job's settings. Plain data: stored and sent to threads as it is. */
export interface JobSettings {
  /** Positive; never reused. */
  readonly id: number
  /** Rises by one with each change. An actor with an older revision reads the settings again. */
  readonly revision: number
  /** The shard of the job's events, 0 to shards - 1; fixed for life. */
  readonly shard: number
  readonly title: string
  readonly description: string
  readonly category: JobCategory
  /** Dot paths. */
  readonly decisionPoints: readonly string[]
  /** Exactly three. */
  readonly labels: readonly Label[]
  readonly autoRetrain: AutoRetrain | null
  /** Further settings, as sent. */
  readonly advancedSettings: Readonly<Record<string, unknown>>
  readonly feedbackColumns: readonly string[]
  readonly pipeline: readonly PipelineStep[]
  readonly status: JobStatus
  /** ISO 8601 UTC. */
  readonly createdAt: string
}

/** The default share of known events that may be called outliers: 2 %. */
export const outlierRateDefault = 0.02

/** Bounds of that share in advanced_settings.outlier_false_alarm_rate. */
export const outlierRateMin = 0.001
export const outlierRateMax = 0.2

/** The share in the settings; the default if it is missing or out of bounds. */
export function outlierRateOf(advancedSettings: JobSettings['advancedSettings']): number {
  const rate = advancedSettings.outlier_false_alarm_rate
  return typeof rate === 'number' && rate >= outlierRateMin && rate <= outlierRateMax ? rate : outlierRateDefault
}

/** True if a root cause job decides before it is trained (S23). */
export function decidesUntrained(advancedSettings: JobSettings['advancedSettings']): boolean {
  return advancedSettings.decide_untrained === true
}

/** True if the first model decides stored events that have no decision: the default (C4.7). */
export function decidesStored(advancedSettings: JobSettings['advancedSettings']): boolean {
  return advancedSettings.decide_stored_events !== false
}

/**
 * The path of the field that an event's own time is taken from; null: the usual ones alone
 * (event/event-time-fields.ts).
 */
export function timeFieldOf({ advancedSettings }: Pick<JobSettings, 'advancedSettings'>): string | null {
  const path = advancedSettings.time_field
  return typeof path === 'string' && path.trim() !== '' ? path.trim() : null
}

/** True if events are clustered, and decided by their place in a cluster (CONTRACT.md#jobs). */
export function hasClusters(category: JobCategory): boolean {
  return category === 'Automated root cause analysis'
}

/** True if events with equal values at the decision points share a bucket (CONTRACT.md#jobs). */
export function hasBuckets(category: JobCategory): boolean {
  return category === 'Decision intelligence'
}

/** True for an enabled step that fetches events from outside. */
export function bringsIn(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && step.role === 'input'
}

/** True for an enabled step that adds fields to an event before it is decided. */
export function enriches(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && step.role === 'enrichment'
}

/** True for an enabled step that sends events out of the service. */
export function takesOut(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && sinkRoles.includes(step.role)
}
