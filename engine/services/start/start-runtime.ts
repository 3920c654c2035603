/**
 * The second stage of a start: the shards with their threads, the other threads, and the watermarks.
 *
 * Owns: which threads there are. Leaves out: what is stored (open-stores.ts), the services that use the threads
 * (open-services.ts).
 */
import type { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { DataDir } from '../../store/directory/data-dir.js'
import type { TurnRan } from '../../runtime/turn/turn-contract.js'
import { BackupThread } from '../backup/backup-threads.js'
import { ReplayThreads } from '../replay/replay-threads.js'
import { EventSearchThread } from '../reprocess/event-search-threads.js'
import { ReaderThreads } from '../readers/reader-threads.js'
import { StreamThread } from '../stream/stream-threads.js'
import { TrainingThreads } from '../training/training-threads.js'
import { modelBytesOfThread } from '../../actor/models/model-memory.js'
import { PageCheck } from '../verify/page-check.js'
import { Watermarks } from '../verify/watermarks.js'
import type { Stores } from './open-stores.js'
import type { Reports } from './reports.js'
import type { OpenedParts } from './engine-logs.js'
import { defaultThreads } from '../../runtime/threads/shard-threads.js'
import type { TurnLog } from '../../runtime/log/turn-log.js'
import { collectAtRest } from '../../runtime/threads/collect-garbage.js'
import { Shards } from '../../runtime/shards.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface RuntimeSettings {
  /** Names of the service in a client's body. */
  readonly serviceNames: readonly string[]
  readonly threads?: number | undefined
  readonly modelMemoryMb?: number | undefined
  readonly trainers: number
  /** Where turns become durable; absent: in the store. */
  readonly log?: TurnLog | undefined
}

/** What runs. */
export interface Runtime {
  readonly shards: ReadableShards
  readonly watermarks: Watermarks
  readonly readers: ReaderThreads
  readonly trainingThreads: TrainingThreads
  readonly eventSearch: EventSearchThread
  readonly backupThread: BackupThread
  readonly replayThreads: ReplayThreads
  readonly streamThread: StreamThread
  readonly listThread: ReaderThreads
  readonly pageCheck: PageCheck
}

export function startRuntime(
  settings: RuntimeSettings,
  directory: DataDir,
  { stores, reports }: { readonly stores: Stores; readonly reports: Reports },
  opened?: OpenedParts,
): Runtime {
  const { dataDir, catalogStore } = stores
  const { failed, failuresOf } = reports
  const trainingFailed = failuresOf('trainer')
  const shards =
    opened === undefined ? startShards(settings, directory, { stores, reports }) : listening(opened, reports)
  return {
    shards,
    watermarks: new Watermarks(catalogStore, dataDir, shards),
    readers: new ReaderThreads(dataDir, (error) => failed('a reader thread died', error)),
    trainingThreads: new TrainingThreads(settings.trainers, (error) => trainingFailed('a training thread died', error)),
    eventSearch: new EventSearchThread(failed),
    streamThread: new StreamThread(failed),
    listThread: new ReaderThreads(dataDir, (error) => failed('the list thread died', error), 'list'),
    replayThreads: new ReplayThreads((error) => failed('the thread of replays died', error)),
    backupThread: new BackupThread((error) => failed('the backup thread died', error)),
    pageCheck: new PageCheck({ dataDir, files: stores.uncheckedFiles, damaged: endProcess, failed }),
  }
}

/** The process ends by its handler of errors that nobody catches, before the library reads the page and ends it. */
function endProcess(why: Refusal): void {
  setImmediate(() => {
    throw why
  })
}

function startShards(
  { serviceNames, threads: wanted, modelMemoryMb, log }: RuntimeSettings,
  { shards: count }: DataDir,
  { stores, reports }: { readonly stores: Stores; readonly reports: Reports },
): ReadableShards {
  const { dataDir, shardReaders, ingestClock, catalogStore } = stores
  const threads = Math.min(count, wanted ?? defaultThreads(count))
  // Called after a turn has run, so after `shards` is set.
  const ran = (shard: number, facts: TurnRan): void => report(reports, shards, shard, facts)
  const threadData = {
    dataDir,
    sectionNames: serviceNames,
    uncountedEventsMax: limits.deferredCounterEventsMax,
    modelBytesMax: modelBytesOfThread(modelMemoryMb, threads),
  }
  const { failed } = reports
  const rested = (): void => {
    if (catalogStore.unmap()) catalogStore.map()
    collectAtRest()
  }
  const deps = { threads, threadData, readers: shardReaders, clock: ingestClock, failed, ran, rested, log }
  const shards: ReadableShards = new Shards(deps)
  return shards
}

/** The shards that are open already, which report to this engine from now on. */
function listening({ shards, listeners }: OpenedParts, reports: Reports): ReadableShards {
  listeners.failed = reports.failed
  listeners.ran = (shard, facts) => report(reports, shards, shard, facts)
  return shards
}

function report(
  { batches }: Reports,
  shards: Pick<ReadableShards, 'threadOf'>,
  shard: number,
  { messages, seconds }: TurnRan,
): void {
  const container = `actor/${shards.threadOf(shard)}`
  batches.add({ kind: 'turn', container, jobId: null, items: messages, seconds, error: null })
}
