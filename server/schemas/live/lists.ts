/** Lists of events by cursor, and counts of the values of fields. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { Exact, nullable, Timestamp } from '../common.js'
import { BucketState, EventStatus } from '../events.js'
import { ColumnNames, DateOrNumber, EventFilter, jobFields, QueryText, ShownColumns } from '../queries.js'

const fieldName = Type.String({ minLength: 1, maxLength: limits.decisionPointCharsMax })

const selection = {
  ...jobFields,
  filters: Type.Optional(
    Type.Array(EventFilter, { maxItems: limits.queryFiltersMax, description: 'An event must pass all filters.' }),
  ),
  query: Type.Optional(QueryText),
  start_date: Type.Optional(DateOrNumber),
  end_date: Type.Optional(DateOrNumber),
  date_field: Type.Optional({
    ...fieldName,
    description: 'The field that the dates apply to; default `@timestamp`, the time of the event.',
  }),
  within_ms: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: limits.listMsMax,
      description:
        'About how long the answer may take: by default 80 for a page, 200 for counts. After it, the answer has what ' +
        'was found.',
    }),
  ),
}

/** The part that lists and facets share. */
export const Selection = Exact(selection)

export const ListQuery = Exact({
  ...selection,
  newest_by: Type.Optional(
    Type.Enum(['@timestamp', 'timestamp_inference'], {
      description:
        'The time by which the newest events are first: their own, or that of their arrival. Default: ' +
        '`timestamp_inference`. By `@timestamp` the times of all events are read before the first page, once; until ' +
        'then pages are empty and `next` goes on. Of more than 8,000,000 events, those that arrived last are ordered.',
    }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.listPageMax, description: 'Default: 50.' })),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the page before.' })),
  count: Type.Optional(Type.Boolean({ description: 'Count all events that match, as far as the time goes.' })),
  raw_body: Type.Optional(Type.Boolean({ description: 'With the events as they were sent.' })),
  columns: Type.Optional(ColumnNames),
})

export const ListedEvent = Type.Object({
  event_id: Type.String(),
  job_id: Type.Integer(),
  ingest_timestamp: Timestamp,
  '@timestamp': Timestamp,
  title: nullable(Type.String()),
  severity: Type.Unknown(),
  storage_tag: nullable(Type.String()),
  status: EventStatus,
  result: Type.String(),
  result_label: Type.String(),
  confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
  outlier: Type.Boolean(),
  outlier_score: Type.Number(),
  autonomy: nullable(Type.String({ description: '`settled` or `review`; null without a safety contract.' })),
  bucket_id: nullable(Type.String()),
  bucket_state: BucketState,
  consensus: nullable(Type.String()),
  votes: Type.Integer({ description: 'Votes on its bucket, or on the event where there are no buckets.' }),
  has_own_votes: Type.Boolean({ description: 'Somebody voted on this event itself.' }),
  decision_points: Type.Object({}, { additionalProperties: true }),
  columns: ShownColumns,
  raw_body: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

export const ListPage = Type.Object({
  events: Type.Array(ListedEvent),
  next: nullable(Type.String({ description: 'Pass it as `after` to go on; null at the end.' })),
  looked_at: Type.Integer({ description: 'Events that this request has looked at.' }),
  looked_back_to: nullable(
    Type.String({ format: 'date-time', description: 'Everything since then was looked at, by the time of the order.' }),
  ),
  job_events: Type.Integer({ description: 'All events of the jobs.' }),
  total_count: nullable(Type.Integer({ description: 'With `count`: events that match from the cursor on.' })),
  total_count_is_exact: Type.Boolean({ description: 'False: the time was over before all were counted.' }),
})

export const FacetQuery = Exact({
  ...selection,
  fields: Type.Array(fieldName, { minItems: 1, maxItems: limits.facetFieldsMax }),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.facetValuesMax, description: 'Values of each field; default: 10.' }),
  ),
})

export const FacetValue = Type.Object({
  value: Type.Unknown({ description: 'Of the confidence: the lower end of a range of ten percent.' }),
  count: Type.Integer(),
  is_cut: Type.Optional(Type.Boolean({ description: 'The value goes on: these are its first characters.' })),
  is_chosen: Type.Optional(Type.Boolean({ description: 'The filters or the query choose it.' })),
})

export const Facet = Type.Object({
  field: Type.String(),
  values: Type.Array(FacetValue, {
    description: 'The most frequent ones first; what is chosen, too, where it is rare.',
  }),
  missing: Type.Integer({ description: 'Events without the field. An object at it is neither a value nor missing.' }),
  different_values: Type.Integer(),
  different_values_is_exact: Type.Boolean(),
})

export const Facets = Type.Object({
  facets: Type.Array(Facet),
  counted: Type.Integer({ description: 'Events that match and were counted.' }),
  job_events: Type.Integer({ description: 'All events of the jobs.' }),
  partial: Type.Boolean({ description: 'The time was over: the counts are those of the newest events.' }),
})
