/**
 * The models of a job as metrics show them: which there are, what is known of each, and recomputing it.
 *
 * Owns: from a model's id to its figures. Leaves out: the queue (recomputations.ts), the rows (metrics-log.ts),
 * computing figures (model-scores.ts).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { hasBuckets, type JobSettings } from '../../domain/job/job.js'
import type { ModelMetrics } from '../../api/metrics-service.js'
import type { StatsRow } from '../../store/rows.js'
import { modelIdOf, versionOf } from '../../actor/model-id.js'
import type { MetricsLog, ModelPlace, RecomputeRow } from './metrics-log.js'
import { modelMetricsOf, modelReportOf, type ShownJob } from './model-document.js'
import { basisOf } from './model-scores.js'
import { isPending, type Recomputations } from './recomputations.js'

/** A model version that an answer shows. */
export interface ShownModel {
  readonly place: ModelPlace
  readonly modelId: string
  /** One of the latest versions that the request asks for. */
  readonly isLatest: boolean
}

export class ModelReports {
  readonly #log: MetricsLog
  readonly #recomputations: Recomputations
  readonly #stats: (job: JobSettings) => StatsRow

  constructor(log: MetricsLog, recomputations: Recomputations, stats: (job: JobSettings) => StatsRow) {
    this.#log = log
    this.#recomputations = recomputations
    this.#stats = stats
  }

  /** With `explains` the refusal has details. @throws Refusal model_not_found. */
  find(job: JobSettings, modelId: string, explains = false): ModelPlace {
    const version = versionOf(job.id, modelId)
    if (version === null || !this.#stats(job).modelVersions.includes(version)) {
      const details = `the job ${job.id} has no model of that id`
      throw new Refusal('model_not_found', 'model not found', explains ? { details } : {})
    }
    return { jobId: job.id, version }
  }

  /** The model in use, or null. */
  active(job: JobSettings): ModelPlace | null {
    const { modelVersion } = this.#stats(job)
    return modelVersion === 0 ? null : { jobId: job.id, version: modelVersion }
  }

  /** The `latest` newest versions, and the one in use, oldest first. */
  shown(job: JobSettings, latest: number): ShownModel[] {
    const { modelVersions, modelVersion } = this.#stats(job)
    const last = latest === 0 ? [] : modelVersions.slice(-Math.min(latest, limits.metricsModelsMax))
    return modelVersions
      .filter((version) => version === modelVersion || last.includes(version))
      .map((version) => {
        return {
          place: { jobId: job.id, version },
          modelId: modelIdOf(job.id, version),
          isLatest: last.includes(version),
        }
      })
  }

  /** Queues a recomputation durably. @throws Refusal queries_busy, store_full, store_failed. */
  request(place: ModelPlace): RecomputeRow {
    return this.#recomputations.request(place)
  }

  /** Recomputes the figures and waits for them, for `timeoutMs` at most. Rejects with queries_busy. */
  async refresh(place: ModelPlace, timeoutMs: number): Promise<void> {
    this.#recomputations.refresh(place)
    await this.#recomputations.ended(place, timeoutMs)
  }

  /** True where there are no figures, or feedback or events have come since. */
  isStale(job: JobSettings, place: ModelPlace): boolean {
    const row = this.#log.row(place)
    return row === null || isPending(row) || row.figures?.basis !== basisOf(this.#stats(job))
  }

  isKnown(place: ModelPlace): boolean {
    return this.#log.row(place) !== null
  }

  metrics(job: JobSettings, place: ModelPlace): ModelMetrics {
    return modelMetricsOf(modelIdOf(place.jobId, place.version), shownOf(job), this.#log.row(place))
  }

  report(job: JobSettings, { place, modelId }: ShownModel, pointName: (name: string) => string): object {
    return modelReportOf(modelId, shownOf(job), this.#log.row(place), pointName)
  }

  /** Warnings for readers of its figures: missing, being recomputed, or failed. */
  warnings({ place, modelId }: ShownModel): string[] {
    const row = this.#log.row(place)
    if (row === null) return [`the metrics of ${modelId} have not been computed yet`]
    const shown = row.figures === null ? 'there are none yet' : 'the last known ones are shown'
    if (isPending(row)) return [`the metrics of ${modelId} are being recomputed; ${shown}`]
    return row.state === 'failed'
      ? [`the metrics of ${modelId} could not be recomputed: ${row.error ?? ''}; ${shown}`]
      : []
  }
}

function shownOf({ labels, category }: JobSettings): ShownJob {
  return { labels: labels.map(({ name }) => name), hasBuckets: hasBuckets(category) }
}
