/** How integrations work: inputs, enrichments, deliveries, and failed deliveries. */
import {
  isoMicros,
  type DeliveryView,
  type EnrichmentView,
  type HaltView,
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

function haltWire({ haltedSinceMicros, nextTryMicros }: HaltView) {
  return { refused_since: at(haltedSinceMicros), next_attempt_at: at(nextTryMicros) }
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
    summed_up_count: view.summedUp,
    waiting_count: view.waiting,
    dead_count: view.dead,
    last_delivered_at: at(view.lastDeliveredMicros),
    handled_through: at(view.handledThroughMicros),
    ...haltWire(view),
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
    replaced_count: view.replaced,
    same_count: view.same,
    refused_count: view.refused,
    last_taken_at: at(view.lastTakenMicros),
    quiet_since: at(view.quietSinceMicros),
    read_through: at(view.readThroughMicros),
    behind_seconds: view.behindSeconds,
    ...haltWire(view),
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
    ...haltWire(view),
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
  summary: 'List the steps that deliver events, with their state',
  description:
    'Enabled steps with the role `output`, `post_decision` or `case_creation` whose integration is outside the ' +
    'service, and integrations that send the notifications of watchdogs.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job and integration.', schema: Deliveries } },
  handle: async ({ app }) => (await app.service.integrations.deliveries()).map(deliveryWire),
})

const inputs = operation({
  method: 'GET',
  path: '/api/v2/integrations/inputs',
  operationId: 'listInputs',
  tag,
  summary: 'List the steps that fetch events, with their state',
  description: 'Enabled inputs whose integration is outside the service. Posted events need no input.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job and integration.', schema: Inputs } },
  handle: async ({ app }) => (await app.service.integrations.inputs()).map(inputWire),
})

const enrichments = operation({
  method: 'GET',
  path: '/api/v2/integrations/enrichments',
  operationId: 'listEnrichments',
  tag,
  summary: 'List the steps that enrich events, with their state',
  description: 'Enabled steps with the role `enrichment`, of started jobs.',
  scope: 'read:resources',
  responses: { 200: { description: 'By job, in the order of its pipeline.', schema: Enrichments } },
  handle: async ({ app }) => (await app.service.integrations.enrichments()).map(enrichmentWire),
})

const failed = operation({
  method: 'GET',
  path: '/api/v2/integrations/failed_deliveries',
  operationId: 'listFailedDeliveries',
  tag,
  summary: 'List failed deliveries',
  description:
    'Events whose delivery failed while other deliveries succeeded. Waiting ones are tried again automatically. Dead ' +
    'ones failed for good, or too often; they are kept until they are retried or discarded. Events for a system that ' +
    'is not reachable are not listed: they are delivered when it is back.\n\n' +
    'Documents fetched by an input that were not events are listed too, with the role `input`: at most 1,000 for ' +
    'each input. Those of at most 64 KiB can be retried.',
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
  summary: 'Retry dead deliveries, and steps that have stopped',
  description:
    'An event is sent with the decision that it has then. Documents of inputs are taken in again. Without an id, ' +
    'steps that have stopped try again at once: deliveries, inputs and enrichments.',
  scope: 'write:resources',
  body: FailedDeliverySelection,
  bodyExample: { job_id: 1 },
  responses: {
    200: {
      description: 'How many deliveries are tried again.',
      schema: FailedDeliveryCount,
      example: { status: 'OK', count: 3, resumed_steps: 0 },
    },
  },
  errors: [404],
  async handle({ app, body: { job_id: jobId, integration_id: integrationId, id } }) {
    const { deadLetters, steps } = await app.service.integrations.sendAgain({ jobId, integrationId, id })
    return { status: 'OK', count: deadLetters, resumed_steps: steps }
  },
})

const discard = operation({
  method: 'DELETE',
  path: '/api/v2/integrations/failed_deliveries',
  operationId: 'discardFailedDeliveries',
  tag,
  summary: 'Discard dead deliveries',
  description: 'The events themselves are kept.',
  scope: 'delete:resources',
  query: FailedDeliverySelection,
  responses: {
    200: {
      description: 'How many deliveries were discarded.',
      schema: FailedDeliveryCount,
      example: { status: 'OK', count: 3 },
    },
  },
  errors: [404],
  async handle({ app, query: { job_id: jobId, integration_id: integrationId, id } }) {
    return { status: 'OK', count: await app.service.integrations.discard({ jobId, integrationId, id }) }
  },
})

export const integrationRoutes: readonly Route[] = [deliveries, inputs, enrichments, failed, retry, discard]
