/** The bounds of what is asked about what is stored: a part of limits.ts, which says what the units are. */
const KIB = 1024
const MIB = 1024 * KIB

export const queryLimits = {
  /** A query's request body. */
  queryBytesMax: 256 * KIB,
  /** Filters of one query. */
  queryFiltersMax: 256,
  /** Values of one list in a query: `is one of`, `terms`, `ids`, event ids, jobs. */
  queryValuesMax: 4_096,
  /** Fields that one query names. */
  queryFieldsMax: 256,
  /** Clauses and aggregations of one query, and how deep they are inside each other. */
  queryClausesMax: 1_024,
  queryDepthMax: 32,
  /** Characters of one pattern, and words of one phrase: a text is compared in time that grows with both. */
  queryPatternMax: 1_024,
  /** Events that a query's page may lie behind, page included. */
  queryWindowMax: 10_000,
  /** Bytes of one answer. */
  queryResultBytesMax: 32 * MIB,
  /** Buckets in the answer to one query, and different terms that it counts, with their characters. */
  queryBucketsMax: 10_000,
  queryTermsMax: 200_000,
  queryTermCharsMax: 64 * MIB,
  /** Buckets and figures in them that one query keeps while it counts, asked for in the end or not. */
  queryCollectorsMax: 1_000_000,
  /** Keys that one query sorts by. */
  querySortKeysMax: 16,
  /** Jobs that one query names. */
  queryJobsMax: 10_000,
  /** Milliseconds that one query may run. */
  queryMsMax: 15_000,
  /** Milliseconds behind that for what it has begun: one event, and its answer. */
  queryGraceMs: 5_000,
  /** Milliseconds that a count of events for metrics may run, where the request says nothing less. */
  metricsMsMax: 120_000,
  /** Seconds that a request may give its metrics. */
  metricsTimeoutSMax: 3_600,
  /** Questions about metrics that may take long and wait for each other. */
  metricsQueriesMax: 32,
  /** Intervals of one answer about a job. */
  metricsIntervalsMax: 1_000,
  /** Intervals of the platform's metrics, the latest ones. */
  platformIntervalsMax: 60,
  /** Events of one job whose inputs are looked at for drift, spread evenly, and decision points of them. */
  metricsInputSamplesMax: 10_000,
  metricsDriftPointsMax: 64,
  /** Jobs of one answer. */
  metricsJobsMax: 1_000,
  /** Model versions of one job in one answer, beside the one in use. */
  metricsModelsMax: 100,
  /** Milliseconds that a recomputation of one model's metrics may run. */
  recomputeMsMax: 600_000,
  /** Recomputations that wait. */
  recomputationsMax: 10_000,
  /** Events, and fields, that a listing of a job's fields looks at. */
  fieldSampleEventsMax: 1_000,
  fieldsListedMax: 10_000,
  /** Milliseconds that a question which a reader thread answers may take before it ends with what it has. */
  readerMsMax: 5_000,
  /** Threads that answer questions, where there are as many cores, and questions that wait for one of them. */
  readerThreadsMax: 2,
  readerQueriesWaitingMax: 64,
  /** Entries of the audit log on one page, and disagreements. */
  auditPageMax: 200,
  disagreementsPageMax: 100,
  /** Disagreements of one job that a listing counts. */
  disagreementsMax: 100_000,
  /** Values of one field that the audit log lists. */
  auditTermsMax: 1_000,
} as const
