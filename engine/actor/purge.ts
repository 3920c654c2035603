/** Purging a deleted job: its rows are deleted in its shard, some with each message. */
import type { JobSettings } from '../domain/job/job.js'
import { jobRange, sharedTables, shardTables } from '../store/tables.js'
import type { TurnStore } from './turn-store.js'

/** Rows that one message deletes at most. */
const PURGE_ROWS = 2_000

/** Settings for messages to a deleted job: it has none in the catalog any more. */
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

/** Deletes some rows of the job; true where there may be more. */
export function purgeRows(store: TurnStore, jobId: number): boolean {
  let left = PURGE_ROWS
  for (const table of shardTables) {
    if (sharedTables.includes(table)) continue
    for (const { key } of store.range(table, { ...jobRange(jobId), limit: left })) {
      store.delete(table, key)
      left--
    }
    if (left === 0) return true
  }
  return false
}
