/**
 * Trainings: asked for here, run on threads of their own, their models installed through the job's mailbox (D6).
 *
 * Owns: the queue, the states of S12, progress, and what happens when a training fails or is cut off. Leaves out: the
 * algorithm (learn/), reading what is known (training-thread.ts), swapping the model in (job-actor.ts).
 *
 * 1. One training of a job at a time; a second one is refused (S14).
 * 2. A model becomes active in one commit of the job's shard. Until then, and if anything fails, the one before answers. One of decision points that
 *    the job has no longer could not answer, and might take the place of one that can: it fails.
 * 3. A training that was cut off by the end of the process runs again at the next start.
 * 4. That a model is outdated is said until a training that began after that has ended well.
 */
import { Refusal } from '../../errors.js'
import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import { hasBuckets, hasClusters, type JobSettings } from '../../domain/job/job.js'
import { objectiveOf } from '../../domain/job/objective.js'
import { encodeModel, type ModelRow } from '../../store/rows.js'
import type { TrainingThreads } from './training-threads.js'
import type { TrainingLog, TrainingRow } from './training-log.js'
import { TrainingMeter } from './training-meter.js'
import { TrainingSignals, type TrainingResult } from './training-protocol.js'
import type { Author } from '../../api/principal.js'

export interface TrainingsOptions {
  readonly dataDir: string
  readonly threadsMax: number
  readonly log: TrainingLog
  readonly threads: TrainingThreads
  readonly clock: Clock
  /** The job as it is now, or undefined where it is gone. */
  job(id: number): JobSettings | undefined
  /** Told of a training that has ended, one way or the other. */
  ended?(jobId: number, row: TrainingRow): void
  /** Sends the model to the job's actor; resolves when it is active. */
  install(job: JobSettings, model: Uint8Array): Promise<void>
}

export class Trainings {
  readonly #options: TrainingsOptions
  readonly #queue: number[] = []
  readonly #running = new Map<number, TrainingSignals>()
  /** Of these, those that were cut off to run again. */
  readonly #again = new Set<number>()
  /** And those that may have read what made the model before outdated. */
  readonly #outdated = new Set<number>()
  readonly meter = new TrainingMeter()
  #closed = false

  constructor(options: TrainingsOptions) {
    this.#options = options
  }

