/**
 * A client for search engines over plain HTTP. It uses what Elasticsearch (7.2 and later) and OpenSearch have in
 * common.
 *
 * Owns: the choice of the host, credentials, the meaning of errors. Leaves out: queries (search-query.ts) and
 * documents.
 *
 * 1. An unreachable host is skipped; the request fails when no host is reachable.
 * 2. Answers are limited, in bytes and in depth.
 */
import { isRefusal } from '../../errors.js'
import { bounds } from '../bounds.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OpenedParameters, Tools } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { type HttpClient, HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { openHttp, textAt, timeoutMs, tlsParameters } from '../http/http-kind.js'
import { parseBounded, parseExact } from '../http/json.js'

function misfitHosts(text: string): string | null {
  const hosts = text.split(',').map((host) => host.trim())
  return hosts.every((host) => /^[A-Za-z0-9_.-]+$|^\[[0-9A-Fa-f:.]+\]$/.test(host))
    ? null
    : 'must be host names or addresses, separated by commas'
}

export const searchConnection: readonly ParameterSpec[] = [
  {
    name: 'hosts',
    type: 'string',
    required: true,
    address: true,
    check: misfitHosts,
    description: 'Names or addresses of its hosts, separated by commas.',
  },
  {
    name: 'port',
    type: 'number',
    required: true,
    address: true,
    minimum: 1,
    maximum: 65_535,
    description: 'Its port, usually 9200.',
  },
  { name: 'user', type: 'string', required: true, description: 'Its user; empty without authentication.' },
  {
    name: 'password',
    type: 'string',
    required: true,
    secret: true,
    description: "The user's password; empty without authentication.",
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

export interface SearchRequest {
  readonly path: string
  readonly body: string
  readonly signal: AbortSignal
  readonly answerBytesMax?: number
}

export class SearchClient {
  readonly #http: HttpClient
  readonly #bases: readonly string[]
  readonly #timeoutMs: number
  #host = 0

  constructor(connection: OpenedParameters, tools: Tools) {
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

  /** Posts to one host after the other until one is reachable. @throws HttpFailure, HostRefused. */
  async send({ path, body, signal, answerBytesMax = bounds.answerBytesMax }: SearchRequest): Promise<HttpAnswer> {
    const headers = {
      'content-type':
        path.startsWith('/_bulk') || path.startsWith('/_msearch') ? 'application/x-ndjson' : 'application/json',
    }
    for (let tried = 1; ; tried++) {
      const url = new URL(this.#bases[this.#host] + path)
      try {
        const request = { url, headers, body, signal, timeoutMs: this.#timeoutMs, answerBytesMax }
        return await this.#http.send({ method: 'POST', ...request })
      } catch (error) {
        const isUnreachable = error instanceof HostRefused || (error instanceof HttpFailure && !error.connected)
        this.#host = (this.#host + 1) % this.#bases.length
        if (!isUnreachable || tried >= this.#bases.length || signal.aborted) throw error
      }
    }
  }

  close(): void {
    this.#http.close()
  }
}

/** The JSON object in an answer. @throws HttpFailure for anything else. */
export function documentIn(answer: HttpAnswer): Record<string, unknown> {
  return objectOf(parseBounded(answer.body))
}

/** As documentIn, with numbers as they were written; where one is beyond the largest double, all are doubles. */
export function exactDocumentIn(answer: HttpAnswer): Record<string, unknown> {
  try {
    return objectOf(parseExact(answer.body))
  } catch (error) {
    if (isRefusal(error)) return documentIn(answer)
    throw error
  }
}

function objectOf(document: unknown): Record<string, unknown> {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new HttpFailure('the answer is not a JSON object')
  return document as Record<string, unknown>
}

/** The type and reason of an error object of the search engine. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'string') return error
  const { type, reason } = (error ?? {}) as { type?: unknown; reason?: unknown }
  return [type, reason].filter((part) => typeof part === 'string').join(': ') || 'an error without a reason'
}
