/**
 * The order of the rows of a job by the events' own times, newest first. Of equal times, what arrived last is first.
 *
 * Owns: the order, and places in it. Leaves out: the rows (event-rows.ts), which of them pass (list-walk.ts).
 *
 * 1. It follows the rows: new ones are sorted and merged in, so that a list of a job that is watched costs one pass.
 * 2. Rows keep their places. The oldest of those from before the first look may go (event-columns.ts).
 */
import { DELETED } from './column-walk.js'
import type { EventRows } from './event-rows.js'

/** A place in the order: an event's own time, and that of its arrival. */
export interface TimePlace {
  readonly own: number
  readonly micros: number
}

/** Before every event. */
export const beginning: TimePlace = { own: Number.POSITIVE_INFINITY, micros: Number.POSITIVE_INFINITY }

/** Negative if `a` comes before `b`. */
export function comparePlaces(a: TimePlace, b: TimePlace): number {
  return a.own === b.own ? b.micros - a.micros : b.own - a.own
}

/** A number for a row: above 0 for later ones, below it for earlier ones. */
function refOf(rows: EventRows, at: number): number {
  return rows.isLater ? at + 1 : -at - 1
}

export class TimeOrder {
  #refs: Int32Array = new Int32Array(0)
  #laterRows = 0
  #earlierRows = 0

  /** Takes in the rows that are new. */
  follow(later: EventRows, earlier: EventRows): void {
    const fresh: number[] = []
    for (let at = later.length - 1; at >= this.#laterRows; at--) fresh.push(refOf(later, at))
    for (let at = this.#earlierRows; at < earlier.length; at++) fresh.push(refOf(earlier, at))
    const hasGone = earlier.length < this.#earlierRows
    this.#laterRows = later.length
    this.#earlierRows = earlier.length
    if (fresh.length === 0 && !hasGone) return
    const compare = (a: number, b: number): number => {
      const [one, other] = [a > 0 ? later : earlier, b > 0 ? later : earlier]
      const [i, j] = [Math.abs(a) - 1, Math.abs(b) - 1]
      const order = (other.own[j] as number) - (one.own[i] as number)
      return order === 0 ? (other.times[j] as number) - (one.times[i] as number) : order
    }
    // Events arrive nearly in the order of their times, which this sort is fast at.
    fresh.sort(compare)
    const known = hasGone ? this.#refs.filter((ref) => ref > 0 || -ref <= earlier.length) : this.#refs
    const merged = new Int32Array(known.length + fresh.length)
    for (let at = 0, i = 0, j = 0; at < merged.length; at++) {
      const takesFresh = i === known.length || (j < fresh.length && compare(fresh[j] as number, known[i] as number) < 0)
      merged[at] = takesFresh ? (fresh[j++] as number) : (known[i++] as number)
    }
    this.#refs = merged
  }

  /** Walks the rows behind a place whose events are there. False of `visit` ends the walk. */
  walk(
    behind: TimePlace | null,
    later: EventRows,
    earlier: EventRows,
    visit: (rows: EventRows, at: number) => boolean,
  ): void {
    for (let i = behind === null ? 0 : this.#firstBehind(behind, later, earlier); i < this.#refs.length; i++) {
      const ref = this.#refs[i] as number
      const rows = ref > 0 ? later : earlier
      const at = Math.abs(ref) - 1
      if (((rows.codes[at] as number) & DELETED) === 0 && !visit(rows, at)) return
    }
  }

  #firstBehind(place: TimePlace, later: EventRows, earlier: EventRows): number {
    let [low, high] = [0, this.#refs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const ref = this.#refs[middle] as number
      const rows = ref > 0 ? later : earlier
      const at = Math.abs(ref) - 1
      const here = { own: rows.own[at] as number, micros: rows.times[at] as number }
      if (comparePlaces(here, place) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
