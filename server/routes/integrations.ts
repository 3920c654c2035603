/** How integrations fare: inputs, look-ups, deliveries, and those that failed. */
import {
  isoMicros,
  type DeliveryView,
  type EnrichmentView,
  type InputView,
  type DeadLetterView,
} from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import {
  Deliveries,
  Enrichments,
  FailedDeliveries,
  FailedDeliveryCount,
  FailedDeliveryQuery,
  FailedDeliverySelection,
  Inputs,
} from '../schemas/integrations.js'

const tag = 'Integrations'
const PAGE_SIZE = 50

function at(micros: number | null): string | null {
  return micros === null || micros === 0 ? null : isoMicros(micros)
}

function deliveryWire(view: DeliveryView) {
  return {
    job_id: view.jobId === 0 ? null : view.jobId,
    job_title: view.jobTitle,
    integration_id: view.integrationId,
    integration_title: view.integrationTitle,
    role: view.role,
    status: view.state,
    reason: view.reason,
    delivered_count: view.delivered,
    waiting_count: view.waiting,
    dead_count: view.dead,
    last_delivered_at: at(view.lastDeliveredMicros),
    handled_through: at(view.handledThroughMicros),
  }
}

function inputWire(view: InputView) {
  return {
    job_id: view.jobId,
    job_title: view.jobTitle,
    integration_id: view.integrationId,
    integration_title: view.integrationTitle,
    status: view.state,
    reason: view.reason,
    taken_count: view.taken,
    refused_count: view.refused,
    last_taken_at: at(view.lastTakenMicros),
  }
}

function enrichmentWire(view: EnrichmentView) {
  return {
    job_id: view.jobId,
    job_title: view.jobTitle,
    integration_id: view.integrationId,
    integration_title: view.integrationTitle,
    name: view.name,
    status: view.state,
    reason: view.reason,
    summary: view.summary,
    found_count: view.found,
    nothing_count: view.nothing,
    failed_count: view.failed,
    late_count: view.late,
    remembered_count: view.remembered,
  }
}

function deadLetterWire(view: DeadLetterView) {
  return {
    id: view.id,
    job_id: view.jobId === 0 ? null : view.jobId,
    job_title: view.jobTitle,
    integration_id: view.integrationId,
    integration_title: view.integrationTitle,
    role: view.role,
    event_id: view.eventId,
    status: view.state,
    attempts: view.attempts,
    reason: view.reason,
    first_failed_at: isoMicros(view.firstFailedMicros),
    last_failed_at: isoMicros(view.lastFailedMicros),
    next_attempt_at: at(view.nextAttemptMicros),
  }
}

const deliveries = operation({
  method: 'GET',
  path: '/api/v2/integrations/deliveries',
  operationId: 'listDeliveries',
  tag,
  summary: 'How the steps that take events out fare',
  description:
    'Enabled steps with the role output, post_decision or case_creation whose integration is outside of the service; and integrations that tell watchdogs.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job and integration.', schema: Deliveries } },
  handle: async ({ app }) => (await app.service.integrations.deliveries()).map(deliveryWire),
})

const inputs = operation({
  method: 'GET',
  path: '/api/v2/integrations/inputs',
  operationId: 'listInputs',
  tag,
  summary: 'How the steps that fetch events fare',
  description: 'Enabled inputs whose integration is outside of the service; events that are posted need none.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job and integration.', schema: Inputs } },
  handle: async ({ app }) => (await app.service.integrations.inputs()).map(inputWire),
})

const enrichments = operation({
  method: 'GET',
  path: '/api/v2/integrations/enrichments',
  operationId: 'listEnrichments',
  tag,
  summary: 'How the steps that look up what is known about events fare',
  description: 'Enabled steps with the role enrichment, of jobs that are started.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job, in the order of its pipeline.', schema: Enrichments } },
  handle: async ({ app }) => (await app.service.integrations.enrichments()).map(enrichmentWire),
})

const failed = operation({
  method: 'GET',
  path: '/api/v2/integrations/failed_deliveries',
  operationId: 'listFailedDeliveries',
  tag,
  summary: 'What could not be delivered',
  description:
    'Events that failed while others got through. Those that wait are tried again by themselves; the dead failed for good, or too ' +
    'often, and are kept until they are sent again or given up. What a counterpart that is away has not taken is not here: it is ' +
    'delivered when the counterpart is back. Documents that an input fetched and that were no events are here too, with the role ' +
    'input: at most 1,000 of each input, which are taken in again on request where they have at most 64 KiB.',
  scope: 'read:resources',
  query: FailedDeliveryQuery,
  responses: { 200: { description: 'By job, integration and time of the event.', schema: FailedDeliveries } },
  async handle({
    app,
    query: { job_id: jobId, integration_id: integrationId, status: state, page = 0, size = PAGE_SIZE },
  }) {
    const { deadLetters, total } = await app.service.integrations.deadLetters({
      jobId,
      integrationId,
      state,
      page,
      size,
    })
    return { failed_deliveries: deadLetters.map(deadLetterWire), total_count: total, page, size }
  },
})

const retry = operation({
  method: 'POST',
  path: '/api/v2/integrations/failed_deliveries/retry',
  operationId: 'retryFailedDeliveries',
  tag,
  summary: 'Send again what failed for good',
  description: 'With the decision that the event has by then. Documents of inputs are taken in again.',
  scope: 'write:resources',
  body: FailedDeliverySelection,
  bodyExample: { job_id: 1 },
  responses: {
    200: { description: 'How many are tried again.', schema: FailedDeliveryCount, example: { status: 'OK', count: 3 } },
  },
  errors: [404],
  async handle({ app, body: { job_id: jobId, integration_id: integrationId, id } }) {
    return { status: 'OK', count: await app.service.integrations.sendAgain({ jobId, integrationId, id }) }
  },
})

const discard = operation({
  method: 'DELETE',
  path: '/api/v2/integrations/failed_deliveries',
  operationId: 'discardFailedDeliveries',
  tag,
  summary: 'Give up what failed for good',
  description: 'The events themselves stay where they are.',
  scope: 'delete:resources',
  query: FailedDeliverySelection,
  responses: {
    200: { description: 'How many were given up.', schema: FailedDeliveryCount, example: { status: 'OK', count: 3 } },
  },
  errors: [404],
  async handle({ app, query: { job_id: jobId, integration_id: integrationId, id } }) {
    return { status: 'OK', count: await app.service.integrations.discard({ jobId, integrationId, id }) }
  },
})

export const integrationRoutes: readonly Route[] = [deliveries, inputs, enrichments, failed, retry, discard]
