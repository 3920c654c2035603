/**
 * Single sign-on over HTTP: to the provider, back from it, and the provider's logout.
 *
 * 1. A browser that comes back must have the cookie that it was sent away with. It is of this folder of paths alone,
 *    and Lax, because the way back begins at the provider. Each sign-in has one of its own, by its state: tabs that
 *    sign in at the same time come back in any order, each to its page.
 * 2. A person who cannot be signed in gets a page that says why.
 */
import { isRefusal, limits, Refusal } from '../../engine/index.js'
import type { App } from '../app.js'
import { collectBody } from '../http/body.js'
import { replyError, statusOf } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { heldByStrangers } from '../http/held-bytes.js'
import { json, replyJson, statusLine } from '../http/reply.js'
import type { OpenRoute, Route } from '../http/route.js'
import { namedCookie, setCookie } from '../http/sessions.js'
import { Checker } from '../http/validate.js'
import { LogoutTaken, SignInMethods, SignOnQuery } from '../schemas/console/session.js'
import { PENDING_SECONDS, pathHere } from './pending.js'
import { refusedHeaders, refusedPage } from './page.js'
import type { SignOn } from './sign-on.js'

const tag = 'Access'
const FOLDER = '/api/v2/session/sso'
const COOKIE = 'sso'
const html = 'text/html; charset=utf-8'
const query = new Checker(SignOnQuery, 'query')

function signOnOf({ signOn }: App): SignOn {
  if (signOn === null) throw new Refusal('forbidden', 'single sign-on is not set up: SERVICE_OIDC_ISSUER')
  return signOn
}

/** The name of the cookie of one sign-in; '' where the state is none of ours. */
function nameOf(state: string | null): string {
  return state !== null && /^[\w-]{16}/.test(state) ? `${COOKIE}-${state.slice(0, 16)}` : ''
}

function pendingCookie(name: string, value: string, { publicUrl }: App): readonly [string, string] {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = value === '' ? 0 : PENDING_SECONDS
  return ['Set-Cookie', `${name}=${value}; Path=${FOLDER}; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`]
}

/** Sends the browser elsewhere. */
function redirect(exchange: Exchange, address: string, cookies: readonly (readonly [string, string])[]): void {
  exchange.reply('303 See Other', html, '', [['Location', address], ['Cache-Control', 'no-store'], ...cookies])
}

/** Says why to a person; bugs are errors as everywhere. */
function refuse(exchange: Exchange, error: unknown): void {
  if (!isRefusal(error)) return replyError(exchange, error)
  exchange.reply(statusLine(statusOf[error.code]), html, refusedPage(error.message, `${FOLDER}/login`), refusedHeaders)
}

const login: OpenRoute = {
  method: 'GET',
  path: `${FOLDER}/login`,
  operationId: 'beginSignOn',
  tag,
  summary: 'Go to the provider of single sign-on',
  description: 'For browsers: leads to the provider, and from there back to `return_to`.',
  scope: null,
  query: SignOnQuery,
  responses: { 303: { description: 'The address of the provider.' } },
  errors: [403, 503],
  serve(exchange, _params, app) {
    const signOn = signOnOf(app)
    const { return_to: path } = query.checkQuery(exchange.query())
    exchange.hold()
    signOn.begin(pathHere(path)).then(
      ({ url, cookie }) => {
        const name = nameOf(url.searchParams.get('state'))
        redirect(exchange, url.href, [pendingCookie(name, cookie, app)])
      },
      (error: unknown) => refuse(exchange, error),
    )
  },
}

async function comeBack(exchange: Exchange, app: App, signOn: SignOn): Promise<void> {
  const given = exchange.query()
  const address = exchange.address()
  const name = nameOf(new URLSearchParams(given).get('state'))
  const signIn = name === '' ? null : signOn.taken(namedCookie(exchange, name))
  exchange.hold()
  if (signIn === null)
    throw new Refusal('unauthorized', 'this sign-in was not begun in this browser, or it took longer than ten minutes')
  const session = await signOn.finish(given, signIn, address)
  const isSecure = app.publicUrl.startsWith('https:')
  redirect(exchange, signIn.returnTo, [setCookie(session, isSecure), pendingCookie(name, '', app)])
}

const callback: OpenRoute = {
  method: 'GET',
  path: `${FOLDER}/callback`,
  operationId: 'finishSignOn',
  tag,
  summary: 'Come back from the provider of single sign-on',
  description: 'The redirect URI to register at the provider. It opens a session, as `POST /api/v2/session` does.',
  scope: null,
  responses: { 303: { description: 'Signed in; leads to the page that was asked for.' } },
  errors: [401, 403, 409, 503, 507],
  serve(exchange, _params, app) {
    comeBack(exchange, app, signOnOf(app)).catch((error: unknown) => refuse(exchange, error))
  },
}

const logout: OpenRoute = {
  method: 'POST',
  path: `${FOLDER}/logout`,
  operationId: 'endSignOn',
  tag,
  summary: 'Take a logout of the provider',
  description: 'The back-channel logout URI to register at the provider. It ends the sessions that the token names.',
  scope: null,
  responses: { 200: { description: 'The sessions are ended.', schema: LogoutTaken } },
  errors: [403, 413, 422, 503],
  serve(exchange, _params, app) {
    const signOn = signOnOf(app)
    collectBody(exchange, limits.passwordBodyBytesMax, undefined, { room: heldByStrangers })
      .then(async (bytes) => {
        const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'))
        const ended = await signOn.logOut(form.get('logout_token') ?? '')
        replyJson(exchange, 200, { ended }, [['Cache-Control', 'no-store']])
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

const methods: OpenRoute = {
  method: 'GET',
  path: '/api/v2/session/methods',
  operationId: 'getSignInMethods',
  tag,
  summary: 'How people can sign in',
  scope: null,
  responses: {
    200: {
      description: 'The ways.',
      schema: SignInMethods,
      example: { password: true, single_sign_on: `${FOLDER}/login` },
    },
  },
  serve(exchange, _params, app) {
    const ways = { password: app.passwords, single_sign_on: app.signOn === null ? null : `${FOLDER}/login` }
    exchange.reply('200 OK', json, JSON.stringify(ways), [['Cache-Control', 'no-store']])
  },
}

export const signOnRoutes: readonly Route[] = [login, callback, logout, methods]
