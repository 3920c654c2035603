/** A part of the third stage of a start: trainings, their schedule, and background work for jobs. */
import { RetrainSchedule } from '../../resource/schedule.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { Admission } from './admission.js'
import type { Stores } from './open-stores.js'
import type { Reports } from './reports.js'
import type { Runtime } from './start-runtime.js'
import { TrainingLog, type TrainingRow } from '../training/training-log.js'
import { Trainings } from '../training/trainings.js'
import { Upkeep } from '../upkeep.js'

export interface Training {
  readonly trainings: Trainings
  readonly upkeep: Upkeep
  readonly schedule: RetrainSchedule
}

/** The results of the stages before. */
export interface EarlierStages {
  readonly stores: Stores
  readonly runtime: Runtime
  readonly reports: Reports
  readonly admission: Admission
}

/** `trainers`: trainings that run at once. `timeZone`: of schedules, where a job has none of its own. */
export function openTraining(
  { trainers, timeZone }: { readonly trainers: number; readonly timeZone: string },
  { stores, runtime, reports, admission }: EarlierStages,
  collector: Pick<AuditCollector, 'request'>,
): Training {
  const { dataDir, clock, resources, catalogStore, auditLog, current } = stores
  const { shards, trainingThreads } = runtime
  const trainings = new Trainings({
    dataDir,
    threadsMax: trainers,
    clock,
    log: new TrainingLog(catalogStore, auditLog),
    threads: trainingThreads,
    job: (id) => resources.job(id),
    ended: (jobId, row) => report(reports, jobId, row),
    isInstalled: (job, version) => shards.reader(job.shard).models(job.id).one(version) !== null,
    install: async (job, model) => {
      await shards.insist(current(job), 'install', model)
      // Gates end with a new model, and a challenger starts: both have entries in the audit log.
      collector.request(job.shard)
    },
  })
  const { accepting } = admission
  const upkeep = new Upkeep({ resources, shards, trainings, accepting, failed: reports.failed })
  const schedule = new RetrainSchedule(clock, timeZone, (jobId) => upkeep.trainBySchedule(jobId))
  return { trainings, upkeep, schedule }
}

function report({ batches, logs }: Reports, jobId: number, row: TrainingRow): void {
  const { state, message, startMicros, finishMicros } = row
  const isFailed = state === 'RETRAIN_FAILED'
  const seconds = ((finishMicros ?? 0) - (startMicros ?? 0)) / 1e6
  const error = isFailed ? message : null
  batches.add({ kind: 'training', container: 'trainer/main', jobId, items: 1, seconds, error })
  logs.of('trainer')[isFailed ? 'error' : 'info']('a training ended', { job_id: jobId, state, outcome: message })
}
