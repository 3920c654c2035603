/** The contract of the audit log: its entries, and the proof that they are unchanged. */
import type { Author } from './principal.js'

export type AuditAction =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'started'
  | 'stopped'
  | 'training requested'
  | 'training finished'
  | 'training failed'
  | 'voted'
  | 'voted on bucket'
  | 'vote withdrawn'
  | 'votes on bucket withdrawn'
  | 'vote taken back'
  | 'consensus overridden'
  | 'override withdrawn'
  | 'view saved'
  | 'view deleted'
  | 'assigned'
  | 'assignment withdrawn'
  | 'votes by filter requested'
  | 'votes by filter cancelled'
  | 'votes by filter taken back'
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
  | 'restarted'
  | 'log level changed'
  | 'safety contract set'
  | 'settled events reopened'
  | 'gate opened'
  | 'gate closed'
  | 'gate revoked'
  | 'model rolled back'
  | 'challenger started'
  | 'challenger dropped'
  | 'models erased'
  | 'challenger promoted'
  | 'replay requested'
  | 'replay cancelled'
  | 'tool called'

export type AuditObjectType =
  | 'job'
  | 'integration'
  | 'api_key'
  | 'user'
  | 'token'
  | 'event'
  | 'bucket'
  | 'task'
  | 'view'
  | 'watchdog'
  | 'container'
  | 'gate'
  | 'model'
  | 'replay'
  | 'tool'

/** One field before and after a change; null where it has no value. */
export interface AuditChange {
  readonly before: unknown
  readonly after: unknown
}

export interface AuditEntry {
  /** When it happened, microseconds. */
  readonly atMicros: number
  readonly by: Author
  /** The voter, where a client votes for somebody. */
  readonly analyst?: string
  readonly action: AuditAction
  readonly object: { readonly type: AuditObjectType; readonly id: string; readonly title: string }
  /** The job that it happened in. */
  readonly job?: { readonly id: number; readonly title: string }
  /** The fields that changed, by name; long values are cut. */
  readonly changes?: Readonly<Record<string, AuditChange>>
  /** Further facts. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A query for entries; an entry must match every field that is given. */
export interface AuditQuery {
  /** The author, or the voter. */
  readonly user?: string
  /** The voter. */
  readonly analyst?: string
  /** Any of these. */
  readonly actions?: readonly string[]
  /** Any of these. */
  readonly objectTypes?: readonly string[]
  readonly objectId?: string
  readonly jobId?: number
  /** Microseconds, included. */
  readonly fromMicros?: number
  /** Microseconds, excluded. */
  readonly toMicros?: number
  /** A part of any value of the entry, in any case. */
  readonly text?: string
  /** From 0. */
  readonly page: number
  /** `next` of the page before, in place of `page`. */
  readonly after?: string
  readonly size: number
  /** By time; entries of the same time by their place in the chain. */
  readonly order: 'asc' | 'desc'
}

/** An entry with its place in the chain. */
export interface AuditRecord extends AuditEntry {
  /** From 1, without gaps. */
  readonly sequence: number
  /** SHA-256 over the previous hash and the entry, hexadecimal. */
  readonly hash: string
}

export interface AuditPage {
  readonly records: readonly AuditRecord[]
  /** Entries that match. */
  readonly total: number
  /** False where there are `total` or more: the count ran out of time, or a page after a cursor ended it. */
  readonly exact: boolean
  /** `after` of the page after this one; null on the last one. */
  readonly next: string | null
}

/** Fields whose values can be listed. `object_id` is not one: it has about as many values as there are entries. */
export type ListedField = 'user' | 'analyst' | 'action' | 'object_type' | 'job_id'

/** The values in use of one field. */
export interface AuditFieldTerms {
  readonly field: ListedField
  readonly terms: readonly { readonly value: string; readonly count: number }[]
  /** False where there are more values than are listed. */
  readonly complete: boolean
}

export interface AuditProof {
  readonly intact: boolean
  /** Entries that were checked. */
  readonly entries: number
  /** SHA-256 of the last entry, hexadecimal: for an operator to keep elsewhere. */
  readonly head: string
  /** The first entry that was changed, or null. */
  readonly broken: { readonly sequence: number; readonly reason: string } | null
}

/** The call of a tool by an agent. */
export interface ToolUse {
  readonly tool: string
  /** The name of the client program, as it gives it. */
  readonly agent: string
  /** How the call ended: answered, dry run, done, refused and so on. */
  readonly ending: string
  readonly jobId?: number | undefined
}

export interface AuditService {
  /** Records the call of a tool. When it returns, the entry is on disk. @throws if that is not possible. */
  toolCalled(by: Author, use: ToolUse): void
  /** Rejects with queries_busy. */
  entries(query: AuditQuery): Promise<AuditPage>
  /** Rejects with queries_busy. */
  terms(): Promise<readonly AuditFieldTerms[]>
  /**
   * Checks the whole chain. `noted` is a head that an operator kept: the number of entries, and the hash of the last
   * one (hexadecimal). Rejects with queries_busy.
   */
  verify(noted?: { readonly count: number; readonly hash: string }): Promise<AuditProof>
}
