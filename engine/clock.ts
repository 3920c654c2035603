/**
 * Clocks. They are passed as arguments, and the domain has none (D7).
 *
 * All times in the engine are microseconds since 1970 UTC, as a number; exact until the year 2255.
 */

export const DAY_MICROS = 86_400e6

export interface Clock {
  /** Microseconds since 1970 UTC. */
  nowMicros(): number
}

/**
 * The interval between two readings of the wall clock, and the smallest difference that counts: it has whole
 * milliseconds.
 */
const [READ_EVERY_MS, OFF_MS] = [1_000, 10]

/**
 * The system's clock: the wall clock is read once a second, and the monotonic clock continues it in between. So a
 * change of the wall clock, or a suspended machine, is noticed within a second.
 */
export class WallClock implements Clock {
  readonly #wallMs: () => number
  readonly #monotonicMs: () => number
  /** The wall clock's time when the monotonic clock was 0. */
  #originMs: number
  #readMs: number

  constructor(wallMs: () => number, monotonicMs: () => number, originMs: number) {
    this.#wallMs = wallMs
    this.#monotonicMs = monotonicMs
    this.#originMs = originMs
    this.#readMs = Number.NEGATIVE_INFINITY
  }

  nowMicros(): number {
    const monotonicMs = this.#monotonicMs()
    if (monotonicMs - this.#readMs >= READ_EVERY_MS) this.#read(monotonicMs)
    return Math.floor((this.#originMs + monotonicMs) * 1000)
  }

  #read(monotonicMs: number): void {
    this.#readMs = monotonicMs
    const originMs = this.#wallMs() - monotonicMs
    if (Math.abs(originMs - this.#originMs) > OFF_MS) this.#originMs = originMs
  }
}

export const systemClock: Clock = new WallClock(Date.now, () => performance.now(), performance.timeOrigin)

/** A clock that only advances when told; for tests and simulations. */
export class ManualClock implements Clock {
  #micros: number

  constructor(micros = 1_700_000_000_000_000) {
    this.#micros = micros
  }

  nowMicros(): number {
    return this.#micros
  }

  advanceMs(ms: number): void {
    this.#micros += Math.round(ms * 1000)
  }
}

const DAY_SECONDS = 86_400
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

let cachedDay = -1
let cachedDate = ''

/** ISO 8601 UTC with microseconds and `Z` (S10): `2026-01-31T09:05:00.000123Z`. */
export function isoMicros(micros: number): string {
  const second = Math.floor(micros / 1e6)
  const day = Math.floor(second / DAY_SECONDS)
  if (day !== cachedDay) {
    cachedDate = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 11)
    cachedDay = day
  }
  const ofDay = second - day * DAY_SECONDS
  const ofHour = ofDay % 3600
  const rest = String(1_000_000 + (micros - second * 1e6)).slice(1)
  return (
    `${cachedDate}${twoDigits[(ofDay - ofHour) / 3600]}:${twoDigits[Math.floor(ofHour / 60)]}:${twoDigits[ofHour % 60]}` +
    `.${rest}Z`
  )
}

/** Milliseconds since 1970, with fractions, for measurements. Nearly equal on all threads. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now()
}
