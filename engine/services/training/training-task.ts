/** A training before and after it runs: what its thread gets, and the model that is installed. */
import { limits } from '../../limits.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { fingerprintOf } from '../../domain/event/decision-points.js'
import { hasBuckets, hasClusters, type JobSettings } from '../../domain/job/job.js'
import { typesOf } from '../../domain/job/job-points.js'
import { labelMeanings } from '../../domain/job/label-roles.js'
import { objectiveOf } from '../../domain/job/objective.js'
import type { ModelOrigin, TrainingReason, TrainingTerms } from '../../domain/learn/model-origin.js'
import { encodeModel, type ModelRow } from '../../store/rows.js'
import type { TrainingResult, TrainingTask } from './training-protocol.js'

/** Why a training runs, who wants it, and how it differs from the settings of its job. */
export interface TrainingPlan {
  readonly why: TrainingReason
  readonly by: string
  readonly terms?: TrainingTerms
}

/** The plan of a training that was queued without one. */
export const plainPlan: TrainingPlan = { why: 'requested', by: '' }

/** The task of a training thread. */
export function taskOf(
  dataDir: string,
  job: JobSettings,
  { objective, seed, withoutAnalysts = [] }: TrainingTerms,
  signals: SharedArrayBuffer,
): TrainingTask {
  return {
    dataDir,
    shard: job.shard,
    jobId: job.id,
    points: job.decisionPoints,
    types: typesOf(job),
    labels: job.labels.map(({ name }) => name),
    buckets: hasBuckets(job.category),
    // Fixed by the job, so that a training gives the same model wherever it runs (S17), and the same again.
    seed: seed ?? (job.id * 65_599) >>> 0,
    objective: objective ?? objectiveOf(job),
    ...(withoutAnalysts.length === 0 ? {} : { withoutAnalysts }),
    ...(hasClusters(job.category) ? { cause: causeSettingsOf(job), byRole: labelMeanings(job.labels).byRole } : {}),
    signals,
  }
}

/** What the registry says of the training. */
export function originOf(task: TrainingTask, { why, by }: TrainingPlan, result: TrainingResult): ModelOrigin {
  const { objective, points, seed, withoutAnalysts = [] } = task
  const { throughMicros, labelCounts } = result
  return { why, by, throughMicros, labelCounts, objective, points, seed, withoutAnalysts }
}

/** The body of the message that installs the model. @throws Error where it is too large. */
export function installBody(
  row: Pick<ModelRow, 'version' | 'trainedMicros'>,
  { task, plan, result }: { readonly task: TrainingTask; readonly plan: TrainingPlan; readonly result: TrainingResult },
): Uint8Array {
  if (result.model.length > limits.modelBytesMax) throw new Error('the model is larger than the service keeps')
  const { throughSeq, summary, referenceMicros, doubted, drawn, analystWeights } = result
  const known = { summary, referenceMicros, doubted, drawn, analystWeights }
  const facts = { throughSeq, fingerprint: fingerprintOf(task.points, task.types), ...known }
  return encodeModel({ ...row, ...facts, origin: originOf(task, plan, result) }, result.model)
}
