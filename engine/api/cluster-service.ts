/** The contract of clusters: groups of alerts in jobs of root cause analysis. */
import type { JobHandle } from './principal.js'

export type ClusterState = 'open' | 'closed'

/** A root cause: other alerts of its cluster follow from it, and it follows from none. */
export interface RootAlert {
  readonly eventId: string
  /** Milliseconds since 1970, as all times of alerts. */
  readonly timeMs: number
  readonly kind: string
  readonly about: string
  /** Number of alerts that follow from it directly. */
  readonly followers: number
}

export interface ClusterView {
  readonly clusterId: string
  /** Open: new alerts can join, and decisions can change. */
  readonly state: ClusterState
  readonly size: number
  readonly firstMs: number
  readonly lastMs: number
  /** The most likely cause first. */
  readonly rootCauses: readonly RootAlert[]
  /** Clusters that were merged into this one. */
  readonly mergedFrom: readonly string[]
  /** True where root causes or merged clusters may be missing, because only so many are kept. */
  readonly cut: boolean
}

/** The alert that another one probably follows from. */
export interface FollowsFrom {
  readonly eventId: string
  readonly kind: string
  /** How the two are related: same, mutual, earlier_lists_later, later_lists_earlier. */
  readonly side: string
  readonly delayMs: number
  /** How likely that is: 0 to 1. */
  readonly belief: number
}

/** A label with a confidence, and where it comes from. */
export interface Answered {
  readonly result: string
  readonly resultLabel: string
  /** 0 to 100. */
  readonly confidenceScore: number
  /** What decided: untrained, model, ageing_model, knowledge_base, none. */
  readonly source: string
}

/** An earlier or the current decision on an event. */
export interface DecisionThen extends Answered {
  readonly atMicros: number
}

/** An event in its cluster. */
export interface ClusterPlace {
  readonly cluster: ClusterView
  /** Why the event is in this cluster, in one sentence. */
  readonly reason: string
  readonly kind: string
  readonly about: string
  readonly timeMs: number
  readonly followsFrom: FollowsFrom | null
  readonly followers: number
  /** All decisions on the event, oldest first. */
  readonly decisions: readonly DecisionThen[]
  /** The answer of the cluster alone, of the source `untrained`; null where the event has a decision. */
  readonly suggestion: Answered | null
}

/** An alert in its cluster's tree. */
export interface ClusterMember {
  readonly eventId: string
  readonly timeMs: number
  readonly kind: string
  readonly about: string
  readonly result: string
  readonly resultLabel: string
  readonly confidenceScore: number
  readonly suggestion: Answered | null
  readonly followsFrom: FollowsFrom | null
  readonly followers: number
  /** The alerts of this page that follow from it. */
  readonly members: readonly ClusterMember[]
}

export interface ClusterQuery {
  readonly size: number
  /** `next` of the previous page. */
  readonly after?: string
  readonly state?: ClusterState
  /** The smallest number of alerts in a cluster. */
  readonly alertsMin?: number
  /** Clusters whose last alert is at or after `fromMs` and whose first is before `toMs`, by the alerts' own times. */
  readonly fromMs?: number
  readonly toMs?: number
}

export interface ClusterPage {
  readonly clusters: readonly ClusterView[]
  /** Number of clusters in the job, whatever the query. */
  readonly total: number
  /** Null on the last page. A page may be short without being the last. */
  readonly next: string | null
}

export interface ClusterTree {
  readonly cluster: ClusterView
  /** Alerts of this page that follow from no other on it, oldest first. Each holds the alerts that follow from it. */
  readonly members: readonly ClusterMember[]
  readonly next: string | null
}

export interface ClusterService {
  /** Clusters of the job; those that began last come first. @throws Refusal invalid_cursor. */
  list(job: JobHandle, query: ClusterQuery): ClusterPage
  /**
   * One cluster and its alerts as a tree. The id of a merged cluster returns the cluster that it was merged into.
   * @throws Refusal cluster_not_found, invalid_cursor.
   */
  tree(job: JobHandle, clusterId: string, query: Pick<ClusterQuery, 'size' | 'after'>): ClusterTree
}
