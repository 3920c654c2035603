/**
 * Callers: the words that the contracts of all services share.
 *
 * Owns: callers, authors of changes, and handles of jobs that a caller may see. Leaves out: what a caller may do
 * (scopes.ts), the operations (decision-service.ts).
 */
import type { JobStatus, Label } from '../domain/job/job.js'
import { scopesOfKey, type Scope } from './scopes.js'

/** The owner of a key or a token. */
export interface Principal {
  /**
   * Management keys and users' tokens see every job. An input key sees the jobs whose External REST API uses it (S1).
   */
  readonly kind: 'management' | 'input' | 'user'
  /** The name of the key or of the user: for logs, and as the voter where a client names none. Never the key itself. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** For a user: the id of the presented token. */
  readonly tokenId?: string
}

/** The author of a change, as the audit log records it. It says nothing about what the author may do. */
export interface Author {
  readonly kind: string
  readonly name: string
}

/** An author whose scopes still have to be checked: a Principal, or the service itself. */
export interface ScopedAuthor extends Author {
  readonly scopes: ReadonlySet<Scope>
}

/** The author of what the service does on its own account. It may do everything that a management key may. */
export const theService: ScopedAuthor = { kind: 'service', name: 'service', scopes: scopesOfKey.management }

/** A job that the caller may see. `job()` returns it, and the other operations take it. */
export interface JobHandle {
  readonly id: number
  readonly title: string
  readonly status: JobStatus
  readonly labels: readonly Label[]
}
