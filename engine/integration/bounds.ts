/** Limits of integrations and of their counterparts. Sizes are in bytes unless the name says otherwise. */
const MIB = 1024 * 1024

export const bounds = {
  /** The longest time for a complete answer, milliseconds. */
  outsideMsMax: 30_000,
  /** The size of one answer, and how deep its objects and arrays may be nested. */
  answerBytesMax: 16 * MIB,
  answerDepthMax: 64,
  /** Stored size of the events that one step delivers in one round, and records that it reads to find them. */
  deliveryBytesMax: 4 * MIB,
  deliveryRecordsPerLook: 20_000,
  /** Dead letters of one step: events that wait for another try, and events that failed for good. */
  deliveriesWaitingMax: 10_000,
  deadLettersMax: 100_000,
  /** Refused documents that are kept for one input, and bytes of each; a longer one is cut. */
  refusedKeptMax: 1_000,
  refusedBytesMax: 64 * 1024,
  /** Tries of one event while others succeed, before it has failed for good. */
  deliveryAttemptsMax: 10,
  /** Tries of the first event of a round while nothing succeeds, before the next event is tried. */
  headAttemptsMax: 8,
  /** Events of one job that are enriched at the same time; others wait in the store. */
  enrichmentsUnderWayMax: 1_000,
  /** What one enrichment adds: fields and items at all depths, characters of a text, and bytes as JSON. */
  enrichmentFieldsMax: 256,
  enrichmentTextCharsMax: 1_024,
  enrichmentBytesMax: 16 * 1024,
  /** Answers in the cache of one step, and their bytes as JSON. */
  enrichmentCacheMax: 50_000,
  enrichmentCacheBytesMax: 16 * MIB,
  /** Seconds that an event waits for enrichment: the default, and the maximum. */
  enrichmentSeconds: 3,
  enrichmentSecondsMax: 30,
  /** Seconds that an answer stays in the cache: the default. */
  enrichmentCacheSeconds: 300,
  /** Characters of the reason why a delivery failed. */
  reasonCharsMax: 500,
} as const
