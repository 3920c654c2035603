/** Schemas that many operations share. They validate, and OpenAPI publishes them. */
import { Type, type TProperties, type TSchema } from 'typebox'
import { findingKinds, limits } from '../../engine/index.js'

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** An object whose unknown fields are refused: ignored, they would answer another question than was asked. */
export function Exact<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

export const Timestamp = Type.String({ description: 'ISO 8601 UTC with microseconds.', format: 'date-time' })

export const ErrorBody = Type.Object(
  { error: Type.String(), details: Type.Optional(Type.String()) },
  { description: 'An error.' },
)

export const ValidationErrorBody = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.String(), { description: 'Where: `body`, `query` or `path`, then the path inside it.' }),
        msg: Type.String(),
        type: Type.String(),
      }),
    ),
  },
  { description: 'The request does not match its schema.' },
)

export const ProblemBody = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Optional(Type.String()),
    errors: Type.Optional(ValidationErrorBody.properties.detail),
  },
  { description: 'RFC 9457; sent if `Accept` asks for `application/problem+json`.' },
)

/** What was accepted and will probably not do what its author wants. */
export const WarningBody = Type.Object({
  type: Type.Enum([
    'no_input',
    'no_decision_points',
    'lacking_decision_point',
    'unique_decision_point',
    'mixed_types',
    'label_by_position',
    'found_fields',
    'lacking_fields',
    'mixed_buckets',
    'step_stopped',
    'dead_letters',
    'unknown_property',
    ...findingKinds,
  ]),
  loc: Type.Array(Type.String(), { description: 'Where: in the properties of the job, or from `body` on.' }),
  msg: Type.String({ description: 'What is wrong, for people.' }),
  action: Type.String({ description: 'What to do, for people.' }),
  count: Type.Optional(Type.Integer({ description: 'How often it was seen in events.' })),
  example: Type.Optional(Type.String({ description: 'The first one, as it came. Needs `read:event_query`.' })),
  first_seen: Type.Optional(Timestamp),
  last_seen: Type.Optional(Timestamp),
})

/** The outcome of a management operation. */
export const Outcome = Type.Object({
  status: Type.String(),
  reason: nullable(Type.String()),
  reason_details: nullable(Type.String()),
})

export const StatusOnly = Type.Object({ status: Type.String() })

/** An object of any form. */
export const AnyObject = Type.Object({}, { additionalProperties: true })

/** A name given by a client. */
export const Name = Type.String({ maxLength: limits.nameCharsMax })

/** The Outcome of an operation that succeeded. */
export const worked = { status: 'OK', reason: null, reason_details: null } as const
