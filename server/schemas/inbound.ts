/** Webhooks in the form of their sender. */
import { Type } from 'typebox'
import { Exact } from './common.js'

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
