/** A system that keeps cases: its parameters, and the requests that create, find, read, reopen and annotate a case. */
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
  /** A word that only this case contains: letters, digits and `-`. It begins with the mark of its subject. */
  readonly mark: string
  /** A word that all cases of a subject contain. */
  readonly subjectMark: string
  readonly title: string
  /** Plain text, marked as such for the system. */
  readonly description: string
  readonly event: DecidedEvent
}

/** Whether people still work on a case. */
export interface CaseState {
  readonly isOpen: boolean
  /** When it was closed, milliseconds since 1970; null where the system does not say. */
  readonly closedMs: number | null
}

export interface CaseSystem {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Connection parameters in addition to URL and TLS. */
  readonly connection: readonly ParameterSpec[]
  /** Parameters of a step in addition to texts and rule. */
  readonly parameters: readonly ParameterSpec[]
  /** The most characters of a title, and of a description as it is marked. */
  readonly titleCharsMax: number
  readonly descriptionCharsMax: number
  /** Headers that identify the service. */
  credentials(connection: OpenedParameters): Record<string, string>
  /** Marks a text as plain, so that nothing in it formats, links or mentions. Titles are plain in all systems. */
  plain(text: string): string
  create(draft: CaseDraft, parameters: OpenedParameters): CaseRequest
  /** The id of the case in the answer to `create`, or null. */
  created(answer: unknown): string | null
  /** Whether the answer to a refused `create` is about the parameters of the step, so that no case will be created. */
  isSetUp?(answer: unknown): boolean
  note(caseId: string, text: string, parameters: OpenedParameters): CaseRequest
  /** The search for the latest case with a mark, the mark of a subject too. */
  readonly find: {
    /** The next is tried where a version of the system does not have the one before. */
    requests(mark: string, parameters: OpenedParameters): readonly CaseRequest[]
    found(answer: unknown, mark: string): string | null
  }
  readonly state: {
    request(caseId: string, parameters: OpenedParameters): CaseRequest
    /** Null where the answer does not say. */
    read(answer: unknown, parameters: OpenedParameters): CaseState | null
    /** What is asked where the first answer does not say. */
    readonly further?: {
      request(caseId: string): CaseRequest
      read(answer: unknown): CaseState | null
    }
  }
  readonly reopen: {
    /** What has to be read first, for example which transitions a case has now. */
    prepare?(caseId: string): CaseRequest
    /** Null where the case cannot be reopened. */
    request(caseId: string, prepared: unknown, parameters: OpenedParameters): CaseRequest | null
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

/** The value at a path of names and indexes in an answer; undefined for none. */
export function valueIn(answer: unknown, ...path: readonly (string | number)[]): unknown {
  let value = answer
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string | number, unknown>)[name]
  }
  return value
}

/** The text or number at a path, as text; null for none. */
export function textIn(answer: unknown, ...path: readonly (string | number)[]): string | null {
  const value = valueIn(answer, ...path)
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/** The list at a path; empty for none. */
export function listIn(answer: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = valueIn(answer, ...path)
  return Array.isArray(value) ? value : []
}

/** The header of basic authentication. */
export function basic(user: unknown, password: unknown): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${String(user ?? '')}:${String(password ?? '')}`).toString('base64')}` }
}
