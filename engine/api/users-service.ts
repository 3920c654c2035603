/** What may be asked of users and their tokens, and what is told of them: the words that server/ and engine/ share. */
import type { Role, Scope } from './scopes.js'
import type { Principal } from './principal.js'

/** A user as others see one. */
export interface UserView {
  readonly name: string
  readonly role: Role
  readonly enabled: boolean
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC, or null: never, or not since the record was last written. */
  readonly lastLoginAt: string | null
  /** Tokens that work, or would if the user were enabled. */
  readonly tokens: number
}

export interface NewUser {
  readonly name: string
  readonly password: string
  readonly role: Role
}

/** What of a user changes. */
export interface UserChange {
  readonly role?: Role
  readonly enabled?: boolean
}

export interface PasswordChange {
  readonly password: string
  /** Needed from a user who changes his own. */
  readonly currentPassword?: string
  /** Leaves the user's tokens as they are; otherwise all end but the one that is used for this. */
  readonly keepTokens: boolean
  /** Where the caller is, to slow down guessing. */
  readonly address: string
}

/** Users: administrators, power users, analysts. At least one enabled administrator is there at all times. */
export interface UserService {
  /** By name. */
  list(): UserView[]
  /** @throws Refusal user_not_found. */
  get(name: string): UserView
  /** Rejects with invalid_body (a name or password that cannot be one), user_exists, limit_exceeded. */
  create(by: Principal, user: NewUser): Promise<UserView>
  /** Takes effect at once, for tokens too. @throws Refusal user_not_found, last_administrator. */
  change(by: Principal, name: string, change: UserChange): UserView
  /**
   * Rejects with user_not_found, invalid_body, forbidden (not one's own and not an administrator's doing, or the
   * current password is wrong), too_many_attempts.
   */
  setPassword(by: Principal, name: string, change: PasswordChange): Promise<void>
  /** Tokens go with the user; votes stay. @throws Refusal user_not_found, last_administrator. */
  remove(by: Principal, name: string): void
}

export interface TokenRequest {
  readonly username: string
  readonly password: string
  /** Seconds, at least 1. */
  readonly lifeSeconds: number
  /** No more than this; null: all that the user may. */
  readonly scopes: readonly Scope[] | null
  /** Where the caller is, to slow down guessing. */
  readonly address: string
}

export interface IssuedToken {
  readonly id: string
  /** Told this once. */
  readonly value: string
  readonly expiresMicros: number
}

export interface TokenView {
  readonly id: string
  readonly username: string
  readonly createdAt: string
  readonly expiresMicros: number
  /** ISO 8601 UTC, a minute behind at most; null: never used. */
  readonly lastUsedAt: string | null
  /** What it may do now. */
  readonly scopes: readonly Scope[]
}

/** Tokens: what users present in place of a key. */
export interface TokenService {
  /**
   * A token for a user who says the password. The answer to an unknown user, a disabled one and a wrong password is the
   * same, and takes as long. Rejects with wrong_password, too_many_attempts.
   */
  issue(request: TokenRequest): Promise<IssuedToken>
  /** Those that are not over, by age: of one user, or of all. @throws Refusal forbidden for others' without read:users. */
  list(by: Principal, username: string | null): TokenView[]
  /** @throws Refusal token_not_found, also for others' without write:users. */
  revoke(by: Principal, id: string): void
}
