/**
 * Webhooks of Prometheus Alertmanager: each alert becomes an event (mapping: engine/resource/mappings/alertmanager.ts).
 *
 * 1. An alert stays one event while it lasts: its fingerprint and its start make the event id. Sent again unchanged, it
 *    is the same event; sent as resolved, it is a new version of it (S6).
 * 2. The answer leaves when all alerts are on disk, and says which could not be stored. If none can be, or they cannot
 *    be stored now, it is an error. Alertmanager sends again after a 5xx and gives up after a 4xx, so "try again" is
 *    always 503 (S37). Alerts that were already stored are the same events.
 */
import { limits, sourceOf } from '../../engine/index.js'
import { stillAuthorized } from '../http/auth.js'
import { asSent, collectBody } from '../http/body.js'
import { replyError } from '../http/error-reply.js'
import { replyJson } from '../http/reply.js'
import type { GuardedRoute, Route } from '../http/route.js'
import { AlertsTaken, AlertWebhook } from '../schemas/webhooks.js'
import { refusedField, storeAll } from './inbound/store-all.js'
import { jobForPosts } from './job-reference.js'

const example = {
  version: '4',
  status: 'firing',
  receiver: 'decisions',
  externalURL: 'http://alertmanager:9093',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'DiskFull', severity: 'critical', job: 'node' },
      annotations: { summary: 'The disk is full.' },
      startsAt: '2026-01-31T09:05:00.123Z',
      endsAt: '0001-01-01T00:00:00Z',
      fingerprint: 'c1d2e3f405162738',
    },
  ],
}

const webhook: GuardedRoute = {
  method: 'POST',
  path: '/api/v1/alertmanager/{job_id}',
  operationId: 'postAlertmanagerWebhook',
  tag: 'Events',
  summary: 'Receive a webhook of Prometheus Alertmanager',
  description:
    'Set this as `url` of a `webhook_config`, and put the key into `http_config.http_headers`. Each alert becomes an ' +
    'event with the id `<fingerprint>-<milliseconds of startsAt>`. The event has the fields of the alert at top ' +
    'level, and `receiver` and `externalURL` of the webhook.',
  busyIs503: true,
  scope: 'write:events',
  body: AlertWebhook,
  bodyExample: example,
  responses: {
    200: {
      description: 'All alerts are stored durably, but for those that `refused` names.',
      schema: AlertsTaken,
      example: { status: 'ok' },
    },
  },
  errors: [404, 409],
  serve(exchange, params, app, principal) {
    const { charset } = exchange
    collectBody(exchange, limits.webhookBytesMax, undefined, { charset: asSent })
      .then(async (bytes) => {
        const now = stillAuthorized(exchange, app, 'write:events')
        const job = jobForPosts(app, now, params[0]!)
        const alerts = app.service.inbound.alertsIn(bytes, charset)
        const { refused } = await storeAll(app, [job], alerts, sourceOf(principal))
        replyJson(exchange, 200, { status: 'ok', ...refusedField(refused) })
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

export const alertmanagerRoutes: readonly Route[] = [webhook]
