/**
 * The entry of the stream thread: reads what streams are told of, away from the main thread (D6).
 *
 * 1. Between tasks nothing of the store is mapped, so that the shards can give their maps back (residency.ts).
 */
import { openCatalog } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { reportMemory } from '../../runtime/threads/memory-report.js'
import { auditTables } from '../audit/audit-tables.js'
import type { QueryStore } from '../query/event-scan.js'
import { withStores } from '../readers/reader-stores.js'
import { refusedAsData } from '../readers/task-frame.js'
import { StreamReader } from './stream-reader.js'
import type { StreamResult, StreamTask } from './stream-task.js'

const catalogs = new Map<string, Environment>()

function catalogOf(dataDir: string): Environment {
  let catalog = catalogs.get(dataDir)
  if (catalog === undefined) catalogs.set(dataDir, (catalog = openCatalog(dataDir, auditTables)))
  return catalog
}

/** Reads from some positions on, all in the same snapshots. */
export default function read(task: StreamTask): StreamResult {
  const beganMs = performance.now()
  const catalog = catalogOf(task.dataDir)
  try {
    return withStores(task.dataDir, (stores) => {
      const fresh = new Map<number, QueryStore>()
      const shard = (number: number): QueryStore => {
        let store = fresh.get(number)
        if (store !== undefined) return store
        fresh.set(number, (store = stores(number)))
        store.environment.refresh()
        return store
      }
      catalog.refresh()
      return refusedAsData(() => {
        const reader = new StreamReader(task, { shard, catalog })
        const pieces = task.positions.map((position) => reader.piece(position))
        return { pieces, tookMs: performance.now() - beganMs }
      })
    })
  } finally {
    catalog.unmap()
    reportMemory()
  }
}
