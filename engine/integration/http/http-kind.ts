/**
 * What the kinds that speak HTTP have in common: connection parameters, a client made of them, and what an answer means.
 *
 * An answer means: 2xx delivered; 408, 425, 429 and 5xx failed, to be tried again; 401, 403, 404, 405, 407 and redirects that
 * cannot be followed failed too, for they are about the set-up and not about the event; any other 4xx refused.
 */
import { bounds } from '../bounds.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { Fate, Opened, Tools } from '../contract.js'
import { HttpClient, HttpFailure, type HttpAnswer } from './http-client.js'
import { HostRefused } from './host-policy.js'

/** Why a text is no address of a counterpart, or null. */
function misfitUrl(text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL, with http:// or https://'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be a URL, with http:// or https://'
  return username !== '' || password !== '' ? 'must not have a user or password in it' : null
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
    description: 'PEM of the authorities that its certificate is verified with, instead of the public ones.',
    check: (text) =>
      text === '' || text.includes('-----BEGIN CERTIFICATE-----') ? null : 'must be certificates in PEM form',
  },
  {
    name: 'timeout_seconds',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: bounds.outsideMsMax / 1_000,
    description: 'How long to wait for a whole answer.',
    default: 10,
  },
]

export function timeoutMs(connection: Opened): number {
  return Number(connection.timeout_seconds ?? 10) * 1_000
}

/** A text parameter; undefined where it is absent or empty. */
export function textAt(values: Opened, name: string): string | undefined {
  const value = values[name]
  return value === undefined || value === '' ? undefined : String(value)
}

export function openHttp(
  connection: Opened,
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

const aboutSetUp = new Set([401, 403, 404, 405, 407])
const passing = new Set([408, 425, 429, 503])

/** How long the counterpart asks to be left alone, or 0. */
function retryAfterMs(answer: HttpAnswer): number {
  const text = answer.headers['retry-after']
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const until = Date.parse(text)
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now())
}

/** What an answer means for the event that was sent. */
export function fateOf(answer: HttpAnswer): Fate {
  const { status } = answer
  if (status >= 200 && status < 300) return { fate: 'delivered' }
  const reason = `HTTP ${status}${excerpt(answer)}`
  if (status >= 400 && status < 500 && !aboutSetUp.has(status) && !passing.has(status))
    return { fate: 'refused', reason }
  const leaveAlone = retryAfterMs(answer)
  return {
    fate: 'failed',
    reason,
    suspect: !aboutSetUp.has(status) && !passing.has(status) && status >= 500,
    ...(leaveAlone > 0 ? { retryAfterMs: leaveAlone } : {}),
  }
}

/** What an error on the way means. @throws whatever is a bug. */
export function fateOfError(error: unknown): Fate {
  if (!(error instanceof HttpFailure || error instanceof HostRefused)) throw error
  return { fate: 'failed', reason: error.message, suspect: error instanceof HttpFailure && error.connected }
}

/** The beginning of what the counterpart says, on one line. */
function excerpt({ body }: HttpAnswer): string {
  const text = body
    .toString('utf8', 0, 200)
    .replace(/[\s\u0000-\u001f]+/g, ' ')
    .trim()
  return text === '' ? '' : `: ${text}`
}

const untried: Fate = { fate: 'failed', reason: 'not tried, since others before it failed', suspect: false }

/** Delivers one by one, so many at once; once one has failed for a reason that is none of its own, no more are tried. */
export async function deliverEach<T>(
  items: readonly T[],
  atOnce: number,
  deliver: (item: T) => Promise<Fate>,
): Promise<Fate[]> {
  let stopped = false
  return await eachAtOnce(items, atOnce, async (item) => {
    if (stopped) return untried
    const fate = await deliver(item)
    if (fate.fate === 'failed' && !fate.suspect) stopped = true
    return fate
  })
}

/** Runs `work` for each, so many at once, in order of their beginning. */
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
