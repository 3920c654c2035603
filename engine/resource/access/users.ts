/**
 * Users: administrators, power users, analysts (S21).
 *
 * Owns: what may change of a user, and that somebody is left to administer. Leaves out: tokens (tokens.ts), which
 * operation needs which scope (server/routes).
 *
 * 1. At every time there is an enabled administrator.
 * 2. Names are told apart without regard to case when they are made, and compared as they are afterwards.
 * 3. A disabled or deleted user's tokens end in the same commit, or with it.
 * 4. Hashing takes a while. What counts is who may what behind it, and which password there is then.
 */
import { isoMicros } from '../../clock.js'
import { Refusal, type Issue } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Scope } from '../../api/scopes.js'
import { scopesNow } from './credentials.js'
import type { LastUse } from './last-use.js'
import type { Passwords } from './passwords.js'
import type { Maker } from '../plan.js'
import type { UserRecord } from '../records.js'
import { badPassword } from './secrets.js'
import { Changes, type ResourceState } from '../state.js'
import type { NewUser, PasswordChange, UserChange, UserService, UserView } from '../../api/users-service.js'
import type { Author, Principal } from '../../api/principal.js'
import type { AuditEntry } from '../../api/audit-service.js'

/** Begins with a letter or digit, so that it is a whole segment of a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]*$/
/** Paths that mean something else. */
const RESERVED = 'me'

/** What of the catalog users and tokens need. */
export interface AccountsHost {
  readonly state: ResourceState
  readonly maker: Maker
  readonly lastUse: LastUse
  readonly passwords: Passwords
  /** All or nothing, with what it tells the audit log. */
  commit(changes: Changes, by: Author, details?: AuditEntry['details']): void
}

/** Under which a user's sign-ins are noted. */
export function signInId(name: string): string {
  return `user ${name}`
}

/** Why a name cannot be a user's, or null. */
function badName(name: string): string | null {
  if (name.toLowerCase() === RESERVED) return 'is reserved'
  if (!NAME.test(name)) return 'may have only letters, digits and . _ @ + -, and begins with a letter or digit'
  return name.length > limits.userNameCharsMax ? `has at most ${limits.userNameCharsMax} characters` : null
}

function refuseBad(field: string, fault: string | null): void {
  if (fault === null) return
  const issue: Issue = { loc: ['body', field], msg: `${field} ${fault}`, type: 'value' }
  throw new Refusal('invalid_body', issue.msg, { issues: [issue] })
}

function wrongPassword(): Refusal {
  return new Refusal('forbidden', 'the current password is wrong')
}

export class Users implements UserService {
  readonly #host: AccountsHost

  constructor(host: AccountsHost) {
    this.#host = host
  }

  list(): UserView[] {
    const users = [...this.#host.state.users.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const counts = new Map<string, number>()
    for (const token of this.#tokensThatWork()) counts.set(token.user, (counts.get(token.user) ?? 0) + 1)
    return users.map((user) => this.#view(user, counts.get(user.name) ?? 0))
  }

  get(name: string): UserView {
    const user = this.#find(name)
    return this.#view(user, this.#tokensThatWork().filter((token) => token.user === name).length)
  }

  async create(by: Principal, { name, password, role }: NewUser): Promise<UserView> {
    refuseBad('username', badName(name))
    refuseBad('password', badPassword(password))
    this.#refuseTaken(name)
    const hashed = await this.#host.passwords.hash(password)
    this.#mustStillBe(by, 'write:users')
    this.#refuseTaken(name)
    const createdAt = isoMicros(this.#host.maker.clock.nowMicros())
    this.#commit({ name, role, password: hashed, createdAt, enabled: true }, by)
    return this.get(name)
  }

  change(by: Principal, name: string, change: UserChange): UserView {
    const before = this.#find(name)
    const after: UserRecord = {
      ...before,
      role: change.role ?? before.role,
      enabled: change.enabled ?? before.enabled,
    }
    if (after.role !== 'administrator' || !after.enabled) this.#refuseLastAdministrator(before)
    if (after.role !== before.role || after.enabled !== before.enabled) this.#commit(after, by)
    return this.get(name)
  }

  async setPassword(by: Principal, name: string, change: PasswordChange): Promise<void> {
    const own = by.kind === 'user' && by.name === name
    if (!own && !by.scopes.has('write:users'))
      throw new Refusal('forbidden', "another's password is an administrator's to change")
    this.#find(name)
    refuseBad('password', badPassword(change.password))
    const checked = own ? await this.#host.passwords.check(name, change.currentPassword ?? '', change.address) : null
    if (own && checked === null) throw wrongPassword()
    const password = await this.#host.passwords.hash(change.password)
    this.#mustStillBe(by, own ? null : 'write:users')
    if (checked !== null && checked.password !== this.#find(name).password) throw wrongPassword()
    const ended = change.keepTokens
      ? []
      : [...this.#host.state.tokens.values()].filter((token) => {
          return token.user === name && token.id !== by.tokenId
        })
    this.#commit(
      { ...this.#find(name), password },
      by,
      ended.map(({ id }) => id),
    )
  }

  remove(by: Principal, name: string): void {
    const user = this.#find(name)
    this.#refuseLastAdministrator(user)
    const changes = new Changes()
    changes.users.set(name, null)
    for (const token of this.#host.state.tokens.values()) if (token.user === name) changes.tokens.set(token.id, null)
    this.#host.commit(changes, by)
    this.#host.lastUse.forget(signInId(name))
  }

  /** @throws Refusal unauthorized, forbidden. */
  #mustStillBe(by: Principal, scope: Scope | null): void {
    const scopes = scopesNow(this.#host.state, by)
    if (scopes === null) throw new Refusal('unauthorized', 'the key or token does not work any more')
    if (scope !== null && !scopes.has(scope)) throw new Refusal('forbidden', `the key lacks the scope ${scope}`)
  }

  #commit(user: UserRecord, by: Author, endedTokens: readonly string[] = []): void {
    const changes = new Changes()
    changes.users.set(user.name, user)
    for (const id of endedTokens) changes.tokens.set(id, null)
    this.#host.commit(changes, by)
  }

  #find(name: string): UserRecord {
    const user = this.#host.state.users.get(name)
    if (user === undefined) throw new Refusal('user_not_found', 'user not found')
    return user
  }

  #refuseTaken(name: string): void {
    const { users } = this.#host.state
    const lower = name.toLowerCase()
    for (const other of users.keys()) {
      if (other.toLowerCase() === lower) throw new Refusal('user_exists', `there is a user ${other} already`)
    }
    if (users.size >= limits.usersMax)
      throw new Refusal('limit_exceeded', `there can be at most ${limits.usersMax} users`)
  }

  /** Refuses where nobody else is an enabled administrator. */
  #refuseLastAdministrator(user: UserRecord): void {
    if (user.role !== 'administrator' || !user.enabled) return
    for (const other of this.#host.state.users.values()) {
      if (other.name !== user.name && other.role === 'administrator' && other.enabled) return
    }
    throw new Refusal('last_administrator', 'the last administrator cannot be removed, disabled or given another role')
  }

  #tokensThatWork() {
    const now = this.#host.maker.clock.nowMicros()
    return [...this.#host.state.tokens.values()].filter((token) => token.expiresMicros > now)
  }

  #view(user: UserRecord, tokens: number): UserView {
    const { name, role, createdAt, enabled } = user
    return { name, role, enabled, createdAt, lastLoginAt: this.#host.lastUse.at(signInId(name)), tokens }
  }
}
