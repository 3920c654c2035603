/** What the outside may ask of backups, and what it gets. */

export interface BackupReport {
  readonly directory: string
  /** ISO 8601 UTC: the moment that the backup is of. */
  readonly madeAt: string
  readonly files: number
  readonly entries: number
  readonly bytes: number
  readonly seconds: number
}

export interface BackupView {
  readonly name: string
  readonly state: 'running' | 'finished' | 'failed'
  /** ISO 8601 UTC; null where it is not finished. */
  readonly madeAt: string | null
  readonly bytes: number | null
  /** Why it failed. */
  readonly message: string
}

export interface BackupService {
  /**
   * Begins a backup under a name in the directory for backups; the time where none is given.
   * @throws Refusal backup_refused, backup_in_progress, invalid_body, draining.
   */
  start(name?: string): BackupView
  /** Those that are there, those under way, and those of this process that failed; the latest name first. */
  list(): BackupView[]
}
