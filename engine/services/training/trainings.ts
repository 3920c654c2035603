/**
 * The service of trainings, on the main thread. A training runs on a thread of its own, and its model is installed
 * through the job's mailbox (D6).
 *
 * Owns: the queue, the states of S12, progress, and what happens when a training fails or is cut off. Leaves out: the
 * algorithm (domain/learn/), reading the examples (training-thread.ts), installing the model (job-actor.ts).
 *
 * 1. One training of a job at a time; a second one is refused (S14).
 * 2. A model becomes active in one commit of the job's shard. Until then, and if anything fails, the model before stays
 *    in use. A training fails if the decision points were changed meanwhile: its model could decide nothing, and might
 *    replace one that can.
 * 3. A training that the end of the process cut off runs again at the next start.
 * 4. A model stays marked as outdated until a later training has succeeded.
 */
import { Refusal } from '../../errors.js'
import type { Clock } from '../../clock.js'
import type { JobSettings } from '../../domain/job/job.js'
import { Histogram } from '../../domain/metrics/histogram.js'
import type { TrainingThreads } from './training-threads.js'
import { endEntry, isUnderWay, type TrainingLog, type TrainingRow } from './training-log.js'
import { learningSettings } from './nothing-new.js'
import { TrainingSignals } from './training-protocol.js'
import { installBody, plainPlan, taskOf, type TrainingPlan } from './training-task.js'
import type { Author } from '../../api/principal.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

/** Upper bounds, seconds. */
const secondsBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600] as const

/** Trainings that have ended. */
export class TrainingMeter {
  finished = 0
  failed = 0
  readonly seconds = new Histogram(secondsBounds)

  ended({ state, startMicros, finishMicros }: TrainingRow): void {
    if (state === 'RETRAIN_FAILED') this.failed++
    else this.finished++
    if (startMicros !== null && finishMicros !== null) this.seconds.add((finishMicros - startMicros) / 1e6)
  }
}

export interface TrainingsOptions {
  readonly dataDir: string
  readonly threadsMax: number
  readonly log: TrainingLog
  readonly threads: TrainingThreads
  readonly clock: Clock
  /** The job as it is now, or undefined where it is gone. */
  job(id: number): JobSettings | undefined
  /** Told of each training that has ended, well or not. */
  ended?(jobId: number, row: TrainingRow): void
  /** The registry of the job has that version. */
  isInstalled(job: JobSettings, version: number): boolean
  /** Sends the model to the job's actor; resolves when it is active. */
  install(job: JobSettings, model: Uint8Array): Promise<void>
}

export class Trainings {
  readonly #options: TrainingsOptions
  readonly #queue: number[] = []
  readonly #running = new Map<number, TrainingSignals>()
  /** Running trainings that were cancelled to run again. */
  readonly #again = new Set<number>()
  /** Running trainings that may have read what outdates the model before. */
  readonly #outdated = new Set<number>()
  readonly meter = new TrainingMeter()
  readonly #listeners: ((jobId: number) => void)[] = []
  #closed = false

  constructor(options: TrainingsOptions) {
    this.#options = options
  }

  /** The listener is told of jobs whose training has ended, well or not. */
  onEnded(listener: (jobId: number) => void): void {
    this.#listeners.push(listener)
  }

  /** Queues what the last process did not finish, and forgets jobs that it deleted just before its end. */
  resume(): void {
    const { log, job } = this.#options
    for (const jobId of log.jobIds()) if (job(jobId) === undefined) log.remove(jobId)
    this.#queue.push(...log.unfinished())
    this.#startNext()
  }

  /** The job's row, with the progress of a running training in its message. */
  view(jobId: number): TrainingRow {
    const row = this.#options.log.get(jobId)
    const signals = this.#running.get(jobId)
    if (signals === undefined) {
      const { state, message, outdated } = row
      const isShown = outdated === undefined || state === 'queued' || message === outdated
      return isShown ? row : { ...row, message: `${message}; ${outdated}` }
    }
    const { percent, what } = signals.read()
    return { ...row, message: what === '' ? `${percent} %` : `${percent} %: ${what}` }
  }

