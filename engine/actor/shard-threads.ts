/**
 * The threads that run the turns of shards, and those beside them that commit large turns.
 *
 * Owns: which thread runs a shard's turns. Leaves out: order and retries (mailbox.ts), when there is a thread that commits (commits.ts).
 *
 * 1. A shard's turns always run on the same thread: each is a pool of exactly one. `stricterFIFO` makes its queue first
 *    in, first out; without it piscina puts a task that has to wait behind all others.
 * 2. `concurrentTasksPerWorker` 2 puts the next turn at the thread's door before the last one has ended.
 * 3. `atomics: 'sync'` lets an idle thread sleep on a shared counter; so nothing asynchronous may be left behind in it.
 * 4. A thread that dies is replaced, and the turns that were at its door are rejected. Piscina gives up on a pool whose
 *    threads die before they are ready, and what waits in its queue then waits for ever: such a pool is made anew.
 */
import { availableParallelism } from 'node:os'
import { Commits, START_MS, type CommitSaid } from './commits.js'
import type { CommitTask } from './commit-thread.js'
import type { ThreadLook } from './thread-look.js'
import { Piscina, REMAKE_MS, type ThreadDied } from './threads.js'
import { refuseTurn, type TurnResult, type TurnTask } from './turn-task.js'
import { within } from './within.js'

/** What every shard thread is told when it starts. */
export interface ShardThreadData {
  readonly dataDir: string
  readonly sectionNames: readonly string[]
  /** Of a round of counts (late-counts.ts). */
  readonly lateEventsMax: number
}

/** What each is told of its own. */
export interface CommitSlotOf {
  readonly commitSlot: SharedArrayBuffer
}

/** Threads for shards when the user names no number: one core is left to the HTTP thread. */
export function defaultThreads(shards: number): number {
  return Math.max(1, Math.min(shards, availableParallelism() - 1))
}

/** Names no shard: asks a thread for nothing but an answer. */
const NO_SHARD = -1

/** What the threads of a shard run. */
const shardModules = {
  decides: '../../bundle/service/shard-thread.js',
  commits: '../../bundle/service/commit-thread.js',
}

export class ShardThreads {
  readonly #data: ShardThreadData
  readonly #died: ThreadDied
  readonly #filename: string
  readonly #pools: Piscina<TurnTask, TurnResult>[]
  /** By thread. */
  readonly #commits: readonly Commits[]
  #closed = false

  /** The modules run a turn and commit what it hands over; tests give some that die where they want them to. */
  constructor(count: number, data: ShardThreadData, died: ThreadDied, modules: Partial<typeof shardModules> = {}) {
    const { decides, commits } = { ...shardModules, ...modules }
    this.#data = data
    this.#died = died
    this.#filename = new URL(decides, import.meta.url).href
    this.#commits = Array.from(
      { length: count },
      () => new Commits(data.dataDir, (task, said) => runCommits(commits, task, said), died),
    )
    this.#pools = Array.from({ length: count }, (_, at) => this.#makePool(at))
  }

  /**
   * Runs a turn on its shard's thread, and waits for its commit where another thread does that; `decided` is called between the two. Rejects
   * when the turn failed or a thread died; another thread takes over.
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
    await Promise.all(
      this.#pools.map(async (pool) => {
        await this.#linked(pool)
        await pool.destroy()
      }),
    )
    await Promise.all(this.#commits.map((commits) => commits.close()))
  }

  /** Resolves when the pool's thread has linked its modules: ended in the midst of that, it takes the process with it. */
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
      workerData: { ...this.#data, commitSlot: (this.#commits[at] as Commits).memory } satisfies ShardThreadData &
        CommitSlotOf,
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

/** A thread that commits, until it is told to end. */
async function runCommits(module: string, task: CommitTask, said: (said: CommitSaid) => void): Promise<void> {
  const pool = new Piscina<CommitTask, void>({
    filename: new URL(module, import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
    recordTiming: false,
  })
  pool.on('message', said)
  try {
    await pool.run(task)
  } finally {
    await pool.destroy()
  }
}
