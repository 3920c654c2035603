/**
 * Clustering as a stream: each alert joins a cluster when it arrives, or begins one.
 *
 * Owns: which alert follows from which, joins and merges, and which earlier alerts change. Leaves out: the statistics
 * behind a link (hawkes.ts, feedback-weights.ts), decisions (actor/cause/cause-stage.ts).
 *
 * An alert follows from the nearest earlier one whose link is believed and whose cluster is open, and joins its
 * cluster. With the linkage `window`, or where alerts have no kind, it joins the clusters of all equal or related
 * alerts within the gap. Clusters that it joins are merged: the smaller into the larger.
 *
 * 1. The cost of an alert does not grow with the clusters or alerts seen before.
 * 2. A parent is earlier than its child, or arrived first at the same time. So links make no cycle, whatever the
 *    relations between entities are.
 * 3. A closed cluster does not change.
 */
import type { AlertBase, AlertArrival, OwnPlace } from './arrival.js'
import { causeBounds } from './bounds.js'
import { CandidateIndex, type Candidate } from './candidate-index.js'
import { isClosed, ROOT_FIELDS, type AlertRow, type StreamTime } from './cause-rows.js'
import { PartRows, type CauseStore } from './cause-store.js'
import { addRoot, Clusters, dropRoot, type Cluster } from './clusters.js'
import type { Side } from './delays.js'
import { LinkBelief, noFeedbackWeights, type FeedbackWeights } from './feedback-weights.js'
import { FieldFinder } from './field-finder.js'
import { HawkesProcess } from './hawkes.js'
import type { NormalizedAlert } from './normalized-alert.js'
import type { CauseSettings } from './settings.js'
import { Watermark } from './watermark.js'

const none: readonly Candidate[] = []

/** A link needs at least this belief. */
export const LINK_MIN = 0.5

export class Clustering {
  readonly #causeStore: CauseStore
  readonly settings: CauseSettings
  readonly hawkes: HawkesProcess
  readonly fields: FieldFinder
  readonly #candidates: CandidateIndex
  readonly #watermark: Watermark
  readonly #clusters: Clusters
  readonly #alerts: PartRows<AlertRow>
  #linkBelief = new LinkBelief(noFeedbackWeights)

  constructor(causeStore: CauseStore, settings: CauseSettings) {
    this.#causeStore = causeStore
    this.settings = settings
    this.hawkes = new HawkesProcess(causeStore, settings.causeWindowMs)
    this.fields = new FieldFinder(causeStore, settings)
    this.#candidates = new CandidateIndex(causeStore)
    this.#watermark = new Watermark(causeStore, settings.lateMs)
    this.#clusters = new Clusters(causeStore, settings)
    this.#alerts = new PartRows(causeStore, 'alerts')
  }

  /** Beliefs include these weights from now on. */
  useFeedback(feedbackWeights: FeedbackWeights): void {
    this.#linkBelief = new LinkBelief(feedbackWeights)
  }

  /** A cause is at most this much earlier than its symptom, milliseconds. */
  get windowMs(): number {
    return this.settings.causeWindowMs === 0 && this.#linkBelief.windowMs > 0
      ? this.#linkBelief.windowMs
      : this.hawkes.windowMs
  }

  alert(number: number): AlertRow | null {
    return this.#alerts.get(number)
  }

  touchAlert(number: number): void {
    this.#alerts.touch(number)
  }

  cluster(number: number): Cluster | null {
    return this.#clusters.find(number)
  }

