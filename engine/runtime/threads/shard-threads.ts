/**
 * The threads that run the turns of shards, and the committing threads beside them.
 *
 * Owns: which thread runs a shard's turns. Leaves out: order and retries (mailbox.ts), the life of committing threads
 * (commits.ts).
 *
 * 1. A shard's turns always run on the same thread: each thread is a pool of one. The pool has `stricterFIFO`, because
 *    otherwise piscina puts a task that has to wait behind all others.
 * 2. The next turn is sent to the thread before the last one has ended (`concurrentTasksPerWorker`).
 * 3. An idle thread sleeps on a shared counter (`atomics`), so nothing asynchronous may be left on it.
 * 4. A thread that dies is replaced, and its turns are rejected. Piscina gives up on a pool whose threads die before
 *    they are ready. Such a pool is made again, because tasks in its queue would wait for ever.
 */
import { availableParallelism } from 'node:os'
import { must } from '../../assert.js'
import { systemClock } from '../../clock.js'
import { modelCells } from '../../actor/models/model-memory.js'
import type { CommitReport, CommitTask } from '../../actor/commit-slot.js'
import { refuseTurn, type TurnResult, type TurnTask } from '../../actor/turn-task.js'
import { Commits, START_MS } from '../commits/commits.js'
import { threadFile } from '../thread-files.js'
import { within } from '../within.js'
import type { ThreadUsage } from './thread-usage.js'
import { Piscina, REMAKE_MS, type ThreadDied } from './threads.js'

/** What all shard threads are started with. */
export interface ShardThreadData {
  readonly dataDir: string
  readonly sectionNames: readonly string[]
  /** Events in a round of deferred counters (deferred-counters.ts). */
  readonly uncountedEventsMax: number
  /** Bytes of models that a thread keeps open. */
  readonly modelBytesMax: number
}

/** What each shard thread is started with in addition. */
export interface CommitSlotOf {
  readonly commitSlot: SharedArrayBuffer
  /** What it tells of its models (model-memory.ts). */
  readonly modelCells: SharedArrayBuffer
}

/** Models in the memory of threads that decide events. */
export interface OpenModels {
  readonly count: number
  readonly bytes: number
  readonly opened: number
}

/** The default number of shard threads: one core is left to the main thread. */
export function defaultThreads(shards: number): number {
  return Math.max(1, Math.min(shards, availableParallelism() - 1))
}

/** No shard: the thread has only to answer. */
const NO_SHARD = -1

/** The entry of each kind of thread. */
const shardModules = {
  decides: threadFile('shard-thread').href,
  commits: threadFile('commit-thread').href,
}

export class ShardThreads {
  readonly #data: ShardThreadData
  readonly #died: ThreadDied
  readonly #filename: string
  readonly #pools: Piscina<TurnTask, TurnResult>[]
  /** When each thread started, microseconds. */
  readonly #startedMicros: number[]
  /** By thread. */
  readonly #commits: readonly Commits[]
  readonly #modelCells: readonly Int32Array<SharedArrayBuffer>[]
  #closed = false

