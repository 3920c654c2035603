/**
 * Signing in at the provider, and the sessions that follow from it.
 *
 * 1. A session ends when the provider's does: by its logout, or when its tokens expire. Where there is a refresh token,
 *    the session goes on while the provider gives new tokens, with the groups of that time.
 * 2. A person whose role changed, or who has none any more, has to sign in again.
 * 3. Tokens of the provider are in memory alone. In a cluster they are kept with the session, sealed with the key of
 *    the service: the next owner of the catalog refreshes sessions, and ends those that the provider ends.
 */
import { isRefusal, type DecisionService, type IssuedToken, type Log, type Role } from '../../engine/index.js'
import type { SessionOwner } from '../http/sessions.js'
import { sessionBounds, type Sessions } from '../http/sessions.js'
import { PendingSignIns, type PendingSignIn } from './pending.js'
import type { Logout, Provider, SignedOn } from './provider.js'
import { identityOf, roleOf, type ClaimRules } from './roles.js'

/** How often sessions are looked at, and how long before its end one is refreshed. */
const CHECK_MS = 15_000
const EARLY_MS = 45_000

export interface SignOnDeps {
  readonly tokens: Pick<DecisionService['tokens'], 'issueFor'>
  readonly sessions: Sessions
  readonly provider: Pick<Provider, 'settings' | 'begin' | 'finish' | 'refresh' | 'logoutOf' | 'signOutUrl'>
  readonly rules: ClaimRules
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Milliseconds that only grow. */
  nowMs(): number
  /** Milliseconds since the epoch. */
  epochMs(): number
}

/** A session that follows from the provider's. */
interface Following {
  readonly on: SignedOn
  readonly role: Role
  readonly endsMs: number
}

/** The same as it is kept: its end is a time since the epoch, milliseconds. */
interface Kept {
  readonly on: SignedOn
  readonly role: Role
  readonly untilMs: number
}

export class SignOn {
  readonly #deps: SignOnDeps
  readonly #pending: PendingSignIns
  /** By the session's id. */
  readonly #following = new Map<string, Following>()
  #timer: NodeJS.Timeout | null = null
  #checking: Promise<void> | null = null
  #isClosed = false

