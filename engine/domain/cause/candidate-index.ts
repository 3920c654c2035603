/**
 * Finds the candidates for a cause: the recent alerts of an entity and of the entities next to it.
 *
 * Owns: the last alerts of an entity, and which entities list it. Leaves out: the belief in a candidate
 * (hawkes.ts).
 *
 * 1. The cost of an alert is bounded: by neighbours, by alerts of each, by candidates.
 * 2. An entity keeps the latest few alerts of each kind, so that a storm of one kind does not push out the others. It
 *    keeps none that is too old to be a candidate again.
 */
import { causeBounds } from './bounds.js'
import { PartRows, type CauseStore } from './cause-store.js'
import { delayBin, SIDES, type Side } from './delays.js'
import type { Predecessor } from './hawkes.js'

/** An alert near another one in time. */
export interface Candidate extends Predecessor {
  /** Its number: its arrival, microseconds. */
  readonly alert: number
  readonly timeMs: number
  readonly cluster: number
  /** Milliseconds between the two. */
  readonly delayMs: number
  /** The belief in the link: by the stream alone, and with feedback. Filled in by clustering.ts. */
  mined: number
  belief: number
}

interface EntityRow {
  /** It had an alert; until then other entities have only listed it. */
  seen: boolean
  /** Entities that list it. */
  readonly listers: number[]
  /** Four numbers for each alert, in order of time: kind, time, alert, cluster. */
  recent: number[]
}

const FIELDS = 4
const PER_KIND = 4
const FEW = 12

export interface AlertPlace {
  readonly entity: number
  readonly related: readonly number[]
  readonly kind: number
  readonly timeMs: number
}

interface Search {
  readonly place: AlertPlace
  readonly horizonMs: number
  readonly where: 'before' | 'after'
  /** One candidate for each entity, not only for each kind and side. */
  readonly apart: boolean
  readonly found: Candidate[]
  /** Of the entity whose alerts are compared. */
  side: Side
}

export class CandidateIndex {
  readonly #entities: PartRows<EntityRow>
  /** By kind and side: index + 1 of the nearest one found; all 0 between searches. */
  readonly #nearest = new Uint16Array((causeBounds.causeKindsMax + 1) * SIDES)

  constructor(causeStore: CauseStore) {
    this.#entities = new PartRows(causeStore, 'entities')
  }

  get size(): number {
    return this.#entities.size
  }

  /**
   * The nearest alert of each kind and side before or after one, at most `horizonMs` away, in order of distance. With
   * `apart`, of each kind, side and entity.
   */
  around(place: AlertPlace, horizonMs: number, where: 'before' | 'after', apart: boolean): Candidate[] {
    const search: Search = { place, horizonMs, where, apart, found: [], side: 0 }
    const { found } = search
    const own = this.#entities.get(place.entity)
    this.#gather(own, 0, search)
    for (const entity of place.related) {
      const side = own?.listers.includes(entity) ? 1 : sideOf(3, where)
      this.#gather(this.#entities.get(entity), side, search)
    }
    if (own !== null) {
      for (const entity of own.listers) {
        if (!place.related.includes(entity)) this.#gather(this.#entities.get(entity), sideOf(2, where), search)
      }
    }
    this.#resetNearest(found, 0)
    sortByDistance(found)
    if (found.length > causeBounds.causeCandidatesMax) found.length = causeBounds.causeCandidatesMax
    return found
  }