  streamTime(nowMicros: number): StreamTime {
    return { watermark: this.#watermark.timeMs, epoch: this.#watermark.epoch, nowMicros }
  }

  /**
   * Adds the alert that arrived at `micros`, which is its number. Returns the earlier alerts whose decisions may change
   * by it.
   */
  add(normalized: NormalizedAlert, micros: number, nowMicros: number): readonly number[] {
    const { timeMs, isLate, isAssumed, isLatest } = this.#watermark.advance(normalized.timeMs, micros / 1000)
    const kind = this.hawkes.kindOf(normalized.kind)
    const place = { entity: normalized.entity, related: normalized.related, kind, timeMs }
    const streamTime = this.streamTime(nowMicros)
    const base = { timeMs, kind, entity: normalized.entityName, lists: normalized.related.length, assumed: isAssumed }
    if (isLate || normalized.entity === 0) {
      this.#begin(micros, base, isLate ? 'late' : 'no_id', [])
      return []
    }
    const joinsAll = this.settings.linkage === 'window' || normalized.kind === ''
    const before = this.#candidates.around(place, this.settings.gapMs, 'before', joinsAll)
    for (const link of before) {
      link.mined = this.hawkes.belief(link.kind, kind, link.side)
      link.belief = this.#linkBelief.of(link.kind, kind, link.side, link.mined)
    }
    const { windowMs } = this
    const parent = before.find(
      (link) =>
        link.belief >= LINK_MIN && link.delayMs < windowMs && this.#clusters.accepts(link.cluster, timeMs, streamTime),
    )
    // One late cause has symptoms on several entities, often of one kind: each may follow from it.
    const after = isLatest ? none : this.#candidates.around(place, this.settings.gapMs, 'after', true)
    const near = joinsAll ? [...before, ...after].map(({ cluster }) => cluster) : []
    const joins = near.filter((cluster) => this.#clusters.accepts(cluster, timeMs, streamTime))
    if (parent !== undefined) joins.unshift(parent.cluster)
    if (joins.length === 0) this.#begin(micros, base, '', before)
    else this.#join(joins, { micros, base, parent, before }, streamTime)
    const changed = parent === undefined ? [] : this.#follow(parent.alert, kind, parent.side, parent.belief)
    for (const link of after) if (link.delayMs < windowMs) changed.push(...this.#adopt(micros, link, kind, streamTime))
    this.hawkes.observe(kind, timeMs, normalized.related.length, before)
    const { cluster } = this.#alerts.get(micros) as AlertRow
    const oldestMs = streamTime.watermark - this.settings.lateMs - this.settings.gapMs
    if (this.#candidates.add(place, micros, cluster, oldestMs)) this.hawkes.countEntity()
    return changed.length < 2 ? changed : [...new Set(changed)]
  }

  /** Removes an alert: another version of the event has replaced it. */
  remove(number: number): void {
    const alert = this.#alerts.get(number)
    const cluster = alert === null ? null : this.cluster(alert.cluster)
    if (alert === null || cluster === null) return
    this.#causeStore.deleteMember(alert.cluster, number)
    dropRoot(cluster.row, number)
    this.#clusters.resize(cluster, -1)
  }

  #begin(micros: number, base: AlertBase, alone: AlertRow['alone'], before: readonly Candidate[]): void {
    const { timeMs } = base
    this.#clusters.begin(micros, {
      epoch: this.#watermark.epoch,
      size: 1,
      firstMs: timeMs,
      lastMs: timeMs,
      arrivedMicros: micros,
      into: 0,
      merged: [],
      roots: [micros, timeMs, 0],
      cut: false,
    })
    this.#store({ micros, base, parent: undefined, before }, { cluster: micros, rank: 0, sinceMs: 0, alone })
  }

  #join(joins: readonly number[], arrival: AlertArrival, streamTime: StreamTime): void {
    const { micros, base, parent } = arrival
    let id = (this.cluster(joins[0] as number) as Cluster).id
    for (const other of joins) id = this.#clusters.merge(id, (this.cluster(other) as Cluster).id, streamTime)
    const cluster = this.cluster(id) as Cluster
    const { row } = cluster
    const sinceMs = base.timeMs - row.firstMs
    this.#store(arrival, { cluster: id, rank: row.size, sinceMs, alone: '' })
    this.#clusters.resize(cluster, 1)
    row.firstMs = Math.min(row.firstMs, base.timeMs)
    row.lastMs = Math.max(row.lastMs, base.timeMs)
    row.arrivedMicros = micros
    if (parent === undefined) addRoot(row, micros, base.timeMs, 0)
  }

