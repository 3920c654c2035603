/**
 * Background work for jobs: deciding events that waited, starting scheduled trainings, purging what deleted jobs left.
 *
 * Owns: when this is done, and the loops that go on until nothing is left. Leaves out: each step (a message to the
 * actor), the timers of the schedule (resource/schedule.ts).
 *
 * 1. No state is kept here: a restart finds in the store what is to be done.
 */
import { isRefusal } from '../errors.js'
import { retrainBlockedBy } from '../domain/job/retrain.js'
import type { JobSettings } from '../domain/job/job.js'
import { missingForTraining } from '../domain/learn/knowledge-base.js'
import type { ResourceStore } from '../resource/resource-store.js'
import { orphanSettings } from '../actor/purge.js'
import type { ReadableShards } from './read/job-reader.js'
import { nothingNew } from './training/nothing-new.js'
import type { Trainings } from './training/trainings.js'

export interface UpkeepDeps {
  readonly resources: ResourceStore
  readonly shards: ReadableShards
  readonly trainings: Trainings
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

export class Upkeep {
  readonly #deps: UpkeepDeps

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** Takes up what the last process left unfinished: waiting events, rows of deleted jobs. */
  takeUp(): void {
    const { resources, shards } = this.#deps
    for (let shard = 0; shard < shards.count; shard++) {
      for (const { jobId, stats } of shards.reader(shard).storedJobs()) {
        if (resources.job(jobId) === undefined) this.#purge(jobId, shard)
        else if (stats.pending > 0) this.resume(jobId)
      }
    }
  }

  /** Has the events decided that waited for the job to start. */
  resume(jobId: number): void {
    const { resources, shards } = this.#deps
    this.#untilDone('deciding events that waited for their job to start', async () => {
      const job = resources.job(jobId)
      if (job === undefined || job.status !== 'STARTED') return { more: false }
      return (await shards.insist(job, 'resume')) as { more: boolean }
    })
  }

  /** To be called when a job is deleted. Every shard purges it, since its last events may not be stored yet. */
  forget(jobId: number): void {
    for (let shard = 0; shard < this.#deps.shards.count; shard++) this.#purge(jobId, shard)
    this.#deps.trainings.remove(jobId)
  }

  /** Why the job cannot be trained, or null. */
  missingForTraining(job: JobSettings): string | null {
    const { labelledEvents } = this.#deps.shards.reader(job.shard).stats(job)
    return missingForTraining(
      labelledEvents,
      job.labels.map(({ name }) => name),
    )
  }

  /** To be called when the job's schedule says to train now. */
  trainBySchedule(jobId: number): void {
    const { resources, shards, trainings, failed } = this.#deps
    const job = resources.job(jobId)
    if (!this.#deps.accepting() || job === undefined || job.autoRetrain === null) return
    const stats = shards.reader(job.shard).stats(job)
    const reason =
      this.missingForTraining(job) ??
      retrainBlockedBy(job.autoRetrain, {
        decided: stats.decidedSinceTraining,
        outliers: stats.outliersSinceTraining,
        lowConfidence: stats.lowConfidenceSinceTraining,
        consensusChanges: stats.consensusChangesSinceTraining,
        consensusFlips: stats.consensusFlipsSinceTraining,
        undecided: stats.undecidedBallots,
        lowScore: stats.lowScoreBallots,
      }) ??
      nothingNew(job, trainings.view(jobId), stats)
    try {
      if (reason === null)
        trainings.request(job, 'schedule', { kind: 'service', name: 'schedule' }, { why: 'scheduled' })
      else if (trainings.view(jobId).message !== reason) trainings.note(jobId, reason)
    } catch (error) {
      if (!isRefusal(error, 'training_in_progress')) failed('a scheduled training did not start', error)
    }
  }

  #purge(jobId: number, shard: number): void {
    const settings = orphanSettings(jobId, shard)
    this.#untilDone('purging what a deleted job left', async () => {
      return (await this.#deps.shards.insist(settings, 'purge')) as { more: boolean }
    })
  }

  #untilDone(what: string, step: () => Promise<{ more: boolean }>): void {
    const loop = async (): Promise<void> => {
      while (this.#deps.accepting() && (await step()).more);
    }
    loop().catch((error: unknown) => {
      if (this.#deps.accepting()) this.#deps.failed(what, error)
    })
  }
}
