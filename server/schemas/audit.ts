/** The audit log on the wire. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

const Page = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'From 0.' })

/** A moment as clients write it: ISO 8601, a date alone, or with an offset. */
const Moment = Type.String({ description: 'ISO 8601; UTC where no offset is given.' })

export const AuditLogQuery = Type.Object({
  user: Type.Optional(Type.String({ description: 'Who did it, or whose vote it is.' })),
  action: Type.Optional(Type.String({ description: 'One or more, with commas between.' })),
  object_type: Type.Optional(Type.String({ description: 'One or more, with commas between.' })),
  object_id: Type.Optional(Type.String()),
  job_id: Type.Optional(Type.Integer({ minimum: 0 })),
  start_date: Type.Optional(Moment),
  end_date: Type.Optional(Moment),
  search: Type.Optional(
    Type.String({ maxLength: limits.nameCharsMax, description: 'A text in any value, in any case.' }),
  ),
  page: Type.Optional(Page),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.auditPageMax, default: 50 })),
  sort_order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'By time; the latest first where not said.' })),
})

const AuditChange = Type.Object({ before: Type.Unknown(), after: Type.Unknown() })

export const AuditLogEntry = Type.Object({
  sequence: Type.Integer({ description: 'The place in the chain, from 1 without gaps.' }),
  timestamp: Timestamp,
  user: Type.String({ description: 'The key or user that asked for it, or `service`.' }),
  user_kind: Type.String(),
  analyst: nullable(Type.String({ description: 'Whose vote it is.' })),
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
      description: 'By field, what it was and what it is. A long value is `{cut, chars, sha256}`, a secret `(hidden)`.',
    },
  ),
  details: Type.Object({}, { additionalProperties: true }),
  hash: Type.String({ description: 'SHA-256 over the hash before it and the entry, hexadecimal.' }),
})

export const AuditLogPage = Type.Object({
  audit_logs: Type.Array(AuditLogEntry),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({ description: 'False where counting took too long: there are as many or more.' }),
  page: Type.Integer(),
  size: Type.Integer(),
})

export const AuditTerms = Type.Object({
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: 'A parameter of the audit log.' }),
      terms: Type.Array(Type.Object({ value: Type.String(), title: nullable(Type.String()), count: Type.Integer() })),
      complete: Type.Boolean({ description: 'False where there are more values than are listed.' }),
    }),
  ),
})

/** A head of the chain that somebody kept, to be found in it again. */
export const AuditNoted = Type.Object({
  sequence: Type.Optional(Type.Integer({ minimum: 1 })),
  hash: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$' })),
})

export const AuditVerdict = Type.Object({
  intact: Type.Boolean(),
  entries: Type.Integer({ description: 'Entries that were walked, up to the first broken one.' }),
  head: Type.String({ description: 'Hash of the last of them: keep it elsewhere, and give it back later.' }),
  broken: nullable(Type.Object({ sequence: Type.Integer(), reason: Type.String() })),
})
