/**
 * Clustering as a stream: each alert finds its cluster when it comes, or begins one.
 *
 * Owns: which alert follows from which, joining, merging, and what of earlier alerts changes by it. Leaves out: the
 * statistics behind a link (precedence.ts, lessons.ts), decisions (cause/cause-stage.ts).
 *
 * An alert follows from the nearest earlier one whose link is believed and whose cluster is not over, and is in its
 * cluster. With the linkage `window`, or where alerts have no kind, it is in the clusters of all that it is equal or
 * related to within the gap. Clusters that it joins become one: the smaller becomes part of the larger.
 *
 * 1. The cost of an alert does not grow with the clusters or alerts seen before.
 * 2. A parent lies before its child in time, or came in before it at the same time: links make no cycle, whatever the
 *    relations between entities are.
 * 3. In a cluster that is over nothing changes.
 */
import { causeBounds } from './bounds.js'
import { isOver, ROOT_FIELDS, type AlertRow, type Stand } from './cause-rows.js'
import { addRoot, ClusterBook, dropRoot, type Home } from './cluster-book.js'
import type { Side } from './delays.js'
import { LearnedBelief, noLessons, type Lessons } from './lessons.js'
import { Neighbourhood, type Candidate } from './neighbourhood.js'
import { Precedence } from './precedence.js'
import type { CauseSettings } from './settings.js'
import { Rows, type CauseStore } from './cause-store.js'
import type { Sighting } from './sighting.js'
import { Timeline } from './timeline.js'

const nobody: readonly Candidate[] = []

/** From this belief on a link is one. */
export const LINK_MIN = 0.5

export class Clustering {
  readonly #causeStore: CauseStore
  readonly settings: CauseSettings
  readonly precedence: Precedence
  readonly #neighbourhood: Neighbourhood
  readonly #timeline: Timeline
  readonly #book: ClusterBook
  readonly #alerts: Rows<AlertRow>
  #learned = new LearnedBelief(noLessons)

  constructor(causeStore: CauseStore, settings: CauseSettings) {
    this.#causeStore = causeStore
    this.settings = settings
    this.precedence = new Precedence(causeStore, settings.causeWindowMs)
    this.#neighbourhood = new Neighbourhood(causeStore)
    this.#timeline = new Timeline(causeStore, settings.lateMs)
    this.#book = new ClusterBook(causeStore, settings)
    this.#alerts = new Rows(causeStore, 'alerts')
  }

  /** From now on links are believed by these lessons too. */
  teach(lessons: Lessons): void {
    this.#learned = new LearnedBelief(lessons)
  }

  /** A cause lies at most so far before its symptom, milliseconds. */
  get windowMs(): number {
    return this.settings.causeWindowMs === 0 && this.#learned.windowMs > 0
      ? this.#learned.windowMs
      : this.precedence.windowMs
  }

  alert(number: number): AlertRow | null {
    return this.#alerts.get(number)
  }

  touchAlert(number: number): void {
    this.#alerts.touch(number)
  }

  cluster(number: number): Home | null {
    return this.#book.home(number)
  }

  stand(nowMicros: number): Stand {
    return { watermark: this.#timeline.watermark, epoch: this.#timeline.epoch, nowMicros }
  }

  /**
   * Takes in the alert that came at `micros`, which is its number. Answers with the earlier alerts of which something has
   * changed that their decisions hang on.
   */
  take(sighting: Sighting, micros: number, nowMicros: number): readonly number[] {
    const { timeMs, isLate, isAssumed, isLatest } = this.#timeline.place(sighting.timeMs, micros / 1000)
    const kind = this.precedence.kindOf(sighting.kind)
    const place = { entity: sighting.entity, related: sighting.related, kind, timeMs }
    const stand = this.stand(nowMicros)
    const base = { timeMs, kind, entity: sighting.entityName, lists: sighting.related.length, assumed: isAssumed }
    if (isLate || sighting.entity === 0) {
      this.#begin(micros, base, isLate ? 'late' : 'no_id', [])
      return []
    }
    const joinsAll = this.settings.linkage === 'window' || sighting.kind === ''
    const before = this.#neighbourhood.around(place, this.settings.gapMs, 'before', joinsAll)
    for (const link of before) {
      link.mined = this.precedence.belief(link.kind, kind, link.side)
      link.belief = this.#learned.of(link.kind, kind, link.side, link.mined)
    }
    const { windowMs } = this
    const parent = before.find(
      (link) => link.belief >= LINK_MIN && link.delayMs < windowMs && this.#book.takes(link.cluster, timeMs, stand),
    )
    const after = isLatest ? nobody : this.#neighbourhood.around(place, this.settings.gapMs, 'after', joinsAll)
    const near = joinsAll ? [...before, ...after].map(({ cluster }) => cluster) : []
    const joins = near.filter((cluster) => this.#book.takes(cluster, timeMs, stand))
    if (parent !== undefined) joins.unshift(parent.cluster)
    if (joins.length === 0) this.#begin(micros, base, '', before)
    else this.#join(joins, micros, base, parent, before, stand)
    const changed = parent === undefined ? [] : this.#follow(parent.alert, kind, parent.side, parent.belief)
    for (const link of after) if (link.delayMs < windowMs) changed.push(...this.#adopt(micros, link, kind, stand))
    this.precedence.observe(kind, timeMs, sighting.related.length, before)
    const { cluster } = this.#alerts.get(micros) as AlertRow
    const oldestMs = stand.watermark - this.settings.lateMs - this.settings.gapMs
    if (this.#neighbourhood.enter(place, micros, cluster, oldestMs)) this.precedence.countEntity()
    return changed.length < 2 ? changed : [...new Set(changed)]
  }

  /** Takes an alert out again: another version of the event has taken its place. */
  remove(number: number): void {
    const alert = this.#alerts.get(number)
    const home = alert === null ? null : this.cluster(alert.cluster)
    if (alert === null || home === null) return
    this.#causeStore.deleteMember(alert.cluster, number)
    dropRoot(home.row, number)
    this.#book.grow(home, -1)
  }

  #begin(micros: number, base: AlertBase, alone: AlertRow['alone'], before: readonly Candidate[]): void {
    const { timeMs } = base
    this.#book.begin(micros, {
      epoch: this.#timeline.epoch,
      size: 1,
      firstMs: timeMs,
      lastMs: timeMs,
      arrivedMicros: micros,
      into: 0,
      merged: [],
      roots: [micros, timeMs, 0],
      cut: false,
    })
    this.#place(micros, base, { cluster: micros, rank: 0, sinceMs: 0, alone }, undefined, before)
  }

  #join(
    joins: readonly number[],
    micros: number,
    base: AlertBase,
    parent: Candidate | undefined,
    before: readonly Candidate[],
    stand: Stand,
  ): void {
    let id = (this.cluster(joins[0] as number) as Home).id
    for (const other of joins) id = this.#book.merge(id, (this.cluster(other) as Home).id, stand)
    const home = this.cluster(id) as Home
    const { row } = home
    const sinceMs = base.timeMs - row.firstMs
    this.#place(micros, base, { cluster: id, rank: row.size, sinceMs, alone: '' }, parent, before)
    this.#book.grow(home, 1)
    row.firstMs = Math.min(row.firstMs, base.timeMs)
    row.lastMs = Math.max(row.lastMs, base.timeMs)
    row.arrivedMicros = micros
    if (parent === undefined) addRoot(row, micros, base.timeMs, 0)
  }

