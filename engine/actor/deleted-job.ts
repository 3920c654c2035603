/** Settings for messages to a job that is no longer in the catalog: only its rows are left, to be deleted. */
import type { JobSettings } from '../domain/job/job.js'

export function orphanSettings(id: number, shard: number): JobSettings {
  return {
    id,
    shard,
    revision: Number.MAX_SAFE_INTEGER,
    title: '',
    description: '',
    category: 'Event centric decision intelligence',
    decisionPoints: [],
    labels: [],
    autoRetrain: null,
    advancedSettings: {},
    feedbackColumns: [],
    pipeline: [],
    status: 'STOPPED',
    createdAt: '',
  }
}
