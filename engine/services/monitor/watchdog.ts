/**
 * What watchdogs can look at, and when one fires and resolves.
 *
 * Owns: the table of conditions; hysteresis. Leaves out: measuring (monitor/watchdog-readings.ts), keeping (watchdog-log.ts).
 *
 * 1. It fires when the value was bad all the time for `forSeconds`, and resolves when it was good for as long: between the
 *    two thresholds it stays as it is.
 * 2. What cannot be measured changes nothing.
 */
import type { WatchdogCondition, WatchdogType, WatchdogView } from '../../api/watchdog-service.js'

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
      description: 'Events that were stored without a decision, of all.',
      threshold: 50,
    },
  ],
  job_in_error: [
    {
      ...now,
      name: 'training_failed',
      description: '1 where the latest training failed; of all jobs: how many.',
      unit: 'jobs',
      threshold: 0,
      scope: 'any',
    },
    {
      ...now,
      name: 'steps_failing',
      description: 'Steps of pipelines that cannot do their work.',
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
      description: 'Free space of the disk of the data directory.',
      unit: 'percent',
      bad: 'below',
      threshold: 10,
      scope: 'service',
    },
    {
      ...now,
      name: 'store_bytes',
      description: 'What the service has stored.',
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
  confidence_drift: [
    {
      ...share,
      name: 'low_confidence_percent',
      description: 'Decisions of less than 60 percent confidence, of all.',
      threshold: 25,
    },
    {
      ...now,
      name: 'models_ageing',
      description: '1 where the stream no longer bears the model out; of all jobs: how many.',
      unit: 'jobs',
      threshold: 0,
      scope: 'any',
    },
  ],
  outlier_rate: [{ ...share, name: 'outlier_percent', description: 'Outliers of all decisions.', threshold: 10 }],
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

/** True where the value is bad, false where it is good, null between the two. */
function judge(
  value: number,
  { threshold, resolveThreshold }: WatchdogView,
  { bad }: WatchdogCondition,
): boolean | null {
  if (bad === 'above' ? value > threshold : value < threshold) return true
  return (bad === 'above' ? value <= resolveThreshold : value >= resolveThreshold) ? false : null
}

/** What one look at a time remembers for the next. */
export class Hysteresis {
  /** Since when the value speaks against the state, and which way; null where it does not. */
  #against: { readonly isBad: boolean; readonly since: number } | null = null

  /** True where the state is to change: from firing to not, or back. */
  look(watchdog: WatchdogView, condition: WatchdogCondition, value: number | null, nowMicros: number): boolean {
    const isBad = value === null ? null : judge(value, watchdog, condition)
    if (isBad === null || isBad === (watchdog.state === 'firing')) {
      this.#against = null
      return false
    }
    if (this.#against?.isBad !== isBad) this.#against = { isBad, since: nowMicros }
    return nowMicros - this.#against.since >= watchdog.forSeconds * 1e6
  }
}
