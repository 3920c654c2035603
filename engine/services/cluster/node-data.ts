/**
 * What a node has open as long as it lives, whoever owns the catalog: its data directory, the catalog, and all shards
 * with their threads and mailboxes.
 *
 * Owns: opening and closing. Leaves out: which shards are this node's own (owners/), following the catalog
 * (standby.ts), the engine, which is opened over it (start/engine-logs.ts).
 *
 * 1. Nothing here writes anything that is not in a log.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../clock.js'
import { modelBytesOfThread } from '../../actor/models/model-memory.js'
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import { sectionNamesOf, type EngineOptions } from '../../options.js'
import { ledgerTables } from '../../integration/delivery/ledger.js'
import { IngestClock } from '../../runtime/ingest-clock.js'
import { Seats } from '../../runtime/log/spread/seats.js'
import type { SendTurn } from '../../runtime/log/spread/seat.js'
import type { RecordLog } from '../../runtime/log/turn-log.js'
import { Shards } from '../../runtime/shards.js'
import { collectAtRest } from '../../runtime/threads/collect-garbage.js'
import { defaultThreads } from '../../runtime/threads/shard-threads.js'
import { openDataDir } from '../../store/directory/data-dir.js'
import { lockDataDir, type DataLock } from '../../store/directory/data-lock.js'
import { openCatalog, openLedger } from '../../store/directory/environments.js'
import { openUpgraded } from '../../store/directory/upgrade.js'
import type { LmdbEnvironment } from '../../store/lmdb/lmdb.js'
import { allCatalogTables } from '../catalog-tables.js'
import { PageCheck } from '../verify/page-check.js'
import { mustHaveSoundPages } from '../verify/start-check.js'
import { openReaders, type JobReader, type ReadableShards } from '../read/job-reader.js'
import type { ShardHost } from './owners/shard-moves.js'
import type { OpenedParts, ShardListeners } from '../start/engine-logs.js'

/** Milliseconds that messages wait for the owners of their shards when this node ends. */
const IDLE_MS = 3_000
/** What helps where a file is damaged. */
const START_EMPTY = 'Start this node with an empty data directory: it reads everything from snapshots and the log'

export interface NodeDataDeps {
  readonly options: Pick<EngineOptions, 'dataDir' | 'name' | 'threads' | 'modelMemoryMb' | 'clock'>
  /** One for each shard. */
  readonly logs: readonly RecordLog[]
  /** Sends a turn to the owner of its shard. */
  readonly send: SendTurn
  /** Restores what the logs cannot complete, before anything is opened. */
  prepare(): Promise<void>
  /** Told where following a shard has stopped for good, and where a page of a file is damaged. */
  stopped(error: unknown): void
  failed(what: string, error: unknown): void
  /** A record of a shard was applied that another node has appended. */
  progressed?(): void
  /** Another node has begun as the writer of a shard that is this node's own. */
  fenced?(): void
}

export class NodeData implements OpenedParts {
  readonly dataDir: string
  readonly lock: DataLock
  readonly catalog: LmdbEnvironment
  readonly readers: readonly JobReader[]
  readonly shards: ReadableShards
  readonly clock: IngestClock
  readonly seats: Seats
  readonly listeners: ShardListeners = {}
  readonly #pageCheck: PageCheck
  #ledger: LmdbEnvironment | null = null

  /** Rejects with Refusal data_dir_in_use, data_dir_newer, data_dir_invalid, and as `prepare` does. */
  static async open(deps: NodeDataDeps): Promise<NodeData> {
    const { options, logs, prepare } = deps
    const lock = await lockDataDir(options.dataDir)
    try {
      // Files that are cut off or damaged are refused before anybody reads them.
      openDataDir(options.dataDir, logs.length)
      const unchecked = mustHaveSoundPages(options.dataDir, logs.length, START_EMPTY)
      await prepare()
      const { shards } = await openUpgraded(options.dataDir, logs.length)
      if (shards !== logs.length)
        throw new Refusal(
          'data_dir_invalid',
          `the data directory ${options.dataDir} has ${shards} shards, not ${logs.length}`,
        )
      return new NodeData(deps, lock, unchecked)
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  private constructor(deps: NodeDataDeps, lock: DataLock, unchecked: readonly string[]) {
    const { options, logs, send, stopped, failed, progressed, fenced } = deps
    const { dataDir, name } = options
    this.dataDir = dataDir
    this.lock = lock
    this.catalog = openCatalog(dataDir, allCatalogTables)
    this.readers = openReaders(dataDir, logs.length)
    this.clock = new IngestClock(options.clock ?? systemClock)
    for (const reader of this.readers) this.clock.follow(reader.lastMicros())
    this.seats = new Seats({ logs, send, stopped, took: () => progressed?.(), fenced: () => fenced?.() })
    const threads = Math.min(logs.length, options.threads ?? defaultThreads(logs.length))
    this.shards = new Shards({
      threads,
      threadData: {
        dataDir,
        sectionNames: sectionNamesOf(name),
        uncountedEventsMax: limits.deferredCounterEventsMax,
        modelBytesMax: modelBytesOfThread(options.modelMemoryMb, threads),
      },
      readers: this.readers,
      clock: this.clock,
      log: this.seats,
      failed: (what, error) => (this.listeners.failed ?? failed)(what, error),
      ran: (shard, ran) => this.listeners.ran?.(shard, ran),
      ranElsewhere: (shard) => this.listeners.ranElsewhere?.(shard),
      rested: collectAtRest,
    })
    this.#pageCheck = new PageCheck({ dataDir, files: unchecked, remedy: START_EMPTY, damaged: stopped, failed })
    this.seats.follow()
  }

  /** What takes shards and gives them away. */
  get host(): ShardHost {
    return { seats: this.seats, changeRunner: (shard, work) => this.shards.changeRunner(shard, work) }
  }

  /** Opens the ledger of integrations, which not every catalog has. */
  readonly ledger = (): LmdbEnvironment => {
    this.#ledger ??= openLedger(this.dataDir, ledgerTables)
    return this.#ledger
  }

  /** Closes the ledger, because the engine opens it. */
  async closeLedger(): Promise<void> {
    await this.#ledger?.close()
    this.#ledger = null
  }

  async close(): Promise<void> {
    // What was taken in for other nodes' shards goes there. What cannot in time is refused.
    await Promise.race([this.shards.whenIdle(), pause(IDLE_MS, null, { ref: false })])
    await this.#pageCheck.close()
    await this.seats.close()
    // Turns that are this node's own end within the limit of the log.
    await this.shards.whenIdle()
    await this.shards.close()
    await this.closeLedger()
    await this.catalog.close()
    await this.lock.release()
  }
}
