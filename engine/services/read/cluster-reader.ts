/**
 * Clusters as they are committed: lists, trees, and an event's place in its cluster.
 *
 * Owns: views of the rows of clustering. Leaves out: what the rows mean (domain/cause/), the documents
 * (cluster-document.ts).
 *
 * 1. Reads are bounded: a page reads at most causeBounds.clusterRowsLookedMax rows, however few of them are shown.
 * 2. The place in a tree names the cluster and how many were merged into it. What another merge brings in may lie
 *    before the place, so the page after it is refused.
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
import { eventIdBytes, eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
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
  FollowsFrom,
  RootAlert,
} from '../../api/cluster-service.js'
import { eventAt, type FoundEvent } from '../../actor/event-table.js'
import { cursorAt, notACursor, placeIn, type ListName } from '../query/cursors.js'
import { AlertDecisions } from './alert-decisions.js'
import { reasonOf } from './cluster-document.js'

/** The settings of a job that its clusters are read by. */
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
  readonly #decisions: AlertDecisions

  constructor(environment: Environment, job: ClusteredJob, nowMicros = systemClock.nowMicros()) {
    this.#environment = environment
    this.#job = job
    this.#rows = new CauseRows(environment, job.id)
    this.#settings = causeSettingsOf(job)
    this.#decisions = new AlertDecisions(this.#rows, job.labels, this.#settings)
    const time = this.#rows.get('global', 1) as { watermark: number; epoch: number } | undefined
    this.#stand = { watermark: time?.watermark ?? -1, epoch: time?.epoch ?? 0, nowMicros }
  }

  /** The event's place; null where it was never clustered: it is not decided yet, or older than the clustering. */
  place(micros: number, header: RecordHeader): ClusterPlace | null {
    const alert = this.#alert(micros)
    const found = alert === null ? null : this.#home(alert.cluster)
    if (alert === null || found === null) return null
    return {
      cluster: this.#view(found),
      reason: reasonOf({
        alert,
        size: found.row.size,
        kind: this.#kind(alert.kind),
        parentKind: this.#kind(alert.parentKind),
        settings: this.#settings,
      }),
      kind: this.#kind(alert.kind),
      about: alert.entity,
      timeMs: alert.timeMs,
      followsFrom: this.#followsFrom(alert),
      followers: alert.followers,
      decisions: this.#decisions.of(micros, alert, header),
      suggestion: this.#decisions.suggestion(alert, header),
    }
  }

  /** @throws Refusal invalid_cursor. */
  list({ size, after, state, alertsMin = 1, fromMs = -Infinity, toMs = Infinity }: ClusterQuery): ClusterPage {
    const clusters: ClusterView[] = []
    const total = countClusters(this.#rows)
    let rowsRead = 0
    const listing: ListName = ['clusters', this.#job.id]
    const before = after === undefined ? null : microsIn(placeIn(listing, after))
    for (const { number, row } of this.#rows.before('clusters', before, true)) {
      const cluster = row as ClusterRow
      const isWanted =
        cluster.into === 0 &&
        cluster.size >= Math.max(1, alertsMin) &&
        cluster.lastMs >= fromMs &&
        cluster.firstMs < toMs &&
        (state === undefined || state === this.#stateOf(cluster))
      if (isWanted) clusters.push(this.#view({ id: number, row: cluster }))
      if (clusters.length === size || ++rowsRead === causeBounds.clusterRowsLookedMax)
        return { clusters, total, next: cursorAt(listing, eventIdOf(number)) }
    }
    return { clusters, total, next: null }
  }

  /** @throws Refusal cluster_not_found, invalid_cursor. */
  tree(clusterId: string, { size, after }: Pick<ClusterQuery, 'size' | 'after'>): ClusterTree {
    const id = microsOfEventId(clusterId)
    const found = id === null ? null : this.#home(id)
    if (found === null) throw new Refusal('cluster_not_found', 'cluster not found')
    const listing: ListName = ['cluster', this.#job.id, clusterId]
    const made = `.${eventIdOf(found.id)}.${found.row.merged.length}`
    const alerts = this.#members(found, after === undefined ? 0 : placeInTree(placeIn(listing, after), made), size)
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
      next: alerts.length === size ? cursorAt(listing, eventIdOf(alerts[size - 1] as number) + made) : null,
    }
  }

  /** Alerts of the cluster and of those merged into it, by ingest time. */
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
      suggestion: this.#decisions.suggestion(alert, event.header),
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

function microsIn(text: string): number {
  const micros = microsOfEventId(text)
  if (micros === null) throw notACursor()
  return micros
}

/** The arrival of the last alert of a page of a tree. `made` says of which clusters it is made. */
function placeInTree(place: string, made: string): number {
  const micros = microsIn(place.slice(0, eventIdBytes))
  if (place.slice(eventIdBytes) === made) return micros
  throw new Refusal('invalid_cursor', 'clusters were merged since the page of `after`: begin without it')
}
