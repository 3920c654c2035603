/** The figures of a job, as far as the person may see them. */
import {
  isTransient,
  type AutonomyView,
  type JobMetrics,
  type ModelMetrics,
  type QualityReport,
} from '../../../client/index.js'
import { api, may, serviceField } from '../../state/api.js'

export interface Figures {
  readonly job: JobMetrics
  readonly model: ModelMetrics | null
  /** Null where the job has no safety contract that settles events. */
  readonly autonomy: AutonomyView | null
  /** Events with a decision; null where the person may not count them. */
  readonly decided: number | null
  /** Doubtful events that nobody has voted on. */
  readonly waiting: number | null
  /** The metrics of the challenger; null where there is none. */
  readonly challenger: ModelMetrics | null
}

/** Below this a decision is doubtful (C4.4). */
export const LOW_CONFIDENCE = 60

async function orNull<T>(isAllowed: boolean, ask: () => Promise<T>): Promise<T | null> {
  if (!isAllowed) return null
  try {
    return await ask()
  } catch (error) {
    if (isTransient(error)) throw error
    return null
  }
}

async function countOf(
  jobId: number,
  filters: { field: string; operator: string; value?: string | number }[],
  signal: AbortSignal,
): Promise<number> {
  const body = { job_ids: [jobId], count_results_only: true, filters }
  return (await api.queryEvents({ body }, { signal })).total_count
}

export async function readFigures(jobId: number, signal: AbortSignal): Promise<Figures> {
  const mayQuery = may('read:event_query')
  const [job, autonomy, trial, decided, waiting] = await Promise.all([
    api.readJobMetrics({ job_id: String(jobId) }, { signal }),
    orNull(true, () => api.getAutonomy({ job_id: jobId }, { signal })),
    orNull(true, () => api.getChallenger({ job_id: jobId }, { signal })),
    orNull(mayQuery, () =>
      countOf(jobId, [{ field: serviceField('result_label'), operator: 'is not', value: '' }], signal),
    ),
    orNull(mayQuery, () =>
      countOf(
        jobId,
        [
          { field: serviceField('consensus'), operator: 'not exists' },
          { field: serviceField('result_label'), operator: 'is not', value: '' },
          { field: serviceField('confidence_score'), operator: 'lt', value: LOW_CONFIDENCE },
        ],
        signal,
      ),
    ),
  ])
  const metricsOf = (id: string | null | undefined): Promise<ModelMetrics | null> =>
    orNull(id != null, () => api.getModelMetrics({ job_id: String(jobId), model_id: id ?? '' }, { signal }))
  const [model, challenger] = await Promise.all([
    metricsOf(job.active_model_id),
    metricsOf(trial?.challenger?.model_id),
  ])
  return { job, model, autonomy, decided, waiting, challenger }
}

export function heldOutOf({ model }: Figures): QualityReport | null {
  return model?.quality?.held_out ?? null
}
