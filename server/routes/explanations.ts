/** Why an event has its decision, what a body would be decided as, and similar events. */
import {
  isoMicros,
  limits,
  type AnswerShown,
  type EventExplanation as EventExplanationView,
  type ExplainedDecision,
  type Explanation,
  type ModelExplanation,
  type Scope,
  type SimilarEvents,
  type VotesShown,
  type WhatIf,
  type WithoutShown,
} from '../../engine/index.js'
import { stillAuthorized } from '../http/auth.js'
import { collectBody } from '../http/body.js'
import { whileHeld } from '../http/held-bytes.js'
import { replyError } from '../http/error-reply.js'
import { replyJson } from '../http/reply.js'
import { operation, type GuardedRoute, type Route } from '../http/route.js'
import { EventExplanation, SimilarAnswer, SimilarQuery, WhatIfAnswer, WhatIfBody } from '../schemas/explanations.js'
import { jobFromPath } from './job-reference.js'

const tag = 'Events'
const read: Scope = 'read:event_export'
const SIMILAR_COUNT = 10

function answerWire({ result, resultLabel, confidenceScore, outlierScore }: AnswerShown) {
  return { result, result_label: resultLabel, confidence_score: confidenceScore, outlier_score: outlierScore }
}

function decisionWire(decision: ExplainedDecision) {
  return {
    status: decision.status,
    ...answerWire(decision),
    outlier: decision.outlier,
    source: decision.source,
    model: decision.modelId,
    by_earlier_model: decision.isByEarlierModel,
    reason: decision.reason,
    exact: decision.isExact,
    inexact_reason: decision.inexactReason,
    confidence_basis: decision.confidenceBasis,
    confidence_note: decision.confidenceNote,
  }
}

function votesWire({ override, ...votes }: VotesShown) {
  return {
    bucket_id: votes.bucketId,
    consensus: votes.consensus,
    bucket_state: votes.bucketState,
    override:
      override === null ? null : { label: override.label, by: override.by, timestamp: isoMicros(override.atMicros) },
    split: votes.split,
    tied_events: votes.tiedEvents,
    mixed: votes.mixed,
    votes_count: votes.votesCount,
  }
}

function withoutWire(one: WithoutShown) {
  return { fields: one.fields, ...answerWire(one), effect: one.effect }
}

function modelWire(model: ModelExplanation) {
  return {
    id: model.modelId,
    version: model.version,
    active: model.isActive,
    trained_at: isoMicros(model.trainedMicros),
    voted_events: model.votedEvents,
    evidence_weight: model.evidenceWeight,
    answer: model.answer === null ? null : answerWire(model.answer),
    probabilities: model.probabilities,
    fields: model.fields.map(withoutWire),
    pair: model.pair === null ? null : withoutWire(model.pair),
    pairs_tried: model.pairsTried,
    pairs: model.pairs,
    nearest: model.nearest.map(({ eventId, resultLabel, consensus, bucketId, likeness }) => {
      return { event_id: eventId, result_label: resultLabel, consensus, bucket_id: bucketId, likeness }
    }),
    outlier_threshold: model.outlierThreshold,
    unlike: model.unlike.map(({ outlierScore, ...one }) => ({ ...one, outlier_score: outlierScore })),
  }
}

function explanationWire({ inWords, decision, votes, model, cluster }: Explanation) {
  return {
    in_words: inWords,
    decision: decisionWire(decision),
    votes: votes === null ? null : votesWire(votes),
    model: model === null ? null : modelWire(model),
    cluster: cluster === null ? null : { cluster_id: cluster.clusterId, reason: cluster.reason },
  }
}

function eventWire(explained: EventExplanationView) {
  const { eventId, ingestMicros } = explained
  return { event_id: eventId, ingest_timestamp: isoMicros(ingestMicros), ...explanationWire(explained) }
}

