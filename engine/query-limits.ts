/** The bounds of queries, metrics and other reads: a part of limits.ts. */
const KIB = 1024
const MIB = 1024 * KIB

export const queryLimits = {
  /** Size of a query's request body. */
  queryBytesMax: 256 * KIB,
  /** Characters of a query in the query language. */
  queryTextMax: 64 * KIB,
  /** Filters in one query. */
  queryFiltersMax: 256,
  /** Values in one list of a query: `is one of`, `terms`, `ids`, event ids, jobs. */
  queryValuesMax: 4_096,
  /** Fields that one query names. */
  queryFieldsMax: 256,
  /** Clauses and aggregations in one query, and their nesting. */
  queryClausesMax: 1_024,
  queryDepthMax: 32,
  /** Characters of one pattern, and words of one phrase, because the time of a comparison grows with them. */
  queryPatternMax: 1_024,
  /** The last event of a page is at most this far from the first result. */
  queryWindowMax: 10_000,
  /** Characters of a query's cursor, which has the values that the last event was sorted by. */
  queryCursorCharsMax: 8_192,
  /**
   * An event is exported on the main thread up to this size as stored. Its export may be hundreds of times as large:
   * names of fields and words are stored once for all events. So many bytes take 10 ms at the most.
   */
  exportedHereBytesMax: 16 * KIB,
  /** Bodies that are to be decided without being stored, all of them together. */
  whatIfBytesMax: 32 * MIB,
  /** Models that one reader thread keeps open, as stored. */
  openedModelBytesMax: 64 * MIB,
  /** Labelled events in an explanation. */
  nearestShownMax: 5,
  /** Similar events in an answer, events that are compared where there are no buckets, and for how long. */
  similarShownMax: 50,
  similarEventsMax: 20_000,
  similarMsMax: 1_000,
  /** A value in an explanation: characters of a text, items of an array. */
  shownValueCharsMax: 256,
  shownItemsMax: 16,
  /** Size of one answer. */
  queryResultBytesMax: 32 * MIB,
  /** Buckets in one answer. */
  queryBucketsMax: 10_000,
  /** Different terms that one query counts, and their characters together. */
  queryTermsMax: 200_000,
  queryTermCharsMax: 64 * MIB,
  /** Buckets, and figures in them, that one query holds while it counts. */
  queryCollectorsMax: 1_000_000,
  /** Sort keys of one query. */
  querySortKeysMax: 16,
  /** Jobs that one query names. */
  queryJobsMax: 10_000,
  /** How long one query may run. */
  queryMsMax: 15_000,
  /** After that, time to finish the current event and the answer. */
  queryGraceMs: 5_000,
  /** How long counting events for metrics may run, unless the request sets a shorter time. */
  metricsMsMax: 120_000,
  /** The longest time that a request may set, in seconds. */
  metricsTimeoutSMax: 3_600,
  /** Long metrics queries that wait for each other. */
  metricsQueriesMax: 32,
  /** Intervals in an answer about one job. */
  metricsIntervalsMax: 1_000,
  /** Intervals in the platform's metrics: the latest ones. */
  platformIntervalsMax: 60,
  /** Events of one job that are sampled for drift of their inputs, spread evenly, and their decision points. */
  metricsInputSamplesMax: 10_000,
  metricsDriftPointsMax: 64,
  /** Jobs in one answer. */
  metricsJobsMax: 1_000,
  /** Model versions of one job in one answer, besides the active one. */
  metricsModelsMax: 100,
  /** How long recomputing the metrics of one model may run. */
  recomputeMsMax: 600_000,
  /** Recomputations that wait. */
  recomputationsMax: 10_000,
  /** Items of an array on the way to a decision point. Further items are ignored. */
  pointWalkMax: 10_000,
  /** Events that a list of fields is read from, and fields in the list. */
  fieldSampleEventsMax: 1_000,
  fieldsListedMax: 10_000,
  /** How long a query on a reader thread may run. Then it returns what it has found. */
  readerMsMax: 5_000,
  /** Events in memory for lists, of all jobs: 24 bytes each, and 4 in the order of their own times. */
  listRowsMax: 8_000_000,
  /** Bytes of the values of fields that lists keep of these events, of all jobs. */
  listColumnBytesMax: 64 * MIB,
  /** Events that counts and facets look at before their time counts. */
  listRecordsMin: 16_384,
  /** Events on a page of a list, jobs of a list, and how long it may take. */
  listPageMax: 500,
  listJobsMax: 256,
  listMsMax: 2_000,
  /** Events that one piece of votes by filter covers; tasks of a job that are not over, and those that are kept. */
  voteTaskPiece: 1_000,
  voteTasksOpenMax: 8,
  voteTasksKeptMax: 32,
  /** Events and fields of a sample that are looked at, and events whose values are in the answer. */
  sampleEventsMax: 5_000,
  sampleFieldsMax: 1_000,
  sampleCodesMax: 2_000,
  sampleBytesMax: 16 * MIB,
  /** Named views of one owner, as JSON text each; assigned events of a job; events that somebody looks at. */
  viewsPerOwnerMax: 200,
  viewCharsMax: 16 * KIB,
  assignmentsPerJobMax: 50_000,
  looksMax: 10_000,
  /** Fields that facets are counted of at once, values of each that are listed, and different ones that are counted. */
  facetFieldsMax: 16,
  facetValuesMax: 200,
  facetValuesCounted: 20_000,
  /** Streams that are open at once, and jobs of one stream: the id of each message has a place for each job. */
  streamsMax: 2_000,
  streamJobsMax: 32,
  /** Messages that a stream is sent at once: about so many bytes. A client that does not read holds no more. */
  streamPieceBytesMax: 32 * KIB,
  /** Events, and entries of the audit log, that are read for one piece. */
  streamRecordsPerPiece: 4_096,
  /** A client may leave a piece unread for this long before its connection is closed. */
  streamStalledMsMax: 60_000,
  /** Time between two signs of life of a stream; uWebSockets.js closes a connection after ten seconds without any. */
  streamBeatMs: 4_000,
  /** A text in a message of a stream. */
  streamTextCharsMax: 256,
  /** How long changed decisions are kept for streams that go on where they broke off: one day. */
  changesKeptMicros: 86_400e6,
  /** Reader threads, but no more than there are cores. */
  readerThreadsMax: 2,
  /** Queries that wait for a reader thread. */
  readerQueriesWaitingMax: 64,
  /** Clusters on one page, and alerts of a cluster on one page. */
  clustersPageMax: 200,
  clusterMembersPageMax: 1_000,
  /** Failed deliveries on one page. */
  deadLettersPageMax: 500,
  /** Entries of the audit log on one page. */
  auditPageMax: 200,
  /** Disagreements on one page. */
  disagreementsPageMax: 100,
  /** Voted events of mixed buckets by which fields are ranked. */
  separatedEventsMax: 2_000,
  /** Votes on one bucket that its view shows: the latest ones. */
  votesShownMax: 1_000,
  /** Disagreements of one job that are counted. */
  disagreementsMax: 100_000,
  /** Values of one field that the audit log lists. */
  auditTermsMax: 1_000,
} as const
