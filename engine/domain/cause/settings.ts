/**
 * How a job of root cause analysis reads its alerts: the parameters of its two processors (registry/cause-parameters.ts
 * publishes them), as plain numbers and lists.
 */
import type { JobSettings } from '../job/job.js'

/** What joins an alert to a cluster. */
export type Linkage = 'precedence' | 'window'

export interface CauseSettings {
  /** Alerts in a cluster are equal at these paths. */
  readonly equalFields: readonly string[]
  /** What an alert is about: a device, a service. '' takes the first of the known names that has a value. */
  readonly idField: string
  /** Lists the ids that are next to it, or that it calls. '' likewise. */
  readonly relatedField: string
  readonly timeField: string
  /** What kind of alert it is. None: the known names, else the decision points. */
  readonly kindFields: readonly string[]
  readonly linkage: Linkage
  /** The longest pause between two alerts that are looked at together, and after which a cluster ends. */
  readonly gapMs: number
  /** A cluster's first and last alert are at most so far apart. */
  readonly lengthMs: number
  /** How far an alert may be behind the stream. */
  readonly lateMs: number
  /** A cause lies at most so far before its symptom; 0: learned from the stream. */
  readonly causeWindowMs: number
}

export const causeDefaults = {
  linkage: 'precedence',
  gapSeconds: 600,
  lengthSeconds: 7_200,
  lateSeconds: 300,
  causeWindowSeconds: 0,
} as const

/** Names that are tried where none are given; the first that has a value counts. */
export const knownNames = {
  time: ['@timestamp', 'timestamp', 'time', 'event.created'],
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

/** The settings of a job; what a processor was not given takes its default. */
export function causeSettingsOf({ pipeline }: Pick<JobSettings, 'pipeline'>): CauseSettings {
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
    timeField: text('time_field'),
    kindFields: list('kind_fields'),
    linkage: given.linkage === 'window' ? 'window' : causeDefaults.linkage,
    gapMs: millis('gap_s', causeDefaults.gapSeconds),
    lengthMs: millis('length_s', causeDefaults.lengthSeconds),
    lateMs: millis('late_s', causeDefaults.lateSeconds),
    causeWindowMs: millis('cause_window_s', causeDefaults.causeWindowSeconds),
  }
}
