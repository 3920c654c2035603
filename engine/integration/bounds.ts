/** The bounds of what integrations do outside. Sizes are bytes unless the name says otherwise. */
const MIB = 1024 * 1024

export const bounds = {
  /** Milliseconds that a counterpart has for a whole answer, at most. */
  outsideMsMax: 30_000,
  /** One answer of a counterpart, and objects and arrays inside each other in it. */
  answerBytesMax: 16 * MIB,
  answerDepthMax: 64,
  /** Events that one step delivers in one round, as stored, and records that a look for them goes over. */
  deliveryBytesMax: 4 * MIB,
  deliveryRecordsPerLook: 20_000,
  /** Events of one step that wait to be tried again by themselves, and those kept because they failed for good. */
  deliveriesWaitingMax: 10_000,
  deadLettersMax: 100_000,
  /** Documents of one input that are kept since they were no events, and bytes of each: of a longer one its beginning. */
  refusedKeptMax: 1_000,
  refusedBytesMax: 64 * 1024,
  /** Tries of one event while others get through, before it is kept as failed for good. */
  deliveryAttemptsMax: 10,
  /** Tries of the foremost event while nothing gets through, before the next one is tried. */
  headAttemptsMax: 8,
  /** Events of one job whose look-ups are under way at once; others wait in the store. */
  enrichmentsUnderWayMax: 1_000,
  /** What one look-up brings: fields and items at all depths, characters of a text, and bytes as JSON. */
  enrichmentFieldsMax: 256,
  enrichmentTextCharsMax: 1_024,
  enrichmentBytesMax: 16 * 1024,
  /** Answers that one step remembers, and their bytes as JSON. */
  enrichmentCacheMax: 50_000,
  enrichmentCacheBytesMax: 16 * MIB,
  /** Seconds that an event waits for look-ups where its step says nothing, and at most. */
  enrichmentSeconds: 3,
  enrichmentSecondsMax: 30,
  /** Seconds that an answer is remembered, where the step says nothing. */
  enrichmentCacheSeconds: 300,
  /** Text of a reason why a delivery failed. */
  reasonCharsMax: 500,
} as const
