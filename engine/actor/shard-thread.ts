/**
 * The entry of a shard thread: keeps the shards that it owns open between turns.
 *
 * 1. Everything here is synchronous: the thread sleeps between turns and could not finish anything later (threads.ts, 3).
 */
import { workerData } from 'node:worker_threads'
import { isRefusal } from '../errors.js'
import { openShard } from '../store/environments.js'
import { lookAtThread, type ThreadLook } from './thread-look.js'
import { beginTurn, refuseTurn, Shard, TurnOutOfPlace } from './shard.js'
import type { ShardThreadData } from './threads.js'
import type { TurnResult, TurnTask } from './turn-task.js'

const { dataDir, sectionNames, lateEventsMax } = workerData as ShardThreadData
const shards = new Map<number, Shard>()

/** Gives back the memory that a shard has mapped; main does the same before the shard's next turn (residency.ts). */
export function unmap(shard: number): boolean {
  return shards.get(shard)?.unmap() ?? true
}

/** What this thread says of itself. */
export function look(): ThreadLook {
  return lookAtThread()
}

/** Runs one turn. Where its shard's store cannot be opened, the turn is refused, and the next one tries again. */
export default function runTurn(task: TurnTask): TurnResult {
  const shard = shards.get(task.shard)
  if (shard !== undefined) return shard.run(task)
  if (!task.opens) throw new TurnOutOfPlace()
  beginTurn(task)
  try {
    shards.set(task.shard, new Shard(openShard(dataDir, task.shard), sectionNames, lateEventsMax))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuseTurn(task, error)
  }
  return runTurn(task)
}
