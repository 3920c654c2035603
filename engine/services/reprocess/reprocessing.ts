/**
 * The service of reprocessing, on the main thread: deciding one event again, or all events of a selection as a task.
 *
 * Owns: requests, and which of them wait for a task. Leaves out: running tasks (task-runner.ts), finding events
 * (event-search.ts), deciding them (actor/reprocess-tasks.ts).
 *
 * 1. No state of a task is kept here: its row in the shard has all of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { ReprocessRequest, ReprocessService, ReprocessTask } from '../../api/reprocess-service.js'
import { isOver, type ReprocessRow } from '../../store/reprocess-row.js'
import { authorOf, withAuthor } from '../../actor/message-author.js'
import { encodeTaskCommand, type TaskCommand } from '../../actor/reprocess-tasks.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import { compileSelection, parseSelection } from './event-search.js'
import type { EventSearchThread } from './event-search-threads.js'
import { taskView } from './reprocess-view.js'
import { TaskRunner, type TaskRunnerDeps } from './task-runner.js'

/** How much longer than its own limit a request waits for its events to be counted, milliseconds. */
const COUNT_WAIT_MS = 15_000
/** How often a waiting request checks its task, where no change is reported. */
const WAIT_STEP_MS = 500

export interface ReprocessingDeps extends TaskRunnerDeps {
  readonly shards: Pick<ReadableShards, 'count' | 'messages' | 'reader' | 'ask' | 'insist'>
  readonly collector: Pick<AuditCollector, 'ask'>
  /** Searches for events. It is closed with this service. */
  readonly thread: Pick<EventSearchThread, 'run' | 'close'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class Reprocessing implements ReprocessService {
  readonly #deps: ReprocessingDeps
  readonly #runner: TaskRunner
  /** Tasks that are being created, by job. */
  readonly #creating = new Map<number, number>()
  #waiting: (() => void)[] = []

  constructor(deps: ReprocessingDeps) {
    this.#deps = deps
    this.#runner = new TaskRunner(deps, () => this.#changed())
  }

  /** Takes up what the last process did not finish. */
  takeUp(): void {
    const { shards } = this.#deps
    for (let shard = 0; shard < shards.count; shard++) {
      for (const { jobId } of shards.reader(shard).storedJobs()) this.wake(jobId)
    }
  }

  /** To be called when a job starts, or has a new task. */
  wake(jobId: number): void {
    this.#changed()
    this.#runner.wake(jobId)
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
    compileSelection(selection, 0, this.#deps.serviceNames, job.labels)
    if (job.status === 'STOPPED')
      throw new Refusal('job_stopped', 'the job is stopped; its events are decided when it starts')
    const creating = this.#creating.get(job.id) ?? 0
    if (creating + this.#rows(job).filter((row) => !isOver(row)).length >= limits.reprocessTasksWaitingMax) {
      throw new Refusal(
        'limit_exceeded',
        `a job has at most ${limits.reprocessTasksWaitingMax} reprocessing tasks that are not over`,
      )
    }
    this.#creating.set(job.id, creating + 1)
    const created = this.#order(job, { op: 'create', selection, requestedBy: by.name, by: authorOf(by) })
    const { id } = (await created.finally(() => {
      this.#creating.set(job.id, (this.#creating.get(job.id) as number) - 1)
    })) as ReprocessRow
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
    this.#changed()
    return this.#view(job, id)
  }

  /** To be called when messages are no longer accepted. Unfinished tasks go on at the next start. */
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

  /** A client's message is refused where the mailbox is full. */
  async #order(job: JobSettings, order: TaskCommand): Promise<ReprocessRow | null> {
    return (await this.#deps.collector.ask(job, 'task', null, encodeTaskCommand(order))) as ReprocessRow | null
  }

  /**
   * Resolves when the task is over, its job is stopped, or the time is over. Where the events are not counted by then,
   * it waits a little longer for the count.
   */
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
        new Promise<void>((resolve) => this.#waiting.push(resolve)),
        sleep(Math.min(WAIT_STEP_MS, Math.max(1, leftMs)), undefined, { signal: stop.signal }).catch(() => {}),
      ])
      stop.abort()
    }
  }

  /** Waiting requests check their tasks again. */
  #changed(): void {
    for (const check of this.#waiting.splice(0)) check()
  }
}
