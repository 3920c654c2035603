/** Erasing stored events, for example the data of a person. */
import { operation, type Route } from '../http/route.js'
import { worked } from '../schemas/common.js'
import { EraseResult } from '../schemas/erase.js'
import { ReprocessSelection } from '../schemas/stored-events.js'
import { filtersOf } from './queries.js'
import { jobFromPath } from './job-reference.js'

const erase = operation({
  method: 'POST',
  path: '/api/v2/events/{job_id}/delete',
  operationId: 'deleteEvents',
  tag: 'Events',
  summary: 'Delete matching events permanently',
  description:
    'Deletes events that came in before the request and match its dates and filters; at least one of these must be ' +
    'given.\n\n' +
    'Deleted with them: their ids, notes and votes, buckets that become empty, and their share of all counts. A ' +
    'model keeps what it learned from them until the next training; `retrain_needed` says so. Backups, systems that ' +
    'received the events through integrations, and audit log entries about single events keep their data.\n\n' +
    'With the setting `retrain_after_erase` of the job, the model is trained again before the answer comes, and ' +
    '`forgetting` says from which model on nothing of the events is left.\n\n' +
    'The answer comes when all events are deleted. If the connection breaks, send the request again: it continues.',
  scope: 'delete:events',
  body: ReprocessSelection,
  bodyExample: {
    date_field: '@timestamp',
    end_date: '2026-01-01',
    filters: [{ field: 'source.ip', operator: 'is', value: '192.0.2.7' }],
  },
  responses: { 200: { description: 'The events are deleted.', schema: EraseResult } },
  errors: [404, 507],
  async handle({ app, params, principal, body }) {
    const request = {
      dateField: body.date_field ?? undefined,
      startDate: body.start_date,
      endDate: body.end_date,
      filters: filtersOf(body, principal),
    }
    const { events, votes, retrainNeeded, forgetting } = await app.service.erase.events(
      jobFromPath(app, principal, params[0]!),
      request,
      principal,
    )
    return {
      request: worked,
      events_deleted: events,
      votes_deleted: votes,
      retrain_needed: retrainNeeded,
      forgetting: {
        state: forgetting.state,
        gone_from_model: forgetting.goneFromModel,
        message: forgetting.message,
      },
    }
  },
})

export const eraseRoutes: readonly Route[] = [erase]
