/**
 * Reprocessing, seen from the main thread: single events, and tasks that run through a job's events in pieces.
 *
 * Owns: when a task runs, and who waits for it. Leaves out: finding events (event-search.ts, on a thread of its own),
 * deciding them and the task's row (reprocess-tasks.ts, in the job's actor).
 *
 * 1. Nothing about a task is remembered here: its row in the shard says what is left, and a restart reads it.
 * 2. A job's tasks run one after the other, in the order in which they were asked for, and not while the job is stopped.
 * 3. A piece is one message, and one is under way at a time; where others wait for the threads, it stays away for longer than
 *    the piece took, so that a task never has more than a quarter of a busy shard.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isOver, type ReprocessRow } from '../../store/reprocess-row.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import { authorOf, withAuthor } from '../../actor/message-author.js'
import type { ReprocessRequest, ReprocessService, ReprocessTask } from '../../api/reprocess-service.js'
import { compileSelection, parseSelection, type EventSearchResult } from './event-search.js'
import { taskView } from './reprocess-view.js'
import type { ReadableShards } from '../read/job-reader.js'
import { encodeTaskCommand, type TaskCommand } from '../../actor/reprocess-tasks.js'
import type { EventSearchThread } from './event-search-threads.js'
import type { Author, JobHandle } from '../../api/principal.js'

/** Looks in a row that fail before a task is given up, and milliseconds between two of them. */
const LOOK_ATTEMPTS = 3
const LOOK_AGAIN_MS = 250
/** How much longer than it asked to a request waits for its events to be counted, in milliseconds. */
const COUNT_WAIT_MS = 15_000
/** How often a request that waits looks, where nothing tells it to. */
const WAIT_STEP_MS = 500

export interface ReprocessingDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly shards: Pick<ReadableShards, 'count' | 'messages' | 'reader' | 'ask' | 'insist'>
  readonly collector: Pick<AuditCollector, 'ask'>
  /** Looks for events. It is closed with this. */
  readonly thread: Pick<EventSearchThread, 'run' | 'close'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  job(id: number): JobSettings | undefined
  /** @throws Refusal draining. */
  mustAccept(): void
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

export class Reprocessing implements ReprocessService {
  readonly #deps: ReprocessingDeps
  /** Jobs whose tasks are being run. */
  readonly #running = new Set<number>()
  /** Tasks that are being asked for, by job. */
  readonly #asking = new Map<number, number>()
  #told: (() => void)[] = []

  constructor(deps: ReprocessingDeps) {
    this.#deps = deps
  }

  /** Takes up what the last process did not finish. */
  takeUp(): void {
    const { shards } = this.#deps
    for (let shard = 0; shard < shards.count; shard++) {
      for (const { jobId } of shards.reader(shard).storedJobs()) this.wake(jobId)
    }
  }

  /** There may be something to do for the job: it has started, or a task was asked for. */
  wake(jobId: number): void {
    this.#tell()
    if (this.#running.has(jobId) || this.#next(jobId) === null) return
    this.#running.add(jobId)
    this.#run(jobId).catch((error: unknown) => {
      this.#running.delete(jobId)
      if (this.#deps.accepting())
        this.#deps.failed('a reprocessing task stopped; the next start takes it up again', error)
    })
  }

  async event(handle: JobHandle, eventId: string, by: Author): Promise<void> {
    this.#deps.mustAccept()
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    await this.#deps.collector.ask(this.#deps.current(handle), 'reprocess', eventId, withAuthor(by, Buffer.alloc(0)))
  }

  async start(
    handle: JobHandle,
    request: ReprocessRequest,
    by: Author,
    waitSeconds: number = limits.reprocessWaitSeconds,
  ): Promise<ReprocessTask> {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const selection = parseSelection(request)
    compileSelection(selection, 0, this.#deps.serviceNames)
    if (job.status === 'STOPPED')
      throw new Refusal('job_stopped', 'the job is stopped; its events are decided when it starts')
    const asking = this.#asking.get(job.id) ?? 0
    if (asking + this.#rows(job).filter((row) => !isOver(row)).length >= limits.reprocessTasksWaitingMax) {
      throw new Refusal(
        'limit_exceeded',
        `a job has at most ${limits.reprocessTasksWaitingMax} reprocessing tasks that are not over`,
      )
    }
    this.#asking.set(job.id, asking + 1)
    const { id } = (await this.#order(job, { op: 'create', selection, requestedBy: by.name, by: authorOf(by) }).finally(
      () => {
        this.#asking.set(job.id, (this.#asking.get(job.id) as number) - 1)
      },
    )) as ReprocessRow
    this.wake(job.id)
    await this.#settled(job.id, id, waitSeconds * 1_000)
    return this.#view(this.#deps.current(handle), id)
  }

  tasks(handle: JobHandle): ReprocessTask[] {
    const job = this.#deps.current(handle)
    return this.#rows(job)
      .map((row) => taskView(job, row))
      .reverse()
  }

  task(handle: JobHandle, taskId: string): ReprocessTask {
    return this.#view(this.#deps.current(handle), microsOfEventId(taskId) ?? 0)
  }

