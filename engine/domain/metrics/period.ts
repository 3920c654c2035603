/**
 * Periods of ingest time, and their intervals.
 *
 * An event at `t` is in a period if from <= t < to. Intervals lie side by side and cover the period. The first one
 * begins at the start of the minute, hour or day in which the period begins (UTC, by the interval's unit). The first
 * and the last are cut to the period.
 */

/** Microseconds since 1970 UTC; `to` is excluded. */
export interface Period {
  readonly from: number
  readonly to: number
}

const MINUTE = 60_000_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time and its unit, both in microseconds. */
export interface Interval {
  readonly micros: number
  readonly unit: number
}

const units: Readonly<Record<string, Interval>> = {
  m: { micros: MINUTE, unit: MINUTE },
  h: { micros: HOUR, unit: HOUR },
  d: { micros: DAY, unit: DAY },
  w: { micros: 7 * DAY, unit: DAY },
}

/** Reads `30m`, `12h`, `1d`, `7d`, `2w`. Null for anything else, also for `1M`, which means a month elsewhere. */
export function parseInterval(text: string): Interval | null {
  const [, count, symbol] = /^\s*(\d{1,6})\s*([mhdwHDW])\s*$/.exec(text) ?? []
  const unit = units[(symbol ?? '').toLowerCase()]
  if (unit === undefined || Number(count) === 0) return null
  return { micros: Number(count) * unit.micros, unit: unit.unit }
}

/** The intervals of a period. */
export class Intervals {
  readonly periods: readonly Period[]
  readonly #origin: number
  readonly #micros: number

  /** Without an interval, there is one for the whole period. An empty period has none. */
  constructor(period: Period, interval: Interval | null) {
    this.#origin = interval === null ? period.from : Math.floor(period.from / interval.unit) * interval.unit
    this.#micros = interval === null ? Math.max(1, period.to - period.from) : interval.micros
    this.periods = Array.from({ length: this.#count(period) }, (_, at) => ({
      from: Math.max(period.from, this.#origin + at * this.#micros),
      to: Math.min(period.to, this.#origin + (at + 1) * this.#micros),
    }))
  }

  /** The place of the interval that holds a time. */
  placeOf(micros: number): number {
    return Math.floor((micros - this.#origin) / this.#micros)
  }

  #count(period: Period): number {
    return period.to <= period.from ? 0 : Math.ceil((period.to - this.#origin) / this.#micros)
  }
}

/** Number of intervals of a period. */
export function intervalCount({ from, to }: Period, { micros, unit }: Interval): number {
  return to <= from ? 0 : Math.ceil((to - Math.floor(from / unit) * unit) / micros)
}
