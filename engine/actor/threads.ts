/**
 * Threads: the one file that imports `piscina`.
 *
 * Owns: which thread runs a shard's turns, and the threads that train. Leaves out: order and retries (mailbox.ts).
 *
 * 1. A shard's turns always run on the same thread: each is a pool of exactly one, so its queue is first in, first out.
 * 2. `concurrentTasksPerWorker` 2 puts the next turn at the thread's door before the last one has ended.
 * 3. `atomics: 'sync'` lets an idle thread sleep on a shared counter; so nothing asynchronous may be left behind in it.
 */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { TurnResult, TurnTask } from './turn.js'
import type { TrainingTask, TrainingResult } from './training-task.js'

/** What every shard thread is told when it starts. */
export interface ShardThreadData {
  readonly dataDir: string
  readonly sectionNames: readonly string[]
}

/** Threads for shards when the user names no number: one core is left to the HTTP thread. */
export function defaultThreads(shards: number): number {
  return Math.max(1, Math.min(shards, availableParallelism() - 1))
}

export class ShardThreads {
  readonly #pools: Piscina<TurnTask, TurnResult>[]

  /** `filename` is the module that runs a turn; tests give one that dies where they want it to. */
  constructor(count: number, data: ShardThreadData, filename = new URL('./shard-thread.js', import.meta.url).href) {
    this.#pools = Array.from({ length: count }, () => new Piscina<TurnTask, TurnResult>({
      filename,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 2,
      atomics: 'sync',
      recordTiming: false,
      workerHistogram: false,
      workerData: data,
    }))
  }

  /** Runs a turn on its shard's thread. Rejects when the turn failed or its thread died; another thread takes over. */
  run(task: TurnTask): Promise<TurnResult> {
    return (this.#pools[task.shard % this.#pools.length] as Piscina<TurnTask, TurnResult>).run(task)
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()))
  }
}

/** The threads that train; none while nothing trains. */
export class TrainingThreads {
  readonly #pool: Piscina<TrainingTask, TrainingResult>

  constructor(threadsMax: number) {
    this.#pool = new Piscina<TrainingTask, TrainingResult>({
      filename: new URL('./training-thread.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: threadsMax,
      idleTimeout: 10_000,
      // Threads that decide events come first where cores are few.
      niceIncrement: 10,
      atomics: 'disabled',
      recordTiming: false,
    })
  }

  /** Trains; rejects when the training failed or its thread died. */
  run(task: TrainingTask): Promise<TrainingResult> {
    return this.#pool.run(task)
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