  /** Takes up what the last process did not finish, and forgets jobs that it deleted in its last moment. */
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
      const isSaid = outdated === undefined || state === 'queued' || message === outdated
      return isSaid ? row : { ...row, message: `${message}; ${outdated}` }
    }
    const { percent, what } = signals.read()
    return { ...row, message: what === '' ? `${percent} %` : `${percent} %: ${what}` }
  }

  /** Queues a training, durably. @throws Refusal training_in_progress. */
  request(job: JobSettings, username: string | null, by: Author): void {
    const row = this.#options.log.get(job.id)
    if (row.state === 'queued' || row.state === 'training') {
      throw new Refusal(
        'training_in_progress',
        `a training of this job is ${row.state === 'queued' ? 'queued' : 'running'} already`,
      )
    }
    const version = row.version + 1
    this.#options.log.set(
      job.id,
      { ...row, state: 'queued', message: 'waiting for a training thread', version, username },
      {
        atMicros: this.#options.clock.nowMicros(),
        by,
        action: 'training requested',
        object: { type: 'job', id: String(job.id), title: job.title },
        job: { id: job.id, title: job.title },
        details: { model_version: version, ...(username === null ? {} : { username }) },
      },
    )
    this.#queue.push(job.id)
    this.#startNext()
  }

  /** Trainings that wait for a thread, and that run. */
  get underWay(): { readonly queued: number; readonly running: number } {
    return { queued: this.#queue.length, running: this.#running.size }
  }

  /** Says why a scheduled training did not start. */
  note(jobId: number, message: string): void {
    this.#options.log.set(jobId, { ...this.#options.log.get(jobId), message })
  }

  /** What the model in use was trained with, or the one that is being made, is not there any more. */
  outdate(jobId: number, why: string): void {
    if (this.#running.has(jobId)) this.#outdated.add(jobId)
    this.#options.log.set(jobId, { ...this.#options.log.get(jobId), message: why, outdated: why })
  }

  /** A training of the job is under way. */
  isRunning(jobId: number): boolean {
    return this.#running.has(jobId)
  }

  /** The job is gone. */
  remove(jobId: number): void {
    this.#running.get(jobId)?.cancel()
    const at = this.#queue.indexOf(jobId)
    if (at >= 0) this.#queue.splice(at, 1)
    this.#options.log.remove(jobId)
  }

  /** Stops what runs; it is taken up again at the next start. */
  close(): void {
    this.#closed = true
    for (const signals of this.#running.values()) signals.cancel()
  }

  /** What runs is given up, and runs again on a new thread. */
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
      log.set(job.id, { ...log.get(job.id), state: 'training', message: 'training', startMicros: clock.nowMicros() })
      const result = await this.#run(job, log.get(job.id).version, signals)
      const now = this.#options.job(job.id)
      if (this.#closed || now === undefined) return
      if (fingerprintOf(now) !== fingerprintOf(job)) throw new Error('the decision points were changed meanwhile')
      await this.#options.install(job, this.#encode(job, log.get(job.id).version, result))
      this.#end(job.id, 'RETRAIN_FINISHED', 'Retraining finished successfully')
    } catch (error) {
      if (this.#closed) return
      if (this.#again.has(job.id)) return void this.#queue.unshift(job.id)
      this.#end(
        job.id,
        'RETRAIN_FAILED',
        `Retraining failed: ${(error as Error).message}; the model before stays in use`,
      )
    } finally {
      this.#running.delete(job.id)
      this.#again.delete(job.id)
      this.#outdated.delete(job.id)
      this.#startNext()
    }
  }

  #run(job: JobSettings, version: number, signals: TrainingSignals): Promise<TrainingResult> {
    return this.#options.threads.run({
      dataDir: this.#options.dataDir,
      shard: job.shard,
      jobId: job.id,
      points: job.decisionPoints,
      labels: job.labels.map(({ name }) => name),
      buckets: hasBuckets(job.category),
      // Anything fixed will do: the same job and version train alike wherever they run (S17).
      seed: (job.id * 65_599 + version) >>> 0,
      objective: objectiveOf(job),
      ...(hasClusters(job.category) ? { cause: causeSettingsOf(job) } : {}),
      signals: signals.memory,
    })
  }

  #encode(job: JobSettings, version: number, result: TrainingResult): Uint8Array {
    if (result.model.length > limits.modelBytesMax) throw new Error('the model is larger than the service keeps')
    const row: ModelRow = {
      version,
      throughSeq: result.throughSeq,
      trainedMicros: this.#options.clock.nowMicros(),
      fingerprint: fingerprintOf(job),
      summary: result.summary,
    }
    return encodeModel(row, result.model)
  }

  #end(jobId: number, state: 'RETRAIN_FINISHED' | 'RETRAIN_FAILED', message: string): void {
    if (this.#options.job(jobId) === undefined) return
    const { log, clock } = this.#options
    const { outdated, ...before } = log.get(jobId)
    const isOutdated = outdated !== undefined && (state === 'RETRAIN_FAILED' || this.#outdated.has(jobId))
    const row = { ...before, state, message, finishMicros: clock.nowMicros(), ...(isOutdated ? { outdated } : {}) }
    this.meter.ended(row)
    this.#options.ended?.(jobId, row)
    try {
      log.set(jobId, row)
    } catch {
      // A full disk: the job can be trained again at once, and the stored row makes the next start train it again.
      log.remember(jobId, row)
    }
  }
}

function fingerprintOf({ decisionPoints }: JobSettings): number {
  return new DecisionPoints(decisionPoints).fingerprint
}
