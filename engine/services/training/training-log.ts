/**
 * The state of each job's training: one row for each job in the catalog, kept across restarts.
 *
 * 1. A requested training is written before it is acknowledged. The next start finds here what was cut off.
 */
import { theService } from '../../api/principal.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import type { RetrainState } from '../../api/decision-service.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { JsonRows, type RowChange } from '../../store/json-rows.js'
import { jobKey } from '../../store/tables.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { TrainingPlan } from './training-task.js'

/** The table of the catalog. */
export const TRAININGS_TABLE = 'trainings'

export interface TrainingRow {
  readonly state: RetrainState
  readonly message: string
  /** Version of the model of this training. It counts up; each training has its own. */
  readonly version: number
  readonly startMicros: number | null
  readonly finishMicros: number | null
  /** Who requested the training, or null. */
  readonly username: string | null
  /** Why the model in use should be trained again although its training succeeded; absent where it should not. */
  readonly outdated?: string | undefined
  /** Absent where nothing was requested yet. */
  readonly plan?: TrainingPlan
  /** What the training learned by (nothing-new.ts); absent before the first one. */
  readonly settings?: string | undefined
}

export const untrained: TrainingRow = {
  state: 'not_trained',
  message: '',
  version: 0,
  startMicros: null,
  finishMicros: null,
  username: null,
}

export class TrainingLog {
  readonly #environment: Environment
  readonly #audit: AuditTrail
  readonly #rows: JsonRows<TrainingRow>

  constructor(environment: Environment, audit: AuditTrail) {
    this.#environment = environment
    this.#audit = audit
    this.#rows = new JsonRows(environment, TRAININGS_TABLE)
  }

  get(jobId: number): TrainingRow {
    return this.#rows.get(jobKey(jobId)) ?? untrained
  }

  /** Jobs that have a row. */
  jobIds(): number[] {
    return this.#rows.groups()
  }

  /** Jobs whose training was requested and has not ended. */
  unfinished(): number[] {
    return this.jobIds().filter((jobId) => isUnderWay(this.get(jobId)))
  }

  /** Changes the row by what it is now, durably, in one commit with its entry in the audit log. */
  change(jobId: number, into: RowChange<TrainingRow>, entry?: (now: TrainingRow) => AuditEntry): TrainingRow {
    const batch = new WriteBatch()
    const next = this.#rows.changeOrAdd(
      jobKey(jobId),
      untrained,
      (now) => {
        const changed = into(now)
        if (entry !== undefined && changed !== null) this.#audit.record(batch, entry(changed))
        return changed
      },
      batch,
    )
    return next ?? this.get(jobId)
  }

  /** The same for a row that could not be written: until the process ends. */
  remember(jobId: number, into: RowChange<TrainingRow>): void {
    this.#rows.remember(jobKey(jobId), untrained, into)
  }

  /** To be called when the job is deleted. On a full disk the row stays until the next start, which deletes it. */
  remove(jobId: number): void {
    if (this.#rows.get(jobKey(jobId)) === undefined) return
    this.#rows.forget(jobKey(jobId))
    const batch = new WriteBatch()
    batch.delete(TRAININGS_TABLE, jobKey(jobId))
    commitOrWait(this.#environment, batch)
  }
}

export function isUnderWay({ state }: TrainingRow): boolean {
  return state === 'queued' || state === 'training'
}

/** The end of a training in the audit log. */
export function endEntry(
  { id, title }: Pick<JobSettings, 'id' | 'title'>,
  { state, message, version, finishMicros }: TrainingRow,
): AuditEntry {
  return {
    atMicros: finishMicros ?? 0,
    by: theService,
    action: state === 'RETRAIN_FAILED' ? 'training failed' : 'training finished',
    object: { type: 'job', id: String(id), title },
    job: { id, title },
    details: { model_version: version, message },
  }
}
