/**
 * The interface of the audit log for code that commits to the catalog environment.
 *
 * Owns: one call. Leaves out: the contents of an entry (audit-service.ts), the chain of entries (audit-log.ts).
 *
 * 1. An entry is in the batch of its change: both are stored, or neither.
 * 2. No entry holds a secret or the body of an event.
 */
import type { WriteBatch } from '../store/environment.js'
import type { AuditEntry } from '../api/audit-service.js'

export interface AuditTrail {
  /**
   * Adds the entry to the batch. The caller commits the batch to the catalog environment before any other, or discards
   * it together with the entry.
   */
  record(batch: WriteBatch, entry: AuditEntry): void
}
