/** Queries over stored events, and their answers. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'

const JobId = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String({ pattern: '^ *\\d{1,15} *$' }),
])
const Title = Type.String()

export const jobFields = {
  job_ids: Type.Optional(
    Type.Union([JobId, Type.Array(JobId, { maxItems: limits.queryJobsMax })], {
      description: 'One or more jobs. An empty list counts as absent.',
    }),
  ),
  job_titles: Type.Optional(
    Type.Union([Title, Type.Array(Title, { maxItems: limits.queryJobsMax })], {
      description: 'More jobs, by title.',
    }),
  ),
}

/** Which jobs; by default all that the key may see. */
export const JobSelection = Exact(jobFields)

const EventId = Type.Union([Type.String(), Type.Integer()])
const FilterValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/** A condition on an event. */
export const EventFilter = Exact({
  field: Type.String({
    minLength: 1,
    maxLength: limits.decisionPointCharsMax,
    description:
      'A path in the event, or a field of the service under the name of the service (`filters/fields` lists them). ' +
      '`@timestamp` is the time in the alert, `timestamp_inference` the ingest time.',
  }),
  operator: Type.String({
    description:
      '`is`, `is not`, `is one of`, `is not one of`, `starts with`, `not starts with`, `contains`, `not contains`, ' +
      '`exists`, `not exists`, `lt`, `lte`, `gt`, `gte`.',
    examples: ['is'],
  }),
  value: Type.Optional(
    Type.Union([FilterValue, Type.Array(FilterValue, { maxItems: limits.queryValuesMax }), Type.Null()], {
      description:
        'Absent for `exists` and `not exists`, a list for `is one of` and `is not one of`. A date is ISO 8601, epoch ' +
        'time or date math such as `now-1d/d`.',
    }),
  ),
})

/** A query in the query language. */
export const QueryText = Type.String({
  maxLength: limits.queryTextMax,
  description:
    'A query as people type it, such as `label:Escalate (host.name:web-* OR severity>3) -consensus:*`; see the ' +
    'manual. Events must pass it and all filters. A query that cannot be read is 422 with the column and what was ' +
    'expected.',
})

export const DateOrNumber = Type.Union([Type.String(), Type.Number()])

/** Names of columns. */
export const ColumnNames = Type.Array(Type.String({ minLength: 1, maxLength: limits.decisionPointCharsMax }), {
  maxItems: limits.decisionPointsMax,
  description:
    'Fields of events, as filters name them, and columns such as `voter` and `assigned`: each event has them as ' +
    '`columns`.',
})

/** The columns of an event that were asked for. */
export const ShownColumns = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'The values at the `columns` of the request: null for none, a list for several.',
    },
  ),
)

/** The body of `events/query`. */
export const EventsQuery = Exact({
  ...jobFields,
  event_ids: Type.Optional(Type.Union([EventId, Type.Array(EventId, { maxItems: limits.queryValuesMax })])),
  decision_points_only: Type.Optional(Type.Boolean({ description: 'Leave out `raw_body` and `raw_event`.' })),
  count_results_only: Type.Optional(Type.Boolean()),
  start_date: Type.Optional(DateOrNumber),
  end_date: Type.Optional(DateOrNumber),
  date_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description: 'The field that the dates apply to; default `@timestamp`.',
    }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.queryWindowMax, default: 5 })),
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: limits.queryWindowMax, default: 0, description: 'Page number, from 0.' }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.queryCursorCharsMax,
      description: '`next` of the page before, of the same query; in place of `page`.',
    }),
  ),
  sort_by_column: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description:
        'Any field of the event, or a column of the answer such as `confidence_score`; default: the ingest time.',
    }),
  ),
  sort_order: Type.Optional(
    Type.String({
      pattern: '^([aA][sS][cC]|[dD][eE][sS][cC])$',
      description: '`asc` or `desc`; default `desc`.',
    }),
  ),
  filters: Type.Optional(
    Type.Array(EventFilter, { maxItems: limits.queryFiltersMax, description: 'An event must pass all filters.' }),
  ),
  query: Type.Optional(QueryText),
  columns: Type.Optional(ColumnNames),
})

