/**
 * The clusters of a job: which are open, which were merged.
 *
 * Owns: the rows of clusters. Leaves out: which alert joins which cluster (clustering.ts).
 *
 * 1. A merged cluster names the one that it was merged into, and holds nothing any more.
 * 2. A closed cluster does not change.
 * 3. The number of clusters is kept as they come and go: those that were not merged into another and hold an alert.
 */
import { causeBounds } from './bounds.js'
import { isClosed, ROOT_FIELDS, type ClusterRow, type StreamTime } from './cause-rows.js'
import { PartRows, type CauseStore, type CauseReads } from './cause-store.js'
import type { CauseSettings } from './settings.js'

/** A cluster that was not merged into another. */
export interface Cluster {
  readonly id: number
  readonly row: ClusterRow
}

interface TallyRow {
  /** Clusters that were not merged into another and hold an alert. */
  clusters: number
}

const TALLY = 2

/** The number of clusters. */
export function countClusters(reads: CauseReads): number {
  return (reads.get('global', TALLY) as TallyRow | undefined)?.clusters ?? 0
}

export class Clusters {
  readonly #settings: CauseSettings
  readonly #rows: PartRows<ClusterRow>
  readonly #tallies: PartRows<TallyRow>
  readonly #tally: TallyRow

  constructor(causeStore: CauseStore, settings: CauseSettings) {
    this.#settings = settings
    this.#rows = new PartRows(causeStore, 'clusters')
    this.#tallies = new PartRows(causeStore, 'global')
    this.#tally = this.#tallies.hold(TALLY, { clusters: countClusters(causeStore) })
  }

  get size(): number {
    return this.#rows.size
  }

  /** The cluster with this number, or the one that it was merged into. */
  find(number: number): Cluster | null {
    let id = number
    for (let row = this.#rows.get(id); row !== null; row = this.#rows.get(id)) {
      if (row.into === 0) return { id, row }
      id = row.into
    }
    return null
  }

  begin(id: number, row: ClusterRow): void {
    this.#rows.set(id, row)
    this.#count(1)
  }

  /** Counts one alert more, or one less. */
  resize({ id, row }: Cluster, by: 1 | -1): void {
    if (row.size === 0) this.#count(1)
    row.size += by
    if (row.size === 0) this.#count(-1)
    this.#rows.touch(id)
  }

  #count(by: 1 | -1): void {
    this.#tally.clusters += by
    this.#tallies.touch(TALLY)
  }

  touch(id: number): void {
    this.#rows.touch(id)
  }

  /** True where the cluster is open and stays within its length with an alert of this time. */
  accepts(number: number, timeMs: number, streamTime: StreamTime): boolean {
    const cluster = this.find(number)
    if (cluster === null || isClosed(cluster.row, this.#settings, streamTime)) return false
    const { firstMs, lastMs } = cluster.row
    return Math.max(lastMs, timeMs) - Math.min(firstMs, timeMs) <= this.#settings.lengthMs
  }

  /** Merges the smaller into the larger where both are open and it fits; returns the one that remains. */
  merge(one: number, other: number, streamTime: StreamTime): number {
    if (one === other) return one
    const [a, b] = [this.#rows.get(one) as ClusterRow, this.#rows.get(other) as ClusterRow]
    if (isClosed(a, this.#settings, streamTime) || isClosed(b, this.#settings, streamTime)) return one
    const span = Math.max(a.lastMs, b.lastMs) - Math.min(a.firstMs, b.firstMs)
    if (span > this.#settings.lengthMs) return one
    if (a.merged.length + b.merged.length + 1 > causeBounds.causeMergedMax) {
      a.cut = true
      this.#rows.touch(one)
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
    this.#rows.touch(into)
    this.#rows.touch(from)
    return into
  }

  flush(): void {
    this.#tallies.flush()
    this.#rows.flush()
  }

  clear(): void {
    this.#rows.clear()
  }
}

/** Adds a possible root cause, or marks the row as cut. */
export function addRoot(row: ClusterRow, alert: number, timeMs: number, followers: number): void {
  if (row.roots.length >= causeBounds.causeRootsMax * ROOT_FIELDS) row.cut = true
  else row.roots.push(alert, timeMs, followers)
}

export function dropRoot(row: ClusterRow, alert: number): void {
  const at = row.roots.findIndex((each, place) => place % ROOT_FIELDS === 0 && each === alert)
  if (at >= 0) row.roots.splice(at, ROOT_FIELDS)
}
