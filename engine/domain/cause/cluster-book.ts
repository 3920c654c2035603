/**
 * The clusters of a job: which are open, which have become one, who begins them.
 *
 * Owns: the rows of clusters. Leaves out: which alert belongs where (clustering.ts).
 *
 * 1. A cluster that has become part of another one says so, and holds nothing any more.
 * 2. A cluster that is over stays as it is.
 * 3. How many clusters there are is counted as they come and go: those that are part of no other and hold an alert.
 */
import { causeBounds } from './bounds.js'
import { isOver, ROOT_FIELDS, type ClusterRow, type Stand } from './cause-rows.js'
import type { CauseSettings } from './settings.js'
import { Rows, type CauseStore, type CauseReads } from './cause-store.js'

/** A cluster that is part of no other. */
export interface Home {
  readonly id: number
  readonly row: ClusterRow
}

interface TallyRow {
  /** Clusters that are part of no other and hold an alert. */
  clusters: number
}

const TALLY = 2

/** How many clusters there are. */
export function countClusters(reads: CauseReads): number {
  return (reads.get('global', TALLY) as TallyRow | undefined)?.clusters ?? 0
}

export class ClusterBook {
  readonly #settings: CauseSettings
  readonly #clusters: Rows<ClusterRow>
  readonly #tallies: Rows<TallyRow>
  readonly #tally: TallyRow

  constructor(causeStore: CauseStore, settings: CauseSettings) {
    this.#settings = settings
    this.#clusters = new Rows(causeStore, 'clusters')
    this.#tallies = new Rows(causeStore, 'global')
    this.#tally = this.#tallies.hold(TALLY, { clusters: countClusters(causeStore) })
  }

  get size(): number {
    return this.#clusters.size
  }

  /** The cluster of that number, or the one that it has become part of. */
  home(number: number): Home | null {
    let id = number
    for (let row = this.#clusters.get(id); row !== null; row = this.#clusters.get(id)) {
      if (row.into === 0) return { id, row }
      id = row.into
    }
    return null
  }

  begin(id: number, row: ClusterRow): void {
    this.#clusters.set(id, row)
    this.#count(1)
  }

  /** One alert more, or one less. */
  grow({ id, row }: Home, by: 1 | -1): void {
    if (row.size === 0) this.#count(1)
    row.size += by
    if (row.size === 0) this.#count(-1)
    this.#clusters.touch(id)
  }

  #count(by: 1 | -1): void {
    this.#tally.clusters += by
    this.#tallies.touch(TALLY)
  }

  touch(id: number): void {
    this.#clusters.touch(id)
  }

  /** True where the cluster is open and stays within its length with an alert of that time. */
  takes(cluster: number, timeMs: number, stand: Stand): boolean {
    const home = this.home(cluster)
    if (home === null || isOver(home.row, this.#settings, stand)) return false
    const { firstMs, lastMs } = home.row
    return Math.max(lastMs, timeMs) - Math.min(firstMs, timeMs) <= this.#settings.lengthMs
  }

  /** Makes one cluster of two, if they are two; answers with the one that is left. */
  merge(one: number, other: number, stand: Stand): number {
    if (one === other) return one
    const [a, b] = [this.#clusters.get(one) as ClusterRow, this.#clusters.get(other) as ClusterRow]
    if (isOver(a, this.#settings, stand) || isOver(b, this.#settings, stand)) return one
    const span = Math.max(a.lastMs, b.lastMs) - Math.min(a.firstMs, b.firstMs)
    if (span > this.#settings.lengthMs) return one
    if (a.merged.length + b.merged.length + 1 > causeBounds.causeMergedMax) {
      a.cut = true
      this.#clusters.touch(one)
      return one
    }
    const [into, from, row, gone] = a.size >= b.size ? [one, other, a, b] : [other, one, b, a]
    if (gone.size > 0) this.#count(-1)
    row.size += gone.size
    row.firstMs = Math.min(row.firstMs, gone.firstMs)
    row.lastMs = Math.max(row.lastMs, gone.lastMs)
    row.arrivedMicros = Math.max(row.arrivedMicros, gone.arrivedMicros)
    row.merged.push(from, ...gone.merged)
    row.cut ||= gone.cut
    for (let at = 0; at < gone.roots.length; at += ROOT_FIELDS) {
      addRoot(row, gone.roots[at] as number, gone.roots[at + 1] as number, gone.roots[at + 2] as number)
    }
    Object.assign(gone, { into, merged: [], roots: [] })
    this.#clusters.touch(into)
    this.#clusters.touch(from)
    return into
  }

  flush(): void {
    this.#tallies.flush()
    this.#clusters.flush()
  }

  clear(): void {
    this.#clusters.clear()
  }
}

export function addRoot(row: ClusterRow, alert: number, timeMs: number, followers: number): void {
  if (row.roots.length >= causeBounds.causeRootsMax * ROOT_FIELDS) row.cut = true
  else row.roots.push(alert, timeMs, followers)
}

export function dropRoot(row: ClusterRow, alert: number): void {
  const at = row.roots.findIndex((each, place) => place % ROOT_FIELDS === 0 && each === alert)
  if (at >= 0) row.roots.splice(at, ROOT_FIELDS)
}
