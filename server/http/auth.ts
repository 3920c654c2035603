/**
 * Who asks, and whether they may (S1).
 *
 * Owns: the key's headers, 401 and 403, and that a caller's rate is asked for. Leaves out: keys (the engine), which job a key may see (engine.job).
 * The configured name comes first, the neutral one works beside it (C1.1), and `Authorization: Bearer`
 * where neither is there, for senders that know no other header (Prometheus, Alertmanager before 0.28).
 */
import { Refusal, type Principal, type Scope } from '../../engine/index.js'
import type { App } from '../app.js'
import type { Exchange } from './exchange.js'

const neutralHeader = 'x-service-api-key'
/** RFC 6750, section 2.1; the word in any case (RFC 9110, section 11.1). */
const bearer = /^bearer +([^\s]+)$/i

/** The header that carries the key of a service of this name, lower case. */
export function keyHeader(name: string): string {
  return `x-${name.toLowerCase()}-api-key`
}

/** The key or token that the request carries, or ''. */
export function keyOf(exchange: Exchange, app: App): string {
  const key = exchange.header(app.keyHeader)
  const neutral = key === '' && app.keyHeader.text !== neutralHeader ? exchange.header(neutralHeader) : key
  return neutral === '' ? (bearer.exec(exchange.header('authorization'))?.[1] ?? '') : neutral
}

/** Whoever the request's key belongs to; null without a key or with an unknown one. */
export function principalOf(exchange: Exchange, app: App): Principal | null {
  return holderOf(keyOf(exchange, app), app)
}

function holderOf(key: string, app: App): Principal | null {
  return key === '' ? null : app.service.authenticate(key)
}

/**
 * The principal, who has the scope and is within its rate. `public` is every known key's.
 * @throws Refusal unauthorized, forbidden, rate_limited.
 */
export function authorize(exchange: Exchange, app: App, scope: Scope): Principal {
  exchange.key = keyOf(exchange, app)
  const principal = stillAuthorized(exchange, app, scope)
  if (app.rateLimit !== null) app.rateLimit.take(principal)
  return principal
}

/**
 * The principal as it is now: a body may take minutes to come, and the key, or its scope, may be gone by then.
 * @throws Refusal unauthorized, forbidden.
 */
export function stillAuthorized({ key }: Exchange, app: App, scope: Scope): Principal {
  const principal = holderOf(key, app)
  if (principal === null) throw new Refusal('unauthorized', `a valid key in the header ${app.keyHeader.text} is needed`)
  if (scope === 'public' || principal.scopes.has(scope)) return principal
  throw new Refusal('forbidden', `the key lacks the scope ${scope}`)
}
