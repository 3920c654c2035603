/** Clusters and links as documents: the same in an event's export, in a listing of clusters and in a cluster's tree. */
import { isoMicros } from '../../clock.js'
import type { ClusterView, FollowsFrom } from '../../api/cluster-service.js'

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