  #place(
    micros: number,
    base: AlertBase,
    own: OwnPlace,
    parent: Candidate | undefined,
    before: readonly Candidate[],
  ): void {
    const precedents: number[] = []
    for (let at = 0; at < before.length && at < causeBounds.causeRememberedMax; at++) {
      const { kind, side, delayMs, mined } = before[at] as Candidate
      precedents.push(kind, side, delayMs, mined)
    }
    // Field by field: a spread costs more than the rest of the alert.
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
      precedents,
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

  /** One more alert follows from this one. The decision is looked at again when their number doubles. */
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
    if (alert.followers === 1 && alert.parent === 0) this.precedence.countStart(alert.kind, 1)
    const home = this.cluster(alert.cluster)
    if (home !== null && alert.parent === 0) {
      const at = home.row.roots.findIndex((each, place) => place % ROOT_FIELDS === 0 && each === number)
      if (at >= 0) home.row.roots[at + 2] = alert.followers
      this.#book.touch(home.id)
    }
    return (alert.followers & (alert.followers - 1)) === 0 ? [number] : []
  }

  /** An alert that came in before, and lies later: it may follow from the one that is just taken in. */
  #adopt(micros: number, candidate: Candidate, kind: number, stand: Stand): number[] {
    const child = this.#alerts.get(candidate.alert)
    const own = this.#alerts.get(micros) as AlertRow
    if (child === null || child.alone !== '' || (child.parent !== 0 && child.delayMs <= candidate.delayMs)) return []
    const belief = this.#learned.of(
      kind,
      child.kind,
      candidate.side,
      this.precedence.belief(kind, child.kind, candidate.side),
    )
    const [home, target] = [this.cluster(child.cluster), this.cluster(own.cluster)]
    if (belief < LINK_MIN || home === null || target === null || isOver(home.row, this.settings, stand)) return []
    if (home.id !== target.id) {
      const span = Math.max(home.row.lastMs, target.row.lastMs) - Math.min(home.row.firstMs, target.row.firstMs)
      // With a parent of its own elsewhere it stays there: clusters grow together, and are not taken apart.
      if (child.parent !== 0 || span > this.settings.lengthMs || this.#book.merge(home.id, target.id, stand) === 0)
        return []
      if (this.cluster(child.cluster)?.id !== this.cluster(own.cluster)?.id) return []
    }
    const before = child.parent === 0 ? null : this.#alerts.get(child.parent)
    if (before !== null) {
      before.followers--
      this.#alerts.touch(child.parent)
    } else if (child.followers > 0) this.precedence.countStart(child.kind, -1)
    const changed = before === null ? [] : [child.parent]
    Object.assign(child, { parent: micros, parentKind: kind, side: candidate.side, delayMs: candidate.delayMs, belief })
    this.#alerts.touch(candidate.alert)
    const merged = this.cluster(own.cluster) as Home
    dropRoot(merged.row, candidate.alert)
    this.#book.touch(merged.id)
    this.#follow(micros, child.kind, candidate.side, belief)
    return [...changed, candidate.alert]
  }

  /** The turn ends. */
  flush(): void {
    this.precedence.flush()
    this.#neighbourhood.flush()
    this.#timeline.flush()
    this.#book.flush()
    this.#alerts.flush()
  }

  /** Between turns: gives up what is at hand where it is too much. */
  shrink(): void {
    if (this.#book.size + this.#alerts.size > causeBounds.causeRowsInMemoryMax / 2) {
      this.#book.clear()
      this.#alerts.clear()
    }
    // What alerts are about comes again and again, and the alerts themselves hardly do.
    if (this.#neighbourhood.size > causeBounds.causeRowsInMemoryMax / 2) this.#neighbourhood.clear()
  }
}

type AlertBase = Pick<AlertRow, 'timeMs' | 'kind' | 'entity' | 'lists' | 'assumed'>
type OwnPlace = Pick<AlertRow, 'cluster' | 'rank' | 'sinceMs' | 'alone'>
