/**
 * The metrics API on the main thread: reads requests, has the figures counted on a reader thread, and puts answers
 * together.
 *
 * Owns: which jobs and models a request means, and how long it waits for recomputations. Leaves out: the way to a
 * reader thread (metrics-dispatcher.ts), all counting (run-metrics-query.ts), models (model-reports.ts).
 *
 * 1. No work here grows with the number of events: reader threads do all counting.
 */
import { isoMicros } from '../../clock.js'
import { must } from '../../assert.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Random } from '../../rng.js'
import type { JobSettings } from '../../domain/job/job.js'
import { Pseudonyms } from '../../domain/metrics/pseudonyms.js'
import type {
  InternalMetrics,
  InternalQuery,
  JobAndModelMetrics,
  JobMetrics,
  MetricsScope,
  MetricsService,
  ModelMetrics,
  PlatformMetrics,
  PlatformQuery,
  RecomputeAnswer,
} from '../../api/metrics-service.js'
import type { JobHandle, Principal } from '../../api/principal.js'
import type { Environment } from '../../store/environment.js'
import type { StatsRow } from '../../store/rows.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { RecentBatches } from '../monitor/recent-batches.js'
import type { ReaderTasksDeps } from '../readers/reader-tasks.js'
import type { ReadableShards } from '../read/job-reader.js'
import { internalDocument } from './internal-document.js'
import { MetricsLog } from './metrics-log.js'
import { readInterval, readPastInstant, readScope } from './metrics-parameters.js'
import { MetricsDispatcher } from './metrics-dispatcher.js'
import { isWhole, metricsJobOf, type MetricsJob } from './metrics-query.js'
import { ModelReports } from './model-reports.js'
import { platformOf, platformPeriods } from './platform-document.js'
import { Recomputations } from './recomputations.js'

/** Minutes that an analyst saves with each right decision (S18). */
const MINUTES_PER_ALERT = 10
const PSEUDONYM_KEY_BYTES = 32
/** How long the first request for a model's metrics waits for them. */
const FIRST_REQUEST_MS = 10_000

export interface MetricsDeps extends ReaderTasksDeps {
  readonly resources: Pick<ResourceStore, 'job' | 'jobs' | 'canSee'>
  readonly shards: ReadableShards
  readonly batches: RecentBatches
  /** The catalog's environment. */
  readonly store: Environment
  readonly random: Random
  /** Minutes; ten where undefined (S18). */
  readonly minutesPerAlert: number | undefined
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
  /** Told of failures in the background. */
  failed(what: string, error: unknown): void
}

export class MetricsReports implements MetricsService {
  readonly #deps: MetricsDeps
  readonly #dispatcher: MetricsDispatcher
  readonly #log: MetricsLog
  readonly #recomputations: Recomputations
  readonly #models: ModelReports
  readonly #minutesPerAlert: number

