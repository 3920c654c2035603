/**
 * Occasional threads, and the one import of `piscina`.
 *
 * Owns: the life of threads that have work only now and then. Leaves out: which threads those are (services/), threads
 * of shards (shard-threads.ts).
 *
 * 1. When the last thread of a pool dies or cannot start, piscina starts no other for the tasks that wait, unless the
 *    pool has a minimum of threads. Such a pool is made again.
 */
import { Piscina } from 'piscina'
import { systemClock } from '../../clock.js'
import { within } from '../within.js'
import { isMemoryReport } from './memory-report.js'

export { Piscina }

/** How long after the loss of its thread a pool is checked for a new one. */
export const REMAKE_MS = 500
/** How long to wait for work that was told to give up. */
const END_MS = 10_000

/** Told of a thread that died, or could not start, while it had no task. */
export type ThreadDied = (error: unknown) => void

export interface OccasionalSettings {
  /** The entry of the thread. */
  readonly module: URL
  readonly threadsMax: number
  /** How long a thread waits for another task. */
  readonly idleMs: number
  /** Added to the nice value, so that threads that decide events come first where cores are few. */
  readonly nice: number
}

/** How often a task is tried while no thread starts for it. */
const STARTS_MAX = 4

/** Threads for work that comes now and then. There are none while there is no work. */
export class OccasionalThreads<Task, Result> {
  readonly #make: () => Piscina<Task, Result>
  #pool: Piscina<Task, Result>
  #running = new Set<Promise<Result>>()
  /** Bytes by thread, as each has told; threads that ended are not counted. */
  readonly #memory = new Map<number, number>()
  #startedMicros = systemClock.nowMicros()
  /** Pools that had tasks and no thread: none of these tasks had begun. */
  readonly #lost = new WeakSet<Piscina<Task, Result>>()

  constructor({ module, threadsMax, idleMs, nice }: OccasionalSettings, died: ThreadDied) {
    this.#make = () => {
      const pool = new Piscina<Task, Result>({
        filename: module.href,
        minThreads: 0,
        maxThreads: threadsMax,
        idleTimeout: idleMs,
        niceIncrement: nice,
        atomics: 'disabled',
        recordTiming: false,
        // Else a task that finds no free thread goes behind all others, whenever that happens.
        stricterFIFO: true,
      })
      pool.on('workerDestroy', () => setTimeout(() => this.#remakeWithoutThread(pool), REMAKE_MS).unref())
      pool.on('workerCreate', () => (this.#startedMicros = systemClock.nowMicros()))
      pool.on('message', (message: unknown) => {
        if (isMemoryReport(message)) this.#memory.set(message.thread, message.memoryBytes)
      })
      return pool.on('error', died)
    }
    this.#pool = this.#make()
  }

  /** Tasks that run or wait. */
  get underWay(): number {
    return this.#running.size
  }

  /** Milliseconds that the event loops of its present threads have been busy so far. */
  get busyMs(): number {
    return this.#pool.threads.reduce((sum, { performance }) => sum + performance.eventLoopUtilization().active, 0)
  }

  /** Bytes that its present threads have used, as far as they have told; 0 without threads. */
  get memoryBytes(): number {
    const present = new Set(this.#pool.threads.map(({ threadId }) => threadId))
    for (const thread of this.#memory.keys()) if (!present.has(thread)) this.#memory.delete(thread)
    return [...this.#memory.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  /** When its latest thread started; before the first, when it could. */
  get startedMicros(): number {
    return this.#startedMicros
  }

  /** Rejects where there are tasks but no threads: they do not start. */
  async answers(): Promise<void> {
    if (this.#running.size > 0 && this.#pool.threads.length === 0) throw new Error('its threads do not start')
  }

  /** New tasks get new threads. The old threads finish their tasks and end. */
  async restart(): Promise<void> {
    const [pool, running] = [this.#pool, this.#running]
    this.#pool = this.#make()
    this.#startedMicros = systemClock.nowMicros()
    this.#running = new Set()
    await endPool(pool, running)
  }

  /** Tasks that no thread has taken yet. */
  get waiting(): number {
    return this.#pool.queueSize
  }

  /** Rejects when the task failed, its thread died, or none started. */
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

  /** Invariant 1. */
  #remakeWithoutThread(pool: Piscina<Task, Result>): void {
    if (this.#pool !== pool || pool.queueSize === 0 || pool.threads.length > 0) return
    this.#lost.add(pool)
    this.#pool = this.#make()
    void pool.destroy()
  }

  /** Tasks should have been told to give up before. */
  async close(): Promise<void> {
    await endPool(this.#pool, this.#running)
  }
}

/** Waits for running tasks, but not for ever. Ending a thread that is opening a store would end the process. */
async function endPool(pool: { destroy(): Promise<void> }, running: Iterable<Promise<unknown>>): Promise<void> {
  await within(END_MS, Promise.allSettled(running)).catch(() => {})
  await pool.destroy()
}
