/**
 * The time of a stream whose alerts come in any order and say impossible things: how far it is, and what is too late.
 *
 * Owns: the watermark. Leaves out: what happens to a late alert (clustering.ts).
 *
 * 1. The watermark is the third largest of the last 16 plausible times, and never goes back: single alerts from the
 *    future do not move it. A time more than a day after the alert came in is not plausible.
 * 2. An alert further behind the watermark than allowed is late. When 64 in a row are, it is the stream that has gone back
 *    (another history is being sent): time begins anew, and what was open then is over.
 */
import { Rows, type CauseStore } from './cause-store.js'

interface TimelineRow {
  recent: number[]
  /** Milliseconds; -1 before the first alert. */
  watermark: number
  /** How often time began anew. */
  epoch: number
  lateRun: number
  /** The latest of all, milliseconds. */
  latest: number
}

export interface Moment {
  readonly timeMs: number
  readonly isLate: boolean
  /** The alert said no time, or one that cannot be. */
  readonly isAssumed: boolean
  /** No alert lies behind it. */
  readonly isLatest: boolean
}

const KEPT = 16
const LATE_RUN = 64
const DAY_MS = 86_400_000
const ROW = 1

export class Timeline {
  readonly #rows: Rows<TimelineRow>
  readonly #row: TimelineRow
  readonly #lateMs: number

  constructor(causeStore: CauseStore, lateMs: number) {
    this.#lateMs = lateMs
    this.#rows = new Rows(causeStore, 'global')
    this.#row = this.#rows.get(ROW) ?? { recent: [], watermark: -1, epoch: 0, lateRun: 0, latest: -1 }
    this.#rows.hold(ROW, this.#row)
  }

  get watermark(): number {
    return this.#row.watermark
  }

  get epoch(): number {
    return this.#row.epoch
  }

  /** Where an alert that says `timeMs` and came in at `arrivalMs` stands. */
  place(timeMs: number | null, arrivalMs: number): Moment {
    const row = this.#row
    this.#rows.touch(ROW)
    if (timeMs === null || timeMs > arrivalMs + DAY_MS) {
      // The stream may be history: there, now is not when the alert was.
      const isHistory = row.watermark >= 0 && row.watermark < arrivalMs - DAY_MS
      return this.#at(isHistory ? row.watermark : Math.floor(arrivalMs), true)
    }
    if (row.watermark >= 0 && timeMs < row.watermark - this.#lateMs) {
      row.lateRun++
      if (row.lateRun < LATE_RUN) return { timeMs, isLate: true, isAssumed: false, isLatest: false }
      Object.assign(row, { recent: [], watermark: -1, epoch: row.epoch + 1, latest: -1 })
    }
    row.lateRun = 0
    row.recent.push(timeMs)
    if (row.recent.length > KEPT) row.recent.shift()
    row.watermark = Math.max(row.watermark, thirdLargest(row.recent))
    return this.#at(timeMs, false)
  }

  #at(timeMs: number, isAssumed: boolean): Moment {
    const isLatest = timeMs >= this.#row.latest
    if (isLatest) this.#row.latest = timeMs
    return { timeMs, isLate: false, isAssumed, isLatest }
  }

  flush(): void {
    this.#rows.flush()
  }
}

/** The smallest, where there are fewer than three. */
function thirdLargest(times: readonly number[]): number {
  let first = -1
  let second = -1
  let third = -1
  for (const time of times) {
    if (time <= third) continue
    third = time
    if (time > second) {
      third = second
      second = time
    }
    if (time > first) {
      second = first
      first = time
    }
  }
  return third >= 0 ? third : second >= 0 ? second : first
}
