/** Users and tokens as clients send and see them. */
import { Type } from 'typebox'
import { limits, roles, scopeTable } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

const secret = { maxLength: limits.secretCharsMax, format: 'password' } as const

export const UserRole = Type.Enum([...roles], {
  description: 'An analyst looks and votes, a power user runs jobs as well, an administrator everything.',
})

export const ScopeName = Type.Enum(Object.keys(scopeTable), { description: 'Something that a caller may do.' })

const UserName = Type.String({
  minLength: 1,
  maxLength: limits.userNameCharsMax,
  description: 'Letters, digits and . _ @ + -, a letter or digit first.',
})
const NewPassword = Type.String({ minLength: 8, ...secret })

export const User = Type.Object({
  username: Type.String(),
  role: UserRole,
  enabled: Type.Boolean({ description: 'A disabled user cannot sign in, and the tokens do not work.' }),
  created_at: Timestamp,
  last_login_at: nullable(Timestamp),
  tokens: Type.Integer({ minimum: 0, description: 'Tokens that are not over.' }),
})

export const UserDocument = Type.Object({ username: UserName, password: NewPassword, role: UserRole })

export const UserChange = Type.Object({ role: Type.Optional(UserRole), enabled: Type.Optional(Type.Boolean()) })

export const PasswordChange = Type.Object({
  password: NewPassword,
  current_password: Type.Optional(Type.String({ ...secret, description: "Needed to change one's own." })),
  keep_tokens: Type.Optional(
    Type.Boolean({ description: 'False where absent: all tokens of the user end, but for the one of this request.' }),
  ),
})

/** Units of time, with and without an s, in any case. */
export const timeUnits = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 7 * 86_400,
  month: 30 * 86_400,
  year: 365 * 86_400,
} as const

const anyCase = (word: string): string =>
  [...word].map((deadLetter) => `[${deadLetter}${deadLetter.toUpperCase()}]`).join('')
const unitPattern = `^(${Object.keys(timeUnits).map(anyCase).join('|')})[sS]?$`

export const TokenRequest = Type.Object({
  username: Type.String({ maxLength: limits.nameCharsMax }),
  password: Type.String(secret),
  expires_in_value: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 999_999_999 }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
      description: '30 days where absent; ten years at most.',
    }),
  ),
  expires_in_unit: Type.Optional(
    Type.String({ pattern: unitPattern, description: `Days where absent; or ${Object.keys(timeUnits).join(', ')}.` }),
  ),
  scopes: Type.Optional(
    Type.Array(ScopeName, {
      maxItems: 100,
      description: 'The token may do no more than this; all that the user may where absent.',
    }),
  ),
})

export const IssuedToken = Type.Object({
  api_token: Type.String({ description: 'Shown this once.' }),
  expire_at: Timestamp,
  error_message: nullable(Type.String()),
  token_id: Type.String(),
})

export const Token = Type.Object({
  token_id: Type.String(),
  username: Type.String(),
  created_at: Timestamp,
  expire_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'At most a minute behind.' }),
  scopes: Type.Array(Type.String(), { description: 'What it may do now; nothing while its user is disabled.' }),
})

export const TokenQuery = Type.Object({
  username: Type.Optional(
    Type.String({ maxLength: limits.nameCharsMax, description: "Whose; others' need the scope read:users." }),
  ),
})
