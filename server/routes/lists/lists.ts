/** Lists of events by cursor, and facets: bounded in time, answered by the list thread as JSON text. */
import type { Static } from 'typebox'
import type { Principal } from '../../../engine/index.js'
import type { Route } from '../../http/route.js'
import { FacetQuery, Facets, ListPage, ListQuery, type Selection } from '../../schemas/live/lists.js'
import { filtersOf, given, jobsOf, query } from '../queries.js'

/** The part that lists and facets share, in engine names. */
export function selectionOf(body: Static<typeof Selection>, principal: Principal) {
  return {
    ...jobsOf(body),
    ...given({
      filters: filtersOf(body, principal),
      dateField: body.date_field,
      startDate: body.start_date,
      endDate: body.end_date,
      withinMs: body.within_ms,
    }),
  }
}

const list = query({
  path: '/api/v2/events/list',
  operationId: 'listEvents',
  summary: 'List events, newest first, by a cursor',
  description:
    'A page comes within `within_ms`. Filters on decision points, label, confidence, outlier and state are answered ' +
    'from memory; for others, events are read from the newest on. A page may have fewer events than `size`, or none, ' +
    'without being the last one: go on while `next` is not null. `looked_at` and `looked_back_to` show the progress. ' +
    'A request that is closed stops its work.',
  body: ListQuery,
  bodyExample: {
    job_ids: [1],
    filters: [{ field: 'service.result_label', operator: 'is', value: 'Escalate' }],
    size: 50,
  },
  answer: { description: 'A page of events.', schema: ListPage },
  ask: ({ live: { lists } }, principal, body, gone) =>
    lists.events(
      principal,
      {
        ...selectionOf(body, principal),
        ...given({
          newestBy: body.newest_by,
          size: body.size,
          after: body.after,
          count: body.count,
          rawBody: body.raw_body,
          columns: body.columns,
        }),
      },
      gone,
    ),
})

const facets = query({
  path: '/api/v2/events/facets',
  operationId: 'countFacets',
  summary: 'Count the values of fields in the events that match',
  description:
    'Bounded in time: `partial` says that the counts are those of the newest events, `counted` of how many. Fields ' +
    'are named as in filters. Events that pass all filters are counted. Only what the filters choose among the ' +
    'values of a field (`is`, `is one of`, `not exists`) does not count for this field, so that its ' +
    'other values stay in sight.',
  body: FacetQuery,
  bodyExample: { job_ids: [1], fields: ['service.result_label', 'host.name'], size: 5 },
  answer: { description: 'The counts.', schema: Facets },
  ask: ({ live: { lists } }, principal, body, gone) =>
    lists.facets(
      principal,
      { ...selectionOf(body, principal), fields: body.fields, ...given({ size: body.size }) },
      gone,
    ),
})

export const listRoutes: readonly Route[] = [list, facets]
