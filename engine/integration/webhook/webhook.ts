/**
 * Webhook: each decision as a signed POST of JSON, according to Standard Webhooks (standardwebhooks.com, 1.0).
 *
 * 1. `webhook-id` is the same for every try, so a receiver can recognise repetitions.
 * 2. `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the decoded base64
 *    after `whsec_`; a secret without this prefix is used as text.
 */
import { createHmac } from 'node:crypto'
import { isoMicros } from '../../clock.js'
import type { IntegrationRole } from '../../domain/job/job.js'
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import { alertDocument } from '../alert.js'
import type { Outcome, OpenedParameters, Outgoing, OutsideKind, Sink, Tools } from '../contract.js'
import {
  deliverEach,
  outcomeOf,
  outcomeOfError,
  openHttp,
  textAt,
  timeoutMs,
  tlsParameters,
  urlParameter,
} from '../http/http-kind.js'
import type { HttpClient } from '../http/http-client.js'
import { ruleParameters, sumUpParameter } from '../rule.js'
import { writeJson } from '../../domain/event/json.js'

const BATCH_MAX = 64
const AT_ONCE = 8
const ANSWER_BYTES_MAX = 64 * 1024

const entry: IntegrationKind = {
  id: 'webhook',
  name: 'Webhook',
  description: 'Sends each decision as a POST of JSON, signed according to Standard Webhooks.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    urlParameter('url', 'The URL that decisions are posted to.'),
    {
      name: 'secret',
      type: 'string',
      required: false,
      secret: true,
      signs: true,
      description:
        'The key that signs posts (HMAC-SHA256): whsec_ and base64, or any text. Without it posts are not signed.',
    },
    {
      name: 'authorization',
      type: 'string',
      required: false,
      secret: true,
      description: 'The Authorization header of each post.',
    },
    ...tlsParameters,
  ],
  roles: [
    { role: 'post_decision', parameters: [sumUpParameter(0), ...ruleParameters('post_decision')] },
    { role: 'output', parameters: ruleParameters('output') },
  ],
  addedTo: [],
}

function secretBytes(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret, 'utf8')
}

/** The value of `webhook-signature`. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  return `v1,${createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

function payload({ id, reason, event, alert, summary }: Outgoing): string {
  if (summary !== undefined) {
    return JSON.stringify({
      type: event.jobId === 0 ? 'watchdog.summary' : 'event.summary',
      id,
      timestamp: isoMicros(summary.throughMicros),
      data: event.document,
    })
  }
  if (alert !== undefined) {
    return JSON.stringify({
      type: `watchdog.${alert.state}`,
      id,
      timestamp: isoMicros(alert.atMicros),
      data: alertDocument(alert),
    })
  }
  return writeJson({
    type: reason === 'decided' ? 'event.decided' : 'event.decided_again',
    id,
    timestamp: isoMicros(event.ingestMicros),
    data: {
      job_id: event.jobId,
      job_title: event.jobTitle,
      event_id: event.eventId,
      ingest_timestamp: isoMicros(event.ingestMicros),
      result: event.result,
      result_label: event.resultLabel,
      confidence_score: event.confidenceScore,
      outlier: event.outlier,
      bucket_id: event.bucketId,
      event: event.document,
    },
  })
}

class WebhookSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly sumsUpOver: number
  readonly #http: HttpClient
  readonly #url: URL
  readonly #secret: string | undefined
  readonly #timeoutMs: number
  readonly #tools: Tools

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.sumsUpOver = Number(parameters.sum_up_over ?? 0)
    const authorization = textAt(connection, 'authorization')
    this.#http = openHttp(connection, tools, authorization === undefined ? {} : { authorization })
    this.#url = new URL(String(connection.url))
    this.#secret = textAt(connection, 'secret')
    this.#timeoutMs = timeoutMs(connection)
    this.#tools = tools
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    return deliverEach(items, AT_ONCE, (item) => this.#post(item, signal))
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #post(item: Outgoing, signal: AbortSignal): Promise<Outcome> {
    const body = payload(item)
    const timestamp = Math.floor(this.#tools.clock.nowMicros() / 1e6)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': item.id,
      'webhook-timestamp': String(timestamp),
      ...(this.#secret === undefined
        ? {}
        : { 'webhook-signature': signatureOf(this.#secret, item.id, timestamp, body) }),
    }
    try {
      return outcomeOf(
        await this.#http.send({
          method: 'POST',
          url: this.#url,
          headers,
          body,
          signal,
          timeoutMs: this.#timeoutMs,
          answerBytesMax: ANSWER_BYTES_MAX,
        }),
      )
    } catch (error) {
      return outcomeOfError(error)
    }
  }
}

export const webhook: OutsideKind = {
  entry,
  sendsAlerts: true,
  openSink: (_role: IntegrationRole, connection, parameters, tools) => new WebhookSink(connection, parameters, tools),
}
