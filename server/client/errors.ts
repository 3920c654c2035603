/** What a call can fail with. No message has the key. */

export interface ErrorContext {
  readonly code: string
  readonly status?: number | null
  readonly requestId?: string | null
  readonly retryAfterMs?: number | null
  readonly issues?: readonly Issue[]
}

/** What is wrong with one field of a request. */
export interface Issue {
  /** The place: `body`, `query` or `path`, then the path inside of it. */
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
}

/** A call that failed. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
  /** For programs: the service's code such as `job_not_found`, or one of the client (server/docs/clients.md). */
  readonly code: string
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** Finds the request in the log of the service; null without an answer. */
  readonly requestId: string | null
  /** How long the service wants a client to wait. */
  readonly retryAfterMs: number | null
  /** What is wrong with the fields of the request (422). */
  readonly issues: readonly Issue[]

  constructor(message: string, context: ErrorContext) {
    super(message)
    this.code = context.code
    this.status = context.status ?? null
    this.requestId = context.requestId ?? null
    this.retryAfterMs = context.retryAfterMs ?? null
    this.issues = context.issues ?? []
  }
}

/** The service refused, or something in front of it did. */
export class ApiError extends ServiceError {
  override readonly name = 'ApiError'
}

/** There was no whole answer: the connection failed or broke. */
export class ConnectionError extends ServiceError {
  override readonly name = 'ConnectionError'
}

/** An attempt took longer than its limit. */
export class TimeoutError extends ServiceError {
  override readonly name = 'TimeoutError'
}

/** True for an error that may not come again: 408, 429, 5xx, a broken connection, an attempt over its limit. */
export function isTransient(error: unknown): error is ServiceError {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true
  if (!(error instanceof ApiError) || error.status === null) return false
  return error.status === 408 || error.status === 429 || error.status >= 500
}

/** Milliseconds in a `Retry-After` header: seconds, or a date. */
function retryAfterOf(text: string | null, nowMs: number): number | null {
  if (text === null) return null
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** The error in an answer, whether it is a problem document (RFC 9457), one of the service's own, or neither. */
export async function errorOf(response: Response, operation: string, nowMs: number): Promise<ApiError> {
  const { status, headers } = response
  let body: Record<string, unknown> = {}
  try {
    body = Object(JSON.parse(await response.text()))
  } catch {
    // A proxy answered with a page: its status says enough.
  }
  const { detail, error } = body
  const issues = (body.errors ?? (Array.isArray(detail) ? detail : [])) as Issue[]
  const places = issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  const said = places || (typeof detail === 'string' ? detail : typeof error === 'string' ? error : '')
  return new ApiError(`${operation}: ${said || `the answer has status ${status}`}`, {
    code: typeof body.code === 'string' ? body.code : `http_${status}`,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterOf(headers.get('retry-after'), nowMs),
    issues,
  })
}
