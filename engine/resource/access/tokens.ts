/**
 * Tokens: what a user presents instead of a key. They are issued for a password, or for an identity that a provider
 * vouches for, and expire.
 *
 * Owns: issuing, listing and revoking them. Leaves out: the owner of a presented token (credentials.ts).
 *
 * 1. A value has 256 random bits, is shown once, and is stored as a hash (S19).
 * 2. Expired tokens stay in the store until their owner gets another one. They are never shown.
 * 3. A user has a limited number of tokens. A new one beyond the limit ends the token with the oldest last use. So a
 *    client that signs in at each start is never locked out.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Principal } from '../../api/principal.js'
import type { Identity, IssuedToken, TokenRequest, TokenService, TokenView } from '../../api/users-service.js'
import type { TokenRecord } from '../records.js'
import { Changes } from '../state.js'
import { scopesOfToken } from './credentials.js'
import { hashSecret, makeKeyId, makeSecret } from './secrets.js'
import { knownBy, newUser } from './identities.js'
import { refuseLastAdministrator, signInId, type AccountDeps } from './users.js'

export class Tokens implements TokenService {
  readonly #deps: AccountDeps

  constructor(deps: AccountDeps) {
    this.#deps = deps
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    const user = await this.#deps.passwords.check(request.username, request.password, request.address)
    if (user === null) throw new Refusal('wrong_password', 'wrong user name or password')
    const changes = new Changes()
    const token = this.#add(changes, user.name, request)
    this.#deps.commit(changes, { kind: 'user', name: user.name }, { address: request.address })
    this.#deps.lastUse.note(signInId(user.name))
    return token
  }

  issueFor(identity: Identity, lifeSeconds: number, address: string): IssuedToken {
    const changes = new Changes()
    const before = knownBy(this.#deps.state, identity)
    const user = before ?? newUser(this.#deps, identity)
    if (!user.enabled) throw new Refusal('forbidden', `the user ${user.name} is disabled`)
    if (user.role !== identity.role && before !== undefined) refuseLastAdministrator(this.#deps.state, before)
    if (before === undefined || before.role !== identity.role)
      changes.users.set(user.name, { ...user, role: identity.role })
    const token = this.#add(changes, user.name, { lifeSeconds, scopes: null })
    const details = { address, provider: identity.issuer }
    this.#deps.commit(changes, { kind: 'user', name: user.name }, details)
    this.#deps.lastUse.note(signInId(user.name))
    return token
  }

  /** Adds a new token of the user to the changes, and ends those that make room for it. */
  #add(
    changes: Changes,
    user: string,
    { lifeSeconds, scopes }: Pick<TokenRequest, 'lifeSeconds' | 'scopes'>,
  ): IssuedToken {
    const { clock, random } = this.#deps
    const now = clock.nowMicros()
    for (const id of this.#toEnd(user, now)) changes.tokens.set(id, null)
    const [id, value] = [makeKeyId(random), makeSecret(random)]
    const expiresMicros = now + Math.min(lifeSeconds, limits.tokenSecondsMax) * 1e6
    const createdAt = isoMicros(now)
    changes.tokens.set(id, {
      id,
      user,
      hash: hashSecret(value),
      createdAt,
      expiresMicros,
      ...(scopes === null ? {} : { scopes }),
    })
    return { id, value, expiresMicros }
  }

  list(by: Principal, username: string | null): TokenView[] {
    const others = by.scopes.has('read:users')
    const own = by.kind === 'user' ? by.name : null
    if (!others && username !== null && username !== own) {
      throw new Refusal('forbidden', 'only an administrator may list the tokens of other users')
    }
    const whose = others ? username : own
    if (whose === null && !others) return []
    const now = this.#deps.clock.nowMicros()
    return [...this.#deps.state.tokens.values()]
      .filter((token) => token.expiresMicros > now && (whose === null || token.user === whose))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
      .map((token) => this.#view(token))
  }

  revoke(by: Principal, id: string): void {
    const token = this.#deps.state.tokens.get(id)
    const own = by.kind === 'user' && token?.user === by.name
    if (token === undefined || !(own || by.scopes.has('write:users')))
      throw new Refusal('token_not_found', 'token not found')
    const changes = new Changes()
    changes.tokens.set(id, null)
    this.#deps.commit(changes, by)
  }

  /** The user's expired tokens, and those with the oldest use that must end to make room for one more. */
  #toEnd(username: string, now: number): string[] {
    const mine = [...this.#deps.state.tokens.values()].filter((token) => token.user === username)
    const usedAt = (token: TokenRecord): string => this.#deps.lastUse.at(token.id) ?? token.createdAt
    const byAge = mine
      .map((token) => ({ token, at: token.expiresMicros <= now ? '' : usedAt(token) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
    const room = mine.length - limits.tokensPerUserMax + 1
    return byAge.filter(({ at }, index) => at === '' || index < room).map(({ token }) => token.id)
  }

  #view(token: TokenRecord): TokenView {
    const user = this.#deps.state.users.get(token.user)
    return {
      id: token.id,
      username: token.user,
      createdAt: token.createdAt,
      expiresMicros: token.expiresMicros,
      lastUsedAt: this.#deps.lastUse.at(token.id),
      scopes: user === undefined || !user.enabled ? [] : [...scopesOfToken(token, user)].sort(),
    }
  }
}
