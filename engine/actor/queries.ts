/**
 * Questions about stored events, from the main thread: whose jobs, until when.
 *
 * Owns: which jobs a principal may ask about (S1), until when, giving up. Leaves out: the answers (query-answer.ts), how
 * many wait (threads.ts).
 *
 * 1. A query sees the jobs that its principal may see, and no others.
 * 2. Time runs while a query waits, too.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { Clock } from '../clock.js'
import type { JobSettings } from '../job/job.js'
import type { Catalog } from '../resource/catalog.js'
import type { Principal } from '../service.js'
import type { EventsQuestion, JobSelection, QueriesService, SearchQuestion } from './queries-service.js'
import { CancelCell, type QueriedJob, type QueryAsked } from './query-task.js'
import type { ReaderThreads } from './threads.js'

export interface QueryParts {
  /** The configured name first. */
  readonly serviceNames: readonly string[]
  readonly catalog: Pick<Catalog, 'job' | 'jobByTitle' | 'jobs' | 'canSee'>
  readonly readers: ReaderThreads
}

export class Queries implements QueriesService {
  readonly #parts: QueryParts
  readonly #clock: Clock
  readonly #running = new Set<CancelCell>()
  #closed = false

  constructor(parts: QueryParts, clock: Clock) {
    this.#parts = parts
    this.#clock = clock
  }

  events(principal: Principal, question: EventsQuestion, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, question, { kind: 'events', question }, gone)
  }

  search(principal: Principal, question: SearchQuestion, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, question, { kind: 'search', question }, gone)
  }

  fields(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, jobs, { kind: 'fields' }, gone)
  }

  fieldTypes(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array> {
    return this.#ask(principal, jobs, { kind: 'fieldTypes' }, gone)
  }

  /** Gives up what runs; what is asked from now on is refused. */
  close(): void {
    this.#closed = true
    for (const cell of this.#running) cell.cancel()
  }

  async #ask(principal: Principal, selection: JobSelection, asked: QueryAsked, gone: AbortSignal | undefined): Promise<Uint8Array> {
    if (this.#closed) throw new Refusal('draining', 'the service is shutting down')
    const jobs = this.#select(principal, selection)
    const cell = new CancelCell()
    const cancel = (): void => cell.cancel()
    this.#running.add(cell)
    gone?.addEventListener('abort', cancel, { once: true })
    try {
      const { serviceNames, readers } = this.#parts
      const deadlineMs = performance.timeOrigin + performance.now() + limits.queryMsMax
      const task = { serviceNames, jobs, asked, nowMicros: this.#clock.nowMicros(), deadlineMs, cancelled: cell.memory }
      const result = await readers.ask('storedEvents', { task })
      if ('json' in result) return result.json
      throw new Refusal(result.refused.code, result.refused.message, result.refused.context)
    } catch (error) {
      // What was given up, or lost its thread, because of that.
      throw this.#closed ? new Refusal('draining', 'the service is shutting down') : error
    } finally {
      this.#running.delete(cell)
      gone?.removeEventListener('abort', cancel)
    }
  }

  #select(principal: Principal, { jobIds, jobTitles }: JobSelection): QueriedJob[] {
    const { catalog } = this.#parts
    const visible = (job: JobSettings | undefined): JobSettings => {
      if (job === undefined || !catalog.canSee(principal, job.id)) throw new Refusal('job_not_found', 'job not found')
      return job
    }
    const chosen = jobIds === undefined && jobTitles === undefined
      ? [...catalog.jobs()].filter(({ id }) => catalog.canSee(principal, id))
      : [...(jobIds ?? []).map((id) => visible(catalog.job(id))), ...(jobTitles ?? []).map((title) => visible(catalog.jobByTitle(title)))]
    const each = new Map(chosen.map(({ id, shard, title, labels, decisionPoints }) => [id, { id, shard, title, labels, decisionPoints }]))
    if (each.size > limits.queryJobsMax) throw new Refusal('query_too_large', `a query is about at most ${limits.queryJobsMax} jobs; name them`)
    return [...each.values()]
  }
}
