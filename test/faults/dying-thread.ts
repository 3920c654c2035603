/**
 * A shard thread that dies where a test wants it to (fates.ts): the real one, over a store that ends it around a
 * commit.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { nextMessage, readMessage } from '../../engine/actor/message.js'
import { Shard, TurnOutOfPlace } from '../../engine/actor/shard.js'
import { CommitSlot } from '../../engine/actor/commit-slot.js'
import type { CommitSlotOf, ShardThreadData } from '../../engine/runtime/threads/shard-threads.js'
import { beginTurn, type TurnResult, type TurnTask } from '../../engine/actor/turn-task.js'
import { openShard } from '../../engine/store/directory/environments.js'
import type { Environment, WriteBatch } from '../../engine/store/environment.js'
import { DEADLY_ID, DEATHS_FILE, FATES_FILE, nextFate, NO_START_FILE, type Fate } from './fates.js'

const { dataDir, sectionNames, uncountedEventsMax, commitSlot } = workerData as ShardThreadData & CommitSlotOf
const slot = new CommitSlot(commitSlot)
const fatesFile = join(dataDir, FATES_FILE)
const shards = new Map<number, Shard>()
let fate: Fate = 'live'

if (existsSync(join(dataDir, NO_START_FILE))) throw new Error('the thread cannot start')

export default function runTurn(task: TurnTask): TurnResult {
  fate = nextFate<Fate>(fatesFile)
  if (fate === 'before the turn') die()
  const shard = shards.get(task.shard) ?? open(task)
  if (fate === 'begun' || isDeadly(task)) {
    beginTurn(task)
    die()
  }
  return shard.run(task)
}

function open(task: TurnTask): Shard {
  if (!task.opens) throw new TurnOutOfPlace()
  const shard = new Shard(dying(openShard(dataDir, task.shard)), sectionNames, {
    uncountedEventsMax,
    handOver: {
      wait: () => slot.wait(),
      offer(...turn) {
        const elsewhere = slot.offer(...turn)
        if (fate === 'handed over') die()
        return elsewhere
      },
    },
  })
  shards.set(task.shard, shard)
  return shard
}

function dying(store: Environment): Environment {
  return {
    get: (table, key) => store.get(table, key),
    read: (table, key, into) => store.read(table, key, into),
    range: (table, range) => store.range(table, range),
    scan: (table, range, visit) => store.scan(table, range, visit),
    count: (table, range) => store.count(table, range),
    refresh: () => store.refresh(),
    unmap: () => store.unmap(),
    map: () => store.map(),
    sizeBytes: () => store.sizeBytes(),
    close: () => store.close(),
    commit(batch: WriteBatch) {
      if (fate === 'before the commit') die()
      store.commit(batch)
      if (fate === 'after the commit') die()
    },
  }
}

function isDeadly(task: TurnTask): boolean {
  const memory = Buffer.from(task.memory)
  for (let i = 0, at = 0; i < task.count; i++, at = nextMessage(memory, at)) {
    if (readMessage(memory, at, 0).eventId === DEADLY_ID) return true
  }
  return false
}

function die(): never {
  appendFileSync(join(dataDir, DEATHS_FILE), '.')
  process.exit(1)
}
