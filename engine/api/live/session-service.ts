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

export interface KeptSession {
  readonly owner: SessionOwner
  /** Milliseconds since it began, and since it was used last, up to a minute more. */
  readonly ageMs: number
  readonly unusedMs: number
}

/** `value` is that of the session's cookie: 256 random bits. Nobody can read what is kept without it. */
export interface SessionKeeper {
  /** @throws Refusal as a commit. */
  keep(value: string, owner: SessionOwner): void
  find(value: string): KeptSession | null
  /** It is used now. */
  touch(value: string): void
  /** @throws Refusal as a commit. */
  end(value: string): void
}
