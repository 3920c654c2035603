/**
 * Users: administrators, power users, analysts (S21).
 *
 * Owns: changes of users. Leaves out: tokens (tokens.ts), the scope that an operation needs (server/routes).
 *
 * 1. There is always an enabled administrator.
 * 2. A new name must differ from all others without regard to case. Afterwards names are compared exactly.
 * 3. The tokens of a deleted user are deleted in the same commit. Those of a disabled user stop working with it.
 * 4. Hashing takes a while. The caller's scopes and the user's password are checked again afterwards.
 */
import { isoMicros } from '../../clock.js'
import { Refusal, type Issue } from '../../errors.js'
import { limits } from '../../limits.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { Author, Principal } from '../../api/principal.js'
import { lackOf, type Scope } from '../../api/scopes.js'
import type { NewUser, PasswordChange, UserChange, UserService, UserView } from '../../api/users-service.js'
import type { PlanDeps } from '../plan.js'
import type { TokenRecord, UserRecord } from '../records.js'
import { Changes, type ResourceState } from '../state.js'
import { scopesNow } from './credentials.js'
import type { LastUse } from './last-use.js'
import type { Passwords } from './passwords.js'
import { badPassword } from './secrets.js'

/** A name begins with a letter or digit, so that it is always a segment of a path (unlike `.` and `..`). */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]*$/
/** A path of its own: the caller. */
const RESERVED = 'me'

/** What users and tokens need of the resource store. */
export interface AccountDeps extends Pick<PlanDeps, 'clock' | 'random'> {
  readonly state: ResourceState
  readonly lastUse: LastUse
  readonly passwords: Passwords
  /** Commits all changes, or none, with their audit entries. */
  commit(changes: Changes, by: Author, details?: AuditEntry['details']): void
}

/** The id under which a user's sign-ins are noted. */
export function signInId(name: string): string {
  return `user ${name}`
}

/** Why a name is invalid, or null. */
export function badName(name: string): string | null {
  if (name.toLowerCase() === RESERVED) return 'is reserved'
  if (!NAME.test(name)) return 'may have only letters, digits and . _ @ + -, and must begin with a letter or digit'
  return name.length > limits.userNameCharsMax ? `must have at most ${limits.userNameCharsMax} characters` : null
}

/** @throws Refusal invalid_body. */
export function refuseBad(field: string, fault: string | null): void {
  if (fault === null) return
  const issue: Issue = { loc: ['body', field], msg: `${field} ${fault}`, type: 'value' }
  throw new Refusal('invalid_body', issue.msg, { issues: [issue] })
}

/** @throws Refusal user_exists, limit_exceeded. */
export function refuseTaken({ users }: ResourceState, name: string): void {
  const lower = name.toLowerCase()
  for (const other of users.keys()) {
    if (other.toLowerCase() === lower) throw new Refusal('user_exists', `the user ${other} already exists`)
  }
  if (users.size >= limits.usersMax)
    throw new Refusal('limit_exceeded', `there can be at most ${limits.usersMax} users`)
}

/** Refuses where there is no other enabled administrator. @throws Refusal last_administrator. */
export function refuseLastAdministrator({ users }: ResourceState, user: UserRecord): void {
  if (user.role !== 'administrator' || !user.enabled) return
  for (const other of users.values()) {
    if (other.name !== user.name && other.role === 'administrator' && other.enabled) return
  }
  const message = 'the last administrator cannot be deleted, disabled or given another role'
  throw new Refusal('last_administrator', message)
}

function userNotFound(): Refusal {
  return new Refusal('user_not_found', 'user not found')
}

function wrongPassword(): Refusal {
  return new Refusal('forbidden', 'the current password is wrong')
}

export class Users implements UserService {
  readonly #deps: AccountDeps

  constructor(deps: AccountDeps) {
    this.#deps = deps
  }

