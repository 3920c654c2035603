/**
 * Periods and the intervals that they are split into: by ingest time, half open.
 *
 * An event at `t` is in a period where from <= t < to. Intervals lie side by side and cover the period: the first one
 * begins at the start of the minute, hour or day (UTC, by the interval's unit) in which the period begins, and the first
 * and the last are cut to the period.
 */

/** Microseconds since 1970 UTC; `to` is not part of it. */
export interface Period {
  readonly from: number
  readonly to: number
}

const MINUTE = 60_000_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time, and the unit that it is counted in, microseconds. */
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

/** `30m`, `12h`, `1d`, `7d`, `2w`; null for anything else, `1M` too: elsewhere that is a month. */
export function parseInterval(text: string): Interval | null {
  const [, count, deadLetter] = /^\s*(\d{1,6})\s*([mhdwHDW])\s*$/.exec(text) ?? []
  const unit = units[(deadLetter ?? '').toLowerCase()]
  if (unit === undefined || Number(count) === 0) return null
  return { micros: Number(count) * unit.micros, unit: unit.unit }
}

/** Which interval of a period a time is in. */
export class Intervals {
  readonly periods: readonly Period[]
  readonly #origin: number
  readonly #micros: number

  /** Without an interval, the period is one. A period that is empty has none. */
  constructor(period: Period, interval: Interval | null) {
    this.#origin = interval === null ? period.from : Math.floor(period.from / interval.unit) * interval.unit
    this.#micros = interval === null ? Math.max(1, period.to - period.from) : interval.micros
    this.periods = Array.from({ length: this.#count(period) }, (_, at) => ({
      from: Math.max(period.from, this.#origin + at * this.#micros),
      to: Math.min(period.to, this.#origin + (at + 1) * this.#micros),
    }))
  }

  /** The place of a time of the period among its intervals. */
  placeOf(micros: number): number {
    return Math.floor((micros - this.#origin) / this.#micros)
  }

  #count(period: Period): number {
    return period.to <= period.from ? 0 : Math.ceil((period.to - this.#origin) / this.#micros)
  }
}

/** How many intervals a period has. */
export function intervalCount({ from, to }: Period, { micros, unit }: Interval): number {
  return to <= from ? 0 : Math.ceil((to - Math.floor(from / unit) * unit) / micros)
}
