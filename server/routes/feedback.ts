/** Votes: what one is about, giving it, withdrawing it (C3.5, C2.4, S15). */
import type { Static } from 'typebox'
import {
  isoMicros,
  Refusal,
  type AnswerView,
  type FeedbackInput,
  type Principal,
  type VoteEffect,
} from '../../engine/index.js'
import type { App } from '../app.js'
import { operation, type Route } from '../http/route.js'
import {
  Feedback,
  FeedbackLabel,
  FeedbackOutcome,
  FeedbackReach,
  FeedbackUndo,
  FeedbackWithdrawal,
} from '../schemas/feedback.js'
import { jobFromPath } from './job-reference.js'
import { momentOf } from './moment.js'

const tag = 'Feedback'
const scope = 'write:event_feedback'
const path = '/api/v1/events/{job_id}/{event_id}/feedback'
const pathByLabel = '/api/v2/events/{job_id}/{event_id}/feedback'
const wholeBucket =
  'A vote is about one event, and is evidence for its bucket. With `scope: "bucket"` it is about all events of the ' +
  "bucket, in place of the analyst's votes on single ones, and counts for as many as it replaces."

const example = {
  status: 'updated',
  applied: true,
  vote: { label: 'Drop', scope: 'event', voted_at: '2026-03-01T10:00:00.000000Z', closing_notes: null },
  bucket_id: '5f2b8c1d9e3a4f60718293a4b5c6d7e8',
  applies_to_events: 516,
  consensus: 'Drop',
  split: { Escalate: 1, Drop: 6, Investigate: 0 },
  mixed: true,
  bucket_state: 'in_knowledge_base',
  consensus_before: 'Drop',
  answer: { result: 'label_1', result_label: 'Drop', confidence_score: 83.1 },
  answer_before: { result: 'label_1', result_label: 'Drop', confidence_score: 80.4 },
}
const outcome = { 200: { description: 'What the vote changed.', schema: FeedbackOutcome, example } }

function answerWire(answer: AnswerView | null) {
  if (answer === null) return null
  const { result, resultLabel, confidenceScore } = answer
  return { result, result_label: resultLabel, confidence_score: confidenceScore }
}

function outcomeWire(effect: VoteEffect) {
  return {
    status: 'updated',
    applied: effect.applied,
    vote:
      effect.vote === null
        ? null
        : {
            label: effect.vote.label,
            scope: effect.vote.scope,
            voted_at: isoMicros(effect.vote.votedMicros),
            closing_notes: effect.vote.closingNotes,
          },
    bucket_id: effect.bucketId,
    applies_to_events: effect.appliesToEvents,
    consensus: effect.consensus,
    split: effect.split,
    mixed: effect.mixed,
    bucket_state: effect.bucketState,
    consensus_before: effect.consensusBefore,
    answer: answerWire(effect.answer),
    answer_before: answerWire(effect.answerBefore),
  }
}

/** When the analyst said so, and the id of the vote, where the request has them. @throws Refusal invalid_body. */
function saidAt(
  { voted_at: text, vote_id: voteId }: { readonly voted_at?: string; readonly vote_id?: string },
  where: 'query' | 'body',
): Pick<FeedbackInput, 'votedMicros' | 'voteId'> {
  const votedMicros = momentOf('voted_at', text, where)
  return {
    ...(votedMicros === undefined ? {} : { votedMicros }),
    ...(voteId === undefined ? {} : { voteId }),
  }
}

/** Which vote is taken back. @throws Refusal invalid_body. */
function takenBackBy({ voted_at: text, vote_id: voteId }: Static<typeof FeedbackUndo>) {
  if (voteId !== undefined) return { voteId }
  const votedMicros = momentOf('voted_at', text, 'body')
  if (votedMicros !== undefined) return { votedMicros }
  const issue = { loc: ['body', 'vote_id'], msg: 'vote_id or voted_at is required', type: 'missing' }
  throw new Refusal('invalid_body', 'vote_id or voted_at is required', { issues: [issue] })
}

function analystOf(names: readonly (string | undefined)[], fallback: string): string {
  return names.map((name) => name?.trim()).find((name) => name !== undefined && name !== '') ?? fallback
}

const see = operation({
  method: 'GET',
  path: pathByLabel,
  operationId: 'getFeedbackReach',
  tag,
  summary: 'See what a vote on the event would be about',
  description: 'How many events the vote applies to, and what was voted so far.',
  scope,
  responses: { 200: { description: 'The bucket of the event.', schema: FeedbackReach } },
  errors: [404],
  handle({ app, principal, params }) {
    const view = app.service.consensus.of(jobFromPath(app, principal, params[0]!), { eventId: params[1]! })
    return {
      bucket_id: view.bucketId,
      applies_to_events: view.events,
      consensus: view.consensus,
      split: view.split,
      mixed: view.mixed,
      bucket_state: view.bucketState,
    }
  },
})

