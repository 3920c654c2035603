/**
 * Sessions of the console: a cookie instead of a key, for browsers.
 *
 * Owns: which cookie stands for which key or token, how long, and the check against forged requests. Leaves out: who
 * owns a key (the engine), signing in (routes/console/session.ts).
 *
 * 1. The browser never has the key: its cookie is a random value. The engine keeps sessions, sealed with that value, so
 *    that they go on after a restart, and where another node becomes the owner. Who works with a session without its
 *    cookie has its id.
 * 2. A session ends after some time without a request, and after twelve hours in any case. The browser keeps the cookie
 *    as long when it is closed.
 * 3. The cookie is HttpOnly and SameSite=Strict. A request by cookie that changes something needs a header that no form
 *    and no link can send. A request of a page of another address is refused, whatever it carries.
 * 4. Sessions are bounded, for each owner and in total. One more ends the session with the oldest use.
 */
import { randomBytes } from 'node:crypto'
import { Refusal, type DecisionService, type SessionKeeper, type SessionOwner } from '../../engine/index.js'
import type { Exchange } from './exchange.js'
import { isForeign } from './origin.js'

/** The bounds of sessions. */
export const sessionBounds = { totalMax: 10_000, perOwnerMax: 100, secondsMax: 12 * 3_600 } as const

const COOKIE = 'session'
/** The header that shows that a page of ours sent the request. Its value does not matter. */
export const FORGERY_HEADER = 'x-requested-with'

export type { SessionOwner }

interface Session extends SessionOwner {
  readonly id: string
  readonly beganMs: number
  usedMs: number
}

export interface SessionsOptions {
  readonly idleMs: number
  /** Milliseconds that only grow. */
  readonly now: () => number
  /** Where browsers reach the service, if that is set. */
  readonly publicUrl?: string | undefined
  /** Where sessions outlive this process; null or absent: nowhere. */
  readonly keeper?: SessionKeeper | null
  /** Called for each session that ends. */
  ended(owner: SessionOwner): void
}

export class Sessions {
  readonly #options: SessionsOptions
  /** By the cookie's value, in the order of their last use. */
  readonly #sessions = new Map<string, Session>()
  /** Cookies' values, by the ids of their sessions. */
  readonly #values = new Map<string, string>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Where browsers reach the service; '' if that is not set. */
  get publicUrl(): string {
    return this.#options.publicUrl ?? ''
  }

  /** False where no cookie can stand for a session. */
  get mayHave(): boolean {
    return this.#sessions.size > 0 || (this.#options.keeper ?? null) !== null
  }

  /** The id of the cookie's session: whoever has it does not have the session. */
  idOf(value: string): string {
    return this.#options.keeper?.idOf(value) ?? value
  }

