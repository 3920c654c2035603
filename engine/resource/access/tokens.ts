/**
 * Tokens: what a user presents in place of a key, made for a password and over after a while.
 *
 * Owns: making, listing and ending them. Leaves out: whose a presented one is (credentials.ts).
 *
 * 1. A value has 256 random bits, is told once, and is kept as a hash (S19).
 * 2. Tokens that are over stay in the store until their owner makes another; nobody is shown them.
 * 3. A user has so many and no more: a client that signs in each time it starts is not locked out by the bound, it ends
 *    the token that was not used for the longest.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { scopesOfToken } from './credentials.js'
import type { TokenRecord } from '../records.js'
import { hashSecret, makeKeyId, makeSecret } from './secrets.js'
import { Changes } from '../state.js'
import { signInId, type AccountsHost } from './users.js'
import type { IssuedToken, TokenRequest, TokenService, TokenView } from '../../api/users-service.js'
import type { Principal } from '../../api/principal.js'

export class Tokens implements TokenService {
  readonly #host: AccountsHost

  constructor(host: AccountsHost) {
    this.#host = host
  }

  async issue(request: TokenRequest): Promise<IssuedToken> {
    const user = await this.#host.passwords.check(request.username, request.password, request.address)
    if (user === null) throw new Refusal('wrong_password', 'wrong user name or password')
    const { clock, random } = this.#host.maker
    const now = clock.nowMicros()
    const changes = new Changes()
    for (const id of this.#toEnd(user.name, now)) changes.tokens.set(id, null)
    const [id, value] = [makeKeyId(random), makeSecret(random)]
    const expiresMicros = now + Math.min(request.lifeSeconds, limits.tokenSecondsMax) * 1e6
    changes.tokens.set(id, {
      id,
      user: user.name,
      hash: hashSecret(value),
      createdAt: isoMicros(now),
      expiresMicros,
      ...(request.scopes === null ? {} : { scopes: request.scopes }),
    })
    this.#host.commit(changes, { kind: 'user', name: user.name }, { address: request.address })
    this.#host.lastUse.note(signInId(user.name))
    return { id, value, expiresMicros }
  }

  list(by: Principal, username: string | null): TokenView[] {
    const others = by.scopes.has('read:users')
    const own = by.kind === 'user' ? by.name : null
    if (!others && username !== null && username !== own) {
      throw new Refusal('forbidden', "others' tokens are an administrator's to see")
    }
    const whose = others ? username : own
    if (whose === null && !others) return []
    const now = this.#host.maker.clock.nowMicros()
    return [...this.#host.state.tokens.values()]
      .filter((token) => token.expiresMicros > now && (whose === null || token.user === whose))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
      .map((token) => this.#view(token))
  }

  revoke(by: Principal, id: string): void {
    const token = this.#host.state.tokens.get(id)
    const own = by.kind === 'user' && token?.user === by.name
    if (token === undefined || !(own || by.scopes.has('write:users')))
      throw new Refusal('token_not_found', 'token not found')
    const changes = new Changes()
    changes.tokens.set(id, null)
    this.#host.commit(changes, by)
  }

  /** The user's tokens that are over, and of the others those that leave no room for one more. */
  #toEnd(username: string, now: number): string[] {
    const mine = [...this.#host.state.tokens.values()].filter((token) => token.user === username)
    const usedAt = (token: TokenRecord): string => this.#host.lastUse.at(token.id) ?? token.createdAt
    const byAge = mine
      .map((token) => ({ token, at: token.expiresMicros <= now ? '' : usedAt(token) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
    const room = mine.length - limits.tokensPerUserMax + 1
    return byAge.filter(({ at }, index) => at === '' || index < room).map(({ token }) => token.id)
  }

  #view(token: TokenRecord): TokenView {
    const user = this.#host.state.users.get(token.user)
    return {
      id: token.id,
      username: token.user,
      createdAt: token.createdAt,
      expiresMicros: token.expiresMicros,
      lastUsedAt: this.#host.lastUse.at(token.id),
      scopes: user === undefined || !user.enabled ? [] : [...scopesOfToken(token, user)].sort(),
    }
  }
}
