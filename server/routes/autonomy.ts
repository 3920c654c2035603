/** Autonomy: safety contracts, their evidence and certificates, and what people have to look at. */
import {
  isoMicros,
  type AutonomyView as EngineView,
  type GateView as EngineGate,
  type Scope,
} from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import {
  AutonomyView,
  CertificatesPage,
  CertificatesQuery,
  ContractBody,
  ForecastAnswer,
  ForecastQuery,
  QueuePage,
  QueueQuery,
  ReopenBody,
  ReopenResult,
} from '../schemas/autonomy.js'
import { jobFromPath } from './job-reference.js'
import { momentOf } from './moment.js'

const tag = 'Autonomy'
const path = '/api/v2/jobs/{job_id}/autonomy'
const read: Scope = 'read:event_query'
const write: Scope = 'write:autonomy'
const CERTIFICATES = 20
const QUEUE = 50
const DELTA = 0.05

function gateWire(gate: EngineGate) {
  return {
    gate_id: gate.gateId,
    label: gate.label,
    threshold: gate.threshold,
    model: gate.modelId,
    exclusions: gate.exclusions,
    state: gate.state,
    reason: gate.reason,
    message: gate.message,
    since: isoMicros(gate.sinceMicros),
    started: isoMicros(gate.startedMicros),
    epsilon: gate.epsilon,
    delta: gate.delta,
    statement: gate.statement,
    certified: gate.certified,
    bound: gate.bound,
    protected_bound: gate.protectedBound,
    rates: gate.rates,
    audits: gate.audits,
    failures: gate.failures,
    pending: gate.pending,
    waiting: gate.waiting,
    settled: gate.settled,
    protected_events: gate.protectedEvents,
    second_opinions: gate.secondOpinions,
  }
}

function viewWire(view: EngineView) {
  return {
    mode: view.mode,
    hold_out_rate: view.holdOutRate,
    revoke_on_miss: view.revokeOnMiss,
    audit_deadline_hours: view.auditDeadlineHours,
    audit_deadline_working_hours: view.auditDeadlineWorkingHours,
    protected_labels: view.protectedLabels,
    labels: view.labels,
    paused: view.paused,
    set_at: view.setMicros === null ? null : isoMicros(view.setMicros),
    set_by: view.setBy,
    gates: view.gates.map(gateWire),
    ended_gates: view.ended.map(gateWire),
    assumptions: view.assumptions,
  }
}

const see = operation({
  method: 'GET',
  path,
  operationId: 'getAutonomy',
  tag,
  summary: 'Get what a job may settle automatically, and what proves it',
  scope: read,
  responses: { 200: { description: 'The safety contract and its gates.', schema: AutonomyView } },
  errors: [404],
  async handle({ app, principal, params }) {
    return viewWire(await app.service.autonomy.of(jobFromPath(app, principal, params[0]!)))
  },
})

const set = operation({
  method: 'PUT',
  path,
  operationId: 'setAutonomy',
  tag,
  summary: 'Set the safety contract of a job',
  description:
    'Another label, threshold, list of exclusions, epsilon, delta or set of protected labels is another gate, which ' +
    'begins without evidence. Setting the contract again also begins revoked gates anew. For administrators.',
  scope: write,
  body: ContractBody,
  bodyExample: {
    mode: 'shadow',
    hold_out_rate: 0.05,
    labels: [{ label: 'Drop', epsilon: 0.01, thresholds: [99, 95] }],
  },
  responses: { 200: { description: 'The safety contract now.', schema: AutonomyView } },
  errors: [400, 404, 409, 413, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const input = {
      mode: body.mode,
      holdOutRate: body.hold_out_rate,
      revokeOnMiss: body.revoke_on_miss,
      auditDeadlineHours: body.audit_deadline_hours,
      auditDeadlineWorkingHours: body.audit_deadline_working_hours,
      protectedLabels: body.protected_labels,
      labels: body.labels,
    }
    return viewWire(await app.service.autonomy.set(job, input, principal))
  },
})

