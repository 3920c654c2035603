/**
 * A search engine over plain HTTP: what Elasticsearch (7.2 and later) and OpenSearch have in common, so that one client
 * serves both.
 *
 * Owns: which host is asked, who we are, what its errors mean. Leaves out: what is asked (search-output.ts, search-input.ts, search-enrichment.ts).
 *
 * 1. A host that cannot be reached is left for the next one; the request fails when none can be.
 * 2. Answers are bounded, in bytes and in depth.
 */
import { bounds } from '../bounds.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { Opened, Tools } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { type HttpClient, HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { openHttp, textAt, timeoutMs, tlsParameters } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'

function misfitHosts(text: string): string | null {
  const hosts = text.split(',').map((host) => host.trim())
  return hosts.every((host) => /^[A-Za-z0-9_.-]+$|^\[[0-9A-Fa-f:.]+\]$/.test(host))
    ? null
    : 'must be host names or addresses, with commas between'
}

export const searchConnection: readonly ParameterSpec[] = [
  {
    name: 'hosts',
    type: 'string',
    required: true,
    address: true,
    check: misfitHosts,
    description: 'Names or addresses of its hosts, with commas between.',
  },
  {
    name: 'port',
    type: 'number',
    required: true,
    address: true,
    minimum: 1,
    maximum: 65_535,
    description: 'Its port, 9200 usually.',
  },
  { name: 'user', type: 'string', required: true, description: 'Its user; empty where it asks for none.' },
  {
    name: 'password',
    type: 'string',
    required: true,
    secret: true,
    description: "The user's password; empty where there is none.",
  },
  {
    name: 'schema',
    type: 'string',
    required: true,
    address: true,
    allowed: ['http', 'https'],
    description: 'The protocol.',
  },
  ...tlsParameters,
]

export class SearchClient {
  readonly #http: HttpClient
  readonly #bases: readonly string[]
  readonly #timeoutMs: number
  #host = 0

  constructor(connection: Opened, tools: Tools) {
    const user = textAt(connection, 'user')
    const credentials =
      user === undefined ? undefined : Buffer.from(`${user}:${String(connection.password ?? '')}`).toString('base64')
    this.#http = openHttp(connection, tools, credentials === undefined ? {} : { authorization: `Basic ${credentials}` })
    const hosts = String(connection.hosts)
      .split(',')
      .map((host) => host.trim())
    this.#bases = hosts.map((host) => `${String(connection.schema)}://${host}:${Number(connection.port)}`)
    this.#timeoutMs = timeoutMs(connection)
  }

  /** Asks one host after the other until one can be reached. @throws HttpFailure, HostRefused. */
  async send(
    method: 'GET' | 'POST',
    path: string,
    body: string,
    signal: AbortSignal,
    answerBytesMax: number = bounds.answerBytesMax,
  ): Promise<HttpAnswer> {
    const headers = {
      'content-type':
        path.startsWith('/_bulk') || path.startsWith('/_msearch') ? 'application/x-ndjson' : 'application/json',
    }
    for (let tried = 1; ; tried++) {
      const url = new URL(this.#bases[this.#host] + path)
      try {
        return await this.#http.send({ method, url, headers, body, signal, timeoutMs: this.#timeoutMs, answerBytesMax })
      } catch (error) {
        const isOther = error instanceof HostRefused || (error instanceof HttpFailure && !error.connected)
        this.#host = (this.#host + 1) % this.#bases.length
        if (!isOther || tried >= this.#bases.length || signal.aborted) throw error
      }
    }
  }

  close(): void {
    this.#http.close()
  }
}

/** The document in an answer. @throws HttpFailure where it is none. */
export function documentIn(answer: HttpAnswer): Record<string, unknown> {
  const document = parseBounded(answer.body)
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new HttpFailure('an answer that is no JSON object')
  return document as Record<string, unknown>
}

/** What an error object of the search engine says: its type and reason. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'string') return error
  const { type, reason } = (error ?? {}) as { type?: unknown; reason?: unknown }
  return [type, reason].filter((part) => typeof part === 'string').join(': ') || 'an error without a reason'
}
