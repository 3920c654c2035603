/** How long a job keeps events, and how many (advanced_settings.retention). By default it keeps all. */
import type { JobSettings } from './job.js'

export interface Retention {
  /** Days since the ingest, or null for no bound. */
  readonly days: number | null
  /** Number of the latest events that are kept, or null for no bound. */
  readonly maxEvents: number | null
}

export const retentionDaysMax = 36_500
export const retentionEventsMax = 1_000_000_000

function within(value: unknown, max: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max ? value : null
}

/** The job's retention. Settings are checked when they are received; here an invalid one counts as absent. */
export function retentionOf({ advancedSettings }: JobSettings): Retention {
  const given = advancedSettings.retention
  if (typeof given !== 'object' || given === null) return { days: null, maxEvents: null }
  const { days, max_events: maxEvents } = given as Readonly<Record<string, unknown>>
  return { days: within(days, retentionDaysMax), maxEvents: within(maxEvents, retentionEventsMax) }
}
