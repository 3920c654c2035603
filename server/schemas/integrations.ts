/** The deliveries of integrations on the wire. */
import { Type } from 'typebox'
import { integrationRoles, limits } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

const Count = Type.Integer({ minimum: 0 })

/** How a step that takes events out of the service is. */
export const Delivery = Type.Object({
  job_id: nullable(Type.Integer({ description: 'Null: of the service itself, which tells watchdogs.' })),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  role: Type.Enum([...integrationRoles]),
  status: Type.Enum(['running', 'retrying', 'open', 'full', 'invalid'], {
    description:
      '`running`: all is well. `retrying`: it failed and is tried again. `open`: it failed often and is tried ever less. `full`: too ' +
      'much failed for good, nothing new is taken. `invalid`: it cannot be opened as it is set up.',
  }),
  reason: Type.String({ description: 'Why, or empty.' }),
  delivered_count: Type.Integer({ description: 'Events delivered since the service was started.' }),
  waiting_count: Type.Integer({
    description: 'Events that failed while others got through, and are tried again by themselves.',
  }),
  dead_count: Type.Integer({ description: 'Events that failed for good.' }),
  last_delivered_at: nullable(Timestamp),
  handled_through: nullable({ ...Timestamp, description: 'Every event that came in up to here was handled.' }),
})

export const Deliveries = Type.Array(Delivery)

/** How a step that brings events in is. */
export const Input = Type.Object({
  job_id: Type.Integer(),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  status: Type.Enum(['running', 'retrying', 'open', 'invalid', 'paused'], {
    description: '`paused`: its job is stopped. The others as those of deliveries.',
  }),
  reason: Type.String({ description: 'Why, or the latest document that was no event, or empty.' }),
  taken_count: Type.Integer({ description: 'Documents taken in since the service was started.' }),
  refused_count: Type.Integer({ description: 'Documents that were no events.' }),
  last_taken_at: nullable(Timestamp),
})

export const Inputs = Type.Array(Input)

/** How a step that looks things up is. */
export const Enrichment = Type.Object({
  job_id: Type.Integer(),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  name: Type.String({ description: 'What its fields are called by: `enrichment.<name>.<field>`.' }),
  status: Type.Enum(['running', 'retrying', 'open', 'invalid'], { description: 'As those of deliveries.' }),
  reason: Type.String({ description: 'Why, or empty.' }),
  summary: Type.String({ description: 'What it knows by itself, such as how many indicators, or empty.' }),
  found_count: Type.Integer({ description: 'Look-ups that found something, since the service was started.' }),
  nothing_count: Type.Integer({ description: 'Look-ups that found nothing.' }),
  failed_count: Type.Integer({ description: 'Look-ups that failed: their events were decided without.' }),
  late_count: Type.Integer({ description: 'Look-ups without an answer in time: their events were decided without.' }),
  remembered_count: Type.Integer({ description: 'Of all of them, those that were answered from memory.' }),
})

export const Enrichments = Type.Array(Enrichment)

const DeadLetterState = Type.Enum(['waiting', 'dead'])

export const FailedDelivery = Type.Object({
  id: Type.String(),
  job_id: nullable(Type.Integer({ description: 'Null: a watchdog, not an event.' })),
  job_title: Type.String(),
  integration_id: Type.Integer(),
  integration_title: Type.String(),
  role: Type.Enum([...integrationRoles]),
  event_id: nullable(Type.String({ description: 'Null where the event is gone.' })),
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
  id: Type.Optional(Type.String({ description: 'One of them alone.' })),
}

export const FailedDeliveryQuery = Type.Object({
  job_id: selection.job_id,
  integration_id: selection.integration_id,
  status: Type.Optional(DeadLetterState),
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'From 0.' })),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.deadLettersPageMax, default: 50 })),
})

/** Which failed deliveries; without anything, all. */
export const FailedDeliverySelection = Type.Object(selection)

export const FailedDeliveryCount = Type.Object({ status: Type.String(), count: Count })
