/**
 * The bounds of the service and the relations between them.
 *
 * A request over a bound gets an ordinary refusal with a code (errors.ts), never a crash. Each name ends with its unit:
 * Bytes, Chars, Ms, Seconds, Share; a plain number otherwise.
 */
import { accessLimits } from './access-limits.js'
import { assert } from './assert.js'
import { queryLimits } from './query-limits.js'

const KIB = 1024
const MIB = 1024 * KIB

export const limits = {
  // Bodies of requests and answers.
  /** Size of one event: a request body, or one NDJSON line. */
  eventBytesMax: 8 * MIB,
  /** Size of a JSON body with many items: resources, historic events. */
  bodyBytesMax: 16 * MIB,
  /** Size of a webhook with many alerts. It is parsed on the main thread, and many callers may send one. */
  webhookBytesMax: 4 * MIB,
  /** Size of any other JSON body. */
  requestBytesMax: 2 * MIB,
  /** A body may have one JSON value for this many bytes of its size bound, because each value costs time. */
  bytesPerValueMin: 16,
  /** Different names of fields in a JSON body, because the parser takes microseconds for each. */
  bodyNamesMax: 10_000,
  /** The same for a body with many items: resources, historic events. */
  itemsNamesMax: 50_000,
  /** Compressed bodies that are unpacked at the same time. Others wait in compressed form. */
  unpackedAtOnce: 4,
  /** Memory of all incomplete bodies and of all lines of streams together. */
  heldBodiesBytesMax: 256 * MIB,
  /** The same for requests for a token, whose callers are not authenticated yet. */
  heldByStrangersBytesMax: 16 * MIB,
  /** An answer of this size or more is sent in step with its reader. */
  largeAnswerBytesMin: 256 * KIB,
  /** Memory of all that waits to be read: such answers, pages of files, and large bodies that wait for a thread. */
  heldForReadersBytesMax: 128 * MIB,
  /** Nesting of objects and arrays in a JSON body, because code that walks it is recursive. */
  bodyDepthMax: 256,
  /** Nesting of objects and arrays in one event. */
  eventDepthMax: 64,
  /** Fields and array items in one event, at all depths together. */
  eventFieldsMax: 200_000,
  /** How long the POST of an event waits for its decision, where the client asks for that. */
  eventWaitMs: 2_000,
  /** A client's event id, in UTF-8. */
  eventIdBytesMax: 512,
  /** A client's request id. */
  requestIdCharsMax: 128,
  /** A name that a person gives: of a job, an integration, a key, a label, an analyst. */
  nameCharsMax: 256,
  /** A longer text: closing notes, descriptions. */
  textCharsMax: 16 * KIB,

  // Jobs and decisions.
  jobsMax: 100_000,
  decisionPointsMax: 256,
  decisionPointCharsMax: 512,
  /** A value at a decision point, as text. Longer values are cut, for buckets and features alike. */
  pointValueCharsMax: 4 * KIB,
  /** Items of an array at a decision point. Further items are ignored. */
  pointItemsMax: 256,
  labelsPerJob: 3,
  /** One entry in a job's table of costs. */
  costMax: 1e6,
  /** Analysts whose votes on one event, or on one whole bucket, are kept: the latest ones. */
  votesPerEventMax: 1_000,
  /** Earlier votes of an analyst on an event that are remembered, so that later ones can be taken back. */
  earlierVotesMax: 8,
  /** Closing notes and indicators of all votes on one event, as JSON text. The oldest are deleted first. */
  voteNotesCharsMax: MIB,
  /** Changes of consensus that one ballot keeps. */
  ballotChangesMax: 64,
  /** A consensus with a smaller share of the voted events has a low score. */
  lowConsensusShare: 0.6,
  /** A scheduled training is blocked above this share of outliers, or of low confidence, since the last training. */
  blockingOutlierShare: 0.05,
  blockingLowConfidenceShare: 0.25,

  // Shards, mailboxes and turns.
  /** Shards of one data directory. */
  shardsMax: 256,
  /** Messages that wait or run in the mailbox of one shard. */
  mailboxMessagesMax: 65_536,
  /** Bytes of these messages. */
  mailboxBytesMax: 64 * MIB,
  /** Messages in one turn. Larger turns save little, and each message waits for the turns before its own. */
  turnMessagesMax: 1_024,
  /** Bytes of messages in one turn. A larger message gets a turn of its own. */
  turnBytesMax: MIB,
  /** Turns that one thread has at once, over all of its shards (D2). */
  turnsUnderWayMax: 2,
  /** Turn size for streams while single events are arriving, because those may wait for such a turn. */
  turnMessagesBesideSingles: 128,
  /** A single event overtakes waiting messages of streams only above this many. */
  singlesJoinMax: 128,
  /** Single events count as arriving until this many turns have begun without a new one. */
  singlesExpectedTurns: 256,
  /** Turns whose memory is kept for reuse, of all shards of a thread. */
  spareTurnsMax: 8,
  /** Queue behind another turn of the shard only above this many messages. */
  turnFollowsMin: 256,
  /** Another thread may commit a turn that writes at most this much; each entry counts 16 bytes more. */
  handedOverBytesMax: 4 * MIB,
  /** How often a turn is run again after its thread died, before its messages are refused. */
  turnAttemptsMax: 3,
  /** Pending events that one message decides. */
  resumeEventsPerTurn: 256,
  /** A message that decides stored events stops behind the one with which it has read this much. */
  decidedBytesPerMessage: 16 * MIB,
  /** Above this many undecided events of a job, new events are decided without enrichment. */
  enrichmentsPendingMax: 10_000,
  /** Events in memory as they were answered, of all jobs; 80 bytes each. A power of two. */
  latestEventsMax: 131_072,
  /** Memory of one thread for buckets, of all its jobs in all its shards: about 90,000 buckets. */
  bucketBytesInMemoryMax: 64 * MIB,
  /** Jobs of one shard whose state is in memory; and while its thread rests (restLooks). */
  actorsMax: { working: 2_048, resting: 8 },
  /** Memory of one thread for models that it decides by in WebAssembly: about 20 models. */
  kernelBytesMax: 32 * MIB,
  /** Events of one shard between two writes of deferred counters (buckets/deferred-counters.ts). */
  deferredCounterEventsMax: 2_048,
  /** New buckets of one shard between two rounds of entries in the index of buckets (buckets/bucket-index.ts). */
  unindexedBucketsMax: 16_384,
  /** A thread without a turn gives memory back after this many checks, one a second. */
  restLooks: 3,
  /** Mapped bytes of the store's files, which count as resident memory. Above this, shards release their mappings. */
  mappedBytesMax: 64 * MIB,
  /** Time between two checks of mapped memory. */
  mappedLookMs: 500,
  /** Checks without a shard whose release did not help, because others, such as a training, hold its mapping too. */
  mappedRestLooks: 10,

  // Training, reprocessing and notes.
  /** Labelled examples in one training. */
  trainingExamplesMax: 500_000,
  /** Unlabelled examples in one training. */
  trainingBackgroundMax: 5_000,
  /** A stored model. */
  modelBytesMax: 32 * MIB,
  /** Events that one message of a reprocessing task decides again. */
  reprocessEventsPerPiece: 128,
  /** Records that one step of a task's search reads, and events that it returns. */
  reprocessRecordsPerLook: 20_000,
  reprocessFoundPerLook: 2_048,
  /** Unfinished reprocessing tasks of one job, and finished ones that are still listed. */
  reprocessTasksWaitingMax: 16,
  reprocessTasksKeptMax: 64,
  /** How long a request for a reprocessing task waits for its end: by default, and at most. */
  reprocessWaitSeconds: 5,
  reprocessWaitSecondsMax: 60,
  /** The longest pause between two pieces of a reprocessing task or a purge while the service is busy. */
  reprocessPauseMsMax: 50,
  /** Notes on one event. */
  notesPerEventMax: 100,
  /** Text of one note. */
  noteCharsMax: 64 * KIB,
  /** Objects that an agent stores with one note, as JSON text. */
  noteObjectsCharsMax: 256 * KIB,
  /** All notes on one event together, as stored. */
  notesBytesMax: MIB,

  // Streams and connections.
  /** Events of NDJSON requests under way for each deciding thread: enough for it. Other messages wait behind them. */
  bulkEventsUnderWayMax: 4_096,
  /** The smallest share of these for one NDJSON request, however many requests there are. */
  bulkShareMin: 64,
  /** An NDJSON request may be silent for this long before its connection is closed. */
  bulkIdleMsMax: 300_000,
  /** One write of an NDJSON answer, and about what the socket buffers for a slow reader. */
  bulkPieceBytesMax: 512 * KIB,
  /** A client may leave such a write unread for this long before its connection is closed. */
  bulkStalledMsMax: 60_000,
  /** Time for running requests to finish after SIGTERM. */
  drainMsMax: 20_000,
  /** Events in one request with historic events. */
  historicEventsMax: 10_000,
  /** A request of at most this size is one message; a larger one is checked elsewhere, and stored in pieces. */
  historicMessageBytesMax: 16 * KIB,
  /** Events of one piece, and its size where no event is larger. Other jobs wait for it, a few milliseconds. */
  historicEventsPerPiece: 64,
  historicPieceBytesMax: 256 * KIB,
  /** A request whose sender went without an answer is known so long, and so many of them for each job. */
  historicKnownMs: 86_400_000,
  historicKnownMax: 16,
  /** Callers whose rate is limited at the same time. */
  ratedCallersMax: 50_000,

  // Resources, logs and backups.
  /** Resources in one request. */
  resourcesPerRequestMax: 10_000,
  /** Warnings in the answer to a request with resources. */
  resourceWarningsMax: 10_000,
  integrationsMax: 10_000,
  apiKeysMax: 10_000,
  /** Steps in the pipeline of one job. */
  pipelineStepsMax: 64,
  feedbackColumnsMax: 256,
  /** Settings of one job that are only stored, as JSON text. */
  keptSettingsCharsMax: 64 * KIB,
  /** Nesting of objects and arrays in a document of resources. */
  resourceDepthMax: 32,
  /** A value in an entry of the audit log, as text. Longer values are cut. */
  auditValueCharsMax: 2_000,
  /** Entries that one commit moves from a shard's outbox to the audit log, on the main thread. */
  auditCollectedMax: 128,
  /** Size of one log file, and number of log files that are kept. */
  logFileBytesMax: 8 * MIB,
  logFilesMax: 8,
  /** How long a log line waits for others before they are written together. */
  logFlushMs: 500,
  /** Failed backups that are still listed. */
  backupFailuresMax: 16,

  ...accessLimits,
  ...queryLimits,
} as const

assert(limits.turnBytesMax * limits.turnsUnderWayMax < limits.mailboxBytesMax, 'turns under way fit in the mailbox')
assert(limits.eventBytesMax * (limits.turnsUnderWayMax + 1) < limits.mailboxBytesMax, 'large events share the mailbox')
assert(limits.bodyBytesMax * limits.unpackedAtOnce < limits.heldBodiesBytesMax, 'unpacked bodies fit in the held bytes')
assert(limits.modelBytesMax < limits.mailboxBytesMax, 'a model fits in the mailbox')
assert(limits.turnMessagesMax * limits.turnsUnderWayMax <= limits.mailboxMessagesMax, 'turns fit in the mailbox')
assert(limits.bulkEventsUnderWayMax < limits.mailboxMessagesMax, 'NDJSON requests cannot fill a mailbox')
assert(
  limits.bulkEventsUnderWayMax >= limits.turnMessagesMax * (limits.turnsUnderWayMax + 1),
  'NDJSON requests keep a thread busy: one turn runs, one waits for the thread, one is filled',
)
