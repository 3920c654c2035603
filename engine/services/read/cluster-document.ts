/**
 * Clusters and links as documents. An event's export, a list of clusters and a cluster's tree show the same.
 *
 * Owns: the documents, and the sentence that says why an alert is in its cluster. Leaves out: reading the rows
 * (cluster-reader.ts).
 */
import { isoMicros } from '../../clock.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import type { CauseSettings } from '../../domain/cause/settings.js'
import type { Answered, ClusterView, FollowsFrom } from '../../api/cluster-service.js'

/** ISO 8601 of milliseconds since 1970. */
export function isoMillis(millis: number): string {
  return isoMicros(millis * 1000)
}

export function clusterDocument(cluster: ClusterView) {
  return {
    cluster_id: cluster.clusterId,
    state: cluster.state,
    size: cluster.size,
    first_time: isoMillis(cluster.firstMs),
    last_time: isoMillis(cluster.lastMs),
    root_causes: cluster.rootCauses.map(({ eventId, timeMs, kind, about, followers }) => {
      return { event_id: eventId, time: isoMillis(timeMs), kind, about, followers }
    }),
    merged_from: [...cluster.mergedFrom],
    cut: cluster.cut,
  }
}

export function linkDocument({ eventId, kind, side, delayMs, belief }: FollowsFrom) {
  return { event_id: eventId, kind, side, delay_s: delayMs / 1000, belief: Math.round(belief * 1000) / 1000 }
}

/** A decision, or what the cluster suggests. */
export function answerDocument({ result, resultLabel, confidenceScore, source }: Answered) {
  return { result, result_label: resultLabel, confidence_score: confidenceScore, source }
}

/** An alert in its cluster. */
export interface PlacedAlert {
  readonly alert: AlertRow
  /** Alerts in the cluster. */
  readonly size: number
  readonly kind: string
  readonly parentKind: string
  readonly settings: Pick<CauseSettings, 'lateMs' | 'gapMs'>
}

/** Whose alert the parent is, by its side (domain/cause/delays.ts). */
const parentSides = ['of the same entity', 'of a neighbour', 'of an entity that lists it', 'of an entity that it lists']

/** Why the alert is in its cluster. */
export function reasonOf({ alert, size, kind, parentKind, settings }: PlacedAlert): string {
  if (alert.alone === 'late')
    return `it came more than ${settings.lateMs / 1000} s behind the stream, and is a cluster of its own`
  if (alert.alone === 'no_id') return 'it has no id, or lacks fields that must be equal, and is a cluster of its own'
  const time = alert.assumed ? '; it has no valid time, so its ingest time counts' : ''
  if (alert.parent !== 0) {
    const side = parentSides[alert.side]
    return `${kind} follows from ${parentKind} ${side}, ${alert.delayMs / 1000} s before${time}`
  }
  if (alert.rank > 0) return `it is equal or related to alerts of the cluster within ${settings.gapMs / 1000} s${time}`
  return size === 1 ? `no related alert is near it in time${time}` : `the cluster began with it${time}`
}
