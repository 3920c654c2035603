/** Deleting what a deleted job left, a little at a time. */
import { jobRange, sharedTables, shardTables } from '../store/tables.js'
import type { TurnStore } from './turn-store.js'

/** Rows that one message deletes. */
const PURGE_ROWS = 2_000

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
