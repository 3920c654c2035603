/** A thread that makes many objects, keeps few, and collects. It posts the size of its heap before and after. */
import { parentPort } from 'node:worker_threads'
import { setImmediate as later } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from '../../engine/runtime/threads/collect-garbage.js'

const total = (): number => getHeapStatistics().total_heap_size

/** Old objects, of which one in eight lives on. */
function scattered(): object[] {
  return Array.from({ length: 400_000 }, (_, i) => ({ i, pair: [i, i + 1] })).filter((_, i) => i % 8 === 0)
}

const kept = scattered()
// What the last function has left on the stack is gone then.
await later()
const before = total()
collectGarbage()
parentPort?.postMessage({ before, after: total(), kept: kept.length })
