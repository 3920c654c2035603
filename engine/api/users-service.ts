/** The contract of users and their tokens. */
import type { Role, Scope } from './scopes.js'
import type { Principal } from './principal.js'

/** A user, without the password. */
export interface UserView {
  readonly name: string
  readonly role: Role
  readonly enabled: boolean
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC; null where no sign-in was recorded. */
  readonly lastLoginAt: string | null
  /** Tokens that are not expired. Those of a disabled user count, and do not work. */
  readonly tokens: number
}

export interface NewUser {
  readonly name: string
  readonly password: string
  readonly role: Role
}

/** A change of a user; what is absent stays. */
export interface UserChange {
  readonly role?: Role
  readonly enabled?: boolean
}

export interface PasswordChange {
  readonly password: string
  /** Required from users who change their own password. */
  readonly currentPassword?: string
  /** True: the user's tokens stay valid. False: all of them end but the one that made this request. */
  readonly keepTokens: boolean
  /** The caller's address, for the login throttle. */
  readonly address: string
}

/** Users: administrators, power users, analysts. There is always at least one enabled administrator. */
export interface UserService {
  /** All users, sorted by name. */
  list(): UserView[]
  /** @throws Refusal user_not_found. */
  get(name: string): UserView
  /** Rejects with invalid_body (an invalid name or password), user_exists, limit_exceeded. */
  create(by: Principal, user: NewUser): Promise<UserView>
  /** Takes effect immediately, for tokens too. @throws Refusal user_not_found, last_administrator. */
  change(by: Principal, name: string, change: UserChange): UserView
  /**
   * Rejects with user_not_found, invalid_body, too_many_attempts, and forbidden: the current password is wrong, or the
   * caller is neither this user nor an administrator.
   */
  setPassword(by: Principal, name: string, change: PasswordChange): Promise<void>
  /** Deletes the user with all tokens. Votes stay. @throws Refusal user_not_found, last_administrator. */
  remove(by: Principal, name: string): void
}

export interface TokenRequest {
  readonly username: string
  readonly password: string
  /** Seconds, at least 1. */
  readonly lifeSeconds: number
  /** Limits the token to these; null: all scopes of the user. */
  readonly scopes: readonly Scope[] | null
  /** The caller's address, for the login throttle. */
  readonly address: string
}

/** A person whom a provider of single sign-on vouches for. */
export interface Identity {
  readonly issuer: string
  /** Unique and lasting at the issuer. */
  readonly subject: string
  /** The name of a new user. */
  readonly name: string
  /** The role that the provider's groups give now. */
  readonly role: Role
}

export interface IssuedToken {
  readonly id: string
  /** Returned this once. */
  readonly value: string
  readonly expiresMicros: number
}

export interface TokenView {
  readonly id: string
  readonly username: string
  readonly createdAt: string
  readonly expiresMicros: number
  /** ISO 8601 UTC, up to a minute behind; null: never used. */
  readonly lastUsedAt: string | null
  /** What the token may do now. */
  readonly scopes: readonly Scope[]
}

/** Tokens: what users present instead of a key. */
export interface TokenService {
  /**
   * Issues a token for a user name and password. An unknown user, a disabled user and a wrong password get the same
   * answer after the same time. Rejects with wrong_password, too_many_attempts.
   */
  issue(request: TokenRequest): Promise<IssuedToken>
  /**
   * Issues a token for a person whom a provider vouches for. The user is made at the first sign-in, and gets the role
   * of the identity at each. @throws Refusal user_exists: another user has the name; forbidden: the user is disabled;
   * invalid_body: the name cannot be one; last_administrator, limit_exceeded.
   */
  issueFor(identity: Identity, lifeSeconds: number, address: string): IssuedToken
  /** Valid tokens, oldest first, of one user or of all. @throws Refusal forbidden: others' tokens need read:users. */
  list(by: Principal, username: string | null): TokenView[]
  /** @throws Refusal token_not_found, also for a token of somebody else without write:users. */
  revoke(by: Principal, id: string): void
}
