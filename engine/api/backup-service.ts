/** The contract of backups. */

export interface BackupReport {
  readonly directory: string
  /** ISO 8601 UTC: the time whose state the backup holds. */
  readonly madeAt: string
  readonly files: number
  readonly entries: number
  readonly bytes: number
  readonly seconds: number
}

export interface BackupView {
  readonly name: string
  readonly state: 'running' | 'finished' | 'failed'
  /** ISO 8601 UTC; null until it is finished. */
  readonly madeAt: string | null
  readonly bytes: number | null
  /** Why it failed. */
  readonly message: string
}

export interface BackupService {
  /**
   * Starts a backup with this name in the backup directory. The default name is the time.
   * @throws Refusal backup_refused, backup_in_progress, invalid_body, draining.
   */
  start(name?: string): BackupView
  /**
   * Existing backups, running ones, and those that failed since the service started; sorted by name, last one first.
   */
  list(): BackupView[]
}
