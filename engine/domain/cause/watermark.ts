/**
 * The time of a stream whose alerts arrive in any order, some with impossible times: how far it is, and what is late.
 *
 * Owns: the watermark. Leaves out: what happens to a late alert (clustering.ts).
 *
 * 1. The watermark is the third largest of the last 16 plausible times, and never goes back. So single alerts with a
 *    time in the future do not move it. A time more than a day after the arrival is not plausible.
 * 2. An alert further behind the watermark than allowed is late. After 64 late ones in a row another history is being
 *    sent: a new epoch begins, and clusters of the old one are closed.
 */
import { PartRows, type CauseStore } from './cause-store.js'

interface WatermarkRow {
  recent: number[]
  /** Milliseconds; -1 before the first alert. */
  watermark: number
  /** How often the stream began anew. */
  epoch: number
  lateRun: number
  /** The latest of all, milliseconds. */
  latest: number
}

/** The time of one alert in the stream. */
export interface EventTime {
  readonly timeMs: number
  readonly isLate: boolean
  /** The alert had no time, or an impossible one. */
  readonly isAssumed: boolean
  /** No earlier arrival has a later time. */
  readonly isLatest: boolean
}

/** Times that are kept; late alerts in a row that begin an epoch. */
const KEPT = 16
const LATE_RUN = 64
const DAY_MS = 86_400_000
const ROW = 1

export class Watermark {
  readonly #rows: PartRows<WatermarkRow>
  readonly #row: WatermarkRow
  readonly #lateMs: number

  constructor(causeStore: CauseStore, lateMs: number) {
    this.#lateMs = lateMs
    this.#rows = new PartRows(causeStore, 'global')
    this.#row = this.#rows.get(ROW) ?? { recent: [], watermark: -1, epoch: 0, lateRun: 0, latest: -1 }
    this.#rows.hold(ROW, this.#row)
  }

  /** Milliseconds; -1 before the first alert. */
  get timeMs(): number {
    return this.#row.watermark
  }

  get epoch(): number {
    return this.#row.epoch
  }

  /** Moves on by an alert with the time `timeMs` that arrived at `arrivalMs`. */
  advance(timeMs: number | null, arrivalMs: number): EventTime {
    const row = this.#row
    this.#rows.touch(ROW)
    if (timeMs === null || timeMs > arrivalMs + DAY_MS) {
      // In a stream of old alerts the arrival says nothing about the time.
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

  #at(timeMs: number, isAssumed: boolean): EventTime {
    const isLatest = timeMs >= this.#row.latest
    if (isLatest) this.#row.latest = timeMs
    return { timeMs, isLate: false, isAssumed, isLatest }
  }

  flush(): void {
    this.#rows.flush()
  }
}

/** The smallest where there are fewer than three. */
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
