/**
 * A client for the REST API of Splunk (the management port), based on its public documentation: searches that are
 * exported as JSON lines, and form posts.
 *
 * Owns: credentials, requests, the meaning of messages. Leaves out: the searches (splunk-query.ts).
 *
 * 1. A search that reports a failure, in any line, has no results.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import type { Finding } from '../../domain/event/finding.js'
import { RepeatedKeys } from '../../domain/event/input/repeated-key.js'
import { isUtf8, oddPlaceOf, textOf } from '../../domain/event/input/text-bytes.js'
import { isJsonObject } from '../../domain/event/json.js'
import { isRefusal } from '../../errors.js'
import { bounds } from '../bounds.js'
import type { OpenedParameters, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { outcomeOf, openHttp, sourceFailureOf, sourceFailureOfError, textAt, timeoutMs } from '../http/http-kind.js'
import { AnswerTooDeep, parseExact } from '../http/json.js'

/** One result: fields with text, or lists of text. */
export interface SplunkRow {
  readonly fields: Readonly<Record<string, unknown>>
  /** Why the result cannot be an event, and the result as it came; absent for one that may be. */
  readonly unfit?: { readonly reason: string; readonly line: Uint8Array }
  /** What was odd in it. */
  readonly findings: readonly Finding[]
}

/** A search, and the time range of its events, seconds since 1970. */
export interface SplunkSearch {
  readonly query: string
  readonly earliest: number
  readonly latest: number
}

/** The paths since 9.0.1, and before. */
const exportPaths = ['services/search/v2/jobs/export', 'services/search/jobs/export'] as const
const ANSWER_BYTES_MAX = 4 * bounds.answerBytesMax

export class SplunkClient {
  readonly #http: HttpClient
  readonly #url: URL
  readonly #timeoutMs: number
  #export: string = exportPaths[0]

  /** @throws Error without a URL. */
  constructor(connection: OpenedParameters, tools: Tools) {
    const url = textAt(connection, 'url')
    if (url === undefined) throw new Error('this role needs the parameter url')
    const [user, token] = [textAt(connection, 'user'), textAt(connection, 'token')]
    const basic =
      user === undefined
        ? undefined
        : `Basic ${Buffer.from(`${user}:${String(connection.password ?? '')}`).toString('base64')}`
    const authorization = token === undefined ? basic : `Bearer ${token}`
    this.#http = openHttp(connection, tools, authorization === undefined ? {} : { authorization })
    this.#url = new URL(url.endsWith('/') ? url : `${url}/`)
    this.#timeoutMs = timeoutMs(connection)
  }

  /** The results of a search. Rejects with SourceFailure. */
  async search({ query, earliest, latest }: SplunkSearch, signal: AbortSignal): Promise<SplunkRow[]> {
    try {
      const form = {
        search: query,
        output_mode: 'json',
        preview: '0',
        earliest_time: String(earliest),
        latest_time: String(latest),
      }
      let answer = await this.post(this.#export, form, signal, ANSWER_BYTES_MAX)
      if (answer.status === 404 && this.#export === exportPaths[0]) {
        this.#export = exportPaths[1]
        answer = await this.post(this.#export, form, signal, ANSWER_BYTES_MAX)
      }
      const outcome = outcomeOf(answer)
      if (outcome.outcome !== 'delivered') throw sourceFailureOf(outcome)
      return rowsIn(answer.body)
    } catch (error) {
      throw sourceFailureOfError(error)
    }
  }

  /** @throws HttpFailure, HostRefused. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    signal: AbortSignal,
    answerBytesMax: number = bounds.answerBytesMax,
  ): Promise<HttpAnswer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(form).toString()
    return this.#http.send({
      method: 'POST',
      url: new URL(path, this.#url),
      headers,
      body,
      signal,
      timeoutMs: this.#timeoutMs,
      answerBytesMax,
    })
  }

  close(): void {
    this.#http.close()
  }
}

/** The results in the lines of an answer. @throws HttpFailure, SourceFailure. */
function rowsIn(body: Buffer): SplunkRow[] {
  const rows: SplunkRow[] = []
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0x0a, at)
    const line = body.subarray(at, end < 0 ? body.length : end)
    at = end < 0 ? body.length : end + 1
    if (line.every((byte) => byte <= 0x20)) continue
    const { document, ...about } = read(line)
    const { preview, result, messages } = document
    failOn(messages)
    if (preview !== true && isJsonObject(result) && Object.keys(result).length > 0)
      rows.push({ fields: result, ...about })
  }
  return rows
}

/**
 * A line of an answer. One that is nested too deep, or has a number that no double is near to, is no event, but has its
 * place among the others.
 */
function read(line: Buffer): Omit<SplunkRow, 'fields'> & { readonly document: Record<string, unknown> } {
  const keys = new RepeatedKeys()
  try {
    const document = objectOf(parseExact(line, keys.note))
    const findings: Finding[] = []
    if (keys.finding !== null) findings.push({ ...keys.finding, field: keys.finding.field.replace(/^result\./, '') })
    if (!isUtf8(line)) findings.push({ kind: 'invalid_utf8', field: '', count: 1, example: oddPlaceOf(textOf(line)) })
    return { document, findings }
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof AnswerTooDeep)) throw error
    return { document: objectOf(looselyParsed(line)), findings: [], unfit: { reason: error.message, line } }
  }
}

/** Whatever the depth and the numbers are. */
function looselyParsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    throw new HttpFailure('the answer is not JSON')
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (!isJsonObject(value)) throw new HttpFailure('the answer is not that of a search')
  return value
}

function failOn(messages: unknown): void {
  if (!Array.isArray(messages)) return
  const error = messages.find((one: { type?: unknown } | null) => one?.type === 'ERROR' || one?.type === 'FATAL') as
    | { text?: unknown }
    | undefined
  if (error !== undefined)
    throw new SourceFailure(`the search failed: ${cutText(String(error.text ?? ''), bounds.reasonCharsMax)}`)
}
