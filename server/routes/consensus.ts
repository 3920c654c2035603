/** Consensus: what analysts agree on, where they disagree, and an administrator's override (S15). */
import {
  isoMicros,
  Refusal,
  type ConsensusTarget,
  type ConsensusView as EngineView,
  type JobHandle,
  type Principal,
  type Scope,
} from '../../engine/index.js'
import type { App } from '../app.js'
import { operation, type Route } from '../http/route.js'
import {
  ConsensusView,
  DecisionPointsAnswer,
  DisagreementPage,
  DisagreementQuery,
  MixedPage,
  MixedQuery,
  NewDecisionPoints,
  OverrideBody,
} from '../schemas/consensus.js'
import { jobFromPath } from './job-reference.js'

const tag = 'Consensus'
const SIZE = 20
const read: Scope = 'read:event_query'
const write: Scope = 'write:consensus'

function viewWire(view: EngineView) {
  const { override } = view
  return {
    bucket_id: view.bucketId,
    event_id: view.eventId,
    events_count: view.events,
    decision_points: view.values,
    consensus: view.consensus,
    bucket_state: view.bucketState,
    overridden: override !== null,
    override:
      override === null ? null : { label: override.label, user: override.by, timestamp: isoMicros(override.atMicros) },
    split: view.split,
    tied_events: view.tiedEvents,
    mixed: view.mixed,
    votes_count: view.votesCount,
    votes: view.votes.map(({ analyst, label, atMicros, eventId, pickedBy, countsForEvents, notes }) => ({
      analyst,
      label,
      timestamp: isoMicros(atMicros),
      event_id: eventId,
      ...(pickedBy === undefined ? {} : { picked_by: pickedBy }),
      ...(countsForEvents === undefined ? {} : { scope: 'bucket', counts_for_events: countsForEvents }),
      ...(notes === undefined ? {} : { closing_notes: notes.closingNotes, indicators: notes.indicators }),
    })),
  }
}

/** By event or by bucket: the path, and the meaning of its second parameter. */
interface By {
  readonly path: string
  readonly name: 'Event' | 'Bucket'
  target(text: string): ConsensusTarget
}

const byEvent: By = {
  path: '/api/v2/events/{job_id}/{event_id}/consensus',
  name: 'Event',
  target: (eventId) => ({ eventId }),
}
const byBucket: By = {
  path: '/api/v2/jobs/{job_id}/buckets/{bucket_id}/consensus',
  name: 'Bucket',
  target: (text) => ({ bucketId: text.toLowerCase() }),
}

function jobAndTarget(
  app: App,
  principal: Principal,
  params: readonly string[],
  by: By,
): { job: JobHandle; target: ConsensusTarget } {
  return { job: jobFromPath(app, principal, params[0]!), target: by.target(params[1]!) }
}

const answer = { 200: { description: 'The consensus now.', schema: ConsensusView } }

function see(by: By): Route {
  return operation({
    method: 'GET',
    path: by.path,
    operationId: `get${by.name}Consensus`,
    tag,
    summary: `Get the votes on ${by.name === 'Event' ? 'the bucket of an event, or on the event' : 'a bucket'}`,
    scope: read,
    responses: answer,
    errors: [404],
    handle({ app, principal, params }) {
      const { job, target } = jobAndTarget(app, principal, params, by)
      return viewWire(app.service.consensus.of(job, target))
    },
  })
}

function override(by: By): Route {
  return operation({
    method: 'PUT',
    path: by.path,
    operationId: `override${by.name}Consensus`,
    tag,
    summary: 'Override the consensus',
    description: 'The label takes precedence over all votes until the override is withdrawn. For administrators.',
    scope: write,
    body: OverrideBody,
    bodyExample: { consensus: 'Escalate' },
    responses: answer,
    errors: [400, 404, 413, 507],
    async handle({ app, principal, params, body }) {
      const { job, target } = jobAndTarget(app, principal, params, by)
      const label = body.consensus ?? body.label
      if (label === undefined) {
        const issue = { loc: ['body', 'consensus'], msg: 'Field required', type: 'missing' }
        throw new Refusal('invalid_body', 'consensus: Field required', { issues: [issue] })
      }
      return viewWire(await app.service.consensus.override(job, target, label, principal))
    },
  })
}

function withdraw(by: By): Route {
  return operation({
    method: 'DELETE',
    path: by.path,
    operationId: `withdraw${by.name}Override`,
    tag,
    summary: 'Withdraw the override, so that the votes count again',
    scope: write,
    responses: answer,
    errors: [404, 507],
    async handle({ app, principal, params }) {
      const { job, target } = jobAndTarget(app, principal, params, by)
      return viewWire(await app.service.consensus.withdraw(job, target, principal))
    },
  })
}

const disagreements = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/disagreements',
  operationId: 'listDisagreements',
  tag,
  summary: 'List where analysts disagree',
  description: 'Buckets with votes for more than one label, or events if the job has no buckets; latest votes first.',
  scope: read,
  query: DisagreementQuery,
  responses: { 200: { description: 'A page of disagreements.', schema: DisagreementPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { page = 0, size = SIZE, overridden, undecided } = query
    const found = await app.service.consensus.disagreements(job, {
      page,
      size,
      ...(overridden === undefined ? {} : { overridden }),
      ...(undecided === undefined ? {} : { undecided }),
    })
    return {
      disagreements: found.disagreements.map(viewWire),
      total_count: found.total,
      total_count_is_exact: found.exact,
      page,
      size,
    }
  },
})

const mixed = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/mixed-buckets',
  operationId: 'listMixedBuckets',
  tag,
  summary: 'List mixed buckets, and the fields that tell their events apart',
  description: 'Buckets whose voted events have more than one label. The decision points do not tell them apart.',
  scope: read,
  query: MixedQuery,
  responses: { 200: { description: 'A page of mixed buckets.', schema: MixedPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { page = 0, size = SIZE } = query
    const found = await app.service.consensus.mixedBuckets(job, { page, size })
    return {
      mixed_buckets: found.buckets.map(viewWire),
      separating_fields: found.fields,
      voted_events: found.votedEvents,
      total_count: found.total,
      total_count_is_exact: found.exact,
      page,
      size,
    }
  },
})

const addPoints = operation({
  method: 'POST',
  path: '/api/v2/jobs/{job_id}/decision-points',
  operationId: 'addDecisionPoints',
  tag,
  summary: 'Add decision points, and train',
  description:
    'New decision points begin new buckets. Votes stay with their events, so the training learns from them at ' +
    'the new points. Stored events are decided anew when they are reprocessed.',
  scope: 'write:resources',
  body: NewDecisionPoints,
  bodyExample: { add: ['source.geo.country_iso_code'] },
  responses: { 200: { description: 'The decision points now.', schema: DecisionPointsAnswer } },
  errors: [404, 413, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { title, category, decisionPoints } = app.service.jobView(job)
    const points = [...new Set([...decisionPoints, ...body.add])]
    const properties = { title, category, decision_points: points }
    await app.service.applyResources({ resources: { job: { type: 'job', properties } } }, true, principal)
    const training = await app.service.train(job, principal.name, principal).then(
      () => 'queued',
      (error: unknown) => {
        if (error instanceof Refusal) return error.message
        throw error
      },
    )
    return { decision_points: points, training }
  },
})

export const consensusRoutes: readonly Route[] = [
  ...[byEvent, byBucket].flatMap((by) => [see(by), override(by), withdraw(by)]),
  disagreements,
  mixed,
  addPoints,
]