/** Takes a vote. `params`: the job's id and the event's id. Resolves to the answer when the vote is flushed. */
export async function giveVote(
  app: App,
  principal: Principal,
  params: readonly string[],
  body: Static<typeof Feedback>,
) {
  const job = jobFromPath(app, principal, params[0]!)
  const label = body.feedback ?? body.label ?? body.feedback
  if (label === undefined) {
    const issue = { loc: ['body', 'feedback'], msg: 'Field required', type: 'missing' }
    throw new Refusal('invalid_body', 'feedback: Field required', { issues: [issue] })
  }
  const input: FeedbackInput = {
    analyst: analystOf([body.cortex_user, body.username], principal.name),
    label,
    ...(body.scope === undefined ? {} : { scope: body.scope }),
    ...(body.picked_by === undefined ? {} : { pickedBy: body.picked_by }),
    ...saidAt(body, 'body'),
    ...(body.closing_notes === undefined ? {} : { closingNotes: body.closing_notes }),
    ...(body.indicators === undefined ? {} : { indicators: body.indicators }),
  }
  return outcomeWire(await app.service.giveFeedback(job, params[1]!, input, principal))
}

const give = operation({
  method: 'PUT',
  path,
  operationId: 'giveFeedback',
  tag,
  summary: 'Vote for the right decision',
  description: `${wholeBucket} \`feedback: null\` withdraws the analyst's vote.`,
  scope,
  body: Feedback,
  bodyExample: { cortex_user: 'ann', feedback: 'Escalate' },
  responses: outcome,
  errors: [404, 507],
  handle: ({ app, principal, params, body }) => giveVote(app, principal, params, body),
})

const giveByLabel = operation({
  method: 'PUT',
  path: pathByLabel,
  operationId: 'giveFeedbackByLabel',
  tag,
  summary: 'Vote for the right decision, without a body',
  description:
    'The vote belongs to the owner of the key. If an id was posted more than once, the vote is about the latest ' +
    `version. ${wholeBucket}`,
  scope,
  query: FeedbackLabel,
  responses: outcome,
  errors: [400, 404, 507],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const input: FeedbackInput = {
      analyst: principal.name,
      label: query.feedback_label,
      ...(query.scope === undefined ? {} : { scope: query.scope }),
      ...(query.picked_by === undefined ? {} : { pickedBy: query.picked_by }),
      ...saidAt(query, 'query'),
    }
    return outcomeWire(await app.service.giveFeedback(job, params[1]!, input, principal))
  },
})

function withdraw(at: string, operationId: string): Route {
  return operation({
    method: 'DELETE',
    path: at,
    operationId,
    tag,
    summary: 'Withdraw a vote',
    description:
      "Withdraws the analyst's vote on the event; with `scope=bucket` all votes of the analyst on its bucket. " +
      'Without `cortex_user` the analyst is the owner of the key.',
    scope,
    query: FeedbackWithdrawal,
    responses: outcome,
    errors: [404, 507],
    async handle({ app, principal, params, query }) {
      const job = jobFromPath(app, principal, params[0]!)
      const analyst = analystOf([query.cortex_user], principal.name)
      const input: FeedbackInput = {
        analyst,
        label: null,
        ...(query.scope === undefined ? {} : { scope: query.scope }),
        ...saidAt(query, 'query'),
      }
      return outcomeWire(await app.service.giveFeedback(job, params[1]!, input, principal))
    },
  })
}

const undo = operation({
  method: 'POST',
  path: `${pathByLabel}/undo`,
  operationId: 'undoFeedback',
  tag,
  summary: 'Take a vote back',
  description:
    'What the vote replaced stands again, with its time and notes; without an earlier vote, none. A vote that was ' +
    'changed since stays (`applied: false`). The latest eight votes of an analyst on an event are remembered. A vote ' +
    'on a whole bucket is withdrawn instead.',
  scope,
  isIdempotent: true,
  body: FeedbackUndo,
  bodyExample: { voted_at: '2026-03-01T10:00:00.000000Z' },
  responses: outcome,
  errors: [404, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const input: FeedbackInput = {
      analyst: analystOf([body.cortex_user], principal.name),
      label: null,
      takesBack: takenBackBy(body),
    }
    return outcomeWire(await app.service.giveFeedback(job, params[1]!, input, principal))
  },
})

export const feedbackRoutes: readonly Route[] = [
  see,
  give,
  giveByLabel,
  undo,
  withdraw(path, 'withdrawFeedback'),
  withdraw(pathByLabel, 'withdrawFeedbackByLabel'),
]
