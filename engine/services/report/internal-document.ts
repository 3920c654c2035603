/** What internal metrics say beside counts: the question as it was understood, and each job's settings. */
import { isoMicros } from '../../clock.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { InternalQuery } from '../../api/metrics-service.js'
import type { ScopeTask } from './metrics-query.js'

/** The question, with what was not said filled in. */
export function requestOf(
  query: InternalQuery,
  jobIds: readonly number[],
  { fromMicros, toMicros, filters }: ScopeTask,
  pointName: (name: string) => string,
  nowMicros: number,
): object {
  const isPoint = query.obfuscateDecisionPoints
  return {
    jobIds,
    aggregationTimeInterval: query.interval ?? null,
    obfuscateDecisionPointsNames: query.obfuscateDecisionPoints,
    obfuscateUsernames: query.obfuscateUsernames,
    startDatetime: fromMicros === null ? null : isoMicros(fromMicros),
    endDatetime: toMicros === null ? null : isoMicros(toMicros),
    // What a filter names may be a decision point.
    filters: filters.map((filter) => ({ ...filter, field: isPoint ? pointName(filter.field) : filter.field })),
    recomputeModelMetrics: query.recomputeModels,
    latestNModelsToRecompute: query.latestModels,
    timeoutS: query.timeoutS,
    currentTimestamp: isoMicros(nowMicros),
  }
}

/** The job's configuration without what connects it to the outside. */
export function jobSettingsOf(
  job: JobSettings,
  productionMicros: number | null,
  pointName: (name: string) => string,
): object {
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
