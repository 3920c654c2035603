/** Field statistics of a sample of events. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { AnyObject, Exact } from '../common.js'

export const SampleQuery = Exact({
  points: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.decisionPointCharsMax }), {
      maxItems: limits.decisionPointsMax,
      description: 'Decision points to count buckets by, in place of those that are suggested.',
    }),
  ),
})

export const SampleEvents = Type.Array(AnyObject)

export const FieldKind = Type.Enum(['id', 'time', 'number', 'category', 'text'])
export const SampleFormat = Type.Enum(['json', 'ndjson', 'csv', 'cef', 'leef', 'syslog'])

export const Leakage = Type.Enum(['time', 'host'])

export const SampledField = Type.Object({
  field: Type.String({ description: 'Its path, as decision points and filters name it.' }),
  kind: FieldKind,
  events: Type.Integer({ description: 'Events that have a value.' }),
  values: Type.Integer({ description: 'Different values.' }),
  examples: Type.Array(Type.String(), { description: 'The most frequent values.' }),
  suggested: Type.Boolean({ description: 'It is suggested as a decision point.' }),
  leakage: Type.Union([Leakage, Type.Null()], {
    description: 'Its values tell when an event was, or on which host, rather than what it is.',
  }),
  reason: Type.String({ description: 'Why it is suggested, or why not.' }),
  codes: Type.Union(
    [
      Type.Array(Type.Integer(), {
        description: `The number of the value in each of the first ${limits.sampleCodesMax} events, -1 without one.`,
      }),
      Type.Null(),
    ],
    { description: 'Null where the field cannot decide.' },
  ),
})

export const FieldStatistics = Type.Object({
  events: Type.Integer({ description: `At most ${limits.sampleEventsMax} are looked at.` }),
  format: SampleFormat,
  skipped: Type.Integer({ description: 'Lines or items that are no events.' }),
  fields: Type.Array(SampledField),
  decision_points: Type.Array(Type.String()),
  label_field: Type.Union([Type.String(), Type.Null()], {
    description: 'The field that has the answers of people, such as `verdict`. It is never suggested. Null: none does.',
  }),
  id_field: Type.Union([Type.String(), Type.Null()], {
    description: 'The field that has the id of an event: each has one of its own. Null: none is known.',
  }),
  buckets: Type.Integer({ description: 'Buckets that follow from the decision points.' }),
  largest_share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of events in the 50 largest buckets.' }),
})
