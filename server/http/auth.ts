/**
 * Authentication and authorization (S1).
 *
 * Owns: the headers of the key, 401 and 403, the check of the rate limit. Leaves out: keys (the engine), which jobs a
 * key may see (engine.job).
 *
 * The header with the configured name takes precedence over the neutral one (C1.1). If both are absent, the key may be
 * in `Authorization: Bearer`, because Prometheus and Alertmanager before 0.28 cannot send other headers. Without any of
 * them the cookie of a session of the console stands for a key.
 */
import { lackOf, Refusal, type Principal, type Scope } from '../../engine/index.js'
import type { App } from '../app.js'
import type { Exchange } from './exchange.js'
import { sessionSecretOf } from './sessions.js'

export const neutralHeader = 'x-service-api-key'
/** RFC 6750, section 2.1. The scheme is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^bearer +([^\s]+)$/i

/** The header that carries the key for a service with this name, in lower case. */
export function keyHeader(name: string): string {
  return `x-${name.toLowerCase()}-api-key`
}

/** The key or token in the headers of the request, or ''. */
export function keyInHeaders(request: Pick<Exchange, 'header'>, app: Pick<App, 'keyHeader'>): string {
  const key = request.header(app.keyHeader)
  const neutral = key === '' && app.keyHeader !== neutralHeader ? request.header(neutralHeader) : key
  return neutral === '' ? (bearer.exec(request.header('authorization'))?.[1] ?? '') : neutral
}

/** The key or token of the request, or of the session of its cookie, or ''. @throws Refusal forbidden (sessions.ts). */
export function keyOf(exchange: Exchange, app: App): string {
  const key = keyInHeaders(exchange, app)
  return key === '' ? sessionSecretOf(exchange, app.sessions) : key
}

/** The owner of the request's key; null without a key or with an unknown one. */
export function principalOf(exchange: Exchange, app: App): Principal | null {
  return ownerOf(keyOf(exchange, app), app)
}

function ownerOf(key: string, app: App): Principal | null {
  return key === '' ? null : app.service.authenticate(key)
}

/**
 * The principal, if it has the scope and is within its rate. Every known key has the scope `public`.
 * @throws Refusal unauthorized, forbidden, rate_limited.
 */
export function authorize(exchange: Exchange, app: App, scope: Scope): Principal {
  exchange.key = keyOf(exchange, app)
  const principal = stillAuthorized(exchange, app, scope)
  if (app.rateLimit !== null) app.rateLimit.take(principal)
  return principal
}

/**
 * The principal now: while a body arrives, which may take minutes, the key may be revoked or lose the scope.
 * @throws Refusal unauthorized, forbidden.
 */
export function stillAuthorized({ key }: Pick<Exchange, 'key'>, app: App, scope: Scope): Principal {
  const principal = ownerOf(key, app)
  if (principal === null) throw new Refusal('unauthorized', `missing or invalid API key (header ${app.keyHeader})`)
  if (scope === 'public' || principal.scopes.has(scope)) return principal
  throw new Refusal('forbidden', lackOf(principal, scope))
}
