/** A job as the input operations show it: its settings, its counters, its training. */
import type { JobSettings } from '../job/job.js'
import type { JobView } from '../service.js'
import type { StatsRow } from '../store/rows.js'
import { modelIdOf } from './model-id.js'
import type { TrainingRow } from './training-log.js'

/** What only the catalog knows of a job's inputs. */
export type JobInputs = Pick<JobView, 'restInput' | 'dataType'>

export function jobViewOf(job: JobSettings, stats: StatsRow, training: TrainingRow, inputs: JobInputs): JobView {
  return {
    id: job.id,
    title: job.title,
    category: job.category,
    status: job.status,
    labels: job.labels,
    decisionPoints: job.decisionPoints,
    retrainState: training.state,
    retrainMsg: training.message,
    processedDocuments: stats.events,
    feedbackDocuments: stats.feedbackEvents,
    lastProcessedMicros: stats.lastEventMicros,
    lastFeedbackMicros: stats.lastFeedbackMicros,
    lastTrainStartMicros: training.startMicros,
    lastTrainFinishedMicros: training.finishMicros,
    ...inputs,
    modelIds: stats.modelVersions.map((version) => modelIdOf(job.id, version)),
    activeModelId: stats.modelVersion === 0 ? null : modelIdOf(job.id, stats.modelVersion),
  }
}
