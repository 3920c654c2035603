/**
 * How a change gets into the audit log.
 *
 * Owns: the one call that whoever commits to the catalog makes. Leaves out: what an entry says (audit-service.ts), the
 * chain of the entries (audit-log.ts).
 *
 * 1. An entry is written in the batch of the change that it describes: both are stored, or neither.
 * 2. No entry holds a secret, or an event's body.
 */
import type { WriteBatch } from '../store/environment.js'
import type { AuditEntry } from '../api/audit-service.js'

/** The audit log, as whoever commits to the catalog sees it. */
export interface AuditTrail {
  /**
   * Adds the entry to the transaction. The batch is to be committed to the catalog's environment before anything else
   * is; where it is thrown away instead, so is the entry.
   */
  record(batch: WriteBatch, entry: AuditEntry): void
}
