/**
 * Queries over stored events (C2.7, C2.8).
 *
 * Reader threads produce the answers as JSON text, which is sent unchanged. When the client disconnects, its query is
 * cancelled.
 */
import type { Static, TObject, TSchema } from 'typebox'
import {
  withOwnName,
  filtersWith,
  limits,
  type DecisionService,
  type JobSelection as Jobs,
  type Principal,
} from '../../engine/index.js'
import { stillAuthorized } from '../http/auth.js'
import { collectBody } from '../http/body.js'
import { replyError } from '../http/error-reply.js'
import { json } from '../http/reply.js'
import type { GuardedRoute, Route } from '../http/route.js'
import { Checker, parseJson } from '../http/validate.js'
import {
  EventsPage,
  EventsQuery,
  FieldList,
  FieldTypes,
  JobSelection,
  RawQuery,
  SearchAnswer,
} from '../schemas/queries.js'

export interface Query<B extends TObject> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly body: B
  readonly bodyExample?: unknown
  readonly answer: { readonly description: string; readonly schema: TSchema; readonly example?: unknown }
  ask(service: DecisionService, principal: Principal, body: Static<B>, gone: AbortSignal): Promise<Uint8Array>
}

/** A query whose answer is JSON text from another thread. */
export function query<B extends TObject>({ answer, ask, ...doc }: Query<B>): GuardedRoute {
  const checker = new Checker(doc.body, 'body')
  return {
    ...doc,
    method: 'POST',
    isIdempotent: true,
    tag: 'Queries',
    scope: 'read:event_query',
    responses: { 200: answer },
    errors: [404],
    serve(exchange, _params, app) {
      const gone = new AbortController()
      collectBody(exchange, limits.queryBytesMax, () => gone.abort())
        .then((bytes) => {
          return ask(
            app.service,
            stillAuthorized(exchange, app, 'read:event_query'),
            checker.check(parseJson(bytes)),
            gone.signal,
          )
        })
        .then((text) => exchange.reply('200 OK', json, text))
        .catch((error: unknown) => replyError(exchange, error))
    },
  }
}

type WireJobs = Static<typeof JobSelection>

/** One value or several; an empty list counts as absent. */
function listOf<T>(value: T | T[] | undefined): T[] | undefined {
  if (value === undefined) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list.length === 0 ? undefined : list
}

export function jobsOf(body: WireJobs): Jobs {
  const jobIds = listOf(body.job_ids)?.map(Number)
  const jobTitles = listOf(body.job_titles)
  return { ...(jobIds === undefined ? {} : { jobIds }), ...(jobTitles === undefined ? {} : { jobTitles }) }
}

interface Selecting {
  readonly filters?: unknown
  readonly query?: string | undefined
}

/** The filters of a request and its query, in which `me` is who asks. */
export function filtersOf({ filters, query: text }: Selecting, { name }: Principal): unknown {
  return filtersWith(filters, text === undefined ? undefined : withOwnName(text, name))
}

/** Filters of a task as they were sent: the query is beside them. */
export function sentFilters<F>(filters: readonly unknown[]): { filters: F[]; query: string | null } {
  const isQuery = (filter: unknown): filter is { readonly query: string } =>
    typeof filter === 'object' && filter !== null && 'query' in filter
  return { filters: filters.filter((one) => !isQuery(one)) as F[], query: filters.find(isQuery)?.query ?? null }
}

/** The fields that are not undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

const events = query({
  path: '/api/v2/events/query',
  operationId: 'queryEvents',
  summary: 'Find events by a query, filters and dates',
  description:
    'Newest first by default. `next` of a page is `after` of the following one, as far as events match. Numbers of ' +
    `pages cover the first ${limits.queryWindowMax} events. The count covers all.`,
  body: EventsQuery,
  bodyExample: {
    job_ids: [1],
    start_date: 'now-7d',
    filters: [{ field: 'source.ip', operator: 'starts with', value: '10.' }],
    size: 20,
  },
  answer: { description: 'A page of events.', schema: EventsPage },
  ask: ({ queries }, principal, body, gone) =>
    queries.events(
      principal,
      {
        ...jobsOf(body),
        ...given({
          eventIds: listOf(body.event_ids)?.map(String),
          filters: filtersOf(body, principal),
          dateField: body.date_field,
          startDate: body.start_date,
          endDate: body.end_date,
          size: body.size,
          page: body.page,
          after: body.after,
          sortBy: body.sort_by_column,
          sortOrder: body.sort_order?.toLowerCase() as 'asc' | 'desc' | undefined,
          countOnly: body.count_results_only,
          decisionPointsOnly: body.decision_points_only,
          columns: body.columns,
        }),
      },
      gone,
    ),
})

const search = query({
  path: '/api/v2/events/raw_es_query',
  operationId: 'searchEvents',
  summary: 'Search and aggregate events in the query language of Elasticsearch',
  description: 'Results are exact: nothing is sampled. Hits have no score; by default they are sorted newest first.',
  body: RawQuery,
  bodyExample: {
    job_ids: 1,
    query_body: {
      size: 0,
      query: { bool: { must: [{ range: { '@timestamp': { gte: 'now-1d' } } }, { match: { 'rule.name': 'login' } }] } },
      aggs: { hosts: { terms: { field: 'host.name', size: 5 } } },
    },
  },
  answer: { description: 'An answer in the form of Elasticsearch.', schema: SearchAnswer },
  ask: ({ queries }, principal, body, gone) =>
    queries.search(
      principal,
      {
        ...jobsOf(body),
        queryBody: body.query_body ?? {},
        decisionPointsOnly: body.decision_points_only === true,
      },
      gone,
    ),
})

const fields = query({
  path: '/api/v2/filters/fields',
  operationId: 'listFilterFields',
  summary: 'List the fields to filter by, and their jobs',
  description: `Fields of the latest events of the jobs, ${limits.fieldSampleEventsMax} events in all.`,
  body: JobSelection,
  bodyExample: { job_ids: [1] },
  answer: {
    description: 'The fields, by name.',
    schema: FieldList,
    example: [{ field_name: 'alert.count', available_operators: ['is', 'is not', 'lt', 'gt'], available_in_jobs: [1] }],
  },
  ask: ({ queries }, principal, body, gone) => queries.fields(principal, jobsOf(body), gone),
})

const fieldTypes = query({
  path: '/api/v2/filters/fields_mapping',
  operationId: 'mapFilterFields',
  summary: 'List the fields to filter by, with their types',
  body: JobSelection,
  bodyExample: { job_ids: [1] },
  answer: {
    description: 'The type of each field.',
    schema: FieldTypes,
    example: { 'host.name': 'keyword', 'alert.count': 'long' },
  },
  ask: ({ queries }, principal, body, gone) => queries.fieldTypes(principal, jobsOf(body), gone),
})

export const queryRoutes: readonly Route[] = [events, search, fields, fieldTypes]
