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
    return this.#enqueue(place, (row) => this.#options.log.set(place, row))
  }

  /**
   * Queues one that was not promised to a client: a row that cannot be written is kept until the end of the process.
   * @throws Refusal queries_busy.
   */
  refresh(place: ModelPlace): RecomputeRow {
    return this.#enqueue(place, (row) => this.#keep(place, row))
  }

  #enqueue(place: ModelPlace, keep: (row: RecomputeRow) => void): RecomputeRow {
    const { log, clock } = this.#options
    const before = log.row(place)
    if (before !== null && isPending(before)) return before
    if (this.#queue.length >= limits.recomputationsMax) {
      throw new Refusal('queries_busy', `at most ${limits.recomputationsMax} recomputations wait at once`)
    }
    const row: RecomputeRow = {
      state: 'queued',
      requestedMicros: clock.nowMicros(),
      recomputedMicros: before?.recomputedMicros ?? null,
      error: null,
      figures: before?.figures ?? null,
    }
    keep(row)
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
    const row = log.row(place)
    if (job === undefined || row === null || this.#closed) return
    this.#keep(place, { ...row, state: 'in_progress' })
    try {
      const figures = await run(job, place.version)
      this.#end(place, { ...row, state: 'completed', recomputedMicros: clock.nowMicros(), figures })
    } catch (error) {
      if (this.#closed) return
      if (!isRefusal(error)) failed('a recomputation of metrics failed', error)
      this.#end(place, { ...row, state: 'failed', error: (error as Error).message })
    }
  }

  #end(place: ModelPlace, row: RecomputeRow): void {
    const again = this.#again.delete(nameOf(place))
    if (this.#closed || this.#options.job(place.jobId) === undefined) return
    this.#keep(place, again ? { ...row, state: 'queued' } : row)
    if (again) this.#queue.push(place)
  }

  /**
   * Writes the row. On a full disk it is kept until the end of the process, and the next process repeats what is
   * missing.
   */
  #keep(place: ModelPlace, row: RecomputeRow): void {
    try {
      this.#options.log.set(place, row)
    } catch (error) {
      this.#options.log.remember(place, row)
      this.#options.failed('the state of a recomputation could not be written', error)
    }
  }

  #tell(name: string): void {
    for (const end of [...(this.#waiting.get(name) ?? [])]) end()
    this.#waiting.delete(name)
  }
}

export function isPending({ state }: RecomputeRow): boolean {
  return state === 'queued' || state === 'in_progress'
}

function nameOf({ jobId, version }: ModelPlace): string {
  return `${jobId} ${version}`
}
