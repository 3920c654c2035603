/** What the outside may ask of the audit log, and what it gets. */
import type { AuditEntry } from '../resource/audit-trail.js'
import type { AuditProof } from './audit-proof.js'
import type { ListedField } from './audit-terms.js'

/** Which entries: all that is given must hold. */
export interface AuditQuery {
  /** Who did it, or whose vote it is. */
  readonly user?: string
  /** One of these. */
  readonly actions?: readonly string[]
  /** One of these. */
  readonly objectTypes?: readonly string[]
  readonly objectId?: string
  readonly jobId?: number
  /** Microseconds, included. */
  readonly fromMicros?: number
  /** Microseconds, excluded. */
  readonly toMicros?: number
  /** Found in any value of the entry, in any case. */
  readonly text?: string
  /** From 0. */
  readonly page: number
  readonly size: number
  /** By time; of one time by their place in the chain. */
  readonly order: 'asc' | 'desc'
}

/** An entry in its place in the chain. */
export interface AuditRecord extends AuditEntry {
  /** From 1, without gaps. */
  readonly sequence: number
  /** SHA-256 over the hash before it and the entry, hexadecimal. */
  readonly hash: string
}

export interface AuditPage {
  readonly records: readonly AuditRecord[]
  /** Entries that match. */
  readonly total: number
  /** False where the question took too long: there are `total` or more. */
  readonly exact: boolean
}

/** The values in use of one field. */
export interface AuditFieldTerms {
  readonly field: ListedField
  readonly terms: readonly { readonly value: string; readonly count: number }[]
  /** False where there are more than are listed. */
  readonly complete: boolean
}

export interface AuditService {
  /** Rejects with queries_busy. */
  entries(query: AuditQuery): Promise<AuditPage>
  /** Rejects with queries_busy. */
  terms(): Promise<readonly AuditFieldTerms[]>
  /**
   * Walks the whole chain. `noted` is a head that somebody kept: the chain had `count` entries and that hash
   * (hexadecimal). Rejects with queries_busy.
   */
  verify(noted?: { readonly count: number; readonly hash: string }): Promise<AuditProof>
}
