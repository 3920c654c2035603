/**
 * Splunk as output: events with their decisions, sent to its HTTP event collector.
 *
 * 1. The collector accepts a batch up to the event that it reports as invalid. That event is refused, later ones are
 *    sent again.
 * 2. The collector stores a repeated event twice. `delivery_id` is the same in both, so that repetitions can be
 *    recognised.
 */
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { outcomeOf, outcomeOfError, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'
import { writeJson } from '../../domain/event/json.js'

const BATCH_MAX = 100
const STANDARD_SOURCETYPE = 'decision:event'
/** Error codes with status 400 that concern one event (HTTP Event Collector, possible error codes). */
const aboutEvent: ReadonlySet<number> = new Set([5, 6, 12, 13, 15])

export class EventCollector implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #http: HttpClient
  readonly #url: URL
  readonly #timeoutMs: number
  readonly #meta: Readonly<Record<string, string>>

  /** @throws Error without URL or token. */
  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    const [url, token] = [textAt(connection, 'hec_url'), textAt(connection, 'hec_token')]
    if (url === undefined || token === undefined)
      throw new Error('this role needs the parameters hec_url and hec_token')
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

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
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
      return outcomesOf(answer, items.length)
    } catch (error) {
      return new Array<Outcome>(items.length).fill(outcomeOfError(error))
    }
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  #line({ id, event }: Outgoing): string {
    return writeJson({ time: event.ingestMicros / 1e6, ...this.#meta, event: documentOf(event, id) })
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

function outcomesOf(answer: HttpAnswer, count: number): Outcome[] {
  const outcome = outcomeOf(answer)
  if (outcome.outcome !== 'refused') return new Array<Outcome>(count).fill(outcome)
  const { code, 'invalid-event-number': invalid } = objectIn(answer.body)
  const reason = outcome.reason
  // The token or the index is wrong: any other event would fail too.
  if (!aboutEvent.has(Number(code)) && answer.status === 400)
    return new Array<Outcome>(count).fill({ outcome: 'failed', reason, suspect: false, lasting: 'set_up' })
  if (count === 1) return [outcome]
  const at = typeof invalid === 'number' && invalid >= 0 && invalid < count ? invalid : null
  if (at === null) return new Array<Outcome>(count).fill({ outcome: 'failed', reason, suspect: true })
  return Array.from({ length: count }, (_, place): Outcome => {
    return place < at
      ? { outcome: 'delivered' }
      : place === at
        ? outcome
        : { outcome: 'failed', reason: 'not accepted, because it follows a refused event', suspect: false }
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
