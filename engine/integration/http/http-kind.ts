/**
 * What the kinds that use HTTP share: connection parameters, a client, and the outcome of an answer.
 *
 * | status                                        | outcome                                                   |
 * |-----------------------------------------------|-----------------------------------------------------------|
 * | 2xx                                           | delivered                                                 |
 * | 408, 425, 429, 5xx                            | failed: retried                                           |
 * | 401, 410                                      | failed for good: a key or an address that no longer holds |
 * | 402, 403, 404, 405, 407, unfollowed redirects | failed as it is set up: the event is not the cause        |
 * | any other 4xx                                 | refused                                                   |
 */
import { bounds } from '../bounds.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import { cutText } from '../../domain/event/input/cut-text.js'
import type { Lasting, Outcome, OpenedParameters, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { HttpClient, HttpFailure, type HttpAnswer } from './http-client.js'
import { HostRefused } from './host-policy.js'

/** Why a text is not the URL of a counterpart, or null. */
function misfitUrl(text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL, with http:// or https://'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be a URL, with http:// or https://'
  return username !== '' || password !== '' ? 'must not contain a user or password' : null
}

export function urlParameter(name: string, description: string): ParameterSpec {
  return { name, type: 'string', required: true, description, check: misfitUrl, address: true }
}

export const tlsParameters: readonly ParameterSpec[] = [
  {
    name: 'verify_tls',
    type: 'boolean',
    required: false,
    default: true,
    description: 'Verify the certificate of the counterpart.',
  },
  {
    name: 'ca_certificate',
    type: 'string',
    required: false,
    description: 'PEM of the authorities that verify its certificate, instead of the public ones.',
    check: (text) =>
      text === '' || text.includes('-----BEGIN CERTIFICATE-----') ? null : 'must be certificates in PEM form',
  },
  {
    name: 'timeout_seconds',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: bounds.outsideMsMax / 1_000,
    description: 'How long to wait for a complete answer.',
    default: 10,
  },
]

export function timeoutMs(connection: OpenedParameters): number {
  return Number(connection.timeout_seconds ?? 10) * 1_000
}

/** A text parameter; undefined if absent or empty. */
export function textAt(values: OpenedParameters, name: string): string | undefined {
  const value = values[name]
  return value === undefined || value === '' ? undefined : String(value)
}

export function openHttp(
  connection: OpenedParameters,
  tools: Tools,
  credentials: Readonly<Record<string, string>> = {},
): HttpClient {
  return new HttpClient({
    policy: tools.policy,
    credentials,
    verifyTls: connection.verify_tls !== false,
    authorities: textAt(connection, 'ca_certificate'),
  })
}

/** What is read of an answer, and what is shown of it: a character that is cut in half is not shown. */
const EXCERPT_BYTES = 2_048
const EXCERPT_CHARS = 200

const goneErrors = new Set([401, 410])
const setUpErrors = new Set([402, 403, 404, 405, 407])
const temporaryErrors = new Set([408, 425, 429, 503])

/** How long the counterpart asks us to wait, or 0. */
function retryAfterMs(answer: HttpAnswer): number {
  const text = answer.headers['retry-after']
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const until = Date.parse(text)
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now())
}

/** How long a failure with this status lasts; undefined: it may pass, or is about the event. */
export function lastingOf(status: number): Lasting | undefined {
  if (goneErrors.has(status)) return 'for_good'
  return setUpErrors.has(status) || (status >= 300 && status < 400) ? 'set_up' : undefined
}

/** The outcome for the event that was sent. */
export function outcomeOf(answer: HttpAnswer): Outcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { outcome: 'delivered' }
  const reason = answerReason(answer)
  const lasting = lastingOf(status)
  if (lasting !== undefined) return { outcome: 'failed', reason, suspect: false, lasting }
  if (status >= 400 && status < 500 && !temporaryErrors.has(status)) return { outcome: 'refused', reason }
  const leaveAlone = retryAfterMs(answer)
  return {
    outcome: 'failed',
    reason,
    suspect: !temporaryErrors.has(status) && status >= 500,
    ...(leaveAlone > 0 ? { retryAfterMs: leaveAlone } : {}),
  }
}

/** The outcome of an error. Any other error is a bug, and is thrown again. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof HostRefused)
    return { outcome: 'failed', reason: error.message, suspect: false, lasting: 'set_up' }
  if (!(error instanceof HttpFailure)) throw error
  return { outcome: 'failed', reason: error.message, suspect: error.connected }
}

/** The failure of a request that does not bring what it asked for. */
export function sourceFailureOf(outcome: Exclude<Outcome, { outcome: 'delivered' }>): SourceFailure {
  return outcome.outcome === 'failed'
    ? new SourceFailure(outcome.reason, outcome.retryAfterMs, outcome.lasting)
    : new SourceFailure(outcome.reason, 0, 'set_up')
}

/** The failure of a request that could not be made. Any other error is returned as it is. */
export function sourceFailureOfError(error: unknown): unknown {
  if (error instanceof HostRefused) return new SourceFailure(error.message, 0, 'set_up')
  return error instanceof HttpFailure ? new SourceFailure(error.message) : error
}

/** The status, and the beginning of the answer, on one line. */
export function answerReason({ status, body }: HttpAnswer): string {
  const text = body
    .toString('utf8', 0, EXCERPT_BYTES)
    .replace(/[\s\u0000-\u001f]+/g, ' ')
    .trim()
  return `HTTP ${status}${text === '' ? '' : `: ${cutText(text, EXCERPT_CHARS)}`}`
}

/** An event that was not tried, because an earlier one failed. */
export const untried: Outcome = {
  outcome: 'failed',
  reason: 'not tried, because an earlier event failed',
  suspect: false,
}

/** Delivers items one by one, `atOnce` at a time. Stops after a failure that the item did not cause. */
export async function deliverEach<T>(
  items: readonly T[],
  atOnce: number,
  deliver: (item: T) => Promise<Outcome>,
): Promise<Outcome[]> {
  let stopped = false
  return await eachAtOnce(items, atOnce, async (item) => {
    if (stopped) return untried
    const outcome = await deliver(item)
    if (outcome.outcome === 'failed' && !outcome.suspect) stopped = true
    return outcome
  })
}

/** Runs `work` for each item, `atOnce` at a time, started in order. */
async function eachAtOnce<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  const runner = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runner))
  return results
}
