/**
 * Webhooks: of Prometheus Alertmanager (data version 4, the fields that are read; others are kept as sent), and in the
 * form of any sender.
 */
import { Type } from 'typebox'
import { Exact, ValidationErrorBody } from './common.js'

const ALERTS_MAX = 10_000

const Texts = Type.Record(Type.String(), Type.String())

/** As Alertmanager sends it. One that is odd is taken, too: the engine reads it (services/inbound/). */
const AlertBody = Type.Object(
  {
    status: Type.Optional(Type.String({ description: '`firing` or `resolved`.' })),
    labels: Type.Optional(Texts),
    annotations: Type.Optional(Texts),
    startsAt: Type.Optional(Type.String({ description: 'When the alert began; part of the event id.' })),
    endsAt: Type.Optional(Type.String()),
    generatorURL: Type.Optional(Type.String()),
    fingerprint: Type.Optional(
      Type.String({
        description: 'Hash of the labels; part of the event id. If it is empty, the labels take its place.',
      }),
    ),
  },
  { additionalProperties: true },
)

export const AlertWebhook = Type.Object(
  {
    version: Type.Optional(Type.String()),
    receiver: Type.Optional(Type.String()),
    externalURL: Type.Optional(Type.String()),
    alerts: Type.Array(AlertBody, { maxItems: ALERTS_MAX }),
  },
  { additionalProperties: true },
)

const refused = {
  refused: Type.Optional(
    Type.Array(ValidationErrorBody.properties.detail.items, {
      description: 'Parts that are not stored, with their places: the first 100. Absent if all is stored.',
    }),
  ),
  refused_count: Type.Optional(Type.Integer({ minimum: 1, description: 'How many there are.' })),
}

export const AlertsTaken = Type.Object({ status: Type.String(), ...refused })

export const WebhookQuery = Exact({
  key: Type.Optional(
    Type.String({ description: 'The key of the input, for senders that can set no header. Headers are better.' }),
  ),
})

export const WebhookTaken = Type.Object({
  status: Type.String(),
  events: Type.Integer({ minimum: 0, description: 'Different events of the webhook that are stored in each job.' }),
  event_ids: Type.Array(Type.String(), { description: 'Their ids, in order.' }),
  new: Type.Integer({ minimum: 0, description: 'Events that were not there before, over all jobs.' }),
  replaced: Type.Integer({ minimum: 0, description: 'Events that took the place of an earlier version.' }),
  same: Type.Integer({ minimum: 0, description: 'Events that were there already, with the same content.' }),
  ...refused,
})
