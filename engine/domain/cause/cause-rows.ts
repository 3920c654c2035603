/**
 * What is kept of clusters and of the alerts in them: plain rows, and what follows from a row alone.
 *
 * 1. Every row is bounded, and says when it was cut.
 * 2. A cluster is over when the stream is past it, when nothing came for as long by the clock, or when time began anew:
 *    that follows from its row and the stream's, so nothing has to be written when it ends.
 */
import type { CauseSettings } from './settings.js'
import type { Side } from './delays.js'

export interface ClusterRow {
  readonly epoch: number
  size: number
  firstMs: number
  lastMs: number
  /** When the last alert came in, microseconds. */
  arrivedMicros: number
  /** The cluster that this one has become part of, or 0. */
  into: number
  /** Clusters that have become part of this one. */
  merged: number[]
  /** Alerts that follow from none: alert, time, alerts that follow from it; three numbers each. */
  roots: number[]
  /** More alerts may be root causes, or more clusters belong here, than are remembered. */
  cut: boolean
}

/** An earlier decision: when it was made, microseconds; label; hundredths of a percent; its source. */
export type PastDecision = readonly [micros: number, label: number, confidence: number, source: string]

export interface AlertRow {
  readonly cluster: number
  readonly timeMs: number
  readonly kind: number
  readonly entity: string
  /** The alert that this one is thought to follow from, or 0; its kind, where it stood, milliseconds, what is believed. */
  parent: number
  parentKind: number
  side: Side
  delayMs: number
  belief: number
  /** What it was compared with: kind, side, milliseconds, belief by the stream alone; four numbers each, the nearest first. */
  precedents: number[]
  /** Alerts that follow from it; the kind of the first of them, where this one stands to that, the best belief among them. */
  followers: number
  followerKind: number
  followerSide: Side
  followerBelief: number
  /** Its place in the cluster, from 0, and milliseconds since the cluster's first alert, when it came. */
  readonly rank: number
  readonly sinceMs: number
  /** Entities that its own lists. */
  readonly lists: number
  /** Why it is by itself, where it had to be: `late`, `no_id`; else ''. */
  readonly alone: '' | 'late' | 'no_id'
  /** Its time was assumed. */
  readonly assumed: boolean
  /** Decisions that later ones took the place of, oldest first. */
  history: PastDecision[]
}

export const PRECEDENT_FIELDS = 4
export const ROOT_FIELDS = 3

/** How far the stream is. */
export interface Stand {
  readonly watermark: number
  readonly epoch: number
  readonly nowMicros: number
}

/** True where the cluster takes in no more, and its decisions stand. */
export function isOver(
  cluster: ClusterRow,
  { gapMs, lateMs }: CauseSettings,
  { watermark, epoch, nowMicros }: Stand,
): boolean {
  return (
    cluster.into !== 0 ||
    cluster.epoch !== epoch ||
    watermark - lateMs > cluster.lastMs + gapMs ||
    nowMicros - cluster.arrivedMicros > (gapMs + lateMs) * 1000
  )
}

/** The precedents that an alert remembers, one by one. */
export function precedentsOf({
  precedents,
}: AlertRow): { kind: number; side: Side; delayMs: number; belief: number }[] {
  const found = []
  for (let at = 0; at < precedents.length; at += PRECEDENT_FIELDS) {
    const [kind, side, delayMs, belief] = precedents.slice(at, at + PRECEDENT_FIELDS) as [number, Side, number, number]
    found.push({ kind, side, delayMs, belief })
  }
  return found
}
