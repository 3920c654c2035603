/** Sessions of the console that outlive the process which opened them: in a cluster, where the owner changes. */

/** What a session stands for. */
export interface SessionOwner {
  /** The key or token. */
  readonly secret: string
  /** The kind and name of the owner: for the bound. */
  readonly name: string
  /** The id of a token that was issued for this session and ends with it. */
  readonly tokenId: string | null
}

/** How old a session is, milliseconds. */
export interface SessionAges {
  /** Since it began, and since it was used last, up to a minute more. */
  readonly ageMs: number
  readonly unusedMs: number
}

export interface KeptSession extends SessionAges {
  readonly owner: SessionOwner
}

/**
 * `value` is that of the session's cookie: 256 random bits. Nobody can read its owner without it. `id` names the
 * session for the service itself, which does not have the cookie until it comes with a request.
 */
export interface SessionKeeper {
  idOf(value: string): string
  /** `origin`: what the session follows from elsewhere, as text; null for nothing. @throws Refusal as a commit. */
  keep(value: string, owner: SessionOwner, origin: string | null): void
  find(value: string): KeptSession | null
  /** Null where there is none. */
  agesOf(id: string): SessionAges | null
  /** What sessions follow from elsewhere, by id. */
  origins(): ReadonlyMap<string, string>
  /** @throws Refusal as a commit. */
  setOrigin(id: string, origin: string): void
  /** It is used now. */
  touch(value: string): void
  /** @throws Refusal as a commit. */
  end(id: string): void
}
