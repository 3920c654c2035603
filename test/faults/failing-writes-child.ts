/**
 * The process of threads whose commits fail (failing-writes-thread.ts). `node failing-writes-child.js <directory>
 * <file of the thread>`.
 */
import { Worker } from 'node:worker_threads'
// What a service does: its main thread loads the store before any other.
import '../../engine/store/lmdb/lmdb.js'
import type { CommitOutcome } from './failing-writes-thread.js'

const THREADS = 3
const [directory, thread] = process.argv.slice(2) as [string, string]
const threads = Array.from(
  { length: THREADS },
  (_, i) => new Worker(thread, { workerData: { directory, name: `store-${i}` } }),
)

process.on('message', async (commits: number) => {
  const outcomes = threads.map((running) => {
    const told = new Promise<CommitOutcome>((resolve) => running.once('message', resolve))
    running.postMessage(commits)
    return told
  })
  process.send?.(await Promise.all(outcomes))
})
