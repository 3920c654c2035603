/**
 * Runs reprocessing tasks: counts the events of a task, then has them decided again, a piece at a time.
 *
 * Owns: when a task runs, and its pauses. Leaves out: requests (reprocessing.ts), finding events (event-search.ts),
 * deciding them and the task's row (actor/reprocess-tasks.ts).
 *
 * 1. No state of a task is kept here: its row in the shard says what is left, and a restart reads it.
 * 2. A job's tasks run one after another, in the order of their requests, and not while the job is stopped.
 * 3. A piece is one message, and one piece is under way at a time. Where other messages wait, the next piece comes only
 *    after a pause of three times the last one. So a task takes at most a quarter of a busy shard.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isOver, type ReprocessRow } from '../../store/reprocess-row.js'
import { encodeTaskCommand, type TaskCommand } from '../../actor/reprocess-tasks.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { EventSearchResult } from './event-search.js'
import type { EventSearchThread } from './event-search-threads.js'

/** A task fails after so many failed searches in a row; milliseconds between two of them. */
const SEARCH_ATTEMPTS = 3
const SEARCH_AGAIN_MS = 250

export interface TaskRunnerDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly shards: Pick<ReadableShards, 'messages' | 'reader' | 'insist'>
  /** Searches for events. */
  readonly thread: Pick<EventSearchThread, 'run'>
  job(id: number): JobSettings | undefined
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

export class TaskRunner {
  readonly #deps: TaskRunnerDeps
  readonly #changed: () => void
  /** Jobs whose tasks are being run. */
  readonly #running = new Set<number>()

  /** `changed` is called after each step of a task. */
  constructor(deps: TaskRunnerDeps, changed: () => void) {
    this.#deps = deps
    this.#changed = changed
  }

  /** Runs the job's tasks, if any are due. */
  wake(jobId: number): void {
    if (this.#running.has(jobId) || this.#next(jobId) === null) return
    this.#running.add(jobId)
    this.#run(jobId).catch((error: unknown) => {
      this.#running.delete(jobId)
      if (this.#deps.accepting())
        this.#deps.failed('a reprocessing task stopped; the next start takes it up again', error)
    })
  }

  /** The task to run now, or null. */
  #next(jobId: number): { job: JobSettings; row: ReprocessRow } | null {
    const job = this.#deps.job(jobId)
    if (!this.#deps.accepting() || job === undefined || job.status === 'STOPPED') return null
    const row = this.#deps.shards
      .reader(job.shard)
      .tasks(jobId)
      .find((one) => !isOver(one))
    return row === undefined ? null : { job, row }
  }

  async #run(jobId: number): Promise<void> {
    for (let next = this.#next(jobId); next !== null; next = this.#next(jobId)) {
      const { job, row } = next
      try {
        if (row.matched === null) await this.#count(job, row)
        else await this.#decideSome(job, row)
      } catch (error) {
        if (!this.#deps.accepting() || this.#deps.job(jobId) === undefined) continue
        this.#deps.failed('a reprocessing task failed', error)
        await this.#insist(job, { op: 'end', id: row.id, state: 'failed', message: (error as Error).message })
      }
    }
    // In the same tick as the check that found no task: a later `wake` starts the run again.
    this.#running.delete(jobId)
    this.#changed()
  }

  async #count(job: JobSettings, row: ReprocessRow): Promise<void> {
    let [matched, through, last] = [0, row.cursor, false]
    while (!last) {
      const found = await this.#search(job, row, through, true)
      matched += found.count
      ;({ through, last } = found)
      if (this.#next(job.id)?.row.id !== row.id) return
    }
    await this.#insist(job, { op: 'count', id: row.id, matched })
  }

  /** One search, and the pieces of what it found. */
  async #decideSome(job: JobSettings, row: ReprocessRow): Promise<void> {
    const found = await this.#search(job, row, row.cursor, false)
    let from = row.cursor
    for (let at = 0; at === 0 || at < found.times.length; at += limits.reprocessEventsPerPiece) {
      const times = found.times.slice(at, at + limits.reprocessEventsPerPiece)
      const isLast = at + limits.reprocessEventsPerPiece >= found.times.length
      const through = isLast ? found.through : (times.at(-1) as number)
      const last = isLast && found.last
      const begun = performance.now()
      const now = this.#next(job.id)
      if (now?.row.id !== row.id) return
      const after = await this.#insist(now.job, { op: 'piece', id: row.id, from, through, times, last })
      if (after === null || isOver(after) || after.cursor !== through) return
      from = through
      const tookMs = performance.now() - begun
      if (this.#deps.shards.messages > 0)
        await sleep(Math.min(3 * tookMs, limits.reprocessPauseMsMax), undefined, { ref: false })
    }
  }

  /** Searches again where the thread has died. */
  async #search(
    job: JobSettings,
    { id, selection }: ReprocessRow,
    after: number,
    countOnly: boolean,
  ): Promise<EventSearchResult> {
    const { dataDir, serviceNames, thread } = this.#deps
    const task = { dataDir, job, serviceNames, selection, requestedMicros: id, after, countOnly }
    for (let attempt = 1; ; attempt++) {
      try {
        return await thread.run(task)
      } catch (error) {
        if (!this.#deps.accepting() || attempt >= SEARCH_ATTEMPTS) throw error
        await sleep(SEARCH_AGAIN_MS, undefined, { ref: false })
      }
    }
  }

  /** A message of the engine's own waits where the mailbox is full. */
  async #insist(job: JobSettings, order: TaskCommand): Promise<ReprocessRow | null> {
    const row = (await this.#deps.shards.insist(job, 'task', encodeTaskCommand(order))) as ReprocessRow | null
    this.#changed()
    return row
  }
}
