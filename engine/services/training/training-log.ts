/**
 * What is known of each job's training, across restarts: one row a job in the catalog's environment.
 *
 * 1. A training that was asked for is written before it is acknowledged; one that was cut off is found here at the start.
 */
import type { AuditTrail } from '../../resource/audit-trail.js'
import type { RetrainState } from '../../api/decision-service.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { jobKey } from '../../store/tables.js'
import type { AuditEntry } from '../../api/audit-service.js'

/** The table of the catalog's environment that holds them. */
export const TRAININGS_TABLE = 'trainings'

export interface TrainingRow {
  readonly state: RetrainState
  readonly message: string
  /** Version of the model that this training makes or made; counts up, and is never used for another training. */
  readonly version: number
  readonly startMicros: number | null
  readonly finishMicros: number | null
  /** Who asked, or null. */
  readonly username: string | null
  /** Why the model in use is to be trained again though its training went well; absent where it is not. */
  readonly outdated?: string | undefined
}

const VERSION = 1

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
  readonly #rows = new Map<number, TrainingRow>()

  constructor(environment: Environment, audit: AuditTrail) {
    this.#environment = environment
    this.#audit = audit
    for (const { key, value } of environment.range(TRAININGS_TABLE, {})) {
      this.#rows.set(
        Buffer.from(key).readUInt32BE(0),
        JSON.parse(Buffer.from(value.subarray(1)).toString('utf8')) as TrainingRow,
      )
    }
  }

  get(jobId: number): TrainingRow {
    return this.#rows.get(jobId) ?? untrained
  }

  /** Jobs that have a row. */
  jobIds(): number[] {
    return [...this.#rows.keys()]
  }

  /** Jobs whose training was asked for and has not ended. */
  unfinished(): number[] {
    return [...this.#rows].filter(([, { state }]) => state === 'queued' || state === 'training').map(([jobId]) => jobId)
  }

  /** Writes the row, durably, and the entry of the audit log that tells of it. */
  set(jobId: number, row: TrainingRow, entry?: AuditEntry): void {
    const batch = new WriteBatch()
    if (entry !== undefined) this.#audit.record(batch, entry)
    batch.put(
      TRAININGS_TABLE,
      jobKey(jobId),
      Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row), 'utf8')]),
    )
    this.#environment.commit(batch)
    this.#rows.set(jobId, row)
  }

  /** Keeps the row until the end of the process, where it could not be written. */
  remember(jobId: number, row: TrainingRow): void {
    this.#rows.set(jobId, row)
  }

  /** The job is gone. On a full disk its row waits for the next start, which looks for such. */
  remove(jobId: number): void {
    if (!this.#rows.delete(jobId)) return
    const batch = new WriteBatch()
    batch.delete(TRAININGS_TABLE, jobKey(jobId))
    commitOrWait(this.#environment, batch)
  }
}
