/**
 * The entry of a shard thread: it runs turns, and keeps its shards open between them.
 *
 * 1. Everything here is synchronous. The thread sleeps between turns, so nothing asynchronous would end
 *    (shard-threads.ts, 3).
 */
import { workerData } from 'node:worker_threads'
import { isRefusal } from '../../errors.js'
import { openShard } from '../../store/directory/environments.js'
import { BucketMemory } from '../../actor/buckets/bucket-memory.js'
import { ModelMemory } from '../../actor/models/model-memory.js'
import { CommitSlot } from '../../actor/commit-slot.js'
import { refusalExtra } from '../../actor/reply.js'
import { Shard, TurnOutOfPlace } from '../../actor/shard.js'
import { beginTurn, refuseTurn, type TurnResult, type TurnTask } from '../../actor/turn-task.js'
import type { CommitSlotOf, ShardThreadData } from './shard-threads.js'
import { collectAtRest } from './collect-garbage.js'
import { readThreadUsage, type ThreadUsage } from './thread-usage.js'

const data = workerData as ShardThreadData & CommitSlotOf
const { dataDir, sectionNames, uncountedEventsMax, commitSlot } = data
const commits = new CommitSlot(commitSlot)
const shards = new Map<number, Shard>()
const memory = new BucketMemory()
const models = new ModelMemory(data.modelBytesMax, new Int32Array(data.modelCells))

/** Releases the memory that a shard has mapped. The main thread does the same before the shard's next turn. */
export function unmap(shard: number): boolean {
  return commits.unmap(shard) && (shards.get(shard)?.unmap() ?? true)
}

/** Gives back memory that is not needed while there are no turns. The maps of the shards go afterwards. */
export function rest(): void {
  for (const shard of shards.values()) shard.rest()
}

/** Collects what the shards have given back. */
export function collect(): void {
  collectAtRest()
}

/** The usage of this thread. */
export function readUsage(): ThreadUsage {
  return readThreadUsage()
}

/** Runs a turn. Where the store of its shard cannot be opened, the turn is refused, and the next one tries again. */
export default function runTurn(task: TurnTask): TurnResult {
  try {
    return shardOf(task).run(task)
  } catch (error) {
    if (error instanceof TurnOutOfPlace) return { extras: [], turnedAway: true }
    if (!isRefusal(error)) throw error
    return refuseTurn(task, refusalExtra(error))
  }
}

/** @throws Refusal where the store cannot be opened; TurnOutOfPlace. */
function shardOf(task: TurnTask): Shard {
  const known = shards.get(task.shard)
  if (known !== undefined) return known
  if (!task.opens) throw new TurnOutOfPlace()
  beginTurn(task)
  const shard = new Shard(openShard(dataDir, task.shard), sectionNames, {
    uncountedEventsMax,
    handOver: commits,
    memory,
    models,
  })
  shards.set(task.shard, shard)
  return shard
}
