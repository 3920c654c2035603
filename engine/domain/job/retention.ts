/** How long, and how many, events a job keeps (advanced_settings.retention); all of them where it says nothing. */
import type { JobSettings } from './job.js'

export interface Retention {
  /** Since they came in. */
  readonly days: number | null
  /** The latest so many. */
  readonly maxEvents: number | null
}

export const retentionDaysMax = 36_500
export const retentionEventsMax = 1_000_000_000

function within(value: unknown, max: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max ? value : null
}

/** Settings are checked where they come in; one that is none keeps everything. */
export function retentionOf({ advancedSettings }: JobSettings): Retention {
  const given = advancedSettings.retention
  if (typeof given !== 'object' || given === null) return { days: null, maxEvents: null }
  const { days, max_events: maxEvents } = given as Readonly<Record<string, unknown>>
  return { days: within(days, retentionDaysMax), maxEvents: within(maxEvents, retentionEventsMax) }
}
