/** Which events are in a file, and in which form. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { Exact } from '../common.js'
import { EventFilter, QueryText } from '../queries.js'

export const EventFileFormat = Type.Enum(['csv', 'ndjson'])

export const EventFileQuery = Exact({
  format: EventFileFormat,
  filters: Type.Optional(
    Type.String({ maxLength: 64 * 1024, description: 'Filters as JSON text, as in `events/list`.' }),
  ),
  query: Type.Optional(QueryText),
  columns: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.decisionPointCharsMax }), {
      maxItems: limits.decisionPointsMax,
      description:
        'Fields of events and columns such as `voter`, as in `events/list`; default: the decision points of the job. ' +
        'NDJSON has them as `columns` where they are given.',
    }),
  ),
  raw_body: Type.Optional(Type.Boolean({ description: 'NDJSON has the events as they were sent, too.' })),
})

export const EventFileFilters = Exact({
  filters: Type.Array(EventFilter, { maxItems: limits.queryFiltersMax }),
})