  /** Goes on with the sessions that another process has opened. */
  constructor(deps: SignOnDeps) {
    this.#deps = deps
    this.#pending = new PendingSignIns(() => deps.nowMs())
    const { sessions, nowMs, epochMs } = deps
    for (const [id, text] of sessions.origins()) {
      const { untilMs, ...kept } = JSON.parse(text) as Kept
      this.#follow(id, { ...kept, endsMs: nowMs() + untilMs - epochMs() })
    }
    if (this.#following.size > 0) this.#checkSafely()
  }

  /** Sessions that follow from the provider's. */
  get size(): number {
    return this.#following.size
  }

  /** The address to send the browser to, and the value of the cookie that it has to bring back. */
  async begin(returnTo: string): Promise<{ readonly url: URL; readonly cookie: string }> {
    const { url, signIn } = await this.#deps.provider.begin(returnTo)
    return { url, cookie: this.#pending.add(signIn) }
  }

  /** The sign-in that a browser brings back, once; null if there is none. */
  taken(cookie: string): PendingSignIn | null {
    return this.#pending.take(cookie)
  }

  /** The value of the cookie of a new session. @throws Refusal unauthorized, forbidden, user_exists and others. */
  async finish(query: string, signIn: PendingSignIn, address: string): Promise<string> {
    const { provider, rules, tokens, sessions } = this.#deps
    const on = await provider.finish(query, signIn)
    const identity = identityOf(on.claims, provider.settings.issuer, rules)
    const issued = tokens.issueFor(identity, sessionBounds.secondsMax, address)
    const following: Following = { on, role: identity.role, endsMs: this.#endOf(on) }
    const cookie = sessions.open(ownerOf(issued, identity.name), this.#kept(following))
    this.#follow(sessions.idOf(cookie), following)
    return cookie
  }

  /** Ends the session of that cookie. Returns where the person signs out at the provider, or null. */
  async signOut(cookie: string): Promise<URL | null> {
    const id = this.#deps.sessions.idOf(cookie)
    const idToken = this.#following.get(id)?.on.idToken ?? null
    this.#end(id)
    return idToken === null ? null : this.#deps.provider.signOutUrl(idToken)
  }

  /** Ends the sessions that a logout token of the provider names. @throws Refusal invalid_body, not_ready. */
  async logOut(token: string): Promise<number> {
    const logout = await this.#deps.provider.logoutOf(token)
    const ended = [...this.#following].filter(([, { on }]) => isMeant(logout, on)).map(([id]) => id)
    for (const id of ended) this.#end(id)
    return ended.length
  }

  /** Refreshes sessions that would end soon, and ends those that are over. Also called by a timer. */
  check(): Promise<void> {
    // A refresh token may be good for one use.
    this.#checking ??= this.#checkAll().finally(() => (this.#checking = null))
    return this.#checking
  }

  async #checkAll(): Promise<void> {
    const now = this.#deps.nowMs()
    for (const [id, session] of [...this.#following]) {
      if (this.#isClosed) return
      if (!this.#deps.sessions.has(id)) this.#following.delete(id)
      else if (session.endsMs - EARLY_MS <= now && session.on.refreshToken !== null) await this.#refresh(id, session)
      else if (session.endsMs <= now) this.#end(id)
    }
    if (this.#following.size === 0) this.#stopLooking()
  }

  /** Asks the provider nothing more: in a cluster, the next owner of the catalog does. */
  close(): void {
    this.#isClosed = true
    this.#stopLooking()
  }

  #stopLooking(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #checkSafely(): void {
    this.check().catch((error: unknown) =>
      this.#deps.log.warn('sessions of single sign-on could not be checked', { err: error }),
    )
  }

  async #refresh(id: string, { on, role, endsMs }: Following): Promise<void> {
    const { provider, rules, sessions, nowMs } = this.#deps
    try {
      const next = await provider.refresh(on.refreshToken ?? '', on.claims)
      if (next === null || roleOf(next.claims, rules) !== role) return this.#end(id)
      const following: Following = {
        on: { ...next, sid: next.sid ?? on.sid, idToken: next.idToken ?? on.idToken },
        role,
        endsMs: this.#endOf(next),
      }
      this.#follow(id, following)
      if (sessions.has(id)) sessions.setOrigin(id, this.#kept(following))
    } catch (error) {
      // The provider is away for a moment, or the catalog. The session holds as long as it was granted.
      if (!isRefusal(error)) throw error
      if (endsMs <= nowMs()) this.#end(id)
    }
  }

  #follow(id: string, session: Following): void {
    if (this.#isClosed || !this.#deps.sessions.has(id)) return
    this.#following.set(id, session)
    this.#timer ??= setInterval(() => this.#checkSafely(), CHECK_MS).unref()
  }

  #kept({ on, role, endsMs }: Following): string {
    const kept: Kept = { on, role, untilMs: this.#deps.epochMs() + endsMs - this.#deps.nowMs() }
    return JSON.stringify(kept)
  }

  #end(id: string): void {
    this.#following.delete(id)
    this.#deps.sessions.endById(id)
  }

  #endOf({ lifeSeconds }: SignedOn): number {
    return this.#deps.nowMs() + lifeSeconds * 1000
  }
}

function ownerOf({ value, id }: IssuedToken, name: string): SessionOwner {
  return { secret: value, name: `user ${name}`, tokenId: id }
}

/** With a session id, that session alone; else all of the person. */
function isMeant({ subject, sid }: Logout, { claims, sid: own }: SignedOn): boolean {
  if (sid !== null && own !== null) return sid === own
  return subject !== null && claims.sub === subject
}
