/**
 * The shards that a reader thread has open. They stay open from one query to the next.
 *
 * 1. A query sees one snapshot of a shard, because it runs without a pause from its first read to its last.
 * 2. Between queries nothing is mapped, so that the shards can give their maps back (residency.ts). Shapes and words
 *    stay in memory.
 */
import { BodyCodec } from '../../store/body-codec.js'
import { openShard } from '../../store/directory/environments.js'
import { assigneesNow } from '../query/assignees.js'
import type { QueryStore } from '../query/event-scan.js'

const open = new Map<string, QueryStore>()

/** Runs a query over shards of the data directory. */
export function withStores<T>(dataDir: string, work: (stores: (shard: number) => QueryStore) => T): T {
  const { assignees, done } = assigneesNow(dataDir)
  try {
    return work((shard) => ({ ...storeOf(dataDir, shard), assignees }))
  } finally {
    done()
    for (const { environment } of open.values()) environment.unmap()
  }
}

function storeOf(dataDir: string, shard: number): QueryStore {
  const key = `${dataDir}\0${shard}`
  let store = open.get(key)
  if (store === undefined) {
    const environment = openShard(dataDir, shard)
    open.set(key, (store = { environment, codec: new BodyCodec(environment) }))
  }
  return store
}