  constructor(deps: MetricsDeps) {
    const { store, clock, minutesPerAlert = MINUTES_PER_ALERT } = deps
    this.#deps = deps
    this.#minutesPerAlert = minutesPerAlert
    this.#dispatcher = new MetricsDispatcher(deps)
    this.#log = new MetricsLog(store)
    this.#recomputations = new Recomputations({
      log: this.#log,
      clock,
      job: (id) => deps.resources.job(id),
      run: (job, version) =>
        deps.batches.timed({ kind: 'recomputation', container: 'query/main', jobId: job.id }, () => {
          return this.#dispatcher.runLong<'model'>(
            { kind: 'model', job: this.#jobOf(job), version },
            limits.recomputeMsMax,
          )
        }),
      failed: (what, error) => deps.failed(what, error),
    })
    this.#models = new ModelReports(this.#log, this.#recomputations, (job) => this.#stats(job))
  }

  /** Resumes unfinished recomputations, and forgets jobs that are gone. */
  resume(): void {
    for (const jobId of this.#log.jobs()) if (this.#deps.resources.job(jobId) === undefined) this.forget(jobId)
    this.#recomputations.resume()
  }

  async job(handle: JobHandle, scope: MetricsScope, gone?: AbortSignal): Promise<JobMetrics> {
    const job = this.#jobOf(this.#deps.current(handle))
    const query = { kind: 'job', job, scope: readScope(scope), minutesPerAlert: this.#minutesPerAlert } as const
    if (isWhole(query.scope, job)) return await this.#dispatcher.ask<'job'>(query, limits.metricsMsMax, gone)
    return await this.#dispatcher.askLong<'job'>(query, limits.metricsMsMax, gone)
  }

  async model(handle: JobHandle, modelId: string): Promise<ModelMetrics> {
    const job = this.#deps.current(handle)
    const place = this.#models.find(job, modelId)
    if (!this.#models.isKnown(place)) await this.#models.refresh(place, FIRST_REQUEST_MS)
    return this.#models.metrics(job, place)
  }

  async jobAndLatestModel(
    handle: JobHandle,
    scope: MetricsScope,
    timeoutS: number,
    gone?: AbortSignal,
  ): Promise<JobAndModelMetrics> {
    const job = this.#deps.current(handle)
    const place = this.#models.active(job)
    const refreshed = place === null ? null : this.#models.refresh(place, timeoutS * 1000)
    const [metrics] = await Promise.all([this.job(handle, scope, gone), refreshed])
    return {
      jobId: job.id,
      modelId: place === null ? null : modelIdOf(job.id, place.version),
      job: metrics,
      model: place === null ? null : this.#models.metrics(job, place),
    }
  }

  requestRecompute(handle: JobHandle, modelId: string): RecomputeAnswer {
    this.#deps.mustAccept()
    const place = this.#models.find(this.#deps.current(handle), modelId, true)
    const { state, requestedMicros } = this.#models.request(place)
    return { jobId: place.jobId, modelId, status: state, requestedAt: isoMicros(requestedMicros) }
  }

  setProductionDate(handle: JobHandle, date: string): void {
    this.#deps.mustAccept()
    const { clock } = this.#deps
    this.#log.setProductionMicros(this.#deps.current(handle).id, readPastInstant(date, 'production_date', clock))
  }

  async internal(principal: Principal, request: InternalQuery, gone?: AbortSignal): Promise<InternalMetrics> {
    const { random, clock } = this.#deps
    const jobs = this.#select(principal, request.jobIds)
    const [scope, interval] = [readScope(request), readInterval(request.interval)]
    const key = random.bytes(PSEUDONYM_KEY_BYTES)
    const [namesKey, pointsKey] = [
      request.obfuscateUsernames ? key : null,
      request.obfuscateDecisionPoints ? key : null,
    ]
    const timeoutMs = request.timeoutS * 1000
    const shown = new Map(jobs.map((job) => [job.id, this.#models.shown(job, request.latestModels)]))
    const stale = jobs.flatMap((job) =>
      (shown.get(job.id) ?? []).filter(({ place, isLatest }) => isLatest && this.#models.isStale(job, place)),
    )
    const refreshed = request.recomputeModels ? stale.map(({ place }) => this.#models.refresh(place, timeoutMs)) : []
    const task = { scope, interval, minutesPerAlert: this.#minutesPerAlert, namesKey, pointsKey }
    const query = { kind: 'internal', jobs: jobs.map((job) => this.#jobOf(job)), task } as const
    const [counted] = await Promise.all([this.#dispatcher.askLong<'internal'>(query, timeoutMs, gone), ...refreshed])
    const points = pointsKey === null ? null : new Pseudonyms('decision_point', pointsKey)
    return internalDocument({
      query: request,
      scope,
      jobs,
      counted,
      models: this.#models,
      shown,
      pointName: (name) => points?.of(name) ?? name,
      nowMicros: clock.nowMicros(),
      productionMicros: (jobId) => this.#log.productionMicros(jobId),
    })
  }

  async platform(principal: Principal, request: PlatformQuery): Promise<PlatformMetrics> {
    const jobs = this.#select(principal, request.jobIds)
    const interval = readInterval(request.interval)
    const { shards, serviceNames } = this.#deps
    const nowMicros = this.#deps.clock.nowMicros()
    const query = jobs.map((job) => ({
      jobId: job.id,
      shard: job.shard,
      intervals: platformPeriods(job, interval, nowMicros),
    }))
    const stored = await this.#dispatcher.ask<'platform'>({ kind: 'platform', jobs: query }, limits.metricsMsMax)
    return platformOf({
      jobs: jobs.map((job, at) => ({
        job,
        stats: this.#stats(job),
        intervals: query[at]?.intervals ?? [],
        ...must(stored[at], 'what is stored of a job'),
      })),
      isWhole: request.jobIds === undefined && principal.kind !== 'input',
      shardBytes: Array.from({ length: shards.count }, (_, shard) => shards.sizeBytes(shard)),
      catalogBytes: this.#deps.store.sizeBytes(),
      serviceName: serviceNames[0] as string,
    })
  }

  /** Deletes what is kept of a job that is gone. */
  forget(jobId: number): void {
    try {
      this.#log.remove(jobId)
    } catch (error) {
      // The disk is full: the next start tries again.
      this.#deps.failed('metrics of a deleted job could not be deleted', error)
    }
  }

  /** Gives up running queries and refuses new ones. */
  close(): void {
    this.#recomputations.close()
    this.#dispatcher.close()
  }

  #stats(job: JobSettings): StatsRow {
    return this.#deps.shards.reader(job.shard).stats(job)
  }

  #jobOf(job: JobSettings): MetricsJob {
    return metricsJobOf(job, this.#log.productionMicros(job.id))
  }

  /**
   * The jobs that a request names, or all that the principal may see. @throws Refusal job_not_found, query_too_large.
   */
  #select(principal: Principal, ids: readonly number[] | undefined): JobSettings[] {
    const { resources } = this.#deps
    const chosen =
      ids === undefined
        ? [...resources.jobs()].filter(({ id }) => resources.canSee(principal, id)).sort((a, b) => a.id - b.id)
        : [...new Set(ids)].map((id) => {
            if (!resources.canSee(principal, id)) throw new Refusal('job_not_found', 'job not found')
            return must(resources.job(id), 'a job that can be seen')
          })
    if (chosen.length > limits.metricsJobsMax) {
      throw new Refusal('query_too_large', `an answer covers at most ${limits.metricsJobsMax} jobs; name them`)
    }
    return chosen
  }
}
