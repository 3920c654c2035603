/**
 * Slack-compatible messages: an incoming webhook of Slack, Mattermost, Rocket.Chat or another service that accepts
 * `{text}`.
 *
 * 1. Values of an event cannot mention, link or format (chat-text.ts). The text of the template can.
 * 2. The URL is a secret: anybody who has it can post.
 */
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import { cutText } from '../../domain/event/input/cut-text.js'
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
import type { HttpAnswer, HttpClient } from '../http/http-client.js'
import { ruleParameters, sumUpParameter } from '../rule.js'
import { summaryText } from '../summary.js'
import { fillWithin } from '../template.js'
import { chatDialects, chatText, dialectOf, type ChatDialect } from './chat-text.js'

const BATCH_MAX = 16
/** Messages that people read one by one after a pause. */
const SUM_UP_OVER = 20
/** Slack accepts about one message a second, and answers 429 after a burst. Concurrent posts would be refused. */
const AT_ONCE = 1
const TEXT_CHARS_MAX = 4_000
const ANSWER_BYTES_MAX = 64 * 1024
/** What is read of an error. */
const ERROR_BYTES_MAX = 2_048

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
        sumUpParameter(SUM_UP_OVER),
        ...ruleParameters('post_decision'),
      ],
    },
  ],
  addedTo: [],
}

class SlackSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly sumsUpOver: number
  readonly #http: HttpClient
  readonly #url: URL
  readonly #dialect: ChatDialect
  readonly #timeoutMs: number
  readonly #text: string
  readonly #channel: string | undefined
  readonly #timeZone: string

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#http = openHttp(connection, tools)
    this.#url = new URL(String(connection.url))
    this.#dialect = (textAt(connection, 'dialect') as ChatDialect | undefined) ?? dialectOf(this.#url)
    this.#timeoutMs = timeoutMs(connection)
    this.#text = textAt(parameters, 'text') ?? STANDARD_TEXT
    this.#channel = textAt(parameters, 'channel')
    this.#timeZone = tools.timeZone
    this.sumsUpOver = Number(parameters.sum_up_over ?? SUM_UP_OVER)
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    return deliverEach(items, AT_ONCE, (item) => this.#post(this.#textOf(item), signal))
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  #textOf({ event, alert, summary }: Outgoing): string {
    const fit = (value: string): string => chatText(value, this.#dialect)
    if (summary !== undefined) return cutText(summaryText({ event, summary }, this.#timeZone, fit), TEXT_CHARS_MAX)
    return fillWithin(alert === undefined ? this.#text : ALERT_TEXT, event, TEXT_CHARS_MAX, { fit })
  }

  async #post(text: string, signal: AbortSignal): Promise<Outcome> {
    const body = JSON.stringify({ text, ...(this.#channel === undefined ? {} : { channel: this.#channel }) })
    const headers = { 'content-type': 'application/json' }
    try {
      return outcomeOfPost(
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

/**
 * Errors of incoming webhooks after which no message will get through, as the products write them in the body, and what
 * they mean. Slack has words, Mattermost ids.
 */
const forGood: Readonly<Record<string, string>> = {
  channel_is_archived: 'the channel is archived',
  channel_not_found: 'the channel is not there any more',
  no_service: 'the webhook was disabled or removed',
  no_service_id: 'the webhook was disabled or removed',
  no_active_hooks: 'the webhook was disabled',
  no_team: 'the workspace is not there any more',
  team_disabled: 'the workspace is disabled',
  invalid_token: 'the URL of the webhook is not valid any more',
  invalid_auth: 'the URL of the webhook is not valid any more',
  token_revoked: 'the webhook was revoked',
  account_inactive: 'the webhook belongs to an account that is not active any more',
  action_prohibited: 'an administrator has forbidden posts of this webhook',
  posting_to_general_channel_denied: 'an administrator has forbidden posts to this channel',
  user_not_found: 'the person who gets the messages is not there any more',
  'web.incoming_webhook.disabled.app_error': 'webhooks are disabled',
  'web.incoming_webhook.invalid.app_error': 'the webhook was disabled or removed',
  'web.incoming_webhook.channel.app_error': 'the channel is not there any more',
  'web.incoming_webhook.channel_locked.app_error': 'the webhook may post to another channel only',
  'web.incoming_webhook.permissions.app_error': 'the webhook may not post to the channel',
  'web.incoming_webhook.user.app_error': 'the person who gets the messages is not there any more',
}

/** The outcome of a message: some errors have a status that elsewhere is about one message, or passes. */
function outcomeOfPost(answer: HttpAnswer): Outcome {
  if (answer.status >= 200 && answer.status < 300) return { outcome: 'delivered' }
  const words = answer.body.toString('utf8', 0, ERROR_BYTES_MAX).match(/[a-z_.]+/g) ?? []
  const found = words.find((word) => Object.hasOwn(forGood, word))
  if (found === undefined) return outcomeOf(answer)
  return {
    outcome: 'failed',
    reason: `${forGood[found]} (HTTP ${answer.status}: ${found})`,
    suspect: false,
    lasting: 'for_good',
  }
}

export const slack: OutsideKind = {
  entry,
  sendsAlerts: true,
  openSink: (_role, connection, parameters, tools) => new SlackSink(connection, parameters, tools),
}
