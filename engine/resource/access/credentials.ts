/**
 * Whose a presented secret is: a key's, or a user's token, and what that one may do.
 *
 * Owns: what is looked up for every request. Leaves out: the records (state.ts), which jobs are seen (visibility.ts).
 *
 * 1. A key or token that was deleted is nobody's from the same moment, and so are a disabled user's tokens: a change
 *    forgets every known secret.
 * 2. The hot path is one look into a map; a secret that is not known costs one SHA-256 and is remembered only when it
 *    belongs to somebody, in two generations of bounded size, so that strangers push nobody out.
 * 3. What a token may do is read off its owner's role, so it follows the role and never exceeds it (S21).
 */
import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { scopesOfKey, scopesOfRole, type Scope } from '../../api/scopes.js'
import type { LastUse, Usable } from './last-use.js'
import type { ApiKeyRecord, TokenRecord, UserRecord } from '../records.js'
import { hashSecret, sameHash } from './secrets.js'
import type { ResourceState, Changes } from '../state.js'
import type { Principal } from '../../api/principal.js'

/** Somebody whose secret was presented. */
interface Known extends Usable {
  /** Of the key or the token. */
  readonly id: string
  readonly principal: Principal
  /** Infinity: never. */
  readonly expiresMicros: number
}

/** What a token of this user may do now. */
export function scopesOfToken(token: TokenRecord, user: UserRecord): ReadonlySet<Scope> {
  const all = scopesOfRole[user.role]
  return token.scopes === undefined ? all : new Set(token.scopes.filter((scope) => all.has(scope)))
}

/** What somebody who was let in a moment ago may do now; null where the key or token, or its user, is not there any more. */
export function scopesNow({ apiKeys, tokens, users }: ResourceState, by: Principal): ReadonlySet<Scope> | null {
  if (by.kind !== 'user') return apiKeys.get(by.name)?.kind === by.kind ? by.scopes : null
  const [token, user] = [tokens.get(by.tokenId ?? ''), users.get(by.name)]
  return token === undefined || user === undefined || !user.enabled ? null : scopesOfToken(token, user)
}

export class Credentials {
  readonly #state: ResourceState
  readonly #clock: Clock
  readonly #lastUse: LastUse
  readonly #byHash = new Map<string, ApiKeyRecord | TokenRecord>()
  #known = new Map<string, Known>()
  #knownBefore = new Map<string, Known>()

  constructor(state: ResourceState, clock: Clock, lastUse: LastUse) {
    this.#state = state
    this.#clock = clock
    this.#lastUse = lastUse
    for (const records of [state.apiKeys, state.tokens]) {
      for (const record of records.values()) this.#byHash.set(record.hash, record)
    }
  }

  /** Whose the secret is, or null. */
  authenticate(secret: string): Principal | null {
    const known = this.#known.get(secret) ?? this.#find(secret)
    if (known === null) return null
    if (known.expiresMicros !== Infinity && known.expiresMicros <= this.#clock.nowMicros()) return null
    if (!known.used) this.#lastUse.note(known.id, known)
    return known.principal
  }

  #find(secret: string): Known | null {
    if (secret.length > limits.secretCharsMax) return null
    const known = this.#knownBefore.get(secret) ?? this.#enrichment(hashSecret(secret))
    if (known === null) return null
    if (this.#known.size >= limits.knownSecretsMax) {
      this.#knownBefore = this.#known
      this.#known = new Map()
    }
    this.#known.set(secret, known)
    return known
  }

  #enrichment(hash: string): Known | null {
    const record = this.#byHash.get(hash)
    if (record === undefined || !sameHash(record.hash, hash)) return null
    const { id } = record
    if ('kind' in record) {
      const { kind, name } = record
      return { id, principal: { kind, name, scopes: scopesOfKey[kind] }, expiresMicros: Infinity, used: false }
    }
    const user = this.#state.users.get(record.user)
    if (user === undefined || !user.enabled) return null
    const principal: Principal = { kind: 'user', name: user.name, scopes: scopesOfToken(record, user), tokenId: id }
    return { id, principal, expiresMicros: record.expiresMicros, used: false }
  }

  /** To be called with every change that was committed, before the state has it. */
  change({ apiKeys, tokens, users }: Changes): void {
    if (apiKeys.size + tokens.size + users.size === 0) return
    this.#replace(this.#state.apiKeys, apiKeys)
    this.#replace(this.#state.tokens, tokens)
    this.#known.clear()
    this.#knownBefore.clear()
  }

  #replace<T extends ApiKeyRecord | TokenRecord>(
    before: ReadonlyMap<string, T>,
    changes: ReadonlyMap<string, T | null>,
  ): void {
    for (const [id, record] of changes) {
      const old = before.get(id)
      if (old !== undefined) {
        this.#byHash.delete(old.hash)
        if (old.id !== record?.id) this.#lastUse.forget(old.id)
      }
      if (record !== null) this.#byHash.set(record.hash, record)
    }
  }
}
