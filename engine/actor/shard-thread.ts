/**
 * The entry of a shard thread: keeps the shards that it owns open between turns.
 *
 * 1. Everything here is synchronous: the thread sleeps between turns and could not finish anything later (threads.ts, 3).
 */
import { workerData } from 'node:worker_threads'
import { openShard } from '../store/data-dir.js'
import { Shard } from './shard.js'
import type { ShardThreadData } from './threads.js'
import type { TurnResult, TurnTask } from './turn.js'

const { dataDir, sectionNames } = workerData as ShardThreadData
const shards = new Map<number, Shard>()

/** Runs one turn. */
export default function runTurn(task: TurnTask): TurnResult {
  let shard = shards.get(task.shard)
  if (shard === undefined) {
    shard = new Shard(openShard(dataDir, task.shard), sectionNames)
    shards.set(task.shard, shard)
  }
  return shard.run(task)
}
