/** The API, by the client that every program may use (server/client/), with the cookie of the session. */
import { signal } from '@preact/signals'
import { createClient, ServiceError, type SessionView } from '../../client/index.js'
import { noteServiceTime } from './clock.js'
import { capitalized } from '../texts.js'

/** Who is signed in; null: nobody; undefined: not known yet. */
export const session = signal<SessionView | null | undefined>(undefined)

/** False while the latest request did not reach the service. */
export const isReached = signal(true)

/**
 * What every page begins with. The head of the page asks for these as well (deploy/build-console.mjs), so they are
 * there when the program is. The browser takes them for the first request that is the very same: without other headers.
 */
const first = new Set(['/api/v2/session', '/api/v2/jobs/', '/api/v2/resources?resource_type=job'])

function sent(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isFirst =
    typeof input === 'string' && init?.method === 'GET' && first.delete(input.slice(location.origin.length))
  return isFirst ? fetch(input, init.signal ? { signal: init.signal } : {}) : fetch(input, init)
}

/** A session that ended is noticed by the first request after it. The page stays as it is, under the form. */
async function watched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentMs = Date.now()
  try {
    const answer = await sent(input, init)
    isReached.value = true
    noteServiceTime(answer.headers.get('date'), sentMs)
    if (answer.status === 401 && session.value) session.value = null
    return answer
  } catch (error) {
    if (!(init?.signal?.aborted ?? false)) isReached.value = false
    throw error
  }
}

export const api = createClient({
  baseUrl: location.origin,
  headers: { 'x-requested-with': 'console' },
  retries: 1,
  fetch: watched as typeof fetch,
})

export function may(...scopes: readonly string[]): boolean {
  return scopes.every((scope) => session.value?.scopes.includes(scope) === true)
}

/** The field of the service in filters: `service.result_label`. */
export function serviceField(name: string): string {
  return `${session.value?.service_name ?? 'service'}.${name}`
}

/** The message for people: without the name of the operation that the client puts first. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error instanceof ServiceError ? error.message.replace(/^\w+: (?:body\.query: )?/, '') : error.message
  return capitalized(text)
}

/** Who is signed in; null: nobody. */
export async function readSession(): Promise<SessionView | null> {
  try {
    return await api.getSession()
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return null
    throw error
  }
}
