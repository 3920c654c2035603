/** The bounds of users, keys, tokens and passwords: a part of limits.ts. */
const KIB = 1024
const DAY_SECONDS = 86_400

export const accessLimits = {
  /** A presented key. Longer ones are refused unread. */
  secretCharsMax: 512,
  /** Known keys in memory, in each of two generations. */
  knownSecretsMax: 4_096,
  usersMax: 2_000,
  /** Size of a request with a password, before its caller is authenticated. */
  passwordBodyBytesMax: 64 * KIB,
  userNameCharsMax: 128,
  /** Tokens of one user. One more ends the token with the oldest last use. */
  tokensPerUserMax: 100,
  /** The longest life of a token: ten years. */
  tokenSecondsMax: 3_650 * DAY_SECONDS,
  /** The default life of a token: thirty days. */
  tokenSecondsDefault: 30 * DAY_SECONDS,
  /** Time between two writes of the last use of keys and tokens. */
  lastUseFlushMs: 60_000,
  /** Passwords that are hashed at the same time: each takes memory and much of a core. */
  passwordHashesAtOnce: 2,
  /** Passwords that wait to be hashed. */
  passwordHashesWaitingMax: 64,
  /** Wrong passwords for one user name, and from one address, before the throttle begins. */
  loginAttemptsPerUserMax: 10,
  loginAttemptsPerAddressMax: 30,
  /** Time until the throttle allows one more attempt: for the name, and for the address. */
  loginAttemptPerUserMs: 30_000,
  loginAttemptPerAddressMs: 5_000,
  /** User names and addresses whose attempts are remembered. */
  loginThrottleEntriesMax: 20_000,
  /** Audit entries in an hour for refused sign-ins of one name from one address. */
  refusedSignInsEach: 10,
  /** Audit entries in an hour for all refused sign-ins. Those beyond are counted in one entry for each name. */
  refusedSignInsPerHour: 500,
  /** Addresses in such an entry. */
  refusedSignInAddresses: 20,
} as const
