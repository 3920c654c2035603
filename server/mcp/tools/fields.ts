/** Fields that the inputs and outputs of several tools share. */
import { Type, type Static } from 'typebox'
import { limits } from '../../../engine/index.js'
import { EventFilter, QueryText } from '../../schemas/queries.js'

/** Items on a page of a listing, at most. */
const PAGE_MAX = 50

export const JobId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the job.' })

/** `.` and `..` cannot be in a path. */
export const EventId = Type.String({
  minLength: 1,
  maxLength: limits.eventIdBytesMax,
  pattern: '^(?!\\.{1,2}$)',
  description: 'Id of the event.',
})

export const Cursor = Type.Optional(
  Type.String({ maxLength: 512, description: '`next_cursor` of the previous page, with the same other arguments.' }),
)

export const NextCursor = Type.Union([Type.String(), Type.Null()], { description: 'Null: this was the last page.' })

export function Limit(fallback: number) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Items on a page; default ${fallback}.` }),
  )
}

const When = Type.Union([Type.String(), Type.Number()], {
  description: 'ISO 8601, epoch time, or date arithmetic such as `now-1d/d`.',
})

/** Which events of a job. */
export const selection = {
  start_date: Type.Optional(When),
  end_date: Type.Optional(When),
  date_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description: 'What the dates apply to: `@timestamp` (default) or `timestamp_inference`, the ingest time.',
    }),
  ),
  filters: Type.Optional(
    Type.Array(EventFilter, { maxItems: limits.queryFiltersMax, description: 'An event must pass all of them.' }),
  ),
  query: Type.Optional(QueryText),
}

export const Text = Type.String()
export const Count = Type.Integer({ minimum: 0 })
export const MaybeText = Type.Union([Type.String(), Type.Null()])
export const MaybeNumber = Type.Union([Type.Number(), Type.Null()])

/** An object of the API as it is, where it has no word of an event. */
export const AsIs = Type.Object({}, { additionalProperties: true })

/** An event in a listing. */
export const ListedEvent = Type.Object({
  event_id: Type.String(),
  job_id: Type.Integer(),
  ingest_timestamp: Type.String(),
  status: Type.String(),
  result_label: Type.String({ description: 'The decision; empty without one.' }),
  confidence_score: Type.Number({ description: 'Percent.' }),
  outlier: Type.Boolean(),
  bucket_id: MaybeText,
  bucket_state: Type.String(),
  consensus: MaybeText,
  untrusted: AsIs,
})

type Selection = Partial<Record<keyof typeof selection, unknown>>

/** The selection as the API takes it. */
export function selectionOf({ start_date, end_date, date_field, filters, query }: Selection) {
  return {
    ...(start_date === undefined ? {} : { start_date: start_date as string | number }),
    ...(end_date === undefined ? {} : { end_date: end_date as string | number }),
    ...(date_field === undefined ? {} : { date_field: date_field as string }),
    ...(filters === undefined ? {} : { filters: filters as Static<typeof EventFilter>[] }),
    ...(query === undefined ? {} : { query: query as string }),
  }
}

/** `1 event`, `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
