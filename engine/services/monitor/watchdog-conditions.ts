/**
 * The conditions that watchdogs can check, by type: unit, default threshold, and what each is about.
 *
 * Leaves out: measuring (watchdog-readings.ts), when a watchdog fires (hysteresis.ts).
 */
import type { WatchdogCondition, WatchdogType } from '../../api/watchdog-service.js'

const share = { unit: 'percent', bad: 'above', scope: 'any', windowMinutes: 15 } as const
const now = { bad: 'above', windowMinutes: null } as const
const MIB = 1024 ** 2

export const conditions: Readonly<Record<WatchdogType, readonly WatchdogCondition[]>> = {
  no_data: [
    {
      ...now,
      name: 'minutes_without_events',
      description: 'Minutes since the latest event.',
      unit: 'minutes',
      threshold: 60,
      scope: 'any',
    },
  ],
  undecided_events: [
    {
      ...share,
      name: 'undecided_percent',
      description: 'Events stored without a decision, of all events.',
      threshold: 50,
    },
  ],
  job_in_error: [
    {
      ...now,
      name: 'training_failed',
      description: '1 where the latest training failed; for all jobs: how many jobs.',
      unit: 'jobs',
      threshold: 0,
      scope: 'any',
    },
    {
      ...now,
      name: 'steps_failing',
      description: 'Pipeline steps that do not work.',
      unit: 'steps',
      threshold: 0,
      scope: 'any',
    },
  ],
  queue_length: [
    {
      ...now,
      name: 'messages_waiting',
      description: 'Messages in the fullest mailbox.',
      unit: 'messages',
      threshold: 32_768,
      scope: 'service',
    },
    {
      ...now,
      name: 'bytes_waiting',
      description: 'Bytes in the fullest mailbox.',
      unit: 'bytes',
      threshold: 32 * MIB,
      scope: 'service',
    },
  ],
  disk: [
    {
      ...now,
      name: 'free_percent',
      description: 'Free space on the disk of the data directory.',
      unit: 'percent',
      bad: 'below',
      threshold: 10,
      scope: 'service',
    },
    {
      ...now,
      name: 'store_bytes',
      description: 'Size of everything that the service has stored.',
      unit: 'bytes',
      threshold: 100 * 1024 * MIB,
      scope: 'service',
    },
  ],
  memory: [
    {
      ...now,
      name: 'resident_bytes',
      description: 'Memory of the process.',
      unit: 'bytes',
      threshold: 2 * 1024 * MIB,
      scope: 'service',
    },
  ],
  clock: [
    {
      ...now,
      name: 'clock_behind_seconds',
      description: 'Seconds that the clock of the machine is behind the times of events, because it was set back.',
      unit: 'seconds',
      threshold: 1,
      scope: 'service',
    },
  ],
  confidence_drift: [
    {
      ...share,
      name: 'low_confidence_percent',
      description: 'Decisions with less than 60 percent confidence, of all decisions.',
      threshold: 25,
    },
    {
      ...now,
      name: 'models_ageing',
      description: '1 where the model no longer fits the stream; for all jobs: how many jobs.',
      unit: 'jobs',
      threshold: 0,
      scope: 'any',
    },
  ],
  outlier_rate: [{ ...share, name: 'outlier_percent', description: 'Outliers, of all decisions.', threshold: 10 }],
  feedback_lag: [
    {
      ...now,
      name: 'minutes_without_feedback',
      description: 'Minutes from the latest feedback to the latest event.',
      unit: 'minutes',
      threshold: 1_440,
      scope: 'job',
    },
  ],
  disagreement: [
    {
      ...now,
      name: 'undecided_ballots',
      description: 'Buckets and events whose votes have no majority.',
      unit: 'ballots',
      threshold: 10,
      scope: 'any',
    },
  ],
}

export const watchdogTypes = Object.keys(conditions) as readonly WatchdogType[]

export function isWatchdogType(text: string): text is WatchdogType {
  return Object.hasOwn(conditions, text)
}

export function conditionOf(type: WatchdogType, name: string): WatchdogCondition | undefined {
  return conditions[type].find((each) => each.name === name)
}
