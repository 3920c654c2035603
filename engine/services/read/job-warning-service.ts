/**
 * The warnings of jobs, for answers and for the log.
 *
 * Owns: which counts a warning follows from. Leaves out: the warnings (job-warnings.ts), the log (job-warning-log.ts).
 *
 * 1. New decision points have no counts yet. Whoever sets them is told what the latest events say, a few of them.
 */
import type { ApplyOutcome } from '../../api/resource-service.js'
import type { Warning } from '../../api/warning.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { Log } from '../../api/monitor-service.js'
import { JobWarningLog } from './job-warning-log.js'
import { fieldWarnings } from './field-warnings.js'
import { findingWarnings } from './finding-warnings.js'
import { evidenceWarnings } from './job-evidence.js'
import { stepWarnings } from '../integrations/step-warnings.js'
import type { Integrations } from '../integrations/integrations.js'
import { jobWarnings, pauseWarnings } from './job-warnings.js'
import type { ReadableShards } from './job-reader.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

export interface JobWarningsDeps {
  readonly resources: ResourceStore
  readonly shards: ReadableShards
  readonly integrations: Pick<Integrations, 'troublesOf'>
  readonly log: Log
}

export class JobWarnings {
  readonly #deps: JobWarningsDeps
  readonly #log: JobWarningLog

  constructor(deps: JobWarningsDeps) {
    this.#deps = deps
    const { log, resources } = deps
    this.#log = new JobWarningLog({ log, jobs: () => resources.jobs(), warningsOf: (job) => this.of(job) })
  }

  /** Places are in the properties of the job. */
  of(job: JobSettings): Warning[] {
    const reader = this.#deps.shards.reader(job.shard)
    const stats = reader.stats(job)
    const { points = null, lastEventMicros } = stats
    return [
      ...jobWarnings(job, points),
      ...pauseWarnings(job, reader.autonomy(job.id)?.row ?? null),
      ...fieldWarnings(reader.causeFields(job)),
      ...evidenceWarnings(job, stats),
      ...findingWarnings(reader.findings(job), lastEventMicros),
      ...this.ofSteps(job),
    ]
  }

  /** Steps that do not get through. */
  ofSteps(job: JobSettings): Warning[] {
    return stepWarnings(job, this.#deps.integrations.troublesOf(job.id))
  }

  /** The warnings of the jobs that a document has set up; places are from its top. */
  ofApplied({ created, updated }: ApplyOutcome): Warning[] {
    const jobs = [...created, ...updated].filter(({ type }) => type === 'job')
    return jobs.flatMap(({ internalId, place: inside = [] }) => {
      const job = this.#deps.resources.job(internalId as number)
      if (job === undefined) return []
      return this.#ofNew(job).map((warning) => ({ ...warning, place: [...inside, ...warning.place] }))
    })
  }

  /** The job was deleted. */
  forget(jobId: number): void {
    this.#log.forget(jobId)
  }

  close(): void {
    this.#log.close()
  }

  #ofNew(job: JobSettings): Warning[] {
    const reader = this.#deps.shards.reader(job.shard)
    const { events, points } = reader.stats(job)
    if (events === 0 || points?.fingerprint === pointsFingerprint(job)) return this.of(job)
    return jobWarnings(job, reader.sampleOfPoints(job))
  }
}