const certificates = operation({
  method: 'GET',
  path: `${path}/certificates`,
  operationId: 'listCertificates',
  tag,
  summary: 'List the certificates of gates',
  description: 'Each change of state of a gate is a document in the hash-chained audit log.',
  scope: read,
  query: CertificatesQuery,
  responses: { 200: { description: 'A page of certificates, latest first.', schema: CertificatesPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { page = 0, size = CERTIFICATES, gate_id: gateId } = query
    const found = await app.service.autonomy.certificates(job, {
      page,
      size,
      ...(gateId === undefined ? {} : { gateId }),
    })
    return {
      certificates: found.certificates.map(({ atMicros, sequence, hash, by, document }) => ({
        timestamp: isoMicros(atMicros),
        sequence,
        hash,
        user: by.name,
        certificate: document,
      })),
      total_count: found.total,
      total_count_is_exact: found.exact,
      page,
      size,
    }
  },
})

const reopen = operation({
  method: 'POST',
  path: `${path}/reopen`,
  operationId: 'reopenSettled',
  tag,
  summary: 'Send settled events back to people',
  description: 'What was settled in the last 28 days, or from a date on, is in the queue again. For administrators.',
  scope: write,
  body: ReopenBody,
  bodyExample: { label: 'Drop' },
  responses: { 200: { description: 'The events are in the queue.', schema: ReopenResult } },
  errors: [400, 404, 413, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const fromMicros = momentOf('start_date', body.start_date, 'body')
    return await app.service.autonomy.reopen(job, { label: body.label, fromMicros }, principal)
  },
})

const queue = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/queue',
  operationId: 'getQueue',
  tag,
  summary: 'List the events that people have to look at',
  description:
    'What no gate settled and nobody has voted on. Audits are among them and are not marked. An audit that is asked ' +
    'of a second person stays until two people have voted.',
  scope: read,
  query: QueueQuery,
  responses: { 200: { description: 'A page of events.', schema: QueuePage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { size = QUEUE, order = 'newest', after } = query
    const page = await app.service.autonomy.queue(job, { size, order, ...(after === undefined ? {} : { after }) })
    return {
      events: page.events.map((event) => ({
        event_id: event.eventId,
        ingest_timestamp: isoMicros(event.ingestMicros),
        result: event.result,
        result_label: event.resultLabel,
        confidence_score: event.confidenceScore,
        outlier: event.outlier,
        bucket_id: event.bucketId,
      })),
      next: page.next,
    }
  },
})

const forecast = operation({
  method: 'GET',
  path: `${path}/forecast`,
  operationId: 'forecastAutonomy',
  tag,
  summary: 'Forecast what could be settled, and what the proof would take',
  description: 'From stored events and votes. It certifies nothing: votes are no sample.',
  scope: read,
  query: ForecastQuery,
  responses: { 200: { description: 'The forecast.', schema: ForecastAnswer } },
  errors: [400, 404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { epsilon, delta = DELTA, hold_out_rate: holdOutRate, protected_labels: named } = query
    const protectedLabels = named?.split(',').map((name) => name.trim())
    const found = await app.service.autonomy.forecast(job, { epsilon, delta, holdOutRate, protectedLabels })
    return {
      message: found.message,
      events: found.events,
      from: found.fromMicros === null ? null : isoMicros(found.fromMicros),
      to: found.toMicros === null ? null : isoMicros(found.toMicros),
      hold_out_rate: found.holdOutRate,
      thresholds: found.thresholds.map((row) => ({
        label: row.label,
        threshold: row.threshold,
        settled_share: row.settledShare,
        events_per_day: row.eventsPerDay,
        voted_events: row.votedEvents,
        misses: row.misses,
        audits_needed: row.auditsNeeded,
        audits_per_day: row.auditsPerDay,
        days: row.days,
        message: row.message,
      })),
    }
  },
})

export const autonomyRoutes: readonly Route[] = [see, set, certificates, reopen, forecast, queue]