  list(): UserView[] {
    const users = [...this.#deps.state.users.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const counts = new Map<string, number>()
    for (const token of this.#validTokens()) counts.set(token.user, (counts.get(token.user) ?? 0) + 1)
    return users.map((user) => this.#view(user, counts.get(user.name) ?? 0))
  }

  get(name: string): UserView {
    const user = this.#find(name)
    return this.#view(user, this.#validTokens().filter((token) => token.user === name).length)
  }

  async create(by: Principal, { name, password, role }: NewUser): Promise<UserView> {
    refuseBad('username', badName(name))
    refuseBad('password', badPassword(password))
    this.#refuseTaken(name)
    const hashed = await this.#deps.passwords.hash(password)
    this.#mustStillBe(by, 'write:users')
    this.#refuseTaken(name)
    const createdAt = isoMicros(this.#deps.clock.nowMicros())
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
      throw new Refusal('forbidden', 'only an administrator may change the password of another user')
    const before = this.#withPassword(name)
    refuseBad('password', badPassword(change.password))
    const checked = own ? await this.#deps.passwords.check(name, change.currentPassword ?? '', change.address) : null
    if (own && checked === null) throw wrongPassword()
    const password = await this.#deps.passwords.hash(change.password)
    this.#mustStillBe(by, own ? null : 'write:users')
    const now = this.#withPassword(name)
    // Deleted meanwhile, and made again: that is another person.
    if (now.createdAt !== before.createdAt) throw userNotFound()
    if (checked !== null && checked.password !== now.password) throw wrongPassword()
    const others = change.keepTokens ? [] : this.#tokensOf(name).filter((id) => id !== by.tokenId)
    this.#commit({ ...now, password }, by, others)
  }

  /** @throws Refusal user_not_found, forbidden. */
  #withPassword(name: string): UserRecord {
    const user = this.#find(name)
    if (user.identity === undefined) return user
    const why = 'this user signs in at the provider of single sign-on, and has no password here'
    throw new Refusal('forbidden', why)
  }

  remove(by: Principal, name: string): void {
    const user = this.#find(name)
    this.#refuseLastAdministrator(user)
    const changes = new Changes()
    changes.users.set(name, null)
    for (const id of this.#tokensOf(name)) changes.tokens.set(id, null)
    this.#deps.commit(changes, by)
    this.#deps.lastUse.forget(signInId(name))
  }

  /** @throws Refusal unauthorized, forbidden. */
  #mustStillBe(by: Principal, scope: Scope | null): void {
    const scopes = scopesNow(this.#deps.state, by)
    if (scopes === null) throw new Refusal('unauthorized', 'the key or token no longer works')
    if (scope !== null && !scopes.has(scope)) throw new Refusal('forbidden', lackOf(by, scope))
  }

  #commit(user: UserRecord, by: Author, endedTokens: readonly string[] = []): void {
    const changes = new Changes()
    changes.users.set(user.name, user)
    for (const id of endedTokens) changes.tokens.set(id, null)
    this.#deps.commit(changes, by)
  }

  #find(name: string): UserRecord {
    const user = this.#deps.state.users.get(name)
    if (user === undefined) throw userNotFound()
    return user
  }

  #refuseTaken(name: string): void {
    refuseTaken(this.#deps.state, name)
  }

  #refuseLastAdministrator(user: UserRecord): void {
    refuseLastAdministrator(this.#deps.state, user)
  }

  /** Ids of the user's tokens, expired ones included. */
  #tokensOf(name: string): string[] {
    return [...this.#deps.state.tokens.values()].filter(({ user }) => user === name).map(({ id }) => id)
  }

  #validTokens(): TokenRecord[] {
    const now = this.#deps.clock.nowMicros()
    return [...this.#deps.state.tokens.values()].filter((token) => token.expiresMicros > now)
  }

  #view(user: UserRecord, tokens: number): UserView {
    const { name, role, createdAt, enabled } = user
    return { name, role, enabled, createdAt, lastLoginAt: this.#deps.lastUse.at(signInId(name)), tokens }
  }
}