  /** Opens a session and returns the value of its cookie. `origin`: what it follows from elsewhere, as text. */
  open(owner: SessionOwner, origin: string | null = null): string {
    const now = this.#options.now()
    for (const [value, session] of this.#sessions) if (this.#isOver(session, now)) this.end(value)
    const own = [...this.#sessions].filter(([, { name }]) => name === owner.name)
    if (own.length >= sessionBounds.perOwnerMax) this.end(own[0]![0])
    else if (this.#sessions.size >= sessionBounds.totalMax) this.end(this.#sessions.keys().next().value!)
    const value = randomBytes(32).toString('base64url')
    this.#options.keeper?.keep(value, owner, origin)
    this.#add(value, { ...owner, id: this.idOf(value), beganMs: now, usedMs: now })
    return value
  }

  /** The key or token that the cookie stands for, or ''. This is a use. */
  secretOf(value: string): string {
    const now = this.#options.now()
    const session = this.#sessions.get(value) ?? this.#takeUp(value, now)
    if (session === null) return ''
    if (this.#isOver(session, now)) {
      this.end(value)
      return ''
    }
    session.usedMs = now
    this.#options.keeper?.touch(value)
    this.#sessions.delete(value)
    this.#sessions.set(value, session)
    return session.secret
  }

  /** True if the session with this id is there and not over. */
  has(id: string): boolean {
    const session = this.#sessions.get(this.#values.get(id) ?? '')
    if (session !== undefined) return !this.#isOver(session, this.#options.now())
    const ages = this.#options.keeper?.agesOf(id) ?? null
    return ages !== null && !this.#isOver({ beganMs: -ages.ageMs, usedMs: -ages.unusedMs }, 0)
  }

  end(value: string): void {
    const session = this.#sessions.get(value) ?? this.#takeUp(value, this.#options.now())
    if (session === null) return
    this.#options.keeper?.end(session.id)
    this.#sessions.delete(value)
    this.#values.delete(session.id)
    this.#options.ended(session)
  }

  /** The same by the id. The token of a session whose cookie has not come to this process expires by itself. */
  endById(id: string): void {
    const value = this.#values.get(id)
    if (value === undefined) this.#options.keeper?.end(id)
    else this.end(value)
  }

  /** What sessions that other processes have opened follow from elsewhere, by id. */
  origins(): ReadonlyMap<string, string> {
    return this.#options.keeper?.origins() ?? new Map()
  }

  /** What a session follows has changed. */
  setOrigin(id: string, origin: string): void {
    this.#options.keeper?.setOrigin(id, origin)
  }

  /** A session that another process has opened; null where there is none. */
  #takeUp(value: string, now: number): Session | null {
    const kept = this.#options.keeper?.find(value) ?? null
    if (kept === null) return null
    const times = { beganMs: now - kept.ageMs, usedMs: now - kept.unusedMs }
    return this.#add(value, { ...kept.owner, id: this.idOf(value), ...times })
  }

  #add(value: string, session: Session): Session {
    this.#sessions.set(value, session)
    this.#values.set(session.id, value)
    return session
  }

  #isOver({ beganMs, usedMs }: Pick<Session, 'beganMs' | 'usedMs'>, now: number): boolean {
    return now - usedMs >= this.#options.idleMs || now - beganMs >= sessionBounds.secondsMax * 1000
  }
}

/** The sessions of a service. The token of a session ends with it. `idleMinutes`: without a request; default 60. */
export function sessionsOf(service: DecisionService, idleMinutes = 60, publicUrl?: string): Sessions {
  return new Sessions({
    publicUrl,
    idleMs: idleMinutes * 60_000,
    keeper: service.live.sessions,
    now: () => performance.now(),
    ended({ secret, tokenId }) {
      const owner = tokenId === null ? null : service.authenticate(secret)
      if (owner === null || tokenId === null) return
      try {
        service.tokens.revoke(owner, tokenId)
      } catch (error) {
        service.monitor.log('api').warn('the token of a session was not revoked; it expires by itself', { err: error })
      }
    },
  })
}

/** The value of a cookie in the request, or ''. */
export function namedCookie(exchange: Exchange, name: string): string {
  for (const part of exchange.header('cookie').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return ''
}

/** The value of the session's cookie in the request, or ''. */
export function cookieOf(exchange: Exchange): string {
  return namedCookie(exchange, COOKIE)
}

/** The header that gives the browser the cookie; the value '' takes it away. */
export function setCookie(value: string, isSecure: boolean): readonly [string, string] {
  const age = value === '' ? 0 : sessionBounds.secondsMax
  const secure = isSecure ? '; Secure' : ''
  return ['Set-Cookie', `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}; Max-Age=${age}`]
}

/** @throws Refusal forbidden, origin_refused, unless the request only reads or a page of ours sent it. */
export function refuseForgery(exchange: Exchange, { publicUrl }: Sessions): void {
  if (isForeign(exchange, publicUrl))
    throw new Refusal(
      'origin_refused',
      'a page of another address may not use the session of this browser. If it is this service behind a proxy, ' +
        'let the proxy pass the Host header, or set SERVICE_PUBLIC_URL',
    )
  if (exchange.method === 'get' || exchange.method === 'head' || exchange.header(FORGERY_HEADER) !== '') return
  throw new Refusal('forbidden', 'a request with the cookie of a session needs the header X-Requested-With')
}

/** The key or token of the request's session, or ''. @throws Refusal forbidden. */
export function sessionSecretOf(exchange: Exchange, sessions: Sessions | null): string {
  // A page of another port is on the same site: it could open a WebSocket with the cookie and read what comes.
  if (sessions === null || !sessions.mayHave || exchange.header('upgrade') !== '') return ''
  const value = cookieOf(exchange)
  const secret = value === '' ? '' : sessions.secretOf(value)
  if (secret !== '') refuseForgery(exchange, sessions)
  return secret
}
