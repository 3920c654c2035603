/**
 * Recomputations of models' metrics: queued here, run one after the other on a reader thread.
 *
 * Owns: the queue, the states, waiting for an end. Leaves out: the figures (model-scores.ts), the rows
 * (metrics-log.ts).
 *
 * 1. Each model has one recomputation at a time. A request changes nothing while one is queued. One that runs has read
 *    its data already, so a request meanwhile makes it run once more.
 * 2. One that was cut off by the end of the process runs again at the next start.
 * 3. The previous figures are kept until there are new ones, also where a recomputation fails.
 */
import { isRefusal, Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Clock } from '../../clock.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { MetricsLog, ModelPlace, RecomputeRow } from './metrics-log.js'
import type { ModelFigures } from './metrics-query.js'

export interface RecomputationsOptions {
  readonly log: MetricsLog
  readonly clock: Clock
  /** The job as it is now; undefined where it is gone. */
  job(id: number): JobSettings | undefined
  /** Computes the figures. */
  run(job: JobSettings, version: number): Promise<ModelFigures>
  /** Told of failures other than refusals: bugs, and rows that could not be written. */
  failed(what: string, error: unknown): void
}

export class Recomputations {
  readonly #options: RecomputationsOptions
  readonly #queue: ModelPlace[] = []
  /** Running ones that were requested again. */
  readonly #again = new Set<string>()
  /** Callbacks for the end of a recomputation, by place. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #running = false
  #closed = false

  constructor(options: RecomputationsOptions) {
    this.#options = options
  }

  /** Queues what the last process did not finish. */
  resume(): void {
    this.#queue.push(...this.#options.log.unfinished())
    void this.#runNext()
  }

  /** Queues a recomputation durably. @throws Refusal queries_busy, store_full, store_failed. */
  request(place: ModelPlace): RecomputeRow {
    if (this.#options.log.row(place)?.state === 'in_progress') this.#again.add(nameOf(place))
    return this.#enqueue(place, (none, into) => this.#options.log.change(place, none, into))
  }

  /**
   * Queues one that was not promised to a client: a row that cannot be written is kept until the end of the process.
   * @throws Refusal queries_busy.
   */
  refresh(place: ModelPlace): RecomputeRow {
    return this.#enqueue(place, (none, into) => this.#keep(place, none, into))
  }

  #enqueue(
    place: ModelPlace,
    keep: (none: RecomputeRow, into: (now: RecomputeRow) => RecomputeRow) => RecomputeRow,
  ): RecomputeRow {
    const { log, clock } = this.#options
    const before = log.row(place)
    if (before !== null && isPending(before)) return before
    if (this.#queue.length >= limits.recomputationsMax) {
      throw new Refusal('queries_busy', `at most ${limits.recomputationsMax} recomputations wait at once`)
    }
    const requestedMicros = clock.nowMicros()
    const row = keep(nothing, (now) => ({ ...now, state: 'queued', requestedMicros, error: null }))
    this.#queue.push(place)
    void this.#runNext()
    return row
  }

  /** Resolves when the recomputation has ended, or after `timeoutMs`. */
  async ended(place: ModelPlace, timeoutMs: number): Promise<void> {
    const row = this.#options.log.row(place)
    if (row === null || !isPending(row) || this.#closed || timeoutMs <= 0) return
    const name = nameOf(place)
    const told = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, told)
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        told.delete(end)
        resolve()
      }
      const timer = setTimeout(end, timeoutMs)
      told.add(end)
    })
  }

  /** Ends all waiting. The next start resumes what is unfinished. */
  close(): void {
    this.#closed = true
    for (const name of [...this.#waiting.keys()]) this.#tell(name)
  }

  async #runNext(): Promise<void> {
    if (this.#running || this.#closed) return
    const place = this.#queue.shift()
    if (place === undefined) return
    this.#running = true
    try {
      // Never inside the request's own call.
      await Promise.resolve()
      await this.#recompute(place)
    } catch (error) {
      this.#options.failed('a recomputation ended with an unexpected error', error)
    } finally {
      this.#running = false
      this.#tell(nameOf(place))
      void this.#runNext()
    }
  }

  async #recompute(place: ModelPlace): Promise<void> {
    const { log, clock, run, failed } = this.#options
    const job = this.#options.job(place.jobId)
    if (job === undefined || log.row(place) === null || this.#closed) return
    this.#keep(place, nothing, (now) => ({ ...now, state: 'in_progress' }))
    try {
      const figures = await run(job, place.version)
      const recomputedMicros = clock.nowMicros()
      this.#end(place, (now) => ({ ...now, state: 'completed', recomputedMicros, figures }))
    } catch (error) {
      if (this.#closed) return
      if (!isRefusal(error)) failed('a recomputation of metrics failed', error)
      this.#end(place, (now) => ({ ...now, state: 'failed', error: (error as Error).message }))
    }
  }

  #end(place: ModelPlace, into: (now: RecomputeRow) => RecomputeRow): void {
    const again = this.#again.delete(nameOf(place))
    if (this.#closed || this.#options.job(place.jobId) === undefined) return
    this.#keep(place, nothing, (now) => (again ? { ...into(now), state: 'queued' } : into(now)))
    if (again) this.#queue.push(place)
  }

  /**
   * Writes the row. On a full disk it is kept until the end of the process, and the next process repeats what is
   * missing.
   */
  #keep(place: ModelPlace, none: RecomputeRow, into: (now: RecomputeRow) => RecomputeRow): RecomputeRow {
    try {
      return this.#options.log.change(place, none, into)
    } catch (error) {
      this.#options.failed('the state of a recomputation could not be written', error)
      return this.#options.log.remember(place, none, into)
    }
  }

  #tell(name: string): void {
    for (const end of [...(this.#waiting.get(name) ?? [])]) end()
    this.#waiting.delete(name)
  }
}

/** Where nothing was computed yet. */
const nothing: RecomputeRow = {
  state: 'queued',
  requestedMicros: 0,
  recomputedMicros: null,
  error: null,
  figures: null,
}

export function isPending({ state }: RecomputeRow): boolean {
  return state === 'queued' || state === 'in_progress'
}

function nameOf({ jobId, version }: ModelPlace): string {
  return `${jobId} ${version}`
}