function whatIfWire({ decision, bucketState, bucketId, isKnownBucket, note, explanation }: WhatIf) {
  return {
    ...decisionWire(decision),
    bucket_state: bucketState,
    knowledge_base_state: bucketState,
    bucket_id: bucketId,
    known_bucket: isKnownBucket,
    note,
    ...(explanation === null ? {} : { explanation: explanationWire(explanation) }),
  }
}

function similarWire({ eventId, bucketId, equalEvents, similar, compared, isComplete, modelId }: SimilarEvents) {
  return {
    event_id: eventId,
    bucket_id: bucketId,
    equal_events: equalEvents,
    similar: similar.map((one) => ({
      event_id: one.eventId,
      ingest_timestamp: one.ingestMicros === null ? null : isoMicros(one.ingestMicros),
      '@timestamp': one.ownMicros === null ? null : isoMicros(one.ownMicros),
      bucket_id: one.bucketId,
      events: one.events,
      likeness: one.likeness,
      result: one.result,
      result_label: one.resultLabel,
      consensus: one.consensus,
      differences: one.differences,
    })),
    compared,
    complete: isComplete,
    model: modelId,
  }
}

const explain = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/{event_id}/explanation',
  operationId: 'explainEvent',
  tag,
  summary: 'Explain the decision of an event',
  description:
    'The votes on its bucket, and what the model of the decision says: its answer without each field and without the ' +
    'pair of fields that matters most, the nearest labelled events, and what is unlike them. All of it is from one ' +
    'snapshot. Nothing is estimated: the answer without a field is what the stored model gives for the event without ' +
    'that field, and `exact` says whether the model still gives the stored decision.',
  scope: read,
  responses: { 200: { description: 'The explanation.', schema: EventExplanation } },
  errors: [404],
  async handle({ app, principal, params, gone }) {
    const job = jobFromPath(app, principal, params[0]!)
    return eventWire(await app.service.explanations.event(job, params[1]!, gone()))
  },
})

const similar = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/{event_id}/similar',
  operationId: 'listSimilarEvents',
  tag,
  summary: 'List events that are similar to an event',
  description:
    'Other buckets, each with its latest event; in jobs without buckets other events. They are compared by the ' +
    "features that the job's model learns from, for one second at most.",
  scope: read,
  query: SimilarQuery,
  responses: { 200: { description: 'Similar events.', schema: SimilarAnswer } },
  errors: [404],
  async handle({ app, principal, params, query, gone }) {
    const job = jobFromPath(app, principal, params[0]!)
    return similarWire(await app.service.explanations.similar(job, params[1]!, query.count ?? SIMILAR_COUNT, gone()))
  },
})

const decide: GuardedRoute = {
  method: 'POST',
  path: '/api/v2/jobs/{job_id}/decide',
  operationId: 'decideBody',
  isIdempotent: true,
  tag,
  summary: 'Decide a body without storing it',
  description:
    'The body is that of a new event, with the same checks and the same bounds. The answer is the decision that the ' +
    'event would get now. Nothing is stored or counted. With `explain: true` the answer has the explanation, too.',
  scope: read,
  body: WhatIfBody,
  bodyExample: { raw_body: { source: { ip: '192.0.2.7' }, rule: 'Impossible travel' }, explain: true },
  responses: { 200: { description: 'The decision.', schema: WhatIfAnswer } },
  errors: [404],
  serve(exchange, params, app, principal) {
    jobFromPath(app, principal, params[0]!)
    const gone = new AbortController()
    collectBody(exchange, limits.eventBytesMax, () => gone.abort())
      .then((bytes) => {
        const job = jobFromPath(app, stillAuthorized(exchange, app, read), params[0]!)
        return whileHeld(bytes.length, () => app.service.explanations.decide(job, bytes, gone.signal))
      })
      .then((decided) => replyJson(exchange, 200, whatIfWire(decided)))
      .catch((error: unknown) => replyError(exchange, error))
  },
}

export const explanationRoutes: readonly Route[] = [explain, similar, decide]
