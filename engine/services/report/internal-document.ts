/** The answer of internal metrics: the parameters as understood, and settings, models and figures of each job. */
import { isoMicros } from '../../clock.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isQuery } from '../../domain/query/filter.js'
import type { InternalMetrics, InternalQuery } from '../../api/metrics-service.js'
import type { InternalResult, ScopeTask } from './metrics-query.js'
import type { ModelReports, ShownModel } from './model-reports.js'

/** What the answer of internal metrics is made of. */
export interface InternalParts {
  readonly query: InternalQuery
  readonly scope: ScopeTask
  readonly jobs: readonly JobSettings[]
  readonly counted: InternalResult
  readonly models: Pick<ModelReports, 'warnings' | 'report'>
  /** The models that the answer shows, by job. */
  readonly shown: ReadonlyMap<number, readonly ShownModel[]>
  readonly pointName: (name: string) => string
  readonly nowMicros: number
  /** When the job went into production, microseconds, or null. */
  productionMicros(jobId: number): number | null
}

export function internalDocument(parts: InternalParts): InternalMetrics {
  const { jobs, counted, models, shown, pointName } = parts
  return {
    endpointWarnings: [...counted.warnings, ...[...shown.values()].flat().flatMap((model) => models.warnings(model))],
    endpointRequestParameters: parametersOf(parts),
    jobMetrics: new Map(
      jobs.map((job) => [
        String(job.id),
        {
          jobId: job.id,
          jobSettings: settingsOf(job, parts.productionMicros(job.id), pointName),
          jobMetrics: counted.jobs.get(job.id)?.jobMetrics,
          modelMetrics: new Map(
            (shown.get(job.id) ?? []).map((model) => [model.modelId, models.report(job, model, pointName)]),
          ),
          feedbackMetrics: counted.jobs.get(job.id)?.feedbackMetrics,
        },
      ]),
    ),
    overallFeedbackMetrics: counted.overallFeedback,
  }
}

/** The query, with its defaults filled in. */
function parametersOf({ query, jobs, scope, pointName, nowMicros }: InternalParts): object {
  const { fromMicros, toMicros, filters } = scope
  const isPoint = query.obfuscateDecisionPoints
  return {
    jobIds: jobs.map(({ id }) => id),
    aggregationTimeInterval: query.interval ?? null,
    obfuscateDecisionPointsNames: query.obfuscateDecisionPoints,
    obfuscateUsernames: query.obfuscateUsernames,
    startDatetime: fromMicros === null ? null : isoMicros(fromMicros),
    endDatetime: toMicros === null ? null : isoMicros(toMicros),
    // A filter's field may be a decision point.
    filters: filters.map((filter) => {
      if (isQuery(filter)) return isPoint ? { query: '(a query)' } : filter
      return { ...filter, field: isPoint ? pointName(filter.field) : filter.field }
    }),
    recomputeModelMetrics: query.recomputeModels,
    latestNModelsToRecompute: query.latestModels,
    timeoutS: query.timeoutS,
    currentTimestamp: isoMicros(nowMicros),
  }
}

/** The job's settings, without those of its integrations. */
function settingsOf(job: JobSettings, productionMicros: number | null, pointName: (name: string) => string): object {
  return {
    title: job.title,
    description: job.description,
    category: job.category,
    status: job.status,
    labels: job.labels,
    decisionPoints: job.decisionPoints.map(pointName),
    decisionPointsCount: job.decisionPoints.length,
    autoRetrain: job.autoRetrain,
    pipeline: job.pipeline.map(({ integrationId, role, enabled }) => ({ integrationId, role, enabled })),
    revision: job.revision,
    createdAt: job.createdAt,
    productionDate: productionMicros === null ? null : isoMicros(productionMicros),
  }
}
