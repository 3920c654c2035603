/**
 * A thread that makes many objects, keeps few, and collects. It posts the size of its heap before and after, and of its
 * room for young objects before and after a rest.
 */
import { parentPort } from 'node:worker_threads'
import { setImmediate as later } from 'node:timers/promises'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { collectAtRest, collectGarbage } from '../../engine/runtime/threads/collect-garbage.js'

const total = (): number => getHeapStatistics().total_heap_size

const young = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size

/** Old objects, of which one in eight lives on. */
function scattered(): object[] {
  return Array.from({ length: 400_000 }, (_, i) => ({ i, pair: [i, i + 1] })).filter((_, i) => i % 8 === 0)
}

const kept = scattered()
// What the last function has left on the stack is gone then.
await later()
const before = total()
collectGarbage()
const after = total()
// Many that live on make V8 enlarge the room for young ones.
const more = [scattered(), scattered()]
const youngBefore = young()
collectAtRest()
parentPort?.postMessage({ before, after, kept: kept.length + more.length, youngBefore, youngAfter: young() })
