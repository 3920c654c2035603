/**
 * Threads: the one file that imports `piscina`.
 *
 * Owns: how threads live that work now and then. Leaves out: which those are (services/), threads of shards
 * (shard-threads.ts).
 *
 * 1. Piscina begins no thread by itself for what waits where the last one died, or could not start: a pool without a least number of
 *    threads is made anew whenever its last thread is gone and something waits.
 */
import { Piscina } from 'piscina'
import { within } from './within.js'

export { Piscina }

/** How long a pool that has lost its thread and got no other is left alone. */
export const REMAKE_MS = 500
/** How long work that was told to give up is waited for. */
const END_MS = 10_000

/** Told of a thread that died, or could not start, with nothing to do. */
export type ThreadDied = (error: unknown) => void

export interface OccasionalSettings {
  /** The entry of the thread. */
  readonly module: URL
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
        filename: module.href,
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
  await within(END_MS, Promise.allSettled(running)).catch(() => {})
  await pool.destroy()
}
