/** Deleting stored events for good: a person's data, say. */
import { operation, type Route } from '../http/route.js'
import { worked } from '../schemas/common.js'
import { EraseResult } from '../schemas/erase.js'
import { ReprocessSelection } from '../schemas/stored-events.js'
import { jobFromPath } from './job-reference.js'

const erase = operation({
  method: 'POST',
  path: '/api/v2/events/{job_id}/delete',
  operationId: 'deleteEvents',
  tag: 'Events',
  summary: 'Delete the events that match, for good',
  description:
    'Those that came in before the request and that dates and filters name; one of them must be given. Records, ids, notes, votes that ' +
    'were given on them, buckets that they leave empty and all counts go; a model keeps what it learned until it is trained again, and ' +
    'is marked for that. The answer comes when all are gone; a request that was cut off is sent again and goes on. Backups, ' +
    'counterparts of integrations and entries of the audit log about single events keep what they have.',
  scope: 'delete:events',
  body: ReprocessSelection,
  bodyExample: {
    date_field: '@timestamp',
    end_date: '2026-01-01',
    filters: [{ field: 'source.ip', operator: 'is', value: '192.0.2.7' }],
  },
  responses: { 200: { description: 'They are gone.', schema: EraseResult } },
  errors: [404, 507],
  async handle({ app, params, principal, body }) {
    const request = {
      dateField: body.date_field ?? undefined,
      startDate: body.start_date,
      endDate: body.end_date,
      filters: body.filters,
    }
    const { events, votes, retrainNeeded } = await app.service.erase.events(
      jobFromPath(app, principal, params[0]!),
      request,
      principal,
    )
    return { request: worked, events_deleted: events, votes_deleted: votes, retrain_needed: retrainNeeded }
  },
})

export const eraseRoutes: readonly Route[] = [erase]
