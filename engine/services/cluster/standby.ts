/**
 * A node that is not the owner: it keeps copies of the catalog and of all shards by applying their logs.
 *
 * Owns: the followers and their threads, and the end of following, where this node becomes the owner. Leaves out: when
 * that is (cluster-node.ts), what a follower does (runtime/log/), reads of the copies (copy-service.ts).
 *
 * 1. Nothing here writes anything that is not in a log.
 * 2. Before it becomes the owner it begins as the writer of every log, the catalog's last. From then on the owner
 *    before it is refused, and the copies here are complete.
 */
import { systemClock } from '../../clock.js'
import type { BlockSum } from '../../actor/log/block-sums.js'
import { modelBytesOfThread } from '../../actor/models/model-memory.js'
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import { sectionNamesOf, type EngineOptions } from '../../options.js'
import { CatalogFollower } from '../../runtime/log/catalog/catalog-follower.js'
import { Follower } from '../../runtime/log/follower.js'
import type { Positions } from '../../runtime/log/jetstream/owner-positions.js'
import { LogMoved, type RecordLog } from '../../runtime/log/turn-log.js'
import { encodeBegin } from '../../runtime/log/turn-record.js'
import { defaultThreads, ShardThreads } from '../../runtime/threads/shard-threads.js'
import { openDataDir, type DataDir } from '../../store/directory/data-dir.js'
import { openUpgraded } from '../../store/directory/upgrade.js'
import { lockDataDir, type DataLock } from '../../store/directory/data-lock.js'
import { openCatalog, openLedger } from '../../store/directory/environments.js'
import { isMade } from '../../store/directory/whole-files.js'
import type { LmdbEnvironment } from '../../store/lmdb/lmdb.js'
import { ledgerTables } from '../../integration/delivery/ledger.js'
import { allCatalogTables } from '../catalog-tables.js'
import { openReaders, type JobReader } from '../read/job-reader.js'
import { LEDGER, watermarkOf } from '../verify/watermarks.js'
import { CopyService } from './copy-service.js'

export interface StandbyDeps {
  readonly options: Pick<EngineOptions, 'dataDir' | 'name' | 'threads' | 'modelMemoryMb' | 'clock'>
  /** One for each shard, and that of the catalog. */
  readonly logs: readonly RecordLog[]
  readonly catalogLog: RecordLog
  /** Restores what the logs cannot complete, before anything is opened. */
  prepare(): Promise<void>
  /** Told where following has stopped for good. */
  stopped(error: unknown): void
  failed(what: string, error: unknown): void
  /** A record was applied. */
  progressed?(): void
  /** A key or token was used here. */
  used?(id: string): void
}

/** Where the logs were when this node began to write them. */
export interface Begun {
  /** Sequences of the last records before its own, and of its own in the catalog. */
  readonly positions: Positions
  /** No message in any log has a later time, microseconds. */
  readonly lastMicros: number
}

export class Standby {
  readonly #deps: StandbyDeps
  readonly #lock: DataLock
  readonly #catalogStore: LmdbEnvironment
  readonly #threads: ShardThreads
  readonly #readers: readonly JobReader[]
  readonly #shards: readonly { readonly follower: Follower; readonly log: RecordLog }[]
  readonly #catalog: CatalogFollower
  /** Reads of the copies. */
  readonly reads: CopyService
  readonly #ending = new AbortController()
  readonly #following: Promise<unknown>
  #ledger: LmdbEnvironment | null = null

