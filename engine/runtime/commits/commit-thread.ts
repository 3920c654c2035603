/**
 * The entry of a committing thread: it commits the turns that a shard thread has handed over.
 *
 * 1. It does nothing but commits, one after the other, until it is told to end.
 */
import { parentPort } from 'node:worker_threads'
import { must } from '../../assert.js'
import { isRefusal } from '../../errors.js'
import { openShard } from '../../store/directory/environments.js'
import { WriteBatch } from '../../store/environment.js'
import type { LmdbEnvironment } from '../../store/lmdb/lmdb.js'
import { shardTables } from '../../store/tables.js'
import { CommitSlot, type CommitReport, type CommitRequest, type CommitTask } from '../../actor/commit-slot.js'
import { refusalExtra } from '../../actor/reply.js'

/** What the thread works with; tests replace it. */
export interface CommitDeps {
  readonly slot: SharedArrayBuffer
  open(shard: number): LmdbEnvironment
  report(report: CommitReport): void
}

/** Commits until it is told to end. */
export default function commitFor({ dataDir, slot }: CommitTask): Promise<void> {
  const port = must(parentPort, 'the port of', 'a thread')
  return commitAll({ slot, open: (shard) => openShard(dataDir, shard), report: (report) => port.postMessage(report) })
}

/** As commitFor, with these dependencies. */
export async function commitAll({ slot: memory, open, report }: CommitDeps): Promise<void> {
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
    const done = commit(environment, batch, request)
    slot.answer(done.refusal === undefined)
    report(done)
  }
  for (const environment of environments.values()) await environment.close()
}

function commit(
  environment: LmdbEnvironment,
  batch: WriteBatch,
  { shard, place, batch: given }: CommitRequest,
): CommitReport {
  const { packed, entries } = must(given, 'the batch of', place)
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
