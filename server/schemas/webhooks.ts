/**
 * Webhooks: of Prometheus Alertmanager (data version 4, the fields that are read; others are kept as sent), and in the
 * form of any sender.
 */
import { Type, type Static } from 'typebox'
import { Exact } from './common.js'

const ALERTS_MAX = 10_000

const Texts = Type.Record(Type.String(), Type.String())

const AlertBody = Type.Object(
  {
    status: Type.String({ description: '`firing` or `resolved`.' }),
    labels: Texts,
    annotations: Type.Optional(Texts),
    startsAt: Type.String({ description: 'When the alert began; part of the event id.' }),
    endsAt: Type.Optional(Type.String()),
    generatorURL: Type.Optional(Type.String()),
    fingerprint: Type.String({
      pattern: '^[0-9a-fA-F]{1,64}$',
      description: 'Hash of the labels; part of the event id.',
    }),
  },
  { additionalProperties: true },
)

export type Alert = Static<typeof AlertBody>

export const AlertWebhook = Type.Object(
  {
    version: Type.Optional(Type.String()),
    receiver: Type.Optional(Type.String()),
    externalURL: Type.Optional(Type.String()),
    alerts: Type.Array(AlertBody, { maxItems: ALERTS_MAX }),
  },
  { additionalProperties: true },
)

export const WebhookQuery = Exact({
  key: Type.Optional(
    Type.String({ description: 'The key of the input, for senders that can set no header. Headers are better.' }),
  ),
})

export const WebhookTaken = Type.Object({
  status: Type.String(),
  events: Type.Integer({ minimum: 0, description: 'Events in the webhook.' }),
  event_ids: Type.Array(Type.String(), { description: 'Their ids, in order.' }),
})