  /** Rejects with Refusal data_dir_in_use, data_dir_newer, data_dir_invalid, and as `prepare` does. */
  static async open(deps: StandbyDeps): Promise<Standby> {
    const lock = await lockDataDir(deps.options.dataDir)
    try {
      const { options, logs } = deps
      // Files that are cut off are refused before anybody reads them.
      openDataDir(options.dataDir, logs.length)
      await deps.prepare()
      return new Standby(deps, lock, await openUpgraded(options.dataDir, logs.length))
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  private constructor(deps: StandbyDeps, lock: DataLock, { shards }: DataDir) {
    const { options, logs, catalogLog, failed } = deps
    const { dataDir, name } = options
    this.#deps = deps
    this.#lock = lock
    if (shards !== logs.length)
      throw new Refusal('data_dir_invalid', `the data directory ${dataDir} has ${shards} shards, not ${logs.length}`)
    this.#catalogStore = openCatalog(dataDir, allCatalogTables)
    this.#readers = openReaders(dataDir, shards)
    const threads = Math.min(shards, options.threads ?? defaultThreads(shards))
    const threadData = {
      dataDir,
      sectionNames: sectionNamesOf(name),
      uncountedEventsMax: limits.deferredCounterEventsMax,
      modelBytesMax: modelBytesOfThread(options.modelMemoryMb, threads),
    }
    this.#threads = new ShardThreads(threads, threadData, (error) => failed('a thread of a standby died', error))
    this.reads = new CopyService({
      dataDir,
      name,
      threads,
      catalog: this.#catalogStore,
      readers: this.#readers,
      clock: options.clock ?? systemClock,
      used: (id) => deps.used?.(id),
      failed,
    })
    const progressed = (): void => deps.progressed?.()
    this.#shards = logs.map((log, shard) => {
      const reader = this.#readers[shard] as JobReader
      const run = this.#threads.run.bind(this.#threads)
      const took = (): void => {
        this.reads.applied(shard, follower.lastMicros)
        progressed()
      }
      const follower = new Follower({ shard, run, failed, applied: () => reader.appliedLog() }, log, took)
      return { log, follower }
    })
    this.#catalog = new CatalogFollower({
      catalog: this.#catalogStore,
      log: catalogLog,
      ledger: () => this.#openLedger(),
      took: (rows) => {
        this.reads.changed(rows)
        progressed()
      },
    })
    const { signal } = this.#ending
    const following = [this.#catalog, ...this.#shards.map(({ follower }) => follower)].map((one) => one.follow(signal))
    this.#following = Promise.all(following).catch((error: unknown) => {
      if (!signal.aborted) deps.stopped(error)
    })
  }

  /** Sequences that were applied: of each shard, and of the catalog. */
  get applied(): Positions {
    return { shards: this.#shards.map(({ follower }) => follower.applied), catalog: this.#catalog.applied }
  }

  /** Of what the latest records of a shard's log wrote. */
  sumsOf(shard: number): readonly BlockSum[] {
    const reader = this.#readers[shard] as JobReader
    reader.refresh()
    return reader.appliedLog().sums
  }

  /** Ends following, applies the rest of all logs and begins as their writer. Rejects with LogUnavailable, LogGap. */
  async begin(term: string): Promise<Begun> {
    await this.#end()
    await Promise.all(this.#shards.map(({ follower, log }) => beginShard(follower, log, term)))
    const shards = this.#shards.map(({ follower }) => follower.applied)
    const catalog = await this.#catalog.begin(term)
    // A ledger without any rows is not in the log. The catalog knows that there is one.
    if (watermarkOf(this.#catalogStore, LEDGER) !== null && !isMade(this.#deps.options.dataDir, LEDGER))
      this.#openLedger()
    const lastMicros = Math.max(0, ...this.#shards.map(({ follower }) => follower.lastMicros))
    return { positions: { shards, catalog }, lastMicros }
  }

  async close(): Promise<void> {
    await this.#end()
    await this.reads.close()
    await this.#threads.close()
    for (const reader of this.#readers) await reader.close()
    await this.#ledger?.close()
    await this.#catalogStore.close()
    await this.#lock.release()
  }

  async #end(): Promise<void> {
    this.#ending.abort()
    await this.#following
  }

  #openLedger(): LmdbEnvironment {
    this.#ledger ??= openLedger(this.#deps.options.dataDir, ledgerTables)
    return this.#ledger
  }
}

/** The record with which a writer begins is not applied here: it changes nothing. */
async function beginShard(follower: Follower, log: RecordLog, term: string): Promise<void> {
  for (;;) {
    await follower.catchUp()
    try {
      await log.append(encodeBegin(term), follower.applied)
      return
    } catch (error) {
      if (!(error instanceof LogMoved)) throw error
    }
  }
}
