/**
 * The rows of clusters and of their alerts, and what follows from a row alone.
 *
 * 1. Every row is bounded, and says when it was cut.
 * 2. A cluster is closed when the stream is past it, when nothing arrived for as long by the clock, or when a new epoch
 *    began. This follows from its row and the stream's time, so nothing is written when it closes.
 */
import type { Side } from './delays.js'
import type { CauseSettings } from './settings.js'

export interface ClusterRow {
  readonly epoch: number
  size: number
  firstMs: number
  lastMs: number
  /** Arrival of the last alert, microseconds. */
  arrivedMicros: number
  /** The cluster that this one was merged into, or 0. */
  into: number
  /** Clusters that were merged into this one. */
  merged: number[]
  /** Alerts that follow from none. Three numbers each: alert, time, number of followers. */
  roots: number[]
  /** There are more possible root causes, or more merged clusters, than the row holds. */
  cut: boolean
}

/** An earlier decision. Time in microseconds, confidence in hundredths of a percent. */
export type PastDecision = readonly [micros: number, label: number, confidence: number, source: string]

export interface AlertRow {
  readonly cluster: number
  readonly timeMs: number
  readonly kind: number
  readonly entity: string
  /**
   * The alert that this one is believed to follow from, or 0; its kind, side, delay in milliseconds, and the belief.
   */
  parent: number
  parentKind: number
  side: Side
  delayMs: number
  belief: number
  /**
   * Candidates, the nearest first. Four numbers each: kind, side, delay in milliseconds, belief by the stream alone.
   */
  predecessors: number[]
  /** Alerts that follow from it; kind and side of the first; the highest belief among them. */
  followers: number
  followerKind: number
  followerSide: Side
  followerBelief: number
  /** On arrival: its rank in the cluster, from 0, and milliseconds since the cluster's first alert. */
  readonly rank: number
  readonly sinceMs: number
  /** How many entities its own entity lists. */
  readonly lists: number
  /** Why it could join no cluster: `late`, `no_id`; else ''. */
  readonly alone: '' | 'late' | 'no_id'
  /** Its time was assumed, as it had none that can be. */
  readonly assumed: boolean
  /** Decisions that were replaced, oldest first. */
  history: PastDecision[]
}

export const PREDECESSOR_FIELDS = 4
export const ROOT_FIELDS = 3

/** The stream's time. */
export interface StreamTime {
  /** Milliseconds. */
  readonly watermark: number
  readonly epoch: number
  readonly nowMicros: number
}

/** True where the cluster accepts no more alerts, and its decisions are final. */
export function isClosed(
  cluster: ClusterRow,
  { gapMs, lateMs }: CauseSettings,
  { watermark, epoch, nowMicros }: StreamTime,
): boolean {
  return (
    cluster.into !== 0 ||
    cluster.epoch !== epoch ||
    watermark - lateMs > cluster.lastMs + gapMs ||
    nowMicros - cluster.arrivedMicros > (gapMs + lateMs) * 1000
  )
}

/** The predecessors in the row of an alert. */
export function predecessorsOf({
  predecessors,
}: AlertRow): { kind: number; side: Side; delayMs: number; belief: number }[] {
  const found = []
  for (let at = 0; at < predecessors.length; at += PREDECESSOR_FIELDS) {
    const [kind, side, delayMs, belief] = predecessors.slice(at, at + PREDECESSOR_FIELDS) as [
      number,
      Side,
      number,
      number,
    ]
    found.push({ kind, side, delayMs, belief })
  }
  return found
}
