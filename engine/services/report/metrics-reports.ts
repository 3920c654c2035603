/**
 * Metrics for the outside, from the main thread: which job and model are meant, what was asked, until when.
 *
 * Owns: reading questions, waiting for recomputations, putting answers together. Leaves out: the way to a thread and back
 * (metrics-dispatcher.ts), every count (run-metrics-query.ts), models (model-reports.ts).
 *
 * 1. Nothing here grows with the events: what has to be counted is counted on a thread.
 */
import { isoMicros } from '../../clock.js'
import { must } from '../../assert.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Random } from '../../rng.js'
import type { JobSettings } from '../../domain/job/job.js'
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
import type { RecentBatches } from '../monitor/recent-batches.js'
import { Pseudonyms } from '../../domain/metrics/pseudonyms.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { Environment } from '../../store/environment.js'
import type { StatsRow } from '../../store/rows.js'
import { jobSettingsOf, requestOf } from './internal-document.js'
import { MetricsLog } from './metrics-log.js'
import { readInstant, readInterval, readScope } from './metrics-parameters.js'
import { MetricsDispatcher } from './metrics-dispatcher.js'
import { isWhole, type MetricsJob } from './metrics-query.js'
import { ModelReports } from './model-reports.js'
import { modelIdOf } from '../../actor/model-id.js'
import { platformOf, platformPeriods } from './platform-document.js'
import type { ReaderTasksDeps } from '../readers/reader-tasks.js'
import { Recomputations } from './recomputations.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { JobHandle, Principal } from '../../api/principal.js'

/** S18. */
const MINUTES_PER_ALERT = 10
const PSEUDONYM_KEY_BYTES = 32
/** What the first look at a model's metrics waits for them. */
const FIRST_LOOK_MS = 10_000

export interface MetricsDeps extends ReaderTasksDeps {
  readonly catalog: Pick<ResourceStore, 'job' | 'jobs' | 'canSee'>
  readonly shards: ReadableShards
  readonly batches: RecentBatches
  /** The catalog's environment. */
  readonly store: Environment
  readonly random: Random
  /** S18. */
  readonly minutesPerAlert: number | undefined
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
  failed(what: string, error: unknown): void
}

export class MetricsReports implements MetricsService {
  readonly #deps: MetricsDeps
  readonly #asker: MetricsDispatcher
  readonly #log: MetricsLog
  readonly #recomputations: Recomputations
  readonly #models: ModelReports
  readonly #minutesPerAlert: number