/** The parts of a search. Only `query_body` takes them; beside it they are refused, as any unknown field. */
const searchParts = [
  'query',
  'post_filter',
  'size',
  'from',
  'sort',
  'search_after',
  '_source',
  'track_total_hits',
  'aggs',
  'aggregations',
  'timeout',
] as const

/** The body of `events/raw_es_query`. */
export const RawQuery = Exact({
  ...jobFields,
  query_body: Type.Optional(
    Type.Object(Object.fromEntries(searchParts.map((part) => [part, Type.Optional(Type.Unknown())])), {
      additionalProperties: true,
      description:
        'A search with `query`, `post_filter`, `size`, `from`, `sort`, `search_after`, `_source`, ' +
        '`track_total_hits`, `aggs` and `timeout`; default: everything. The answer to an unsupported part is an ' +
        'error with its name and place.',
    }),
  ),
  decision_points_only: Type.Optional(Type.Boolean()),
})

/** One event of an answer. */
export const QueriedEvent = Type.Object(
  {
    event_id: Type.String(),
    job_id: Type.Integer(),
    job_title: Type.String(),
    ingest_timestamp: Timestamp,
    timestamp_inference: Timestamp,
    '@timestamp': Timestamp,
    status: Type.Enum(['pending_inference', 'OK', 'ERROR']),
    error_message: nullable(Type.String()),
    result: Type.String(),
    result_label: Type.String(),
    previous_result: nullable(Type.String({ description: 'Null if the event was never reprocessed.' })),
    confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
    outlier: Type.Boolean(),
    outlier_score: Type.Number(),
    bucket_id: nullable(Type.String()),
    bucket_state: Type.Enum(['new', 'pending', 'in_knowledge_base', 'retrain']),
    consensus: nullable(Type.String()),
    model: nullable(Type.String()),
    decision_points: Type.Object(
      {},
      { additionalProperties: true, description: 'The values of the event at the decision points of its job.' },
    ),
    columns: ShownColumns,
    raw_body: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The event as it was sent.' })),
    raw_event: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'The same as `raw_body`, for existing clients.' }),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Also holds the section of an export, under the name of the service, and `title`, `severity` and `storage_tag` ' +
      'if the event was sent with them.',
  },
)

/** The answer to `events/query`. */
export const EventsPage = Type.Object({
  events: Type.Array(QueriedEvent),
  total_count: Type.Integer({ description: 'Events that match, on all pages.' }),
  page: Type.Optional(Type.Integer()),
  size: Type.Optional(Type.Integer()),
  next: Type.Optional(
    nullable(
      Type.String({
        description:
          '`after` of the next page. Null on the last page, and behind an event that is sorted by a text of ' +
          'thousands of characters. Absent where events are only counted.',
      }),
    ),
  ),
})

/** The answer to a search. */
export const SearchAnswer = Type.Object({
  took: Type.Integer({ description: 'Milliseconds.' }),
  timed_out: Type.Boolean({ description: 'The time ran out; the answer holds what was found until then.' }),
  _shards: Type.Object({
    total: Type.Integer(),
    successful: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
  }),
  hits: Type.Object({
    total: Type.Optional(Type.Object({ value: Type.Integer(), relation: Type.Enum(['eq', 'gte']) })),
    max_score: nullable(Type.Number()),
    hits: Type.Array(
      Type.Object({
        _index: Type.String(),
        _id: Type.String(),
        _score: nullable(Type.Number()),
        _source: Type.Optional(Type.Object({}, { additionalProperties: true })),
        sort: Type.Optional(Type.Array(Type.Unknown())),
      }),
    ),
  }),
  aggregations: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

/** The answer to `filters/fields`. */
export const FieldList = Type.Array(
  Type.Object({
    field_name: Type.String(),
    available_operators: Type.Array(Type.String()),
    available_in_jobs: Type.Array(Type.Integer({ description: 'Ids of jobs.' })),
  }),
)

/** The answer to `filters/fields_mapping`. */
export const FieldTypes = Type.Record(Type.String(), Type.Enum(['keyword', 'long', 'double', 'boolean', 'date']))