  #resetNearest(found: readonly Candidate[], from: number): void {
    for (let at = from; at < found.length; at++) {
      const { kind, side } = found[at] as Candidate
      this.#nearest[kind * SIDES + side] = 0
    }
  }

  #gather(row: EntityRow | null, side: Side, search: Search): void {
    if (row === null) return
    const { place, horizonMs, where, apart, found } = search
    search.side = side
    const { recent } = row
    const from = found.length
    for (let at = recent.length - FIELDS; at >= 0; at -= FIELDS) {
      const timeMs = recent[at + 1] as number
      const delayMs = where === 'before' ? place.timeMs - timeMs : timeMs - place.timeMs
      // In order of time: what is older still is farther away, or not after.
      if (where === 'before' ? delayMs > horizonMs : delayMs <= 0) break
      // An alert of the same time arrived first, so it is before.
      if (delayMs >= 0 && delayMs <= horizonMs) this.#offer(recent, at, delayMs, search)
    }
    if (apart) this.#resetNearest(found, from)
  }

  /** Takes the alert at `at` as a candidate if none of its kind and side is nearer. */
  #offer(recent: readonly number[], at: number, delayMs: number, { side, found }: Search): void {
    const kind = recent[at] as number
    const key = kind * SIDES + side
    const known = this.#nearest[key] as number
    if (known > 0 && (found[known - 1] as Candidate).delayMs <= delayMs) return
    const bin = delayBin(delayMs)
    if (bin < 0) return
    const candidate = {
      kind,
      side,
      bin,
      alert: recent[at + 2] as number,
      timeMs: recent[at + 1] as number,
      cluster: recent[at + 3] as number,
      delayMs,
      mined: 0,
      belief: 0,
    }
    if (known > 0) found[known - 1] = candidate
    else this.#nearest[key] = found.push(candidate)
  }

  /** Adds an alert; true for the first of its entity. Drops alerts before `oldestMs`: no later search reaches them. */
  add(place: AlertPlace, alert: number, cluster: number, oldestMs: number): boolean {
    const row = this.#rowOf(place.entity)
    const isFirst = !row.seen
    row.seen = true
    const { recent } = row
    let passed = 0
    while (passed < recent.length && (recent[passed + 1] as number) < oldestMs) passed += FIELDS
    if (passed > 0) recent.splice(0, passed)
    let at = recent.length
    while (at > 0 && (recent[at - FIELDS + 1] as number) > place.timeMs) at -= FIELDS
    recent.splice(at, 0, place.kind, place.timeMs, alert, cluster)
    this.#trim(row, place.kind)
    this.#entities.touch(place.entity)
    for (const entity of place.related) {
      const listed = this.#rowOf(entity)
      if (listed.listers.includes(place.entity)) continue
      listed.listers.push(place.entity)
      if (listed.listers.length > causeBounds.causeRelatedMax) listed.listers.shift()
      this.#entities.touch(entity)
    }
    return isFirst
  }

  #rowOf(entity: number): EntityRow {
    return this.#entities.get(entity) ?? this.#entities.set(entity, { seen: false, listers: [], recent: [] })
  }

  /** Drops the oldest of the kind where there are too many, then the oldest of all. */
  #trim(row: EntityRow, kind: number): void {
    const { recent } = row
    let ofKind = 0
    for (let at = recent.length - FIELDS; at >= 0; at -= FIELDS) {
      if (recent[at] !== kind) continue
      if (++ofKind > PER_KIND) recent.splice(at, FIELDS)
    }
    if (recent.length > causeBounds.causeRecentMax * FIELDS) recent.splice(0, FIELDS)
  }

  flush(): void {
    this.#entities.flush()
  }

  clear(): void {
    this.#entities.clear()
  }
}

/** The side for the earlier and later of the two alerts; `before` is for a candidate before. */
function sideOf(before: Side, where: string): Side {
  if (where === 'before') return before
  return before === 3 ? 2 : 3
}

/** By insertion where there are few, as with most alerts: faster than `sort`. */
function sortByDistance(found: Candidate[]): void {
  if (found.length > FEW) {
    found.sort(byDistance)
    return
  }
  for (let at = 1; at < found.length; at++) {
    const one = found[at] as Candidate
    let before = at - 1
    for (; before >= 0 && byDistance(found[before] as Candidate, one) > 0; before--)
      found[before + 1] = found[before] as Candidate
    found[before + 1] = one
  }
}

function byDistance(one: Candidate, other: Candidate): number {
  return one.delayMs - other.delayMs || one.side - other.side || other.alert - one.alert
}
