/** What the outside may ask about clusters of root cause jobs. */
import type { JobHandle } from './principal.js'

export type ClusterState = 'open' | 'closed'

/** An alert that others of its cluster follow from, and that follows from none; the likeliest cause first. */
export interface RootAlert {
  readonly eventId: string
  /** Milliseconds since 1970; so with all times of alerts. */
  readonly timeMs: number
  readonly kind: string
  readonly about: string
  /** Alerts that follow from it directly. */
  readonly followers: number
}

export interface ClusterView {
  readonly clusterId: string
  /** Open: takes in alerts, and decisions in it may change. */
  readonly state: ClusterState
  readonly size: number
  readonly firstMs: number
  readonly lastMs: number
  readonly rootCauses: readonly RootAlert[]
  /** Clusters that have become part of it. */
  readonly mergedFrom: readonly string[]
  /** There may be more root causes, or clusters that belong to it, than it remembers. */
  readonly cut: boolean
}

/** What an alert is thought to follow from. */
export interface FollowsFrom {
  readonly eventId: string
  readonly kind: string
  /** Where that stands to this alert: same, mutual, earlier_lists_later, later_lists_earlier. */
  readonly side: string
  readonly delayMs: number
  /** 0 to 1. */
  readonly belief: number
}

export interface DecisionThen {
  readonly atMicros: number
  readonly result: string
  readonly resultLabel: string
  /** 0 to 100. */
  readonly confidenceScore: number
  /** Where it came from: untrained, model, ageing_model, knowledge_base, none. */
  readonly source: string
}

/** An event in its cluster. */
export interface ClusterPlace {
  readonly cluster: ClusterView
  /** Why the event is in it, in a sentence. */
  readonly reason: string
  readonly kind: string
  readonly about: string
  readonly timeMs: number
  readonly followsFrom: FollowsFrom | null
  readonly followers: number
  /** Every decision on it, the latest last. */
  readonly decisions: readonly DecisionThen[]
}

/** An alert in the tree of its cluster. */
export interface ClusterMember {
  readonly eventId: string
  readonly timeMs: number
  readonly kind: string
  readonly about: string
  readonly result: string
  readonly resultLabel: string
  readonly confidenceScore: number
  readonly followsFrom: FollowsFrom | null
  readonly followers: number
  /** The alerts of this page that follow from it. */
  readonly members: readonly ClusterMember[]
}

export interface ClusterQuery {
  readonly size: number
  /** `next` of the page before. */
  readonly after?: string
  readonly state?: ClusterState
  /** Alerts that a cluster has at least. */
  readonly alertsMin?: number
  /** Clusters with a last alert at or after the one, and a first alert before the other: by what alerts say, milliseconds. */
  readonly fromMs?: number
  readonly toMs?: number
}

export interface ClusterPage {
  readonly clusters: readonly ClusterView[]
  /** All clusters of the job, whatever was asked for. */
  readonly total: number
  /** Null on the last page. A page may be short, and yet not the last. */
  readonly next: string | null
}

export interface ClusterTree {
  readonly cluster: ClusterView
  /** Those of this page that follow from none on it, in the order in which they came; in each, what follows from it. */
  readonly members: readonly ClusterMember[]
  readonly next: string | null
}

export interface ClusterService {
  /** Clusters of the job, the one that began last first. @throws Refusal invalid_cursor. */
  list(job: JobHandle, query: ClusterQuery): ClusterPage
  /** One with its alerts, as a tree; that of a cluster which has become part of another is the other. @throws Refusal cluster_not_found, invalid_cursor. */
  tree(job: JobHandle, clusterId: string, query: Pick<ClusterQuery, 'size' | 'after'>): ClusterTree
}
