/** Sessions of the console. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { nullable } from '../common.js'
import { UserRole } from '../users.js'

const secret = { maxLength: limits.secretCharsMax, format: 'password' } as const

export const SessionRequest = Type.Object({
  username: Type.Optional(Type.String({ maxLength: limits.nameCharsMax })),
  password: Type.Optional(Type.String(secret)),
  key: Type.Optional(Type.String({ ...secret, description: 'A key or a token, in place of a user and a password.' })),
})

export const CallerKind = Type.Enum(['user', 'management', 'input'], {
  description: 'A user, or the kind of the key.',
})

export const SessionView = Type.Object({
  kind: CallerKind,
  name: Type.String({ description: 'The name of the user or of the key.' }),
  role: nullable({ ...UserRole, description: 'The role of a user; null for a key.' }),
  scopes: Type.Array(Type.String(), { description: 'What the caller may do.' }),
  service_name: Type.String({ description: 'The name of the service in fields of filters and exports.' }),
})
