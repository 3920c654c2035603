/** The audit log on the wire. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'

const Page = Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' })

/** A date, or a date and a time with or without an offset. */
const Moment = Type.String({ description: 'ISO 8601; UTC without an offset.' })

export const AuditLogQuery = Exact({
  user: Type.Optional(Type.String({ description: 'The key or user that acted, or the analyst that voted.' })),
  analyst: Type.Optional(Type.String({ description: 'The analyst that voted.' })),
  action: Type.Optional(Type.String({ description: 'One or more, separated by commas.' })),
  object_type: Type.Optional(Type.String({ description: 'One or more, separated by commas.' })),
  object_id: Type.Optional(Type.String()),
  job_id: Type.Optional(Type.Integer({ minimum: 0 })),
  start_date: Type.Optional(Moment),
  end_date: Type.Optional(Moment),
  search: Type.Optional(
    Type.String({ maxLength: limits.nameCharsMax, description: 'Text to find in any value; case does not matter.' }),
  ),
  page: Type.Optional(Page),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the page before, in place of `page`.' })),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.auditPageMax, default: 50 })),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Order by time; default `desc`.' })),
})

export const AuditChange = Type.Object({ before: Type.Unknown(), after: Type.Unknown() })

export const AuditLogEntry = Type.Object({
  sequence: Type.Integer({ description: 'Position in the chain, from 1 without gaps.' }),
  timestamp: Timestamp,
  user: Type.String({ description: 'The key or user that acted, or `service`.' }),
  user_kind: Type.String(),
  analyst: nullable(Type.String({ description: 'The analyst that voted.' })),
  action: Type.String(),
  object_type: Type.String(),
  object_id: Type.String(),
  object_title: Type.String(),
  job_id: nullable(Type.Integer()),
  job_title: nullable(Type.String()),
  changes: Type.Object(
    {},
    {
      additionalProperties: AuditChange,
      description:
        'Each changed field, before and after. A long value is `{cut, chars, sha256}`, a secret is `(hidden)`.',
    },
  ),
  details: Type.Object({}, { additionalProperties: true }),
  hash: Type.String({ description: 'SHA-256 of the previous hash and this entry, hexadecimal.' }),
})

export const AuditLogPage = Type.Object({
  audit_logs: Type.Array(AuditLogEntry),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({
    description: 'False if counting took too long, or with `after`; `total_count` is then a lower bound.',
  }),
  page: Type.Integer(),
  size: Type.Integer(),
  next: nullable(
    Type.String({ description: '`after` of the next page; null on the last one. New entries move no page of it.' }),
  ),
})

export const AuditTerms = Type.Object({
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: 'A query parameter of the audit log.' }),
      terms: Type.Array(Type.Object({ value: Type.String(), title: nullable(Type.String()), count: Type.Integer() })),
      complete: Type.Boolean({ description: 'False if there are more values than listed.' }),
    }),
  ),
})

/** An entry's sequence and hash that the caller noted earlier. */
export const AuditNoted = Type.Object({
  sequence: Type.Optional(Type.Integer({ minimum: 1 })),
  hash: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$' })),
})

export const AuditVerdict = Type.Object({
  intact: Type.Boolean(),
  entries: Type.Integer({ description: 'Entries checked, up to the first broken one.' }),
  head: Type.String({
    description: 'Hash of the last entry checked. Keep it elsewhere, and send it with a later request.',
  }),
  broken: nullable(Type.Object({ sequence: Type.Integer(), reason: Type.String() })),
})
