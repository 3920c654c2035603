/**
 * Threads: the one file that imports `piscina`.
 *
 * Owns: which thread runs a shard's turns, and how threads live that work now and then. Leaves out: which those are
 * (helper-threads.ts), order and retries (mailbox.ts).
 *
 * 1. A shard's turns always run on the same thread: each is a pool of exactly one. `stricterFIFO` makes its queue first
 *    in, first out; without it piscina puts a task that has to wait behind all others.
 * 2. `concurrentTasksPerWorker` 2 puts the next turn at the thread's door before the last one has ended.
 * 3. `atomics: 'sync'` lets an idle thread sleep on a shared counter; so nothing asynchronous may be left behind in it.
 * 4. A thread that dies is replaced, and the turns that were at its door are rejected. Piscina gives up on a pool whose
 *    threads die before they are ready, and what waits in its queue then waits for ever: such a pool is made anew, and one without a
 *    least number of threads whenever its last thread is gone and something waits.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Piscina } from 'piscina'
import type { ThreadLook } from './thread-look.js'
import type { TurnResult, TurnTask } from './turn-task.js'

/** What every shard thread is told when it starts. */
export interface ShardThreadData {
  readonly dataDir: string
  readonly sectionNames: readonly string[]
  /** Of a round of counts (late-counts.ts). */
  readonly lateEventsMax: number
}

/** Threads for shards when the user names no number: one core is left to the HTTP thread. */
export function defaultThreads(shards: number): number {
  return Math.max(1, Math.min(shards, availableParallelism() - 1))
}

/** How long a pool that has lost its thread and got no other is left alone. */
const REMAKE_MS = 500
/** How long a thread that is only starting is waited for before it is ended. */
const START_MS = 5_000
/** How long work that was told to give up is waited for. */
const END_MS = 10_000
/** Names no shard: asks a thread for nothing but an answer. */
const NO_SHARD = -1

/** Told of a thread that died, or could not start, with nothing to do. */
export type ThreadDied = (error: unknown) => void

export class ShardThreads {
  readonly #data: ShardThreadData
  readonly #died: ThreadDied
  readonly #filename: string
  readonly #pools: Piscina<TurnTask, TurnResult>[]
  #closed = false

  /** `filename` is the module that runs a turn; tests give one that dies where they want it to. */
  constructor(count: number, data: ShardThreadData, died: ThreadDied, filename = new URL('../../bundle/service/shard-thread.js', import.meta.url).href) {
    this.#data = data
    this.#died = died
    this.#filename = filename
    this.#pools = Array.from({ length: count }, (_, at) => this.#makePool(at))
  }

