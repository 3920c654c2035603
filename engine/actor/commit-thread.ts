/**
 * The entry of a thread that commits what a shard's thread has handed over, while that decides the next turn.
 *
 * 1. Nothing but commits is done here, one after the other, until it is told to end.
 */
import { parentPort } from 'node:worker_threads'
import { isRefusal } from '../errors.js'
import { must } from '../assert.js'
import { WriteBatch } from '../store/environment.js'
import { openShard } from '../store/environments.js'
import type { LmdbEnvironment } from '../store/lmdb.js'
import { shardTables } from '../store/tables.js'
import { CommitSlot, type CommitRequest } from './commit-slot.js'
import type { CommitSaid } from './commits.js'
import { refusalExtra } from './message.js'

export interface CommitTask {
  readonly dataDir: string
  readonly slot: SharedArrayBuffer
}

/** What it works with; tests give other parts. */
export interface CommitParts {
  readonly slot: SharedArrayBuffer
  open(shard: number): LmdbEnvironment
  say(said: CommitSaid): void
}

/** Commits until it is told to end. */
export default function commitFor({ dataDir, slot }: CommitTask): Promise<void> {
  const port = must(parentPort, 'the port of', 'a thread')
  return commitAll({ slot, open: (shard) => openShard(dataDir, shard), say: (said) => port.postMessage(said) })
}

/** The same with these parts. */
export async function commitAll({ slot: memory, open, say }: CommitParts): Promise<void> {
  const slot = new CommitSlot(memory)
  const environments = new Map<number, LmdbEnvironment>()
  const batch = new WriteBatch()
  slot.serve()
  for (let request = slot.take(); request !== null; request = slot.take()) {
    const { shard } = request
    if (request.batch === null) {
      slot.answer(environments.get(shard)?.unmap() ?? true)
      continue
    }
    const environment = environments.get(shard) ?? open(shard)
    environments.set(shard, environment)
    const said = commit(environment, batch, request)
    slot.answer(said.refusal === undefined)
    say(said)
  }
  for (const environment of environments.values()) await environment.close()
}

function commit(
  environment: LmdbEnvironment,
  batch: WriteBatch,
  { shard, place, batch: laid }: CommitRequest,
): CommitSaid {
  const { packed, entries } = must(laid, 'the batch of', place)
  batch.unpack(packed, entries, shardTables)
  const begin = performance.now()
  try {
    environment.commit(batch)
    return { shard, place, flushMs: performance.now() - begin }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { shard, place, refusal: refusalExtra(error) }
  }
}
