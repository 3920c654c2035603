/** The labels that are worth most: what people should be asked next. */
import { isoMicros, selectionBounds, type QueueTurn } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { NextPage, NextQuery, SecondLookPage, SecondLookQuery } from '../../schemas/next.js'
import { jobFromPath } from '../job-reference.js'

const COUNT = 10
const DOUBTED = 20

/** The labels for one of several people who work at a job: each begins elsewhere, and the rest follows. */
function inTurn<T>(labels: readonly T[], { place, people }: QueueTurn, count: number): T[] {
  const from = Math.floor((labels.length * place) / people)
  return [...labels.slice(from), ...labels.slice(0, from)].slice(0, count)
}

const next = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/next',
  operationId: 'getNextLabels',
  tag: 'Feedback',
  summary: 'List the events whose votes are worth most',
  description:
    'Each has the reason why it is asked for, and what its vote promises to settle. Send its `picked_by` with the ' +
    'vote. Where analysts disagree stands on top. One in ten is drawn at random, and two in ten are unlike all ' +
    'that was voted on. Without `cortex_user` the person who is asked is the owner of the key; people who work at a ' +
    'job at the same time begin at different events.',
  scope: 'read:event_query',
  query: NextQuery,
  responses: { 200: { description: 'The labels to ask for, the first one first.', schema: NextPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { count = COUNT, cortex_user: user = '' } = query
    const analyst = user.trim() === '' ? principal.name : user.trim()
    // A program that asks for several people orders them by itself.
    const isPerson = principal.kind === 'user' && analyst === principal.name
    const turn = isPerson ? app.service.live.handling.turnAt(job, principal) : { place: 0, people: 1 }
    const page = await app.service.nextLabels.next(job, {
      count: Math.min(count * turn.people, selectionBounds.nextMax),
      analyst,
    })
    return {
      next: inTurn(page.labels, turn, count).map((label) => ({
        event_id: label.eventId,
        ingest_timestamp: isoMicros(label.ingestMicros),
        '@timestamp': isoMicros(label.originalMicros),
        title: label.title,
        decision_points: label.decisionPoints,
        bucket_id: label.bucketId,
        applies_to_events: label.events,
        result: label.result,
        result_label: label.resultLabel,
        confidence_score: label.confidenceScore,
        outlier: label.outlier,
        picked_by: label.pickedBy,
        reason: label.reason,
        promise: label.promise,
      })),
      promises: page.promises,
      drawn: page.drawn,
      surveyed: page.surveyed,
      unvoted: page.unvoted,
      is_complete: page.isComplete,
    }
  },
})

const secondLook = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/second-look',
  operationId: 'getSecondLook',
  tag: 'Feedback',
  summary: 'List the votes that are probably wrong',
  description:
    'Votes that the model contradicts most, asked without them, and what a second look is expected to gain. A vote ' +
    'leaves the list when anyone votes on its event again, and the next training makes a new list.',
  scope: 'read:event_query',
  query: SecondLookQuery,
  responses: { 200: { description: 'The votes, the most doubted first.', schema: SecondLookPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { count = DOUBTED, order = 'doubt' } = query
    const found = await app.service.nextLabels.secondLook(job, { count, order })
    return {
      votes: found.votes.map((vote) => ({
        event_id: vote.eventId,
        ingest_timestamp: isoMicros(vote.ingestMicros),
        bucket_id: vote.bucketId,
        applies_to_events: vote.events,
        label: vote.label,
        analysts: vote.analysts,
        suggested_label: vote.suggested,
        label_probability: vote.labelProbability,
        suggested_probability: vote.suggestedProbability,
        wrong_probability: vote.wrongProbability,
        picked_by: 'second_look' as const,
        expected_gain: vote.gain,
      })),
      model: found.modelId,
    }
  },
})

export const labelRoutes: readonly Route[] = [next, secondLook]
