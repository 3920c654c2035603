/**
 * Recomputations of models' metrics: asked for here, run one after the other on a metrics thread.
 *
 * Owns: the queue, the states, waiting for an end. Leaves out: the figures (model-scores.ts), the rows (metrics-log.ts).
 *
 * 1. Asking for one that is queued changes nothing: there is one of each model at a time. One that runs has read what it works with, so it runs
 *    once more for who asks meanwhile.
 * 2. One that was cut off by the end of the process runs again at the next start.
 * 3. Until new figures are there, and if anything fails, the ones before are kept.
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
  /** The job as it is now, or undefined where it is gone. */
  job(id: number): JobSettings | undefined
  /** Works the figures out; rejects with what went wrong. */
  run(job: JobSettings, version: number): Promise<ModelFigures>
  /** Told of what is a bug, and not of the data. */
  failed(what: string, error: unknown): void
}

export class Recomputations {
  readonly #options: RecomputationsOptions
  readonly #queue: ModelPlace[] = []
  /** Those under way that were asked for once more. */
  readonly #again = new Set<string>()
  /** Told at the end of a recomputation, by place. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #running = false
  #closed = false

  constructor(options: RecomputationsOptions) {
    this.#options = options
  }

  /** Takes up what the last process did not finish. */
  resume(): void {
    this.#queue.push(...this.#options.log.unfinished())
    void this.#runNext()
  }

  /** Queues a recomputation, durably. @throws Refusal queries_busy, store_full, store_failed. */
  request(place: ModelPlace): RecomputeRow {
    if (this.#options.log.row(place)?.state === 'in_progress') this.#again.add(nameOf(place))
    return this.#enqueue(place, (row) => this.#options.log.set(place, row))
  }

  /** Queues one that nobody was promised: what cannot be written is known until the end of the process. @throws Refusal queries_busy. */
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

  /** Resolves when the recomputation has ended, or after so many milliseconds. */
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

  /** Nobody waits any more; what is unfinished is taken up at the next start. */
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
      // Never inside the call that asked.
      await Promise.resolve()
      await this.#recompute(place)
    } catch (error) {
      this.#options.failed('a recomputation was given up', error)
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

  /** Where the disk is full, the row is known until the end of the process; the next one does what is missing again. */
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
