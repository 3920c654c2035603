/** Whether votes count by the reliability of their analysts (advanced_settings.weighted_consensus). Off by default. */
import type { JobSettings } from './job.js'

/** True where a vote on an event counts by what is known of its analyst. */
export function isWeighted({ advancedSettings }: Pick<JobSettings, 'advancedSettings'>): boolean {
  return advancedSettings.weighted_consensus === true
}
