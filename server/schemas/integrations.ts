/** How integrations work: deliveries, inputs, enrichments, and what failed. */
import { Type } from 'typebox'
import { integrationRoles, limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'

const Count = Type.Integer({ minimum: 0 })

/** What the other side says where nothing gets through until somebody changes something. */
const halt = {
  refused_since: nullable({
    ...Timestamp,
    description:
      'Since when the other side says that nothing will get through: a revoked key, an address that is gone. Null ' +
      'where it does not.',
  }),
  next_attempt_at: nullable({
    ...Timestamp,
    description: 'When a `stopped` step tries again by itself; null if it does not.',
  }),
}

/** A pipeline step that delivers events. */
export const Delivery = Type.Object({
  job_id: nullable(Type.Integer({ description: 'Null: the notifications of watchdogs.' })),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  role: Type.Enum([...integrationRoles]),
  status: Type.Enum(['running', 'retrying', 'open', 'stopped', 'full', 'invalid'], {
    description:
      '`running`: it works. `retrying`: it failed and is tried again. `open`: it failed often and is tried less and ' +
      'less often. `stopped`: the other side says that nothing will get through until something is changed, and the ' +
      'step tries again only rarely, or if it is retried. `full`: there are too many dead letters, nothing new is ' +
      'taken. `invalid`: its set-up does not work.',
  }),
  reason: Type.String({ description: 'Why, or empty.' }),
  delivered_count: Type.Integer({ description: 'Events delivered since the service started.' }),
  summed_up_count: Type.Integer({
    description: 'Of these, events that one message told of together with others (`sum_up_over`).',
  }),
  waiting_count: Type.Integer({
    description: 'Events that failed while others succeeded; they are tried again automatically.',
  }),
  dead_count: Type.Integer({ description: 'Dead letters: events that failed for good.' }),
  last_delivered_at: nullable(Timestamp),
  handled_through: nullable({ ...Timestamp, description: 'All events that came in up to this time were handled.' }),
  ...halt,
})

export const Deliveries = Type.Array(Delivery)

/** A pipeline step that fetches events. */
export const Input = Type.Object({
  job_id: Type.Integer(),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  status: Type.Enum(['running', 'retrying', 'open', 'stopped', 'invalid', 'paused'], {
    description: '`paused`: its job is stopped. The others are those of deliveries.',
  }),
  reason: Type.String({
    description:
      'Why, or what was wrong with the latest refused document, or which indexes are left out and why, or empty.',
  }),
  taken_count: Type.Integer({ description: 'Documents stored as new events since the service started.' }),
  replaced_count: Type.Integer({ description: 'Documents that took the place of an earlier event with their id.' }),
  same_count: Type.Integer({ description: 'Documents that were stored already.' }),
  refused_count: Type.Integer({ description: 'Documents that were not events.' }),
  last_taken_at: nullable({ ...Timestamp, description: 'When it last brought a document, before a restart, too.' }),
  quiet_since: nullable({
    ...Timestamp,
    description: 'Since when it has brought nothing: `last_taken_at`, or since it was set up.',
  }),
  read_through: nullable({
    ...Timestamp,
    description: 'The date of the last document that was read in order; null if the kind of input does not know it.',
  }),
  behind_seconds: nullable(
    Type.Integer({
      minimum: 0,
      description:
        'How far it is behind its counterpart: the age of the last document that was read while more are waiting, ' +
        'else the time since it last found nothing more.',
    }),
  ),
  ...halt,
})

export const Inputs = Type.Array(Input)

/** A pipeline step that enriches events. */
export const Enrichment = Type.Object({
  job_id: Type.Integer(),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  name: Type.String({ description: 'The name in its field names: `enrichment.<name>.<field>`.' }),
  status: Type.Enum(['running', 'retrying', 'open', 'stopped', 'invalid'], { description: 'As for deliveries.' }),
  reason: Type.String({ description: 'Why, or empty.' }),
  summary: Type.String({ description: 'What it holds, such as the number of indicators, or empty.' }),
  found_count: Type.Integer({ description: 'Requests that found something, since the service started.' }),
  nothing_count: Type.Integer({ description: 'Requests that found nothing.' }),
  failed_count: Type.Integer({ description: 'Requests that failed; their events were decided without them.' }),
  late_count: Type.Integer({
    description: 'Requests that got no answer in time; their events were decided without them.',
  }),
  remembered_count: Type.Integer({ description: 'Of all requests, those answered from memory.' }),
  ...halt,
})

export const Enrichments = Type.Array(Enrichment)

const DeadLetterState = Type.Enum(['waiting', 'dead'])

export const FailedDelivery = Type.Object({
  id: Type.String(),
  job_id: nullable(Type.Integer({ description: 'Null: a notification of a watchdog, not an event.' })),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  role: Type.Enum([...integrationRoles]),
  event_id: nullable(Type.String({ description: 'Null if the event was deleted.' })),
  status: DeadLetterState,
  attempts: Type.Integer(),
  reason: Type.String(),
  first_failed_at: Timestamp,
  last_failed_at: Timestamp,
  next_attempt_at: nullable(Timestamp),
})

export const FailedDeliveries = Type.Object({
  failed_deliveries: Type.Array(FailedDelivery),
  total_count: Count,
  page: Count,
  size: Count,
})

const selection = {
  job_id: Type.Optional(Type.Integer({ minimum: 0 })),
  integration_id: Type.Optional(Type.Integer({ minimum: 0 })),
  id: Type.Optional(Type.String({ description: 'A single failed delivery.' })),
}

export const FailedDeliveryQuery = Exact({
  job_id: selection.job_id,
  integration_id: selection.integration_id,
  status: Type.Optional(DeadLetterState),
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.deadLettersPageMax, default: 50 })),
})

/** Which failed deliveries; all of them by default. */
export const FailedDeliverySelection = Exact(selection)

export const FailedDeliveryCount = Type.Object({
  status: Type.String(),
  count: Count,
  resumed_steps: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Of a retry: steps that had stopped, and try again now.' }),
  ),
})
