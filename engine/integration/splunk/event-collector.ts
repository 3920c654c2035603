/**
 * Splunk as output: events with their decisions, to its HTTP event collector.
 *
 * 1. A batch is taken up to the event that it calls invalid: that one is refused, those behind it come again.
 * 2. It takes an event again as another one: `delivery_id` is the same, and tells them apart from what is new.
 */
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { fateOf, fateOfError, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'

const BATCH_MAX = 100
const STANDARD_SOURCETYPE = 'decision:event'
/** Answers of 400 that are about one event of the batch (HTTP Event Collector, possible error codes). */
const aboutEvent: ReadonlySet<number> = new Set([5, 6, 12, 13, 15])

export class EventCollector implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #http: HttpClient
  readonly #url: URL
  readonly #timeoutMs: number
  readonly #meta: Readonly<Record<string, string>>

  /** @throws Error where address or token is missing. */
  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    const [url, token] = [textAt(connection, 'hec_url'), textAt(connection, 'hec_token')]
    if (url === undefined || token === undefined)
      throw new Error('its parameters hec_url and hec_token are needed for this role')
    this.#http = openHttp(connection, tools, { authorization: `Splunk ${token}` })
    this.#url = new URL('services/collector/event', url.endsWith('/') ? url : `${url}/`)
    this.#timeoutMs = timeoutMs(connection)
    const index = textAt(parameters, 'index')
    this.#meta = {
      source: tools.serviceName,
      sourcetype: textAt(parameters, 'sourcetype') ?? STANDARD_SOURCETYPE,
      ...(index === undefined ? {} : { index }),
    }
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    try {
      const body = items.map((item) => this.#line(item)).join('\n')
      const headers = { 'content-type': 'application/json' }
      const answer = await this.#http.send({
        method: 'POST',
        url: this.#url,
        headers,
        body,
        signal,
        timeoutMs: this.#timeoutMs,
      })
      return fatesOf(answer, items.length)
    } catch (error) {
      return new Array<Fate>(items.length).fill(fateOfError(error))
    }
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  #line({ id, event }: Outgoing): string {
    return JSON.stringify({ time: event.ingestMicros / 1e6, ...this.#meta, event: documentOf(event, id) })
  }
}

function documentOf(event: DecidedEvent, deliveryId: string): Record<string, unknown> {
  return {
    ...event.document,
    event_id: event.eventId,
    job_id: event.jobId,
    job_title: event.jobTitle,
    delivery_id: deliveryId,
  }
}

function fatesOf(answer: HttpAnswer, count: number): Fate[] {
  const fate = fateOf(answer)
  if (fate.fate !== 'refused') return new Array<Fate>(count).fill(fate)
  const { code, 'invalid-event-number': invalid } = objectIn(answer.body)
  const reason = fate.reason
  // About the token or the index: it would be the same with any other event.
  if (!aboutEvent.has(Number(code)) && answer.status === 400)
    return new Array<Fate>(count).fill({ fate: 'failed', reason, suspect: false })
  if (count === 1) return [fate]
  const at = typeof invalid === 'number' && invalid >= 0 && invalid < count ? invalid : null
  if (at === null) return new Array<Fate>(count).fill({ fate: 'failed', reason, suspect: true })
  return Array.from({ length: count }, (_, place): Fate => {
    return place < at
      ? { fate: 'delivered' }
      : place === at
        ? fate
        : { fate: 'failed', reason: 'behind an event that was refused', suspect: false }
  })
}

function objectIn(body: Buffer): Record<string, unknown> {
  try {
    const value = parseBounded(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (error) {
    if (error instanceof HttpFailure) return {}
    throw error
  }
}
