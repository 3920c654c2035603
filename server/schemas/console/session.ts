/** Sessions of the console, single sign-on, and how people can sign in. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { Exact, nullable, Outcome } from '../common.js'
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

export const SignedOut = Type.Object({
  ...Outcome.properties,
  sign_out_at: nullable(
    Type.String({ description: 'Send the browser there to end the session at the provider of single sign-on, too.' }),
  ),
})

export const SignOnQuery = Exact({
  return_to: Type.Optional(
    Type.String({ maxLength: 16_384, description: 'The path to come back to; `/` for anything else.' }),
  ),
})

export const LogoutTaken = Type.Object({ ended: Type.Integer({ minimum: 0, description: 'Sessions that ended.' }) })

export const SignInMethods = Type.Object({
  password: Type.Boolean({ description: 'False: passwords are switched off.' }),
  single_sign_on: nullable(Type.String({ description: 'The path that leads to the provider.' })),
})
