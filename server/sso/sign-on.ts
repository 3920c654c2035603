/**
 * Signing in at the provider, and the sessions that follow from it.
 *
 * 1. A session ends when the provider's does: by its logout, or when its tokens expire. Where there is a refresh token,
 *    the session goes on while the provider gives new tokens, with the groups of that time.
 * 2. A person whose role changed, or who has none any more, has to sign in again.
 * 3. Tokens of the provider are in memory alone.
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
}

/** A session that follows from the provider's. */
interface Following {
  readonly on: SignedOn
  readonly role: Role
  readonly endsMs: number
}

export class SignOn {
  readonly #deps: SignOnDeps
  readonly #pending: PendingSignIns
  /** By the value of the session's cookie. */
  readonly #following = new Map<string, Following>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: SignOnDeps) {
    this.#deps = deps
    this.#pending = new PendingSignIns(() => deps.nowMs())
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
    // What follows it at the provider is in this process: it ends with the process.
    const cookie = sessions.open(ownerOf(issued, identity.name), false)
    this.#follow(cookie, { on, role: identity.role, endsMs: this.#endOf(on) })
    return cookie
  }

  /** Ends the session of that cookie. Returns where the person signs out at the provider, or null. */
  async signOut(cookie: string): Promise<URL | null> {
    const idToken = this.#following.get(cookie)?.on.idToken ?? null
    this.#end(cookie)
    return idToken === null ? null : this.#deps.provider.signOutUrl(idToken)
  }

  /** Ends the sessions that a logout token of the provider names. @throws Refusal invalid_body, not_ready. */
  async logOut(token: string): Promise<number> {
    const logout = await this.#deps.provider.logoutOf(token)
    const ended = [...this.#following].filter(([, { on }]) => isMeant(logout, on)).map(([cookie]) => cookie)
    for (const cookie of ended) this.#end(cookie)
    return ended.length
  }

  /** Refreshes sessions that would end soon, and ends those that are over. Also called by a timer. */
  async check(): Promise<void> {
    const now = this.#deps.nowMs()
    for (const [cookie, session] of [...this.#following]) {
      if (!this.#deps.sessions.has(cookie)) this.#following.delete(cookie)
      else if (session.endsMs - EARLY_MS <= now && session.on.refreshToken !== null)
        await this.#refresh(cookie, session)
      else if (session.endsMs <= now) this.#end(cookie)
    }
    if (this.#following.size === 0) this.close()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #refresh(cookie: string, { on, role, endsMs }: Following): Promise<void> {
    try {
      const next = await this.#deps.provider.refresh(on.refreshToken ?? '', on.claims)
      if (next === null || roleOf(next.claims, this.#deps.rules) !== role) return this.#end(cookie)
      this.#follow(cookie, {
        on: { ...next, sid: next.sid ?? on.sid, idToken: next.idToken ?? on.idToken },
        role,
        endsMs: this.#endOf(next),
      })
    } catch (error) {
      // The provider is away for a moment. The session holds as long as it was granted.
      if (!isRefusal(error)) throw error
      if (endsMs <= this.#deps.nowMs()) this.#end(cookie)
    }
  }

  #follow(cookie: string, session: Following): void {
    if (!this.#deps.sessions.has(cookie)) return
    this.#following.set(cookie, session)
    this.#timer ??= setInterval(() => {
      this.check().catch((error: unknown) =>
        this.#deps.log.warn('sessions of single sign-on could not be checked', { err: error }),
      )
    }, CHECK_MS).unref()
  }

  #end(cookie: string): void {
    this.#following.delete(cookie)
    this.#deps.sessions.end(cookie)
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