  /** Runs a turn on its shard's thread. Rejects when the turn failed or its thread died; another thread takes over. */
  run(task: TurnTask): Promise<TurnResult> {
    return (this.#pools[this.threadOf(task.shard)] as Piscina<TurnTask, TurnResult>).run(task)
  }

  /** Makes the shard's thread give back the memory that it has mapped; false where it cannot now. */
  async unmap(shard: number): Promise<boolean> {
    const pool = this.#pools[this.threadOf(shard)] as unknown as Piscina<number, boolean>
    return await pool.run(shard, { name: 'unmap' })
  }

  get count(): number {
    return this.#pools.length
  }

  threadOf(shard: number): number {
    return shard % this.#pools.length
  }

  /** What a thread says of itself, once it has done what is at its door. */
  async look(thread: number): Promise<ThreadLook> {
    const pool = this.#pools[thread] as unknown as Piscina<null, ThreadLook>
    return await pool.run(null, { name: 'look' })
  }

  /** Ends a thread and begins another in its place. No turn may be under way on it. */
  async restart(thread: number): Promise<void> {
    const pool = this.#pools[thread] as Piscina<TurnTask, TurnResult>
    this.#pools[thread] = this.#makePool(thread)
    await this.#linked(pool)
    await pool.destroy()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#pools.map(async (pool) => {
      await this.#linked(pool)
      await pool.destroy()
    }))
  }

  /** Resolves when the pool's thread has linked its modules: ended in the midst of that, it takes the process with it. */
  async #linked(pool: Piscina<TurnTask, TurnResult>): Promise<void> {
    if (pool.threads.length === 0) return
    const stop = new AbortController()
    const nothing = (pool as unknown as Piscina<number, boolean>).run(NO_SHARD, { name: 'unmap' })
    await Promise.race([nothing, sleep(START_MS, undefined, { signal: stop.signal })]).catch(() => {})
    stop.abort()
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
      workerData: this.#data,
    })
    pool.on('error', this.#died)
    pool.on('workerDestroy', () => setTimeout(() => this.#remakeWithoutThread(at, pool), REMAKE_MS).unref())
    return pool
  }

  #remakeWithoutThread(at: number, pool: Piscina<TurnTask, TurnResult>): void {
    if (this.#closed || this.#pools[at] !== pool || pool.threads.length > 0) return
    this.#pools[at] = this.#makePool(at)
    void pool.destroy()
  }
}

export interface OccasionalSettings {
  readonly module: string
  readonly threadsMax: number
  /** How long a thread waits for more to do. */
  readonly idleMs: number
  /** How much those come after threads that decide events, where cores are few. */
  readonly nice: number
}

/** How often a task is tried that no thread comes up for. */
const STARTS_MAX = 4

/** Threads for work that comes now and then; none while there is none. */
export class OccasionalThreads<Task, Result> {
  readonly #make: () => Piscina<Task, Result>
  #pool: Piscina<Task, Result>
  #running = new Set<Promise<Result>>()
  /** Pools that had tasks and no thread: none of those had begun. */
  readonly #lost = new WeakSet<Piscina<Task, Result>>()

  constructor({ module, threadsMax, idleMs, nice }: OccasionalSettings, died: ThreadDied) {
    this.#make = () => {
      const pool = new Piscina<Task, Result>({
        filename: new URL(module, import.meta.url).href,
        minThreads: 0,
        maxThreads: threadsMax,
        idleTimeout: idleMs,
        niceIncrement: nice,
        atomics: 'disabled',
        recordTiming: false,
      })
      pool.on('workerDestroy', () => setTimeout(() => this.#remakeWithoutThread(pool), REMAKE_MS).unref())
      return pool.on('error', died)
    }
    this.#pool = this.#make()
  }

  /** Tasks that run or wait. */
  get underWay(): number {
    return this.#running.size
  }

  /** How long its threads have been busy so far, as their event loops tell it; those that have ended are not counted. */
  get busyMs(): number {
    return this.#pool.threads.reduce((sum, { performance }) => sum + performance.eventLoopUtilization().active, 0)
  }

  /** Rejects where its threads should be busy and there are none: they do not come up. */
  async answers(): Promise<void> {
    if (this.#running.size > 0 && this.#pool.threads.length === 0) throw new Error('its threads do not come up')
  }

  /** New tasks get new threads; the old ones end with what they have under way. */
  async restart(): Promise<void> {
    const [pool, running] = [this.#pool, this.#running]
    this.#pool = this.#make()
    this.#running = new Set()
    await endPool(pool, running)
  }

  /** Tasks that no thread has taken yet. */
  get waiting(): number {
    return this.#pool.queueSize
  }

  /** Rejects when the task failed, its thread died, or none came up. */
  async run(task: Task): Promise<Result> {
    for (let start = 1; ; start++) {
      const [pool, running] = [this.#pool, this.#running]
      const result = pool.run(task)
      running.add(result)
      try {
        return await result
      } catch (error) {
        if (!this.#lost.has(pool)) throw error
        if (start === STARTS_MAX) throw new Error('no thread for it could be started', { cause: error })
      } finally {
        running.delete(result)
      }
    }
  }

  /** Piscina begins no thread by itself for what waits where the last one died, or could not start. */
  #remakeWithoutThread(pool: Piscina<Task, Result>): void {
    if (this.#pool !== pool || pool.queueSize === 0 || pool.threads.length > 0) return
    this.#lost.add(pool)
    this.#pool = this.#make()
    void pool.destroy()
  }

  /** What runs is to be told before to give up. */
  async close(): Promise<void> {
    await endPool(this.#pool, this.#running)
  }
}

/**
 * What runs is waited for, but not for ever. A thread that is ended in the midst of opening a store takes the process with
 * it.
 */
async function endPool(pool: { destroy(): Promise<void> }, running: Iterable<Promise<unknown>>): Promise<void> {
  const stop = new AbortController()
  const ended = Promise.allSettled(running)
  await Promise.race([ended, sleep(END_MS, undefined, { signal: stop.signal }).catch(() => {})])
  stop.abort()
  await pool.destroy()
}
