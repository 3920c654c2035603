/** A system that keeps cases: its parameters, and the requests that create, find and annotate a case. */
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { DecidedEvent, OpenedParameters } from '../contract.js'

export interface CaseRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Path after the URL of the system. */
  readonly path: string
  readonly body?: unknown
}

/** A case to create. */
export interface CaseDraft {
  /** A word that only this case contains: letters, digits and `-`. */
  readonly mark: string
  readonly title: string
  /** Plain text, marked as such for the system. */
  readonly description: string
  readonly event: DecidedEvent
}

export interface CaseSystem {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Connection parameters in addition to URL and TLS. */
  readonly connection: readonly ParameterSpec[]
  /** Parameters of a step in addition to texts and rule. */
  readonly parameters: readonly ParameterSpec[]
  /** Headers that identify the service. */
  credentials(connection: OpenedParameters): Record<string, string>
  /** Marks a text as plain, so that nothing in it formats, links or mentions. Titles are plain in all systems. */
  plain(text: string): string
  create(draft: CaseDraft, parameters: OpenedParameters): CaseRequest
  /** The id of the case in the answer to `create`, or null. */
  created(answer: unknown): string | null
  note(caseId: string, text: string, parameters: OpenedParameters): CaseRequest
  /** The search for a case by its mark; absent if the system has none. */
  readonly find?: {
    request(mark: string, parameters: OpenedParameters): CaseRequest
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

/** The text or number at a path of names and indexes in an answer, as text; null for none. */
export function textIn(answer: unknown, ...path: readonly (string | number)[]): string | null {
  let value = answer
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
    value = (value as Record<string | number, unknown>)[name]
  }
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/** The header of basic authentication. */
export function basic(user: unknown, password: unknown): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${String(user ?? '')}:${String(password ?? '')}`).toString('base64')}` }
}
