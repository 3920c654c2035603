/**
 * The settings of a root cause job: the parameters of its two processors as plain numbers and lists
 * (resource/registry/cause-parameters.ts publishes them).
 */
import { eventTimeFields } from '../event/event-time-fields.js'
import { timeFieldOf, type JobSettings } from '../job/job.js'

/** How an alert finds its cluster. */
export type Linkage = 'precedence' | 'window'

export interface CauseSettings {
  /** Paths at which all alerts of a cluster are equal. */
  readonly equalFields: readonly string[]
  /** The entity of an alert: a device, a service. '': the first of the known names that has a value. */
  readonly idField: string
  /** The ids of related entities: its neighbours or callees. '' likewise. */
  readonly relatedField: string
  readonly timeField: string
  /** The kind of an alert. Empty: the known names, else the decision points. */
  readonly kindFields: readonly string[]
  readonly linkage: Linkage
  /** The longest gap between linked alerts; a cluster closes after such a gap. */
  readonly gapMs: number
  /** The longest time between a cluster's first and last alert. */
  readonly lengthMs: number
  /** The allowed lateness: how far an alert may be behind the watermark. */
  readonly lateMs: number
  /** A cause is at most this much earlier than its symptom; 0: mined from the stream. */
  readonly causeWindowMs: number
}

export const causeDefaults = {
  linkage: 'precedence',
  gapSeconds: 600,
  lengthSeconds: 7_200,
  lateSeconds: 300,
  causeWindowSeconds: 0,
} as const

/** Names of fields that are tried where none is given: the first with a value counts. */
export const knownNames = {
  time: eventTimeFields,
  id: ['device.id', 'service.name', 'host.name', 'host.id', 'service', 'host', 'device', 'source', 'node', 'pod'],
  related: [
    'device.neighbours',
    'device.neighbors',
    'service.callees',
    'service.calls',
    'service.dependencies',
    'service.depends_on',
    'callees',
    'calls',
    'neighbours',
    'neighbors',
    'dependencies',
    'depends_on',
    'related',
  ],
  kind: [
    'alarm.type',
    'alert.type',
    'rule.id',
    'rule.name',
    'event.code',
    'alertname',
    'alert.name',
    'type',
    'name',
    'title',
  ],
} as const

/** The settings of a job; parameters that are not given have their defaults. */
export function causeSettingsOf({
  pipeline,
  advancedSettings = {},
}: Pick<JobSettings, 'pipeline'> & Partial<Pick<JobSettings, 'advancedSettings'>>): CauseSettings {
  const given: Record<string, unknown> = Object.assign(
    {},
    ...pipeline.filter(({ role }) => role === 'processor').map((step) => step.parameters),
  )
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name].trim() : '')
  const list = (name: string): string[] => {
    return Array.isArray(given[name])
      ? given[name].filter((field): field is string => typeof field === 'string' && field !== '')
      : []
  }
  const millis = (name: string, seconds: number): number => {
    const value = given[name]
    return Math.round((typeof value === 'number' && value >= 0 ? value : seconds) * 1000)
  }
  return {
    equalFields: list('equal_fields'),
    idField: text('id_field'),
    relatedField: text('related_field'),
    timeField: text('time_field') || (timeFieldOf({ advancedSettings }) ?? ''),
    kindFields: list('kind_fields'),
    linkage: given.linkage === 'window' ? 'window' : causeDefaults.linkage,
    gapMs: millis('gap_s', causeDefaults.gapSeconds),
    lengthMs: millis('length_s', causeDefaults.lengthSeconds),
    lateMs: millis('late_s', causeDefaults.lateSeconds),
    causeWindowMs: millis('cause_window_s', causeDefaults.causeWindowSeconds),
  }
}
