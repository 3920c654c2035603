/**
 * Signing in to the console and out of it. A session is a cookie that stands for a key or a token (http/sessions.ts).
 *
 * 1. Forged requests are refused here as everywhere: nobody is signed in as somebody else by a foreign page.
 */
import type { Static } from 'typebox'
import { limits, Refusal, type Principal } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { collectBody } from '../../http/body.js'
import { replyError } from '../../http/error-reply.js'
import { heldByStrangers } from '../../http/held-bytes.js'
import { originOf } from '../../http/origin.js'
import { replyJson } from '../../http/reply.js'
import { operation, type OpenRoute, type Route } from '../../http/route.js'
import {
  cookieOf,
  refuseForgery,
  sessionBounds,
  setCookie,
  type SessionOwner,
  type Sessions,
} from '../../http/sessions.js'
import { Checker, parseJson } from '../../http/validate.js'
import { worked } from '../../schemas/common.js'
import { SessionRequest, SessionView, SignedOut } from '../../schemas/console/session.js'
import { mustHavePasswords } from '../tokens.js'
import { tag } from './tag.js'

const requestChecker = new Checker(SessionRequest, 'body')

function viewOf({ service }: App, principal: Principal) {
  const { kind, name, scopes } = principal
  return {
    kind,
    name,
    role: kind === 'user' ? service.users.get(name).role : null,
    scopes: [...scopes].sort(),
    service_name: service.name,
  }
}

function sessionsOf(app: App): Sessions {
  if (app.sessions === null) throw new Refusal('forbidden', 'the console is switched off: SERVICE_CONSOLE')
  return app.sessions
}

/** The owner of the key or of the password, and what the session stands for. @throws Refusal. */
async function ownerOf(
  app: App,
  { key, username, password }: Static<typeof SessionRequest>,
  address: string,
): Promise<[Principal, SessionOwner]> {
  const given = key?.trim() ?? ''
  if (given === '') mustHavePasswords(app)
  const issued =
    given === ''
      ? await app.service.tokens.issue({
          username: username ?? '',
          password: password ?? '',
          lifeSeconds: sessionBounds.secondsMax,
          scopes: null,
          address,
        })
      : null
  const secret = issued?.value ?? given
  const principal = app.service.authenticate(secret)
  if (principal === null) throw new Refusal('unauthorized', 'this key or token is not known, or it has expired')
  return [principal, { secret, name: `${principal.kind} ${principal.name}`, tokenId: issued?.id ?? null }]
}

const signIn: OpenRoute = {
  method: 'POST',
  path: '/api/v2/session',
  operationId: 'signIn',
  tag,
  summary: 'Sign in to the console',
  description:
    'For browsers: the answer sets a cookie that stands for the key, or for a token of the user. The cookie is ' +
    'HttpOnly and SameSite=Strict, and Secure over TLS. Every request with it that is not a `GET` needs the header ' +
    '`X-Requested-With`, and so does this one. The session ends after `SERVICE_SESSION_MINUTES` without a request, ' +
    'and after twelve hours; it goes on when the browser is closed and when the service starts again. Programs send a ' +
    'key or a token instead.',
  scope: null,
  body: SessionRequest,
  bodyExample: { username: 'ann', password: 'correct horse battery' },
  responses: { 200: { description: 'Who is signed in.', schema: SessionView } },
  errors: [401, 403, 429, 507],
  serve(exchange, _params, app) {
    const sessions = sessionsOf(app)
    refuseForgery(exchange, sessions)
    const isSecure = originOf(exchange, app.servesTls).startsWith('https:')
    collectBody(exchange, limits.passwordBodyBytesMax, undefined, { room: heldByStrangers })
      .then(async (bytes) => {
        const [principal, owner] = await ownerOf(
          app,
          requestChecker.check(parseJson(bytes)) as Static<typeof SessionRequest>,
          exchange.address(),
        )
        const cookie = setCookie(sessions.open(owner), isSecure)
        replyJson(exchange, 200, viewOf(app, principal), [cookie, ['Cache-Control', 'no-store']])
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

const signOut: OpenRoute = {
  method: 'DELETE',
  path: '/api/v2/session',
  operationId: 'signOut',
  tag,
  summary: 'Sign out of the console',
  description:
    'Ends the session of the cookie at once, and its token. Without a session nothing happens. A session of single ' +
    'sign-on goes on at the provider until the browser has been at `sign_out_at`.',
  scope: null,
  responses: {
    200: {
      description: 'There is no session now.',
      schema: SignedOut,
      example: { ...worked, sign_out_at: null },
    },
  },
  errors: [403],
  serve(exchange, _params, app) {
    const sessions = sessionsOf(app)
    refuseForgery(exchange, sessions)
    const isSecure = originOf(exchange, app.servesTls).startsWith('https:')
    const cookie = cookieOf(exchange)
    const atProvider = app.signOn?.signOut(cookie) ?? Promise.resolve(null)
    sessions.end(cookie)
    exchange.hold()
    atProvider
      .then((url) => {
        const answer = { ...worked, sign_out_at: url?.href ?? null }
        replyJson(exchange, 200, answer, [setCookie('', isSecure), ['Cache-Control', 'no-store']])
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

const whoAmI = operation({
  method: 'GET',
  path: '/api/v2/session',
  operationId: 'getSession',
  tag,
  summary: 'Who the caller is',
  description: 'With the cookie of a session, and as well with a key or a token.',
  scope: 'public',
  responses: { 200: { description: 'The caller.', schema: SessionView } },
  handle: ({ app, principal }) => viewOf(app, principal),
})

export const sessionRoutes: readonly Route[] = [signIn, whoAmI, signOut]
