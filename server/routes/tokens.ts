/** Tokens: what a user presents instead of a key (S19, S21). */
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { isoMicros, isScope, limits, Refusal, type Scope, type TokenView } from '../../engine/index.js'
import type { App } from '../app.js'
import { collectBody } from '../http/body.js'
import { replyError } from '../http/error-reply.js'
import { heldByStrangers } from '../http/held-bytes.js'
import { replyJson } from '../http/reply.js'
import { operation, type OpenRoute, type Route } from '../http/route.js'
import { Checker, parseJson } from '../http/validate.js'
import { Outcome, worked } from '../schemas/common.js'
import { IssuedToken, timeUnits, Token, TokenQuery, TokenRequest } from '../schemas/users.js'

const tag = 'Tokens'
const requestChecker = new Checker(TokenRequest, 'body')

/** Lifetime of the token in seconds. */
function lifeSeconds({ expires_in_value: value, expires_in_unit: unit = 'days' }: Static<typeof TokenRequest>): number {
  if (value === undefined) return limits.tokenSecondsDefault
  const word = unit.toLowerCase().replace(/s$/, '') as keyof typeof timeUnits
  return Number(value) * timeUnits[word]
}

function tokenWire(token: TokenView) {
  return {
    token_id: token.id,
    username: token.username,
    created_at: token.createdAt,
    expire_at: isoMicros(token.expiresMicros),
    last_used_at: token.lastUsedAt,
    scopes: token.scopes,
  }
}

/** @throws Refusal forbidden. */
export function mustHavePasswords({ passwords }: App): void {
  if (!passwords) throw new Refusal('forbidden', 'passwords are switched off: use a key, or single sign-on')
}

const issue: OpenRoute = {
  method: 'POST',
  path: '/api/v2/token',
  operationId: 'issueToken',
  tag,
  summary: 'Get a token for a password',
  description:
    'A token is used like a key. At each request it has the permissions of its user at that time.\n\n' +
    'Repeated attempts are throttled for the user name and for the address. A user has at most 100 tokens; another ' +
    'one revokes the token that has been unused for longest.',
  scope: null,
  body: TokenRequest,
  bodyExample: { username: 'ann', password: 'correct horse battery', expires_in_value: 12, expires_in_unit: 'hours' },
  responses: { 200: { description: 'The token.', schema: IssuedToken } },
  errors: [401, 403, 429, 507],
  serve(exchange, _params, app) {
    collectBody(exchange, limits.passwordBodyBytesMax, undefined, { room: heldByStrangers })
      .then(async (bytes) => {
        const body = requestChecker.check(parseJson(bytes))
        mustHavePasswords(app)
        const token = await app.service.tokens.issue({
          username: body.username,
          password: body.password,
          lifeSeconds: lifeSeconds(body),
          scopes: body.scopes === undefined ? null : body.scopes.filter((name): name is Scope => isScope(name)),
          address: exchange.address(),
        })
        const expires = isoMicros(token.expiresMicros)
        replyJson(exchange, 200, {
          api_token: token.value,
          expire_at: expires,
          error_message: null,
          token_id: token.id,
        })
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

const scopes = operation({
  method: 'GET',
  path: '/api/v2/token/scopes',
  operationId: 'getScopes',
  tag,
  summary: 'List the scopes of the key or token',
  scope: 'public',
  responses: {
    200: { description: 'The scopes.', schema: Type.Array(Type.String()), example: ['public', 'write:events'] },
  },
  handle: ({ principal }) => [...principal.scopes].sort(),
})

const list = operation({
  method: 'GET',
  path: '/api/v2/tokens',
  operationId: 'listTokens',
  tag,
  summary: 'List tokens',
  description:
    "The caller's own tokens; with the scope `read:users` those of any user, or of all. Token values are not shown.",
  scope: 'public',
  query: TokenQuery,
  responses: { 200: { description: 'Tokens that have not expired, by age.', schema: Type.Array(Token) } },
  errors: [403],
  handle: ({ app, principal, query }) => app.service.tokens.list(principal, query.username ?? null).map(tokenWire),
})

const revoke = operation({
  method: 'DELETE',
  path: '/api/v2/tokens/{token_id}',
  operationId: 'revokeToken',
  tag,
  summary: 'Revoke a token',
  description: "One of the caller's own tokens; with the scope `write:users` any token. It stops working at once.",
  scope: 'public',
  responses: { 200: { description: 'The token is revoked.', schema: Outcome, example: worked } },
  errors: [404, 507],
  handle({ app, principal, params }) {
    app.service.tokens.revoke(principal, params[0]!)
    return worked
  },
})

export const tokenRoutes: readonly Route[] = [issue, scopes, list, revoke]
