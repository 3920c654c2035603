/** A thread that commits to an environment without end, in tables that all change: `workerData` is its directory. */
import { parentPort, workerData } from 'node:worker_threads'
import { WriteBatch } from '../../engine/store/environment.js'
import { openLmdb } from '../../engine/store/lmdb.js'

export const committed = ['first', 'second', 'third', 'fourth', 'fifth']

if (parentPort !== null) {
  const environment = openLmdb(workerData as string, 'store', committed)
  for (let i = 0; ; i++) {
    const batch = new WriteBatch()
    for (const table of committed) {
      for (let at = 0; at < 20; at++) batch.put(table, Buffer.from(`${(i * 7 + at * 13) % 500}`), Buffer.alloc(1 + (i % 900), at))
    }
    environment.commit(batch)
    if (i === 20) parentPort.postMessage('committing')
  }
}
