/**
 * Clusters as they are committed: listings, trees, and an event's place in its cluster.
 *
 * Owns: reading the rows of clustering for people. Leaves out: what they mean (cause/), the wire (server/).
 *
 * 1. What is read is bounded: so many rows are looked at for a page, however few of them belong on it.
 */
import { systemClock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { causeBounds } from '../../domain/cause/bounds.js'
import {
  isClosed,
  ROOT_FIELDS,
  type AlertRow,
  type ClusterRow,
  type StreamTime,
} from '../../domain/cause/cause-rows.js'
import { countClusters } from '../../domain/cause/clusters.js'
import { sides } from '../../domain/cause/delays.js'
import { causeSettingsOf, type CauseSettings } from '../../domain/cause/settings.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import type { Environment } from '../../store/environment.js'
import { clientIdOf, type RecordHeader } from '../../store/event-record.js'
import { CauseRows } from '../../actor/cause/cause-table.js'
import type {
  ClusterMember,
  ClusterPage,
  ClusterPlace,
  ClusterQuery,
  ClusterTree,
  ClusterView,
  DecisionThen,
  FollowsFrom,
  RootAlert,
} from '../../api/cluster-service.js'
import { eventAt, type FoundEvent } from '../../actor/event-table.js'

/** What of a job's settings its clusters are read by. */
export type ClusteredJob = Pick<JobSettings, 'id' | 'labels' | 'category' | 'pipeline'>

interface Found {
  readonly id: number
  readonly row: ClusterRow
}

type Growing = ClusterMember & { readonly members: ClusterMember[] }

export class ClusterReader {
  readonly #environment: Environment
  readonly #job: ClusteredJob
  readonly #rows: CauseRows
  readonly #settings: CauseSettings
  readonly #stand: StreamTime

  constructor(environment: Environment, job: ClusteredJob, nowMicros = systemClock.nowMicros()) {
    this.#environment = environment
    this.#job = job
    this.#rows = new CauseRows(environment, job.id)
    this.#settings = causeSettingsOf(job)
    const time = this.#rows.get('global', 1) as { watermark: number; epoch: number } | undefined
    this.#stand = { watermark: time?.watermark ?? -1, epoch: time?.epoch ?? 0, nowMicros }
  }

  /** The event's place, or null where it was never clustered: it waits, or came in while the job had none. */
  place(micros: number, header: RecordHeader): ClusterPlace | null {
    const alert = this.#alert(micros)
    const found = alert === null ? null : this.#home(alert.cluster)
    if (alert === null || found === null) return null
    return {
      cluster: this.#view(found),
      reason: this.#reason(alert, found),
      kind: this.#kind(alert.kind),
      about: alert.entity,
      timeMs: alert.timeMs,
      followsFrom: this.#followsFrom(alert),
      followers: alert.followers,
      decisions: this.#decisions(micros, alert, header),
    }
  }

  /** @throws Refusal invalid_cursor. */
  list({ size, after, state, alertsMin = 1, fromMs = -Infinity, toMs = Infinity }: ClusterQuery): ClusterPage {
    const clusters: ClusterView[] = []
    const total = countClusters(this.#rows)
    let looked = 0
    for (const { number, row } of this.#rows.before('clusters', after === undefined ? null : cursorOf(after), true)) {
      const cluster = row as ClusterRow
      const isWanted =
        cluster.into === 0 &&
        cluster.size >= Math.max(1, alertsMin) &&
        cluster.lastMs >= fromMs &&
        cluster.firstMs < toMs &&
        (state === undefined || state === this.#stateOf(cluster))
      if (isWanted) clusters.push(this.#view({ id: number, row: cluster }))
      if (clusters.length === size || ++looked === causeBounds.clusterRowsLookedMax)
        return { clusters, total, next: eventIdOf(number) }
    }
    return { clusters, total, next: null }
  }

  /** @throws Refusal cluster_not_found, invalid_cursor. */
  tree(clusterId: string, { size, after }: Pick<ClusterQuery, 'size' | 'after'>): ClusterTree {
    const query = microsOfEventId(clusterId)
    const found = query === null ? null : this.#home(query)
    if (found === null) throw new Refusal('cluster_not_found', 'cluster not found')
    const alerts = this.#members(found, after === undefined ? 0 : cursorOf(after), size)
    const nodes = new Map<number, Growing>()
    for (const micros of alerts) {
      const node = this.#member(micros)
      if (node !== null) nodes.set(micros, node)
    }
    const members: ClusterMember[] = []
    for (const [micros, node] of nodes) {
      const parent = nodes.get(this.#alert(micros)?.parent ?? 0)
      if (parent === undefined) members.push(node)
      else parent.members.push(node)
    }
    return {
      cluster: this.#view(found),
      members,
      next: alerts.length === size ? eventIdOf(alerts[size - 1] as number) : null,
    }
  }

  /** Alerts of the cluster and of those that became part of it, in the order in which they came. */
  #members({ id, row }: Found, after: number, size: number): number[] {
    const alerts = [id, ...row.merged].flatMap((cluster) => [...this.#rows.members(cluster, after, size)])
    return alerts.sort((a, b) => a - b).slice(0, size)
  }

  #member(micros: number): Growing | null {
    const alert = this.#alert(micros)
    const event = eventAt(this.#environment, this.#job.id, micros)
    if (alert === null || event === null) return null
    const { label, confidence } = event.header
    return {
      eventId: this.#eventId(micros),
      timeMs: alert.timeMs,
      kind: this.#kind(alert.kind),
      about: alert.entity,
      result: this.#job.labels[label]?.id ?? '',
      resultLabel: this.#job.labels[label]?.name ?? '',
      confidenceScore: confidence / 100,
      followsFrom: this.#followsFrom(alert),
      followers: alert.followers,
      members: [],
    }
  }

  #alert(micros: number): AlertRow | null {
    return (this.#rows.get('alerts', micros) as AlertRow | undefined) ?? null
  }

  #home(cluster: number): Found | null {
    let id = cluster
    for (;;) {
      const row = this.#rows.get('clusters', id) as ClusterRow | undefined
      if (row === undefined) return null
      if (row.into === 0) return { id, row }
      id = row.into
    }
  }

  #stateOf(row: ClusterRow): 'open' | 'closed' {
    return isClosed(row, this.#settings, this.#stand) ? 'closed' : 'open'
  }

  #view({ id, row }: Found): ClusterView {
    return {
      clusterId: eventIdOf(id),
      state: this.#stateOf(row),
      size: row.size,
      firstMs: row.firstMs,
      lastMs: row.lastMs,
      rootCauses: this.#roots(row),
      mergedFrom: row.merged.map(eventIdOf),
      cut: row.cut,
    }
  }

  #roots(row: ClusterRow): RootAlert[] {
    const roots: RootAlert[] = []
    for (let at = 0; at < row.roots.length; at += ROOT_FIELDS) {
      const [micros, timeMs, followers] = row.roots.slice(at, at + ROOT_FIELDS) as [number, number, number]
      const alert = followers === 0 ? null : this.#alert(micros)
      if (alert !== null)
        roots.push({
          eventId: this.#eventId(micros),
          timeMs,
          kind: this.#kind(alert.kind),
          about: alert.entity,
          followers,
        })
    }
    return roots.sort((a, b) => b.followers - a.followers || a.timeMs - b.timeMs)
  }

  #followsFrom({ parent, parentKind, side, delayMs, belief }: AlertRow): FollowsFrom | null {
    if (parent === 0) return null
    return { eventId: this.#eventId(parent), kind: this.#kind(parentKind), side: sides[side], delayMs, belief }
  }

  #reason(alert: AlertRow, { row }: Found): string {
    if (alert.alone === 'late')
      return `it came more than ${this.#settings.lateMs / 1000} s behind the stream, and is a cluster of its own`
    if (alert.alone === 'no_id')
      return 'it has no id, or not all fields that must be equal, and is a cluster of its own'
    const time = alert.assumed ? '; it says no time that can be, so it counts as of when it came in' : ''
    if (alert.parent !== 0) {
      const { kind, parentKind, delayMs, side } = alert
      const place =
        side === 0
          ? 'of the same'
          : side === 1
            ? 'of one next to it'
            : side === 2
              ? 'of one that lists it'
              : 'of one that it lists'
      return `${this.#kind(kind)} follows from ${this.#kind(parentKind)} ${place}, ${delayMs / 1000} s before${time}`
    }
    if (alert.rank > 0)
      return `it is equal or related to alerts of the cluster within ${this.#settings.gapMs / 1000} s${time}`
    return row.size === 1
      ? `nothing near it in time is thought to belong to it${time}`
      : `the cluster began with it${time}`
  }

  #decisions(micros: number, alert: AlertRow, header: RecordHeader): DecisionThen[] {
    const then = (atMicros: number, label: number, confidence: number, source: string): DecisionThen => ({
      atMicros,
      result: this.#job.labels[label]?.id ?? '',
      resultLabel: this.#job.labels[label]?.name ?? '',
      confidenceScore: confidence / 100,
      source,
    })
    // Each says when the next one took its place; the first was made when the event came in.
    const past = alert.history.map(([, label, confidence, source], at) =>
      then(alert.history[at - 1]?.[0] ?? micros, label, confidence, source),
    )
    return [...past, then(alert.history.at(-1)?.[0] ?? micros, header.label, header.confidence, header.source)]
  }

  #kind(kind: number): string {
    return (this.#rows.get('kinds', kind) as { name: string } | undefined)?.name ?? ''
  }

  #eventId(micros: number): string {
    const event = eventAt(this.#environment, this.#job.id, micros)
    return (event === null ? null : clientIdOf(Buffer.from(event.record))) ?? eventIdOf(micros)
  }
}

/** An event's place in its cluster; null where it has none. */
export function placeOf(
  environment: Environment,
  job: ClusteredJob,
  { micros, header }: Pick<FoundEvent, 'micros' | 'header'>,
): ClusterPlace | null {
  return hasClusters(job.category) ? new ClusterReader(environment, job).place(micros, header) : null
}

function cursorOf(text: string): number {
  const micros = microsOfEventId(text)
  if (micros === null) throw new Refusal('invalid_cursor', '`after` is not the `next` of a page')
  return micros
}
