/** A system that keeps cases, as a template: what it asks for, and which requests make, find and note in a case. */
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { DecidedEvent, Opened } from '../contract.js'

export interface CaseRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Behind the address of the system. */
  readonly path: string
  readonly body?: unknown
}

/** A case that is to be made. */
export interface CaseDraft {
  /** A word that is this case's alone: letters, digits and `-`. */
  readonly mark: string
  readonly title: string
  /** Ordinary text. */
  readonly description: string
  readonly event: DecidedEvent
}

export interface CaseSystem {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Connection parameters beside the address and TLS. */
  readonly connection: readonly ParameterSpec[]
  /** Parameters of a step beside texts and rule. */
  readonly parameters: readonly ParameterSpec[]
  /** Headers that say who we are. */
  credentials(connection: Opened): Record<string, string>
  create(draft: CaseDraft, parameters: Opened): CaseRequest
  /** The id of the case in the answer to `create`, or null. */
  created(answer: unknown): string | null
  note(caseId: string, text: string, parameters: Opened): CaseRequest
  /** How a case is found by its mark, where the system can. */
  readonly find?: {
    request(mark: string, parameters: Opened): CaseRequest
    found(answer: unknown, mark: string): string | null
  }
}

export const STANDARD_TITLE = '{{result_label}}: {{title}} ({{job_title}}, event {{event_id}})'
export const STANDARD_DESCRIPTION = [
  'Decision: {{result_label}}, confidence {{confidence_score}} %',
  'Job: {{job_title}}',
  'Event: {{event_id}} of {{ingest_timestamp}}',
  'Outlier: {{outlier}}',
  'Bucket: {{bucket_id}}',
].join('\n')

/** The value at a path of names and indexes in an answer, as a text; null where there is none. */
export function textIn(answer: unknown, ...path: readonly (string | number)[]): string | null {
  let value = answer
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Record<string | number, unknown>)[name]
  }
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/** The header of a user and a password. */
export function basic(user: unknown, password: unknown): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${String(user ?? '')}:${String(password ?? '')}`).toString('base64')}` }
}
