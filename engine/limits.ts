/**
 * Every bound of the service, and the relations between them.
 *
 * Over a bound is an ordinary refusal with a code (errors.ts), never a crash. Sizes are bytes unless the name says
 * otherwise.
 */
import { assert } from './assert.js'
import { queryLimits } from './query-limits.js'

const KIB = 1024
const MIB = 1024 * KIB
const DAY_SECONDS = 86_400

export const limits = {
  /** One event's request body, or one NDJSON line. */
  eventBytesMax: MIB,
  /** The JSON request bodies that hold many things: resources, historic events. */
  bodyBytesMax: 16 * MIB,
  /** A webhook with many alerts, which is parsed on the HTTP thread for whoever may send events. */
  webhookBytesMax: 4 * MIB,
  /** Any other JSON request body. */
  requestBytesMax: 2 * MIB,
  /** Bytes of the largest body there may be, for each value that one may have: what parsing costs are values. */
  bytesPerValueMin: 16,
  /** Compressed bodies that are unpacked at once, each to the bound of its bytes; others wait as they came. */
  unpackedAtOnce: 4,
  /** What all bodies together may hold of which a part has come, and all lines of streams. */
  heldBodiesBytesMax: 256 * MIB,
  /** The same of requests for a token, before anybody is known. */
  heldByStrangersBytesMax: 16 * MIB,
  /** From here on an answer is sent as its client reads it, and what all such answers may hold that are not read. */
  largeAnswerBytesMin: 256 * KIB,
  heldAnswersBytesMax: 128 * MIB,
  /** Nesting of objects and arrays in one: whatever walks it later may call itself for each level. */
  bodyDepthMax: 256,
  /** Nesting of objects and arrays in one event. */
  eventDepthMax: 64,
  /** Fields and array items in one event, at all depths together. */
  eventFieldsMax: 10_000,
  /** A client's event id, UTF-8. */
  eventIdBytesMax: 512,
  /** Any name a person gives: job, integration, key, label, analyst. */
  nameCharsMax: 256,
  /** Text beside a vote or a resource: closing notes, descriptions. */
  textCharsMax: 16 * KIB,

  jobsMax: 100_000,
  decisionPointsMax: 256,
  decisionPointCharsMax: 512,
  /** One value at a decision point, as text; longer values are cut for bucket and features alike. */
  pointValueCharsMax: 4 * KIB,
  /** Items of an array at one decision point that count; the rest is ignored. */
  pointItemsMax: 256,
  labelsPerJob: 3,
  /** Clusters on one page, and members. */
  clustersPageMax: 200,
  clusterMembersPageMax: 1_000,
  /** One entry of a job's table of costs. */
  costMax: 1e6,
  /** Analysts that vote on one bucket. */
  votesPerBallotMax: 1_000,
  /** Closing notes and indicators, as JSON text, of all votes on one bucket; those of the oldest votes are let go. */
  ballotNotesCharsMax: MIB,
  /** Consensus changes that one ballot remembers. */
  ballotChangesMax: 64,

  /** A consensus with a smaller share of the votes is one of a low score. */
  lowConsensusShare: 0.6,
  /** Shares of the decisions since the last training over which the blocker of a scheduled training blocks. */
  blockingOutlierShare: 0.05,
  blockingLowConfidenceShare: 0.25,

  /** Storage units of one data directory. */
  shardsMax: 256,
  /** Messages that wait or run in one shard's mailbox. */
  mailboxMessagesMax: 65_536,
  /** Bytes that wait or run in one shard's mailbox. */
  mailboxBytesMax: 64 * MIB,
  /** Messages in one turn. More save little, and every message waits for the turns in front of its own. */
  turnMessagesMax: 1_024,
  /** Bytes of messages in one turn; a message that alone has more gets a turn of its own. */
  turnBytesMax: MIB,
  /** Turns that are with one thread at once, over all of its shards (D2). */
  turnsUnderWayMax: 2,
  /** The same of those that come in streams, while events are expected that come alone and wait for no more than such a turn. */
  turnMessagesBesideSingles: 128,
  /** Messages of streams that wait in a turn at most where an event that comes alone joins it instead of overtaking it. */
  singlesJoinMax: 128,
  /** Turns without an event that came alone after which none is expected. */
  singlesExpectedTurns: 256,
  /** Turns of one shard whose memory is kept for the next. */
  spareTurnsMax: 6,
  /** Messages that a turn has more of before it waits at the door behind one of the same shard. */
  turnFollowsMin: 256,
  /** Bytes of what a turn writes up to which another thread may commit it, with 16 an entry. */
  handedOverBytesMax: 4 * MIB,
  /** How often a turn whose thread died is run again before its messages are refused. */
  turnAttemptsMax: 3,
  /** Pending events that one message takes up again. */
  resumeEventsPerTurn: 256,
  /** Events of one job that are not decided yet, over which one that comes in is decided without look-ups. */
  enrichmentsPendingMax: 10_000,

  /** Events that one message of a reprocessing task decides again. */
  reprocessEventsPerPiece: 128,
  /** Records that one look of a reprocessing task goes over, and events that it finds. */
  reprocessRecordsPerLook: 20_000,
  reprocessFoundPerLook: 2_048,
  /** Reprocessing tasks of one job that are not over, and those that are over and still listed. */
  reprocessTasksWaitingMax: 16,
  reprocessTasksKeptMax: 64,
  /** Seconds that a request for a reprocessing task waits for its end where the client says nothing, and at most. */
  reprocessWaitSeconds: 5,
  reprocessWaitSecondsMax: 60,
  /** Milliseconds that a reprocessing task leaves a busy service alone between two pieces, at most. */
  reprocessPauseMsMax: 50,

  /** Notes on one event. */
  notesPerEventMax: 100,
  /** Text of one note. */
  noteCharsMax: 64 * KIB,
  /** What an agent keeps beside one note, as JSON text. */
  noteObjectsCharsMax: 256 * KIB,
  /** All notes on one event together, as stored. */
  notesBytesMax: MIB,

  /** Events that the main thread remembers as they were answered, of all jobs; 80 bytes each. */
  latestEventsMax: 131_072,
  /** Buckets that one thread keeps in memory, over all its jobs. */
  bucketsInMemoryMax: 50_000,
  /** Characters of the values that those buckets are told apart by: texts of several kilobytes at decision points leave room for fewer. */
  bucketCharsInMemoryMax: 16 * MIB,
  /** Characters of a bucket's values with which its counts may be written later, for which it stays in memory (buckets/deferred-counters.ts). */
  deferredCounterCharsMax: 4 * KIB,
  /** Bytes of the store's files that may stay mapped, and so count as resident, before shards give their maps back. */
  mappedBytesMax: 32 * MIB,
  /** Milliseconds between two looks at what is mapped. */
  mappedLookMs: 500,
  /** Looks that are left out where giving back did not help: others, such as a training, have the maps too. */
  mappedRestLooks: 60,
  /** Events of one shard in a round of counts that are written later than what they count (buckets/deferred-counters.ts). */
  deferredCounterEventsMax: 2_048,
  /** Labelled examples in one training. */
  trainingExamplesMax: 500_000,
  /** Unlabelled examples that a training looks at. */
  trainingBackgroundMax: 5_000,
  /** A stored model. */
  modelBytesMax: 32 * MIB,

  /**
   * Events of all NDJSON requests together that are under way, or answered and unsent, for each thread that decides: no more
   * than keeps a thread from running out, since orders and votes wait behind them.
   */
  bulkEventsUnderWayMax: 4_096,
  /** Events that one NDJSON request may have under way at least, however many requests there are. */
  bulkShareMin: 64,
  /** Milliseconds that an NDJSON request may send nothing before its connection is given up. */
  bulkIdleMsMax: 300_000,
  /** One write of an NDJSON answer, and about what a client that reads slowly makes the socket hold. */
  bulkPieceBytesMax: 512 * KIB,
  /** Milliseconds that a client of an NDJSON request may leave such a piece unread before it is cut off. */
  bulkStalledMsMax: 60_000,
  /** Milliseconds that requests under way are given to finish after SIGTERM. */
  drainMsMax: 20_000,
  /** Events in one historic bulk request. */
  historicEventsMax: 10_000,
  /** Resources in one request. */
  resourcesPerRequestMax: 10_000,
  /** Integrations, and api keys, that one service has. */
  integrationsMax: 10_000,
  apiKeysMax: 10_000,
  /** Steps of one job's pipeline. */
  pipelineStepsMax: 64,
  feedbackColumnsMax: 256,
  /** Settings of one job that are kept as given, as JSON text. */
  keptSettingsCharsMax: 64 * KIB,
  /** Objects and arrays inside each other in a resource document. */
  resourceDepthMax: 32,
  /** One value in an entry of the audit log, as text; of a longer one its beginning is kept. */
  auditValueCharsMax: 2_000,
  /** Entries that are taken from a shard's outbox into the audit log in one commit of the catalog, on the HTTP thread. */
  auditCollectedMax: 128,
  /** Failed deliveries of integrations on one page. */
  deadLettersPageMax: 500,
  /** One file of the log, and files that are kept. */
  logFileBytesMax: 8 * MIB,
  logFilesMax: 8,
  /** Milliseconds that a line of the log waits for others before it is written. */
  logFlushMs: 500,
  /** Backups that failed and are still listed. */
  backupFailuresMax: 16,
  /** A client's request id. */
  requestIdCharsMax: 128,
  /** A presented key; a longer one is not looked at. */
  secretCharsMax: 512,
  /** Presented keys whose owner is remembered; the bound of each of two generations. */
  knownSecretsMax: 4_096,

  usersMax: 2_000,
  /** A request that carries a password, before anybody is known. */
  passwordBodyBytesMax: 64 * KIB,
  userNameCharsMax: 128,
  /** Tokens of one user; one more ends the one that was not used for the longest. */
  tokensPerUserMax: 100,
  /** Seconds that a token lives at most: ten years. */
  tokenSecondsMax: 3_650 * DAY_SECONDS,
  /** Seconds that it lives where nothing is said: thirty days. */
  tokenSecondsDefault: 30 * DAY_SECONDS,
  /** Milliseconds between two writes of when keys and tokens were last used. */
  lastUseFlushMs: 60_000,
  /** Passwords that are hashed at once, and those that wait: each takes memory and much of a core. */
  passwordHashesAtOnce: 2,
  passwordHashesWaitingMax: 64,
  /** Wrong passwords for one user name, and from one address, before guessing is slowed down. */
  loginAttemptsPerUserMax: 10,
  loginAttemptsPerAddressMax: 30,
  /** Milliseconds after which one more guess is allowed. */
  loginAttemptPerUserMs: 30_000,
  loginAttemptPerAddressMs: 5_000,
  /**
   * Refused sign-ins that have an entry of their own in the audit log, in an hour: of one name at one address, and of all. Addresses that
   * the entry about all others names.
   */
  refusedSignInsEach: 10,
  refusedSignInsPerHour: 500,
  refusedSignInAddresses: 20,
  /** User names and addresses whose guesses are remembered. */
  loginThrottleEntriesMax: 20_000,
  /** Callers whose rate is remembered. */
  ratedCallersMax: 50_000,
  ...queryLimits,
} as const

assert(limits.turnBytesMax * limits.turnsUnderWayMax < limits.mailboxBytesMax, 'turns under way fit in the mailbox')
assert(
  limits.bodyBytesMax * limits.unpackedAtOnce < limits.heldBodiesBytesMax,
  'a few of the largest bodies come at once',
)
assert(limits.modelBytesMax < limits.mailboxBytesMax, 'a model fits in the mailbox')
assert(
  limits.turnMessagesMax * limits.turnsUnderWayMax <= limits.mailboxMessagesMax,
  'turns under way fit in the mailbox',
)
assert(limits.bulkEventsUnderWayMax < limits.mailboxMessagesMax, 'NDJSON requests cannot fill a mailbox')
assert(
  limits.bulkEventsUnderWayMax >= limits.turnMessagesMax * (limits.turnsUnderWayMax + 1),
  'NDJSON requests keep a thread busy: one turn runs, one is at its door, one is filled',
)