  /** Writes the row of an alert that has found its cluster. */
  #store({ micros, base, parent, before }: AlertArrival, own: OwnPlace): void {
    const predecessors: number[] = []
    for (let at = 0; at < before.length && at < causeBounds.causeRememberedMax; at++) {
      const { kind, side, delayMs, mined } = before[at] as Candidate
      predecessors.push(kind, side, delayMs, mined)
    }
    // Field by field: a spread would cost more than all the rest.
    const { timeMs, kind, entity, lists, assumed } = base
    const { cluster, rank, sinceMs, alone } = own
    this.#alerts.set(micros, {
      cluster,
      timeMs,
      kind,
      entity,
      parent: parent?.alert ?? 0,
      parentKind: parent?.kind ?? 0,
      side: parent?.side ?? 0,
      delayMs: parent?.delayMs ?? 0,
      belief: parent?.belief ?? 0,
      predecessors,
      followers: 0,
      followerKind: 0,
      followerSide: 0,
      followerBelief: 0,
      rank,
      sinceMs,
      lists,
      alone,
      assumed,
      history: [],
    })
    this.#causeStore.putMember(cluster, micros)
  }

  /** Counts one more follower. Returns the alert when the number doubles: its decision may change. */
  #follow(number: number, kind: number, side: Side, belief: number): number[] {
    const alert = this.#alerts.get(number)
    if (alert === null) return []
    alert.followers++
    if (alert.followers === 1) {
      alert.followerKind = kind
      alert.followerSide = side
    }
    alert.followerBelief = Math.max(alert.followerBelief, belief)
    this.#alerts.touch(number)
    if (alert.followers === 1 && alert.parent === 0) this.hawkes.countStart(alert.kind, 1)
    const cluster = this.cluster(alert.cluster)
    if (cluster !== null && alert.parent === 0) {
      const at = cluster.row.roots.findIndex((each, place) => place % ROOT_FIELDS === 0 && each === number)
      if (at >= 0) cluster.row.roots[at + 2] = alert.followers
      this.#clusters.touch(cluster.id)
    }
    return (alert.followers & (alert.followers - 1)) === 0 ? [number] : []
  }

  /** Links an alert that arrived before but is later: it may follow from the one that has just arrived. */
  #adopt(micros: number, candidate: Candidate, kind: number, streamTime: StreamTime): number[] {
    const child = this.#alerts.get(candidate.alert)
    const own = this.#alerts.get(micros) as AlertRow
    if (child === null || child.alone !== '' || (child.parent !== 0 && child.delayMs <= candidate.delayMs)) return []
    const belief = this.#linkBelief.of(
      kind,
      child.kind,
      candidate.side,
      this.hawkes.belief(kind, child.kind, candidate.side),
    )
    const [current, target] = [this.cluster(child.cluster), this.cluster(own.cluster)]
    if (belief < LINK_MIN || current === null || target === null || isClosed(current.row, this.settings, streamTime))
      return []
    if (current.id !== target.id) {
      const span = Math.max(current.row.lastMs, target.row.lastMs) - Math.min(current.row.firstMs, target.row.firstMs)
      // With a parent in its own cluster it stays there: clusters are merged, and never split.
      if (
        child.parent !== 0 ||
        span > this.settings.lengthMs ||
        this.#clusters.merge(current.id, target.id, streamTime) === 0
      )
        return []
      if (this.cluster(child.cluster)?.id !== this.cluster(own.cluster)?.id) return []
    }
    const before = child.parent === 0 ? null : this.#alerts.get(child.parent)
    if (before !== null) {
      before.followers--
      this.#alerts.touch(child.parent)
    } else if (child.followers > 0) this.hawkes.countStart(child.kind, -1)
    const changed = before === null ? [] : [child.parent]
    Object.assign(child, { parent: micros, parentKind: kind, side: candidate.side, delayMs: candidate.delayMs, belief })
    this.#alerts.touch(candidate.alert)
    const merged = this.cluster(own.cluster) as Cluster
    dropRoot(merged.row, candidate.alert)
    this.#clusters.touch(merged.id)
    this.#follow(micros, child.kind, candidate.side, belief)
    return [...changed, candidate.alert]
  }

  /** Writes what changed, at the end of a turn. */
  flush(): void {
    this.fields.flush()
    this.hawkes.flush()
    this.#candidates.flush()
    this.#watermark.flush()
    this.#clusters.flush()
    this.#alerts.flush()
  }

  /** Drops rows from memory where there are too many; only between turns. */
  shrink(): void {
    if (this.#clusters.size + this.#alerts.size > causeBounds.causeRowsInMemoryMax / 2) {
      this.#clusters.clear()
      this.#alerts.clear()
    }
    // Entities recur, alerts hardly do: each has its own half.
    if (this.#candidates.size > causeBounds.causeRowsInMemoryMax / 2) this.#candidates.clear()
  }
}
