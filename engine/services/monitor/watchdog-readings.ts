/**
 * What watchdogs measure in the engine: one number for each condition; null where there is nothing to measure.
 *
 * 1. Made anew for each round of checks; what several watchdogs need is read once.
 */
import type { WindowCounts } from '../../domain/metrics/decision-window.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { WatchdogView } from '../../api/watchdog-service.js'
import { workingMsBetween, type WorkingHours } from '../../domain/job/working-hours.js'
import type { StatsRow } from '../../store/rows.js'
import { modelHealth } from '../read/job-view.js'
import type { ContainerListDeps } from './container-list.js'
import { freeShare } from './container-troubles.js'

const MINUTE_MICROS = 60e6

/** A pipeline step that does not work. */
export interface FailingStep {
  readonly jobId: number
}

/** What a round of checks measures. */
export interface ReadingsContext {
  readonly deps: ContainerListDeps
  readonly nowMicros: number
  readonly failing: readonly FailingStep[]
  /** Counts of the last minutes, of one job or of all. */
  window(jobId: number | null, minutes: number): WindowCounts
}

export class WatchdogReadings {
  readonly #context: ReadingsContext
  readonly #stats = new Map<number, StatsRow>()

  constructor(context: ReadingsContext) {
    this.#context = context
  }

  /** The number that the watchdog's condition is about. `hours`: only time in these counts; null for all. */
  value(
    { condition, jobId, windowMinutes }: Pick<WatchdogView, 'condition' | 'jobId' | 'windowMinutes'>,
    hours: WorkingHours | null = null,
  ): number | null {
    const { deps, failing } = this.#context
    if (jobId !== null && deps.resources.job(jobId) === undefined) return null
    const counts = (): WindowCounts => this.#context.window(jobId, windowMinutes)
    switch (condition) {
      case 'minutes_without_events':
        return this.#minutesWithoutEvents(jobId, hours)
      case 'undecided_percent':
        return percent(counts().stored - counts().decided, counts().stored)
      case 'training_failed':
        return this.#count(jobId, ({ id }) => deps.trainings.view(id).state === 'RETRAIN_FAILED')
      case 'steps_failing':
        return failing.filter((step) => jobId === null || step.jobId === jobId).length
      case 'messages_waiting':
        return this.#fullest(({ length }) => length)
      case 'bytes_waiting':
        return this.#fullest(({ bytes }) => bytes)
      case 'free_percent':
        return freeShare(deps.dataDir) * 100
      case 'store_bytes':
        return deps.catalogBytes() + this.#shards().reduce((sum, shard) => sum + deps.shards.sizeBytes(shard), 0)
      case 'resident_bytes':
        return process.memoryUsage.rss()
      case 'clock_behind_seconds':
        return deps.shards.clockBehindSeconds
      case 'low_confidence_percent':
        return percent(counts().lowConfidence, counts().decided)
      case 'models_ageing':
        return this.#count(jobId, (job) => modelHealth(this.#statsOf(job)).modelState === 'ageing')
      case 'outlier_percent':
        return percent(counts().outliers, counts().decided)
      case 'minutes_without_feedback':
        return this.#feedbackLag(jobId, hours)
      case 'undecided_ballots':
        return this.#jobs(jobId).reduce((sum, job) => sum + this.#statsOf(job).undecidedBallots, 0)
      default:
        return null
    }
  }

  #jobs(jobId: number | null): JobSettings[] {
    const { resources } = this.#context.deps
    if (jobId === null) return [...resources.jobs()]
    const job = resources.job(jobId)
    return job === undefined ? [] : [job]
  }

  #shards(): number[] {
    return Array.from({ length: this.#context.deps.shards.count }, (_, shard) => shard)
  }

  #statsOf(job: JobSettings): StatsRow {
    let stats = this.#stats.get(job.id)
    if (stats === undefined) this.#stats.set(job.id, (stats = this.#context.deps.shards.reader(job.shard).stats(job)))
    return stats
  }

  #count(jobId: number | null, isBad: (job: JobSettings) => boolean): number {
    return this.#jobs(jobId).filter(isBad).length
  }

  #fullest(size: (mailbox: { readonly length: number; readonly bytes: number }) => number): number {
    return Math.max(...this.#shards().map((shard) => size(this.#context.deps.shards.mailbox(shard))))
  }

  #minutesWithoutEvents(jobId: number | null, hours: WorkingHours | null): number | null {
    const times = this.#jobs(jobId).flatMap((job) => this.#statsOf(job).lastEventMicros ?? [])
    if (times.length === 0) return null
    const latest = times.reduce((a, b) => Math.max(a, b))
    return minutesBetween(latest, this.#context.nowMicros, hours)
  }

  #feedbackLag(jobId: number | null, hours: WorkingHours | null): number | null {
    const [job] = this.#jobs(jobId)
    if (job === undefined) return null
    const { lastEventMicros, lastFeedbackMicros } = this.#statsOf(job)
    if (lastEventMicros === null || lastFeedbackMicros === null) return null
    return minutesBetween(lastFeedbackMicros, lastEventMicros, hours)
  }
}

function minutesBetween(fromMicros: number, untilMicros: number, hours: WorkingHours | null): number {
  if (hours === null) return Math.max(0, (untilMicros - fromMicros) / MINUTE_MICROS)
  return workingMsBetween(hours, fromMicros / 1_000, untilMicros / 1_000) / 60_000
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.max(0, part / whole) * 100
}
