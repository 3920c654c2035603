/**
 * Authentication: the owner of a presented key or token, and the owner's scopes.
 *
 * Owns: the lookup of every request. Leaves out: the records (state.ts), visible jobs (visibility.ts).
 *
 * 1. A deleted key or token, and a token of a disabled user, stop working immediately: a change forgets all known
 *    secrets.
 * 2. A known secret costs one lookup in a map, an unknown one also a SHA-256. Only secrets with an owner are
 *    remembered, in two generations of bounded size. So unknown secrets cannot displace known ones.
 * 3. The scopes of a token are computed from the role of its owner. They follow the role and never exceed it (S21).
 */
import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import type { Principal } from '../../api/principal.js'
import { scopesOfKey, scopesOfRole, type Scope } from '../../api/scopes.js'
import type { ApiKeyRecord, TokenRecord, UserRecord } from '../records.js'
import type { Changes, ResourceState } from '../state.js'
import type { LastUse, Usable } from './last-use.js'
import { hashSecret, sameHash } from './secrets.js'

/** The owner of a remembered secret. */
interface Known extends Usable {
  /** Id of the key or token. */
  readonly id: string
  readonly principal: Principal
  /** Infinity: never. */
  readonly expiresMicros: number
}

/** What this token of the user may do now. */
export function scopesOfToken(token: TokenRecord, user: UserRecord): ReadonlySet<Scope> {
  const all = scopesOfRole[user.role]
  return token.scopes === undefined ? all : new Set(token.scopes.filter((scope) => all.has(scope)))
}

/** What a principal of a moment ago may do now; null where the key, the token or the user no longer works. */
export function scopesNow({ apiKeys, tokens, users }: ResourceState, by: Principal): ReadonlySet<Scope> | null {
  if (by.kind !== 'user') return apiKeys.get(by.name)?.kind === by.kind ? by.scopes : null
  const [token, user] = [tokens.get(by.tokenId ?? ''), users.get(by.name)]
  return token === undefined || user === undefined || !user.enabled ? null : scopesOfToken(token, user)
}

export class Credentials {
  readonly #state: ResourceState
  readonly #clock: Clock
  readonly #lastUse: Pick<LastUse, 'note' | 'forget'>
  readonly #byHash = new Map<string, ApiKeyRecord | TokenRecord>()
  #known = new Map<string, Known>()
  #knownBefore = new Map<string, Known>()

  constructor(state: ResourceState, clock: Clock, lastUse: Pick<LastUse, 'note' | 'forget'>) {
    this.#state = state
    this.#clock = clock
    this.#lastUse = lastUse
    for (const records of [state.apiKeys, state.tokens]) {
      for (const record of records.values()) this.#byHash.set(record.hash, record)
    }
  }

  /** The owner of the secret, or null. */
  authenticate(secret: string): Principal | null {
    const known = this.#known.get(secret) ?? this.#find(secret)
    if (known === null) return null
    if (known.expiresMicros !== Infinity && known.expiresMicros <= this.#clock.nowMicros()) return null
    if (!known.used) this.#lastUse.note(known.id, known)
    return known.principal
  }

  #find(secret: string): Known | null {
    if (secret.length > limits.secretCharsMax) return null
    const known = this.#knownBefore.get(secret) ?? this.#ownerOf(hashSecret(secret))
    if (known === null) return null
    if (this.#known.size >= limits.knownSecretsMax) {
      this.#knownBefore = this.#known
      this.#known = new Map()
    }
    this.#known.set(secret, known)
    return known
  }

  #ownerOf(hash: string): Known | null {
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

  /** Must be called with every committed change, before the state absorbs it. */
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
