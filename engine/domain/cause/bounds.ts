/** The bounds of root cause analysis (D9). State is bounded for each alert, each cluster and each job. */
export const causeBounds = {
  /** Characters of a kind; kinds and pairs of kinds with statistics. */
  causeKindCharsMax: 256,
  causeKindsMax: 1_024,
  causePairsMax: 16_384,
  /**
   * Related entities of an entity; its recent alerts that may be causes; candidates that one alert is compared with.
   */
  causeRelatedMax: 64,
  causeRecentMax: 64,
  causeCandidatesMax: 32,
  /** Predecessors and earlier decisions in the row of an alert. */
  causeRememberedMax: 12,
  causeHistoryMax: 16,
  /** Possible root causes, and merged clusters, in the row of a cluster. */
  causeRootsMax: 32,
  causeMergedMax: 64,
  /** Rows that one job keeps in memory. */
  causeRowsInMemoryMax: 20_000,
  /** Answers of a model that are cached. */
  causeAnswersMax: 10_000,
  /** Clusters that are read for one page. */
  clusterRowsLookedMax: 2_000,
} as const
