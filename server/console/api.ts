/** Calls the API with the key or token of the signed-in caller. Closing the tab discards it. */
import { location, sessionStorage } from './dom.js'

const STORED = 'key'

export interface Job {
  readonly job_id: number
  readonly title: string
  readonly category: string
  readonly status: string
  readonly retrain_state: string
  readonly retrain_msg: string
  readonly model_msg: string
  readonly labels: readonly string[]
  readonly processed_documents_count: number
  readonly feedback_documents_count: number
  readonly last_processed_timestamp: string
  readonly warnings: readonly { readonly msg: string; readonly action: string }[]
}

export interface StoredEvent {
  readonly event_id: string
  readonly title?: unknown
  readonly '@timestamp': string
  readonly status: string
  readonly result_label: string
  readonly confidence_score: number
  readonly outlier: boolean
  readonly bucket_id: string | null
  readonly bucket_state: string
  readonly consensus: string | null
  readonly decision_points: Readonly<Record<string, unknown>>
}

/** An error answer of the API. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function isSignedIn(): boolean {
  return sessionStorage.getItem(STORED) !== null
}

export function signOut(): void {
  sessionStorage.removeItem(STORED)
}

/** Signs in with a key, or with a user name and a password. @throws ApiError. */
export async function signIn(key: string, username: string, password: string): Promise<void> {
  if (key !== '') sessionStorage.setItem(STORED, key)
  else
    sessionStorage.setItem(
      STORED,
      (await ask<{ api_token: string }>('POST', '/api/v2/token', { username, password })).api_token,
    )
}

/** True where the caller has all these scopes. */
export type May = (...scopes: readonly string[]) => boolean

/** What the caller may do: a page shows no action that would be refused. @throws ApiError. */
export async function allowed(): Promise<May> {
  const scopes = await ask<readonly string[]>('GET', '/api/v2/token/scopes')
  return (...needed) => needed.every((scope) => scopes.includes(scope))
}

/** Sends a request and returns the answer's document. @throws ApiError. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(location.origin + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-service-api-key': sessionStorage.getItem(STORED) ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const document = (await answer.json()) as {
    error?: string
    detail?: readonly { loc: readonly string[]; msg: string }[]
  }
  if (answer.ok) return document as T
  const places = document.detail?.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
  throw new ApiError(answer.status, document.error ?? places ?? `the service answered ${answer.status}`)
}
