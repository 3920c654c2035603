/**
 * Slack-compatible messages: an incoming webhook of Slack, Mattermost, Rocket.Chat or another service that accepts
 * `{text}`.
 *
 * 1. Values of an event cannot mention, link or format (chat-text.ts). The text of the template can.
 * 2. The URL is a secret: anybody who has it can post.
 */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, OutsideKind, Sink, Tools } from '../contract.js'
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
import { ruleParameters } from '../rule.js'
import { fillWithin } from '../template.js'
import { chatDialects, chatText, dialectOf, type ChatDialect } from './chat-text.js'

const BATCH_MAX = 16
/** Slack accepts about one message a second, and answers 429 after a burst. Concurrent posts would be refused. */
const AT_ONCE = 1
const TEXT_CHARS_MAX = 4_000
const ANSWER_BYTES_MAX = 64 * 1024

/** The message for a watchdog. */
const ALERT_TEXT = '*{{result_label}}*: {{title}}. {{message}}'
const STANDARD_TEXT = '*{{result_label}}* ({{confidence_score}} %) for {{title}} {{event_id}} of {{job_title}}'

const entry: IntegrationKind = {
  id: 'slack',
  name: 'Slack message',
  description:
    'Posts a message for each decision to an incoming webhook of Slack, Mattermost, Rocket.Chat or a compatible service.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    { ...urlParameter('url', 'The URL of the incoming webhook.'), secret: true },
    {
      name: 'dialect',
      type: 'string',
      required: false,
      allowed: chatDialects,
      description: 'The product that receives. Values of events are escaped for it. Default: recognised by the URL.',
    },
    ...tlsParameters,
  ],
  roles: [
    {
      role: 'post_decision',
      parameters: [
        {
          name: 'text',
          type: 'string',
          required: false,
          description: `The message; {{path}} inserts a field of the event. Default: ${STANDARD_TEXT}`,
        },
        {
          name: 'channel',
          type: 'string',
          required: false,
          description: 'Another channel, if the receiver allows it.',
        },
        ...ruleParameters('post_decision'),
      ],
    },
  ],
  addedTo: [],
}

class SlackSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #http: HttpClient
  readonly #url: URL
  readonly #dialect: ChatDialect
  readonly #timeoutMs: number
  readonly #text: string
  readonly #channel: string | undefined

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#http = openHttp(connection, tools)
    this.#url = new URL(String(connection.url))
    this.#dialect = (textAt(connection, 'dialect') as ChatDialect | undefined) ?? dialectOf(this.#url)
    this.#timeoutMs = timeoutMs(connection)
    this.#text = textAt(parameters, 'text') ?? STANDARD_TEXT
    this.#channel = textAt(parameters, 'channel')
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    return deliverEach(items, AT_ONCE, ({ event, alert }) =>
      this.#post(event, alert === undefined ? this.#text : ALERT_TEXT, signal),
    )
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #post(event: DecidedEvent, template: string, signal: AbortSignal): Promise<Outcome> {
    const fit = (value: string): string => chatText(value, this.#dialect)
    const text = fillWithin(template, event, TEXT_CHARS_MAX, { fit })
    const body = JSON.stringify({ text, ...(this.#channel === undefined ? {} : { channel: this.#channel }) })
    const headers = { 'content-type': 'application/json' }
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

export const slack: OutsideKind = {
  entry,
  sendsAlerts: true,
  openSink: (_role, connection, parameters, tools) => new SlackSink(connection, parameters, tools),
}