  constructor(deps: MetricsDeps) {
    const { store, clock, minutesPerAlert = MINUTES_PER_ALERT } = deps
    this.#deps = deps
    this.#minutesPerAlert = minutesPerAlert
    this.#asker = new MetricsDispatcher(deps)
    this.#log = new MetricsLog(store)
    this.#recomputations = new Recomputations({
      log: this.#log,
      clock,
      job: (id) => deps.catalog.job(id),
      run: (job, version) =>
        deps.batches.timed({ kind: 'recomputation', container: 'query/main', jobId: job.id }, () => {
          return this.#asker.runLong<'model'>({ kind: 'model', job: this.#jobOf(job), version }, limits.recomputeMsMax)
        }),
      failed: (what, error) => deps.failed(what, error),
    })
    this.#models = new ModelReports(this.#log, this.#recomputations, (job) => this.#stats(job))
  }

  /** Takes up what the last process left. */
  resume(): void {
    for (const jobId of this.#log.jobs()) if (this.#deps.catalog.job(jobId) === undefined) this.forget(jobId)
    this.#recomputations.resume()
  }

  async job(handle: JobHandle, scope: MetricsScope, gone?: AbortSignal): Promise<JobMetrics> {
    const job = this.#jobOf(this.#deps.current(handle))
    const query = { kind: 'job', job, scope: readScope(scope), minutesPerAlert: this.#minutesPerAlert } as const
    if (isWhole(query.scope, job)) return await this.#asker.ask<'job'>(query, limits.metricsMsMax, gone)
    return await this.#asker.askLong<'job'>(query, limits.metricsMsMax, gone)
  }

  async model(handle: JobHandle, modelId: string): Promise<ModelMetrics> {
    const job = this.#deps.current(handle)
    const place = this.#models.find(job, modelId)
    if (!this.#models.isKnown(place)) await this.#models.refresh(place, FIRST_LOOK_MS)
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
    const place = this.#models.find(this.#deps.current(handle), modelId)
    const { state, requestedMicros } = this.#models.request(place)
    return { jobId: place.jobId, modelId, status: state, requestedAt: isoMicros(requestedMicros) }
  }

  setProductionDate(handle: JobHandle, date: string): void {
    this.#deps.mustAccept()
    this.#log.setProductionMicros(this.#deps.current(handle).id, readInstant(date, 'production_date'))
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
    const models = new Map(jobs.map((job) => [job.id, this.#models.shown(job, request.latestModels)]))
    const stale = jobs.flatMap((job) =>
      (models.get(job.id) ?? []).filter(({ place, isLatest }) => isLatest && this.#models.isStale(job, place)),
    )
    const refreshed = request.recomputeModels ? stale.map(({ place }) => this.#models.refresh(place, timeoutMs)) : []
    const task = { scope, interval, minutesPerAlert: this.#minutesPerAlert, namesKey, pointsKey }
    const query = { kind: 'internal', jobs: jobs.map((job) => this.#jobOf(job)), task } as const
    const [counted] = await Promise.all([this.#asker.askLong<'internal'>(query, timeoutMs, gone), ...refreshed])
    const points = pointsKey === null ? null : new Pseudonyms('decision_point', pointsKey)
    const pointName = (name: string): string => points?.of(name) ?? name
    return {
      endpointWarnings: [
        ...counted.warnings,
        ...[...models.values()].flat().flatMap((model) => this.#models.warnings(model)),
      ],
      endpointRequestParameters: requestOf(
        request,
        jobs.map(({ id }) => id),
        scope,
        pointName,
        clock.nowMicros(),
      ),
      jobMetrics: new Map(
        jobs.map((job) => [
          String(job.id),
          {
            jobId: job.id,
            jobSettings: jobSettingsOf(job, this.#log.productionMicros(job.id), pointName),
            jobMetrics: counted.jobs.get(job.id)?.jobMetrics,
            modelMetrics: new Map(
              (models.get(job.id) ?? []).map((model) => [model.modelId, this.#models.report(job, model, pointName)]),
            ),
            feedbackMetrics: counted.jobs.get(job.id)?.feedbackMetrics,
          },
        ]),
      ),
      overallFeedbackMetrics: counted.overallFeedback,
    }
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
    const counts = await this.#asker.ask<'eventCounts'>({ kind: 'eventCounts', jobs: query }, limits.metricsMsMax)
    return platformOf({
      jobs: jobs.map((job, at) => ({
        job,
        stats: this.#stats(job),
        intervals: query[at]?.intervals ?? [],
        counts: counts[at] ?? [],
      })),
      isWhole: request.jobIds === undefined && principal.kind !== 'input',
      shards: Array.from({ length: shards.count }, (_, shard) => {
        const reader = shards.reader(shard)
        return { bytes: reader.sizeBytes(), events: reader.events() }
      }),
      catalogBytes: this.#deps.store.sizeBytes(),
      serviceName: serviceNames[0] as string,
    })
  }

  /** The job is gone. */
  forget(jobId: number): void {
    try {
      this.#log.remove(jobId)
    } catch (error) {
      // A full disk: the next start tries again.
      this.#deps.failed('metrics of a deleted job could not be deleted', error)
    }
  }

  /** Gives up what runs; what is asked from now on is refused. */
  close(): void {
    this.#recomputations.close()
    this.#asker.close()
  }

  #stats(job: JobSettings): StatsRow {
    return this.#deps.shards.reader(job.shard).stats(job)
  }

  #jobOf({ id, shard, title, labels, decisionPoints, category, pipeline, createdAt }: JobSettings): MetricsJob {
    const processors = pipeline.filter(({ role }) => role === 'processor')
    return {
      id,
      shard,
      title,
      labels,
      decisionPoints,
      category,
      pipeline: processors,
      createdAt,
      productionMicros: this.#log.productionMicros(id),
    }
  }

  #select(principal: Principal, ids: readonly number[] | undefined): JobSettings[] {
    const { catalog } = this.#deps
    const chosen =
      ids === undefined
        ? [...catalog.jobs()].filter(({ id }) => catalog.canSee(principal, id)).sort((a, b) => a.id - b.id)
        : [...new Set(ids)].map((id) => {
            if (!catalog.canSee(principal, id)) throw new Refusal('job_not_found', 'job not found')
            return must(catalog.job(id), 'a job that can be seen')
          })
    if (chosen.length > limits.metricsJobsMax)
      throw new Refusal('query_too_large', `an answer is about at most ${limits.metricsJobsMax} jobs; name them`)
    return chosen
  }
}
