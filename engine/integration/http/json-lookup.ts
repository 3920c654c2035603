/**
 * A JSON API that is asked about one thing with one GET, for kinds that enrich events.
 *
 * Owns: the meaning of a status for a query. Leaves out: what is asked, and what the answer means (the kinds).
 *
 * | answer                       | result                              |
 * |------------------------------|-------------------------------------|
 * | 2xx                          | its document                        |
 * | 404, if the kind says so     | null: nothing is known              |
 * | another 4xx about the query  | QueryRefused: other queries go on   |
 * | everything else              | SourceFailure                       |
 */
import type { OpenedParameters, Tools } from '../contract.js'
import { QueryRefused } from '../contract.js'
import { HttpFailure, type HttpClient } from './http-client.js'
import { openHttp, outcomeOf, sourceFailureOf, sourceFailureOfError, timeoutMs } from './http-kind.js'
import { parseBounded } from './json.js'

export interface JsonLookupOptions {
  /** Headers that identify the service; they go to the origin of the request only. */
  readonly credentials: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Whether an answer of 404 with this document says that nothing is known. Absent: it never does. */
  isNothing?(document: unknown): boolean
}

export class JsonLookup {
  readonly #http: HttpClient
  readonly #options: JsonLookupOptions
  readonly #timeoutMs: number

  constructor(connection: OpenedParameters, tools: Tools, options: JsonLookupOptions) {
    this.#http = openHttp(connection, tools, options.credentials)
    this.#options = options
    this.#timeoutMs = timeoutMs(connection)
  }

  /** The document at a URL; null where nothing is known. Rejects with SourceFailure. */
  async get(
    url: URL,
    signal: AbortSignal,
    more: Readonly<Record<string, string>> = {},
  ): Promise<object | null | QueryRefused> {
    const { headers = {}, isNothing } = this.#options
    try {
      const answer = await this.#http.send({
        method: 'GET',
        url,
        headers: { accept: 'application/json', ...headers, ...more },
        signal,
        timeoutMs: this.#timeoutMs,
      })
      if (answer.status === 404 && isNothing?.(documentOrNull(answer.body)) === true) return null
      const outcome = outcomeOf(answer)
      if (outcome.outcome === 'refused') return new QueryRefused(outcome.reason)
      if (outcome.outcome === 'failed') throw sourceFailureOf(outcome)
      const document = parseBounded(answer.body)
      if (typeof document !== 'object' || document === null)
        throw new HttpFailure('the answer is no JSON object or array')
      return document
    } catch (error) {
      throw sourceFailureOfError(error)
    }
  }

  close(): void {
    this.#http.close()
  }
}

function documentOrNull(body: Buffer): unknown {
  try {
    return parseBounded(body)
  } catch {
    return null
  }
}