  /** `modules` replaces entries of threads: tests have some that die at a chosen point. */
  constructor(count: number, data: ShardThreadData, died: ThreadDied, modules: Partial<typeof shardModules> = {}) {
    const { decides, commits } = { ...shardModules, ...modules }
    this.#data = data
    this.#died = died
    this.#filename = decides
    this.#commits = Array.from(
      { length: count },
      () => new Commits(data.dataDir, (task, report) => runCommits(commits, task, report), died),
    )
    this.#modelCells = Array.from({ length: count }, () => new Int32Array(new SharedArrayBuffer(modelCells.count * 4)))
    this.#startedMicros = new Array<number>(count).fill(systemClock.nowMicros())
    this.#pools = Array.from({ length: count }, (_, at) => this.#makePool(at))
  }

  /**
   * Runs a turn on its shard's thread. Where another thread commits it, calls `decided` before it waits for that
   * commit. Rejects when the turn failed or a thread died.
   */
  async run(task: TurnTask, decided: () => void = () => {}): Promise<TurnResult> {
    const thread = this.threadOf(task.shard)
    const commits = this.#commits[thread] as Commits
    const { deaths } = commits
    if (task.handsOver) commits.expect()
    const result = await (this.#pools[thread] as Piscina<TurnTask, TurnResult>).run(task)
    if (result.handedOver !== true) return result
    decided()
    const { flushMs, refusal } = await commits.of(task.shard, task.place, deaths)
    return refusal === undefined
      ? { ...result, flushMs: flushMs as number }
      : { ...refuseTurn(task, refusal), beginsAnew: true }
  }

  /** Makes the shard's thread release the memory that it has mapped for the shard; false where it cannot now. */
  async unmap(shard: number): Promise<boolean> {
    const pool = this.#pools[this.threadOf(shard)] as unknown as Piscina<number, boolean>
    return await pool.run(shard, { name: 'unmap' })
  }

  /** Makes a thread give back memory that it does not need while it is idle. No turn may be under way on it. */
  async rest(thread: number): Promise<void> {
    await (this.#pools[thread] as unknown as Piscina<null, void>).run(null, { name: 'rest' })
  }

  /** Collects the garbage of a thread that rests; its committing thread ends. */
  async collect(thread: number): Promise<void> {
    await (this.#pools[thread] as unknown as Piscina<null, void>).run(null, { name: 'collect' })
    await (this.#commits[thread] as Commits).rest()
  }

  get count(): number {
    return this.#pools.length
  }

  threadOf(shard: number): number {
    return shard % this.#pools.length
  }

  /** The usage of a thread, after the turns that it has. */
  async readUsage(thread: number): Promise<ThreadUsage> {
    const pool = this.#pools[thread] as unknown as Piscina<null, ThreadUsage>
    return await pool.run(null, { name: 'readUsage' })
  }

  /** Models that are open, of all threads, and how often one was opened. */
  openModels(): OpenModels {
    const sum = (cell: number): number =>
      this.#modelCells.reduce((total, cells) => total + Atomics.load(cells, cell), 0)
    const kibibytes = sum(modelCells.kibibytes)
    return { count: sum(modelCells.open), bytes: kibibytes * 1024, opened: sum(modelCells.opened) }
  }

  /** When the thread started, microseconds. */
  startedMicros(thread: number): number {
    return must(this.#startedMicros[thread], 'thread', thread)
  }

  /** Ends a thread and starts another in its place. No turn may be under way on it. */
  async restart(thread: number): Promise<void> {
    const pool = this.#pools[thread] as Piscina<TurnTask, TurnResult>
    this.#pools[thread] = this.#makePool(thread)
    await this.#linked(pool)
    await pool.destroy()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(
      this.#pools.map(async (pool) => {
        await this.#linked(pool)
        await pool.destroy()
      }),
    )
    await Promise.all(this.#commits.map((commits) => commits.close()))
  }

  /** Resolves when the pool's thread has loaded its modules: ending a thread before that ends the process. */
  async #linked(pool: Piscina<TurnTask, TurnResult>): Promise<void> {
    if (pool.threads.length === 0) return
    const nothing = (pool as unknown as Piscina<number, boolean>).run(NO_SHARD, { name: 'unmap' })
    await within(START_MS, nothing).catch(() => {})
  }

  #makePool(at: number): Piscina<TurnTask, TurnResult> {
    const pool = new Piscina<TurnTask, TurnResult>({
      filename: this.#filename,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 2,
      stricterFIFO: true,
      atomics: 'sync',
      recordTiming: false,
      workerHistogram: false,
      workerData: {
        ...this.#data,
        commitSlot: (this.#commits[at] as Commits).memory,
        modelCells: must(this.#modelCells[at], 'thread', at).buffer,
      } satisfies ShardThreadData & CommitSlotOf,
    })
    pool.on('error', this.#died)
    pool.on('workerCreate', () => (this.#startedMicros[at] = systemClock.nowMicros()))
    pool.on('workerDestroy', () => setTimeout(() => this.#remakeWithoutThread(at, pool), REMAKE_MS).unref())
    return pool
  }

  #remakeWithoutThread(at: number, pool: Piscina<TurnTask, TurnResult>): void {
    if (this.#closed || this.#pools[at] !== pool || pool.threads.length > 0) return
    this.#pools[at] = this.#makePool(at)
    void pool.destroy()
  }
}

/** Runs a committing thread until it is told to end. */
async function runCommits(module: string, task: CommitTask, report: (report: CommitReport) => void): Promise<void> {
  const pool = new Piscina<CommitTask, void>({
    filename: module,
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
    recordTiming: false,
  })
  pool.on('message', report)
  try {
    await pool.run(task)
  } finally {
    await pool.destroy()
  }
}
