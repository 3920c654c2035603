/**
 * Reads the dates of queries and events as instants: microseconds since 1970 UTC.
 *
 * Owns: date arithmetic (`now-1d/d`, `2026-01-31||+1M/M`), what a date in a query covers. Leaves out: the forms of
 * times (event/event-time.ts), the present time, which is passed in.
 *
 * 1. A date is a span: `2026-01-31` is a day, `09:05:00.12` ten milliseconds. `first` and `last` are its first and last
 *    microsecond. So `lte 2026-01-31` includes the day, and `gt` excludes it.
 * 2. A number in a query, or a text of nine digits or more, counts seconds, milliseconds, microseconds or nanoseconds,
 *    depending on its size.
 * 3. A time outside the years 0 to 9999 is no date, so that every date can be written as ISO 8601.
 * 4. A date without an offset has the offset of the query, UTC by default. Weeks begin on Monday.
 */
import { dateSpan, DAY_MICROS, daysIn, daysOf, timeOf, type Span } from '../event/event-time.js'
import type { ScalarValue } from '../event/point-value.js'

export { isTimeText, offsetOf, type Span } from '../event/event-time.js'

/** What the dates of a query refer to. */
export interface DateContext {
  readonly nowMicros: number
  /** The system's clock, where it was set back and so is behind `nowMicros`. */
  readonly clockMicros?: number
  /** Minutes east of UTC. */
  readonly offsetMinutes: number
}

/** Units of date arithmetic and date histograms. */
export type DateUnit = 'y' | 'q' | 'M' | 'w' | 'd' | 'h' | 'm' | 's'

const MINUTE = 60_000_000
const DAY = DAY_MICROS
const fixedUnits: Readonly<Partial<Record<DateUnit, number>>> = {
  w: 7 * DAY,
  d: DAY,
  h: 60 * MINUTE,
  m: MINUTE,
  s: 1_000_000,
}

const COUNTED = /^-?\d{9,19}(?:\.\d+)?$/
const MATH = /^(?:now|(.{4,60})\|\|)((?:[+-]\d{1,6}[yMwdhHms]|\/[yMwdhHms])*)$/
const STEP = /([+-]\d+|\/)([yMwdhHms])/g

/** The first microseconds of the years 0 and 10000. */
const [YEAR_0, YEAR_10000] = [-62_167_219_200e6, 253_402_300_800e6]

/** The span that a date in a query names, or null if it is no date. */
export function spanOf(text: ScalarValue, context: DateContext): Span | null {
  if (typeof text === 'number') return countedSpan(text)
  if (typeof text !== 'string' || text.length > 100) return null
  const plain =
    dateSpan(text.trim(), context.offsetMinutes, context.nowMicros) ??
    (COUNTED.test(text) ? countedSpan(Number(text)) : null)
  if (plain !== null) return plain
  const math = MATH.exec(text.trim())
  if (math === null) return null
  const { nowMicros } = context
  const start = math[1] === undefined ? { first: nowMicros, last: nowMicros } : spanOf(math[1], context)
  return start === null ? null : walked(start, math[2] as string, context.offsetMinutes)
}

/** The instant that a value of an event names, or null. It is the first of its span, in UTC if it has no offset. */
export function instantOf(value: ScalarValue): number | null {
  return timeOf(value)
}

function isShowable(micros: number): boolean {
  return micros >= YEAR_0 && micros < YEAR_10000
}

function countedSpan(count: number): Span | null {
  const size = Math.abs(count)
  // Seconds up to the year 5138, milliseconds from 1973 on, and so on.
  const unit = size < 1e11 ? 1e6 : size < 1e14 ? 1e3 : size < 1e17 ? 1 : 1e-3
  const first = Math.floor(count * unit)
  if (!isShowable(first)) return null
  return { first, last: Number.isInteger(count) && unit > 1 ? first + unit - 1 : first }
}

/** Milliseconds. */
function utc(year: number, month: number, day: number): number {
  return daysOf(year, month, day) * 86_400_000
}

function walked(start: Span, steps: string, offsetMinutes: number): Span {
  let { first, last } = start
  for (const [, amount, symbol] of steps.matchAll(STEP)) {
    const unit = (symbol === 'H' ? 'h' : symbol) as DateUnit
    if (amount === '/') {
      first = floorTo(first, unit, offsetMinutes)
      last = moved(floorTo(last, unit, offsetMinutes), unit, 1, offsetMinutes) - 1
    } else {
      first = moved(first, unit, Number(amount), offsetMinutes)
      last = moved(last, unit, Number(amount), offsetMinutes)
    }
  }
  return { first, last }
}

/** The start of the unit that holds the instant. */
export function floorTo(micros: number, unit: DateUnit, offsetMinutes: number): number {
  const offset = offsetMinutes * MINUTE
  const local = micros + offset
  const fixed = fixedUnits[unit]
  if (fixed !== undefined) {
    // 1970 began on a Thursday.
    const origin = unit === 'w' ? -3 * DAY : 0
    return Math.floor((local - origin) / fixed) * fixed + origin - offset
  }
  const date = new Date(Math.floor(local / 1000))
  const month = unit === 'y' ? 0 : unit === 'q' ? Math.floor(date.getUTCMonth() / 3) * 3 : date.getUTCMonth()
  return utc(date.getUTCFullYear(), month + 1, 1) * 1000 - offset
}

/** The instant `amount` units later. A day that the month does not have becomes its last. */
export function moved(micros: number, unit: DateUnit, amount: number, offsetMinutes: number): number {
  const fixed = fixedUnits[unit]
  if (fixed !== undefined) return micros + amount * fixed
  const local = micros + offsetMinutes * MINUTE
  const ofDay = local - Math.floor(local / DAY) * DAY
  const date = new Date(Math.floor(local / DAY) * 86_400_000)
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * (unit === 'y' ? 12 : unit === 'q' ? 3 : 1)
  const [year, month] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1]
  const day = Math.min(date.getUTCDate(), daysIn(year, month))
  return utc(year, month, day) * 1000 + ofDay - offsetMinutes * MINUTE
}

/** ISO 8601 UTC with microseconds; the number itself if no date can have that year. */
export function instantText(micros: number): string {
  const ms = Math.floor(micros / 1000)
  if (!(Math.abs(ms) <= 8.64e15)) return String(micros)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(1000 + (micros - ms * 1000)).slice(1)}Z`
}
