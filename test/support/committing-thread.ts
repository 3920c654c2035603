/**
 * A thread that commits to an environment until it is told to stop, in tables that all change. `workerData` is a
 * CommittingTask.
 *
 * It must not be terminated: a thread that ends during a commit waits for a lock of its own for ever.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { WriteBatch } from '../../engine/store/environment.js'
import { openLmdb } from '../../engine/store/lmdb/lmdb.js'

export const committed = ['first', 'second', 'third', 'fourth', 'fifth']

export interface CommittingTask {
  readonly dir: string
  /** One shared number; anything but 0 ends the thread. */
  readonly stop: Int32Array
}

if (parentPort !== null) {
  const { dir, stop } = workerData as CommittingTask
  const environment = openLmdb(dir, 'store', committed)
  for (let i = 0; Atomics.load(stop, 0) === 0; i++) {
    const batch = new WriteBatch()
    for (const table of committed) {
      for (let at = 0; at < 20; at++)
        batch.put(table, Buffer.from(`${(i * 7 + at * 13) % 500}`), Buffer.alloc(1 + (i % 900), at))
    }
    environment.commit(batch)
    if (i === 20) parentPort.postMessage('committing')
  }
  await environment.close()
}
