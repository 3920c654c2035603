/**
 * Webhooks in the form of their sender: `POST /api/v1/ingest/{integration}` (engine/services/inbound/).
 *
 * 1. The answer leaves when all events are on disk, in the order of the sender, and says which parts were refused. If
 *    nothing can be stored, or it cannot be stored now, it is an error. A sender that sends again adds nothing: events
 *    with an id that are stored already are the same events (S6).
 * 2. The key may be in a header, as the password of basic authentication, or in the query, for senders that can set
 *    neither. In the query only keys of inputs count: an address is written to logs on its way.
 */
import { limits, type Principal } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { keyInHeaders } from '../../http/auth.js'
import { asSent, collectBody } from '../../http/body.js'
import { heldByStrangers } from '../../http/held-bytes.js'
import { replyError } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import { replyJson } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Checker } from '../../http/validate.js'
import { AnyObject } from '../../schemas/common.js'
import { WebhookQuery, WebhookTaken } from '../../schemas/webhooks.js'
import { refusedField, storeAll } from './store-all.js'

const query = new Checker(WebhookQuery, 'query')
const BASIC = /^basic +([a-z0-9+/=]+)$/i
/** Programs that give up after any answer of 4xx, 429 included. */
const GIVE_UP = /^(?:alertmanager|grafana|rsyslog)/i
/** Headers that formats and signatures are read from, beside the one that an integration names. */
const CUSTOM_HEADER = /^x-|signature/

/** The key in the request, or ''. */
function presentedKey(exchange: Exchange, app: App): string {
  const key = keyInHeaders(exchange, app)
  if (key !== '') return key
  const basic = BASIC.exec(exchange.header('authorization'))?.[1]
  if (basic === undefined) return ''
  const pair = Buffer.from(basic, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

function senderOf(exchange: Exchange, app: App): Principal | null {
  const key = presentedKey(exchange, app)
  if (key !== '') return app.service.authenticate(key)
  const { key: inQuery } = query.checkQuery(exchange.query())
  const principal = inQuery === undefined ? null : app.service.authenticate(inQuery)
  return principal?.kind === 'input' ? principal : null
}

async function take(exchange: Exchange, app: App, integration: string, principal: Principal | null): Promise<void> {
  const headers = exchange.headers((name) => CUSTOM_HEADER.test(name))
  const header = (name: string): string => headers.get(name) ?? ''
  const { charset } = exchange
  const isOfThem = GIVE_UP.test(exchange.header('user-agent'))
  // As long as nobody knows who sends it.
  exchange.busyIs503 = true
  // Without a key, memory for it is that of callers whom nobody knows yet.
  const room = principal === null ? heldByStrangers : undefined
  const body = await collectBody(exchange, limits.webhookBytesMax, undefined, { charset: asSent, room })
  const inbound = await app.service.inbound.read({ integration, principal, body, charset, header })
  exchange.busyIs503 = isOfThem || inbound.givesUp
  app.rateLimit?.take(inbound.principal)
  const { events, ids, counts, refused } = await storeAll(app, inbound.jobs, inbound, `integration ${inbound.title}`)
  replyJson(exchange, 200, { status: 'ok', events, event_ids: ids, ...counts, ...refusedField(refused) })
}

const ingest: Route = {
  method: 'POST',
  path: '/api/v1/ingest/{integration}',
  operationId: 'postWebhook',
  tag: 'Events',
  summary: 'Receive a webhook as its sender sends it',
  description:
    'Takes what Splunk, Microsoft Sentinel and Defender, Alertmanager, Wazuh, Elastic, CrowdStrike, GuardDuty and ' +
    'GitHub send, and events in ECS, OCSF, CEF and LEEF, without an envelope. `{integration}` is the id or the ' +
    'title of an External REST API integration; the events go to the jobs that it is an enabled input of. Its ' +
    'parameters `webhook_*` and `sns_topic_arn` say how webhooks are read and which signature they need. With a ' +
    'signature no key is needed. Without one the key may be in a header, or be the password of basic authentication; ' +
    'a key of an input may also be in the query.',
  scope: null,
  looksAtKey: true,
  query: WebhookQuery,
  body: AnyObject,
  bodyExample: { rule: { id: '5710', level: 5 }, host: { name: 'web-1' } },
  responses: {
    200: {
      description: 'All events are stored durably, but for those that `refused` names.',
      schema: WebhookTaken,
      example: { status: 'ok', events: 1, event_ids: ['1580123327.49031'], new: 1, replaced: 0, same: 0 },
    },
  },
  errors: [401, 403, 404, 409, 429, 507],
  serve(exchange, [integration = ''], app) {
    take(exchange, app, integration, senderOf(exchange, app)).catch((error: unknown) => replyError(exchange, error))
  },
}

export const inboundRoutes: readonly Route[] = [ingest]
