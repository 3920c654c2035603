/**
 * What is told to the audit log: who changed what, and how it was before and after.
 *
 * Owns: the words of an entry, and the one call that whoever commits to the catalog makes. Leaves out: the chain that the
 * entries become (monitor/audit-log.ts).
 *
 * 1. An entry goes into the batch of the change that it tells of: both are there, or neither.
 * 2. No entry holds a secret, or an event's body.
 */
import type { Author } from '../service.js'
import type { WriteBatch } from '../store/environment.js'

/** What the service does without being asked. */
export const theService: Author = { kind: 'service', name: 'service' }

export type AuditAction =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'started'
  | 'stopped'
  | 'training requested'
  | 'voted'
  | 'consensus overridden'
  | 'override withdrawn'
  | 'reprocessing requested'
  | 'reprocessing cancelled'
  | 'token issued'
  | 'token revoked'
  | 'sign-in refused'
  | 'password changed'
  | 'disabled'
  | 'enabled'
  | 'fired'
  | 'resolved'
  | 'erasure requested'
  | 'erased'

export type AuditObjectType =
  | 'job'
  | 'integration'
  | 'api_key'
  | 'user'
  | 'token'
  | 'event'
  | 'bucket'
  | 'task'
  | 'watchdog'

/** One field, before and after; null where there was nothing, or is nothing now. */
export interface AuditChange {
  readonly before: unknown
  readonly after: unknown
}

export interface AuditEntry {
  /** When it happened, microseconds. */
  readonly atMicros: number
  readonly by: Author
  /** Whose vote it is, where a client votes for somebody. */
  readonly analyst?: string
  readonly action: AuditAction
  readonly object: { readonly type: AuditObjectType; readonly id: string; readonly title: string }
  /** The job that it happened in. */
  readonly job?: { readonly id: number; readonly title: string }
  /** The fields that changed, by name; long values are cut. */
  readonly changes?: Readonly<Record<string, AuditChange>>
  /** What else is worth knowing. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The audit log, as whoever commits to the catalog sees it. */
export interface AuditTrail {
  /**
   * Adds the entry to the transaction. The batch is to be committed to the catalog's environment before anything else
   * is; where it is thrown away instead, so is the entry.
   */
  record(batch: WriteBatch, entry: AuditEntry): void
}
