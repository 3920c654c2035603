/** The bounds of root cause analysis (D9): state is bounded by alert, by cluster and by job, whatever comes. */
export const causeBounds = {
  /** Root cause analysis: a kind of alert, as text; kinds, and pairs of kinds on a side, that statistics are kept of. */
  causeKindCharsMax: 256,
  causeKindsMax: 1_024,
  causePairsMax: 16_384,
  /** Entities that one is next to, alerts of an entity at hand as causes, candidates that one alert is compared with. */
  causeRelatedMax: 64,
  causeRecentMax: 64,
  causeCandidatesMax: 32,
  /** Candidates, and earlier decisions, that an alert remembers. */
  causeRememberedMax: 12,
  causeHistoryMax: 16,
  /** Alerts of a cluster that may be its root causes, and clusters that became one with it, that the cluster remembers. */
  causeRootsMax: 32,
  causeMergedMax: 64,
  /** Rows of root cause analysis that one job keeps at hand. */
  causeRowsInMemoryMax: 20_000,
  /** Answers of a model of root cause analysis that are remembered. */
  causeAnswersMax: 10_000,
  /** Clusters that are looked at for one page. */
  clusterRowsLookedMax: 2_000,
} as const
