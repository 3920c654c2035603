/** Users and tokens as clients send and receive them. */
import { Type } from 'typebox'
import { limits, roles, scopeTable } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

const secret = { maxLength: limits.secretCharsMax, format: 'password' } as const

export const UserRole = Type.Enum([...roles], {
  description: 'An analyst reads and votes; a power user also runs jobs; an administrator may do everything.',
})

export const ScopeName = Type.Enum(Object.keys(scopeTable), { description: 'A permission.' })

const UserName = Type.String({
  minLength: 1,
  maxLength: limits.userNameCharsMax,
  description: 'Letters, digits and `. _ @ + -`; the first character is a letter or digit.',
})
const NewPassword = Type.String({ minLength: 8, ...secret })

export const User = Type.Object({
  username: Type.String(),
  role: UserRole,
  enabled: Type.Boolean({ description: 'A disabled user cannot sign in, and the tokens of the user do not work.' }),
  created_at: Timestamp,
  last_login_at: nullable(Timestamp),
  tokens: Type.Integer({ minimum: 0, description: 'Tokens that have not expired.' }),
})

export const UserDocument = Type.Object({ username: UserName, password: NewPassword, role: UserRole })

export const UserChange = Type.Object({ role: Type.Optional(UserRole), enabled: Type.Optional(Type.Boolean()) })

export const PasswordChange = Type.Object({
  password: NewPassword,
  current_password: Type.Optional(
    Type.String({ ...secret, description: "Needed to change the caller's own password." }),
  ),
  keep_tokens: Type.Optional(
    Type.Boolean({
      description: 'Default false: all tokens of the user are revoked, except the token of this request.',
    }),
  ),
})

/** Units of time in seconds. Clients write them with or without an s, in any case. */
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
      description: 'Lifetime of the token; default 30 days, at most ten years.',
    }),
  ),
  expires_in_unit: Type.Optional(
    Type.String({
      pattern: unitPattern,
      description: `Unit of the lifetime: ${Object.keys(timeUnits).join(', ')}; default days.`,
    }),
  ),
  scopes: Type.Optional(
    Type.Array(ScopeName, {
      maxItems: 100,
      description: 'Restricts the token to these scopes; default: all scopes of the user.',
    }),
  ),
})

export const IssuedToken = Type.Object({
  api_token: Type.String({ description: 'The token; shown only once.' }),
  expire_at: Timestamp,
  error_message: nullable(Type.String()),
  token_id: Type.String(),
})

export const Token = Type.Object({
  token_id: Type.String(),
  username: Type.String(),
  created_at: Timestamp,
  expire_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'Accurate to a minute.' }),
  scopes: Type.Array(Type.String(), {
    description: 'The scopes that the token has now; none while its user is disabled.',
  }),
})

export const TokenQuery = Type.Object({
  username: Type.Optional(
    Type.String({
      maxLength: limits.nameCharsMax,
      description: 'Whose tokens. Those of others need the scope `read:users`.',
    }),
  ),
})