  async cancel(handle: JobHandle, taskId: string, by: Author): Promise<ReprocessTask> {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const id = microsOfEventId(taskId) ?? 0
    this.#view(job, id)
    await this.#order(job, { op: 'end', id, state: 'cancelled', message: '', by: authorOf(by) })
    this.#tell()
    return this.#view(job, id)
  }

  /** When no more messages are taken. What is not finished goes on at the next start. */
  async close(): Promise<void> {
    await this.#deps.thread.close()
  }

  #view(job: JobSettings, id: number): ReprocessTask {
    const row = this.#deps.shards.reader(job.shard).task(job.id, id)
    if (row === null) throw new Refusal('task_not_found', 'task not found')
    return taskView(job, row)
  }

  #rows(job: JobSettings): ReprocessRow[] {
    return this.#deps.shards.reader(job.shard).tasks(job.id)
  }

  /** Orders of a client's are refused where the mailbox is full. */
  async #order(job: JobSettings, order: TaskCommand): Promise<ReprocessRow | null> {
    return (await this.#deps.collector.ask(job, 'task', null, encodeTaskCommand(order))) as ReprocessRow | null
  }

  /** Orders of the engine's own wait. */
  async #insist(job: JobSettings, order: TaskCommand): Promise<ReprocessRow | null> {
    const row = (await this.#deps.shards.insist(job, 'task', encodeTaskCommand(order))) as ReprocessRow | null
    this.#tell()
    return row
  }

  /** What of the job is to be run now, or null. */
  #next(jobId: number): { job: JobSettings; row: ReprocessRow } | null {
    const job = this.#deps.job(jobId)
    if (!this.#deps.accepting() || job === undefined || job.status === 'STOPPED') return null
    const row = this.#rows(job).find((one) => !isOver(one))
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
    // In the same step as the look that found nothing: whoever wakes the job from here on starts it again.
    this.#running.delete(jobId)
    this.#tell()
  }

  async #count(job: JobSettings, row: ReprocessRow): Promise<void> {
    let [matched, through, last] = [0, 0, false]
    while (!last) {
      const found = await this.#look(job, row, through, true)
      matched += found.count
      ;({ through, last } = found)
      if (this.#next(job.id)?.row.id !== row.id) return
    }
    await this.#insist(job, { op: 'count', id: row.id, matched })
  }

  /** One look, and the pieces of what it found. */
  async #decideSome(job: JobSettings, row: ReprocessRow): Promise<void> {
    const found = await this.#look(job, row, row.cursor, false)
    let from = row.cursor
    for (let at = 0; at === 0 || at < found.times.length; at += limits.reprocessEventsPerPiece) {
      const times = found.times.slice(at, at + limits.reprocessEventsPerPiece)
      const isLast = at + limits.reprocessEventsPerPiece >= found.times.length
      const through = isLast ? found.through : (times.at(-1) as number)
      const begun = performance.now()
      const now = this.#next(job.id)
      if (now?.row.id !== row.id) return
      const after = await this.#insist(now.job, {
        op: 'piece',
        id: row.id,
        from,
        through,
        times,
        last: isLast && found.last,
      })
      if (after === null || isOver(after) || after.cursor !== through) return
      from = through
      const tookMs = performance.now() - begun
      if (this.#deps.shards.messages > 0)
        await sleep(Math.min(3 * tookMs, limits.reprocessPauseMsMax), undefined, { ref: false })
    }
  }

  /** Looks, and once more where the thread died in it. */
  async #look(
    job: JobSettings,
    { id, selection }: ReprocessRow,
    after: number,
    countOnly: boolean,
  ): Promise<EventSearchResult> {
    const { dataDir, serviceNames } = this.#deps
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#deps.thread.run({
          dataDir,
          job,
          serviceNames,
          selection,
          askedMicros: id,
          after,
          countOnly,
        })
      } catch (error) {
        if (!this.#deps.accepting() || attempt >= LOOK_ATTEMPTS) throw error
        await sleep(LOOK_AGAIN_MS, undefined, { ref: false })
      }
    }
  }

  /** Resolves when the task is over or its job is stopped, or after the time, and some more until its events are counted. */
  async #settled(jobId: number, id: number, waitMs: number): Promise<void> {
    const begun = performance.now()
    for (;;) {
      const job = this.#deps.job(jobId)
      const row = job === undefined ? null : this.#deps.shards.reader(job.shard).task(jobId, id)
      if (row === null || isOver(row) || job?.status === 'STOPPED' || !this.#deps.accepting()) return
      const leftMs = begun + waitMs - performance.now()
      if (leftMs <= 0 && (row.matched !== null || waitMs === 0 || leftMs <= -COUNT_WAIT_MS)) return
      const stop = new AbortController()
      await Promise.race([
        new Promise<void>((resolve) => this.#told.push(resolve)),
        sleep(Math.min(WAIT_STEP_MS, Math.max(1, leftMs)), undefined, { signal: stop.signal }).catch(() => {}),
      ])
      stop.abort()
    }
  }

  /** Whoever waits for a task looks again. */
  #tell(): void {
    for (const tell of this.#told.splice(0)) tell()
  }
}
