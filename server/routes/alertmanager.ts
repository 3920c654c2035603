/**
 * Webhooks of Prometheus Alertmanager: each alert becomes an event (mapping: engine/resource/mappings/alertmanager.ts).
 *
 * 1. An alert stays one event while it lasts: its fingerprint and its start make the event id. Sent again unchanged, it
 *    is the same event; sent as resolved, it is a new version of it (S6).
 * 2. The answer leaves when all alerts are on disk. Otherwise it is an error. Alertmanager sends again after a 5xx, and
 *    alerts that were already stored are deduplicated.
 */
import { limits, Refusal } from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import { AlertWebhook, type Alert } from '../schemas/webhooks.js'
import { StatusOnly } from '../schemas/common.js'
import { storeAll } from './inbound/store-all.js'
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

/** @throws Refusal invalid_body if `startsAt` is not a date and time. */
function idOf({ fingerprint, startsAt }: Alert, at: number): string {
  const ms = Date.parse(startsAt)
  if (!Number.isNaN(ms)) return `${fingerprint}-${ms}`
  const [loc, msg] = [['body', 'alerts', at, 'startsAt'], 'must be a date and time']
  throw new Refusal('invalid_body', `${loc.slice(1).join('.')}: ${msg}`, { issues: [{ loc, msg, type: 'datetime' }] })
}

const webhook = operation({
  method: 'POST',
  path: '/api/v1/alertmanager/{job_id}',
  operationId: 'postAlertmanagerWebhook',
  tag: 'Events',
  summary: 'Receive a webhook of Prometheus Alertmanager',
  description:
    'Set this as `url` of a `webhook_config`, and put the key into `http_config.http_headers`. Each alert becomes an ' +
    'event with the id `<fingerprint>-<milliseconds of startsAt>`. The event has the fields of the alert at top ' +
    'level, and `receiver` and `externalURL` of the webhook.',
  scope: 'write:events',
  body: AlertWebhook,
  bodyExample: example,
  bodyBytesMax: limits.webhookBytesMax,
  responses: {
    200: { description: 'All alerts are stored durably.', schema: StatusOnly, example: { status: 'ok' } },
  },
  errors: [404, 409, 507],
  async handle({ app, principal, params, body }) {
    const job = jobForPosts(app, principal, params[0]!)
    const { alerts, receiver, externalURL } = body
    const ids = alerts.map(idOf)
    const events = alerts.map((alert, at) => {
      const bytes = Buffer.from(JSON.stringify({ raw_body: { ...alert, receiver, externalURL } }))
      return { job, id: ids[at] as string, bytes }
    })
    await storeAll(app, events)
    return { status: 'ok' }
  },
})

export const alertmanagerRoutes: readonly Route[] = [webhook]
