/**
 * A job: whom the events are for, and how they are to be decided.
 *
 * Owns: the plain data of a job's set-up, as stored and as the actors read it. Leaves out: what the job has seen
 * and learned (actor/), the document a person writes (resource/).
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

/** One of a job's three answers. */
export interface Label {
  /** What `result` says: `label_0`, `label_1`, `label_2`, or an id of the user's own (S5). */
  readonly id: string
  /** What `result_label` says. */
  readonly name: string
  /** `#rrggbb`. */
  readonly hexColor: string
}

/** Scheduled training (CONTRACT.md#jobs). */
export interface AutoRetrain {
  readonly enabled: boolean
  /** Five- or six-field cron expression, UTC. */
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

/** Roles that take events out of the service. */
export const sinkRoles: readonly IntegrationRole[] = ['output', 'post_decision', 'case_creation']

/** One step of a job's pipeline. */
export interface PipelineStep {
  readonly integrationId: number
  readonly role: IntegrationRole
  readonly enabled: boolean
  readonly parameters: Readonly<Record<string, unknown>>
  /** Its integration asks or tells something outside of the service: since when, microseconds; enabled anew it begins anew. */
  readonly outsideSince?: number
  /** Fields of existing clients that mean nothing here, given back as they came (C3.7). */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** Whether events are decided as they come, or held (S11). */
export type JobStatus = 'STARTED' | 'STOPPED'

/** A job's set-up. Plain data: stored as it is, sent to threads as it is. */
export interface JobSettings {
  /** Positive, never used twice. */
  readonly id: number
  /** Goes up by one with each change; an actor that has an older one reads the catalog again. */
  readonly revision: number
  /** The storage unit that owns the job's events, 0 to shards - 1; fixed for life. */
  readonly shard: number
  readonly title: string
  readonly description: string
  readonly category: JobCategory
  /** Dot paths. */
  readonly decisionPoints: readonly string[]
  /** Exactly three. */
  readonly labels: readonly Label[]
  readonly autoRetrain: AutoRetrain | null
  /** Further settings, kept as given. */
  readonly advancedSettings: Readonly<Record<string, unknown>>
  readonly feedbackColumns: readonly string[]
  readonly pipeline: readonly PipelineStep[]
  readonly status: JobStatus
  /** ISO 8601 UTC. */
  readonly createdAt: string
}

/** The share of known events that a job lets be called outliers, where it says nothing: 2 %. */
export const outlierRateDefault = 0.02

/** The bounds of that share in advanced_settings.outlier_false_alarm_rate. */
export const outlierRateMin = 0.001
export const outlierRateMax = 0.2

/** The share that the settings ask for; the default where they say nothing sensible. */
export function outlierRateOf(advancedSettings: JobSettings['advancedSettings']): number {
  const rate = advancedSettings.outlier_false_alarm_rate
  return typeof rate === 'number' && rate >= outlierRateMin && rate <= outlierRateMax ? rate : outlierRateDefault
}

/** True where events are clustered, and decided by their place in a cluster (CONTRACT.md#jobs). */
export function hasClusters(category: JobCategory): boolean {
  return category === 'Automated root cause analysis'
}

/** True where events with equal decision points share a bucket (CONTRACT.md#jobs). */
export function hasBuckets(category: JobCategory): boolean {
  return category === 'Decision intelligence'
}

/** True where the step brings events in from outside, by asking for them. */
export function bringsIn(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && step.role === 'input'
}

/** True where the step looks up what is known elsewhere about an event, before that is decided. */
export function enriches(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && step.role === 'enrichment'
}

/** True where the step takes events out of the service. */
export function takesOut(step: PipelineStep): boolean {
  return step.outsideSince !== undefined && step.enabled && sinkRoles.includes(step.role)
}
