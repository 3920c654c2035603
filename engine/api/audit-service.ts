/** What can be asked of the audit log, and what it answers: its entries, and the proof that they are what was written. */
import type { Author } from './principal.js'

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

/** Fields whose values are listed. Not `object_id`: it has as many values as there are entries. */
export type ListedField = 'user' | 'analyst' | 'action' | 'object_type' | 'job_id'

/** The values in use of one field. */
export interface AuditFieldTerms {
  readonly field: ListedField
  readonly terms: readonly { readonly value: string; readonly count: number }[]
  /** False where there are more than are listed. */
  readonly complete: boolean
}

export interface AuditProof {
  readonly intact: boolean
  /** Entries that were walked. */
  readonly entries: number
  /** SHA-256 of the last one, hexadecimal: what an operator notes elsewhere. */
  readonly head: string
  /** The first entry that is not what it was, or null. */
  readonly broken: { readonly sequence: number; readonly reason: string } | null
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
