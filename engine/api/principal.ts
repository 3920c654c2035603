/**
 * Who asks: what the contracts of all services share.
 *
 * Owns: callers, authors of changes, and the job that a caller was found to be allowed to see. Leaves out: what a caller
 * may do (scopes.ts), what can be asked (decision-service.ts).
 */
import type { JobStatus, Label } from '../domain/job/job.js'
import type { Scope } from './scopes.js'

/** Whoever a key or a token belongs to. */
export interface Principal {
  /**
   * A management key and a user's token see every job; an input key those whose External REST API integration is bound
   * to it (S1).
   */
  readonly kind: 'management' | 'input' | 'user'
  /** The key's name or the user's, for logs and as the voter where a client names none. Never the key. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** Of a user: the token that was presented. */
  readonly tokenId?: string
}

/** Whoever asks for a change, as the audit log names it: a Principal, or the service itself. */
export interface Author {
  readonly kind: string
  readonly name: string
  /** Of a caller; absent: the service itself, which may do everything. */
  readonly scopes?: ReadonlySet<Scope>
}

/** The author of what the service does of its own accord. */
export const theService: Author = { kind: 'service', name: 'service' }

/** A job that the caller may see; taken by lookup, given back to the other operations. */
export interface JobHandle {
  readonly id: number
  readonly title: string
  readonly status: JobStatus
  readonly labels: readonly Label[]
}