  /** Queues a training, durably. @throws Refusal training_in_progress. */
  request(job: JobSettings, username: string | null, by: Author, plan?: Omit<TrainingPlan, 'by'>): void {
    this.#options.log.change(
      job.id,
      (now) => {
        mustBeOver(now)
        return {
          ...now,
          state: 'queued',
          message: 'waiting for a training thread',
          version: now.version + 1,
          username,
          plan: { why: 'requested', ...plan, by: username ?? by.name },
        }
      },
      ({ version }) => ({
        atMicros: this.#options.clock.nowMicros(),
        by,
        action: 'training requested',
        object: { type: 'job', id: String(job.id), title: job.title },
        job: { id: job.id, title: job.title },
        details: { model_version: version, ...(username === null ? {} : { username }) },
      }),
    )
    this.#queue.push(job.id)
    this.#startNext()
  }

  /** The number of trainings that wait for a thread, and of those that run. */
  get underWay(): { readonly queued: number; readonly running: number } {
    return { queued: this.#queue.length, running: this.#running.size }
  }

  /** Notes why a scheduled training did not start. */
  note(jobId: number, message: string): void {
    this.#options.log.change(jobId, (now) => ({ ...now, message }))
  }

  /** Marks the model in use as outdated, and the one in training: events or votes that it learns from are gone. */
  outdate(jobId: number, why: string): void {
    if (this.#running.has(jobId)) this.#outdated.add(jobId)
    this.#options.log.change(jobId, (now) => ({ ...now, message: why, outdated: why }))
  }

  isRunning(jobId: number): boolean {
    return this.#running.has(jobId)
  }

  /** To be called when the job is deleted. */
  remove(jobId: number): void {
    this.#running.get(jobId)?.cancel()
    const at = this.#queue.indexOf(jobId)
    if (at >= 0) this.#queue.splice(at, 1)
    this.#options.log.remove(jobId)
  }

  /** Cancels running trainings; they run again at the next start. */
  close(): void {
    this.#closed = true
    for (const signals of this.#running.values()) signals.cancel()
  }

  /** Cancels running trainings, and runs them again on new threads. */
  async restart(): Promise<void> {
    for (const [jobId, signals] of this.#running) {
      this.#again.add(jobId)
      signals.cancel()
    }
    await this.#options.threads.restart()
  }

  #startNext(): void {
    while (!this.#closed && this.#running.size < this.#options.threadsMax) {
      const jobId = this.#queue.shift()
      if (jobId === undefined) return
      const job = this.#options.job(jobId)
      if (job !== undefined) void this.#train(job)
    }
  }

  async #train(job: JobSettings): Promise<void> {
    const { log, clock } = this.#options
    const signals = new TrainingSignals()
    this.#running.set(job.id, signals)
    try {
      const began = { message: 'training', startMicros: clock.nowMicros(), settings: learningSettings(job) }
      const { version, plan = plainPlan } = log.change(job.id, (now) => ({ ...now, state: 'training', ...began }))
      // The process may have ended between its installation and its end.
      if (this.#options.isInstalled(job, version)) return this.#finished(job.id)
      const task = taskOf(this.#options.dataDir, job, plan.terms ?? {}, signals.memory)
      const result = await this.#options.threads.run(task)
      const now = this.#options.job(job.id)
      if (this.#closed || now === undefined) return
      if (pointsFingerprint(now) !== pointsFingerprint(job))
        throw new Error('the decision points were changed meanwhile')
      const row = { version, trainedMicros: clock.nowMicros() }
      await this.#options.install(job, installBody(row, { task, plan, result }))
      this.#finished(job.id)
    } catch (error) {
      if (this.#closed) return
      if (this.#again.has(job.id)) return void this.#queue.unshift(job.id)
      this.#end(
        job.id,
        'RETRAIN_FAILED',
        `Retraining failed: ${(error as Error).message.replace(/\.$/, '')}; the model before stays in use`,
      )
    } finally {
      this.#running.delete(job.id)
      this.#again.delete(job.id)
      this.#outdated.delete(job.id)
      this.#startNext()
    }
  }

  #finished(jobId: number): void {
    this.#end(jobId, 'RETRAIN_FINISHED', 'Retraining finished successfully')
  }

  #end(jobId: number, state: 'RETRAIN_FINISHED' | 'RETRAIN_FAILED', message: string): void {
    const job = this.#options.job(jobId)
    if (job === undefined) return
    const { log, clock } = this.#options
    const finishMicros = clock.nowMicros()
    const isStale = state === 'RETRAIN_FAILED' || this.#outdated.has(jobId)
    const ended = ({ outdated, ...now }: TrainingRow): TrainingRow => ({
      ...now,
      state,
      message,
      finishMicros,
      ...(outdated !== undefined && isStale ? { outdated } : {}),
    })
    try {
      log.change(jobId, ended, (now) => endEntry(job, now))
    } catch {
      // A full disk: the job can be trained again at once, and the stored row makes the next start train it again.
      log.remember(jobId, ended)
    }
    this.meter.ended(log.get(jobId))
    this.#options.ended?.(jobId, log.get(jobId))
    for (const listener of this.#listeners) listener(jobId)
  }
}

/** @throws Refusal training_in_progress. */
function mustBeOver(row: TrainingRow): void {
  if (!isUnderWay(row)) return
  throw new Refusal(
    'training_in_progress',
    `a training of this job is ${row.state === 'queued' ? 'queued' : 'running'} already`,
  )
}
