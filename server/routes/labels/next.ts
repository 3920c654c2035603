/** The labels that are worth most: what people should be asked next. */
import { isoMicros } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { NextPage, NextQuery } from '../../schemas/next.js'
import { jobFromPath } from '../job-reference.js'

const COUNT = 10

const next = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/next',
  operationId: 'getNextLabels',
  tag: 'Feedback',
  summary: 'List the events whose votes are worth most',
  description:
    'Each has the reason why it is asked for, and what its vote promises to settle. Send its `picked_by` with the ' +
    'vote. Where analysts disagree stands on top. One in ten is drawn at random, and two in ten are unlike all ' +
    'that was voted on. Without `cortex_user` the person who is asked is the owner of the key.',
  scope: 'read:event_query',
  query: NextQuery,
  responses: { 200: { description: 'The labels to ask for, the first one first.', schema: NextPage } },
  errors: [404],
  async handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { count = COUNT, cortex_user: user = '' } = query
    const analyst = user.trim() === '' ? principal.name : user.trim()
    const page = await app.service.nextLabels.next(job, { count, analyst })
    return {
      next: page.labels.map((label) => ({
        event_id: label.eventId,
        ingest_timestamp: isoMicros(label.ingestMicros),
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
      surveyed: page.surveyed,
      unvoted: page.unvoted,
      is_complete: page.isComplete,
    }
  },
})

export const labelRoutes: readonly Route[] = [next]
