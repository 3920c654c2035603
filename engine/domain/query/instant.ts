/**
 * Reads the dates of queries and events as instants: microseconds since 1970 UTC.
 *
 * Owns: ISO 8601, counts from 1970, date arithmetic (`now-1d/d`, `2026-01-31||+1M/M`). Leaves out: the present time,
 * which is passed in.
 *
 * 1. A date is a span: `2026-01-31` is a day, `09:05:00.12` ten milliseconds. `first` and `last` are its first and last
 *    microsecond. So `lte 2026-01-31` includes the day, and `gt` excludes it.
 * 2. A number, or a text of nine digits or more, counts seconds, milliseconds, microseconds or nanoseconds, depending
 *    on its size.
 * 3. A time outside the years 0 to 9999 is no date, so that every date can be written as ISO 8601.
 * 4. A date without an offset has the offset of the query, UTC by default. Weeks begin on Monday.
 */
import type { ScalarValue } from '../event/point-value.js'

/** The microseconds that a date covers, both ends included. */
export interface Span {
  readonly first: number
  readonly last: number
}

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
const DAY = 1440 * MINUTE
const fixedUnits: Readonly<Partial<Record<DateUnit, number>>> = {
  w: 7 * DAY,
  d: DAY,
  h: 60 * MINUTE,
  m: MINUTE,
  s: 1_000_000,
}

const ISO =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?)?)?)? ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?$/i
const COUNTED = /^-?\d{9,19}(?:\.\d+)?$/
const MATH = /^(?:now|(.{4,60})\|\|)((?:[+-]\d{1,6}[yMwdhHms]|\/[yMwdhHms])*)$/
const STEP = /([+-]\d+|\/)([yMwdhHms])/g

/** The smallest number in an event that counts as a date: in 1973, counted in seconds. */
const COUNTED_MIN = 1e8

/** The first microseconds of the years 0 and 10000. */
const [YEAR_0, YEAR_10000] = [-62_167_219_200e6, 253_402_300_800e6]

/** The span that a date in a query names, or null if it is no date. */
export function spanOf(text: ScalarValue, context: DateContext): Span | null {
  if (typeof text === 'number') return countedSpan(text)
  if (typeof text !== 'string' || text.length > 100) return null
  const plain = isoSpan(text.trim(), context.offsetMinutes) ?? (COUNTED.test(text) ? countedSpan(Number(text)) : null)
  if (plain !== null) return plain
  const math = MATH.exec(text.trim())
  if (math === null) return null
  const { nowMicros } = context
  const start = math[1] === undefined ? { first: nowMicros, last: nowMicros } : spanOf(math[1], context)
  return start === null ? null : walked(start, math[2] as string, context.offsetMinutes)
}

/** The instant that a value of an event names, or null. It is the first of its span, in UTC if it has no offset. */
export function instantOf(value: ScalarValue): number | null {
  if (typeof value === 'number') return value >= COUNTED_MIN ? firstOf(countedSpan(value)) : null
  if (typeof value !== 'string' || value.length < 9 || value.length > 40) return null
  const code = value.charCodeAt(0)
  if (code < 48 || code > 57) return null
  return firstOf(COUNTED.test(value) ? countedSpan(Number(value)) : isoSpan(value, 0))
}

function firstOf(span: Span | null): number | null {
  return span !== null && isShowable(span.first) ? span.first : null
}

function isShowable(micros: number): boolean {
  return micros >= YEAR_0 && micros < YEAR_10000
}

/** True for an ISO 8601 date with year, month and day at least. */
export function isDateText(text: string): boolean {
  return text.length >= 10 && text.length <= 40 && isoSpan(text, 0) !== null
}

function countedSpan(count: number): Span | null {
  const size = Math.abs(count)
  // Seconds up to the year 5138, milliseconds from 1973 on, and so on.
  const unit = size < 1e11 ? 1e6 : size < 1e14 ? 1e3 : size < 1e17 ? 1 : 1e-3
  const first = Math.floor(count * unit)
  if (!isShowable(first)) return null
  return { first, last: Number.isInteger(count) && unit > 1 ? first + unit - 1 : first }
}

function isoSpan(text: string, offsetMinutes: number): Span | null {
  const parts = ISO.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second, fraction, zone] = parts
  const [y, mo, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)]
  const [h, mi, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)]
  if (mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo) || h > 23 || mi > 59 || s > 59) return null
  const offset = zone === undefined ? offsetMinutes : offsetOf(zone)
  if (offset === null) return null
  const micros = fraction === undefined ? 0 : Number(fraction.padEnd(6, '0').slice(0, 6))
  const first = (utc(y, mo, d) + (h * 60 + mi) * 60_000 + s * 1000) * 1000 + micros - offset * MINUTE
  return { first, last: first + lengthOf({ y, mo, month, day, hour, minute, second, fraction }) - 1 }
}

interface Named {
  readonly y: number
  readonly mo: number
  readonly month: string | undefined
  readonly day: string | undefined
  readonly hour: string | undefined
  readonly minute: string | undefined
  readonly second: string | undefined
  readonly fraction: string | undefined
}

/** Length of the smallest part that a date names, microseconds. */
function lengthOf({ y, mo, month, day, hour, minute, second, fraction }: Named): number {
  if (fraction !== undefined) return 10 ** Math.max(0, 6 - fraction.length)
  if (second !== undefined) return 1_000_000
  if (minute !== undefined) return MINUTE
  if (hour !== undefined) return 60 * MINUTE
  if (day !== undefined) return DAY
  if (month !== undefined) return daysIn(y, mo) * DAY
  return (utc(y + 1, 1, 1) - utc(y, 1, 1)) * 1000
}

/** Minutes east of UTC of `Z`, `UTC`, `+01:00`, `-0230` or `+01`; null for anything else. */
export function offsetOf(zone: string): number | null {
  if (/^(z|utc|gmt)$/i.test(zone)) return 0
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)
  if (parts === null) return null
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0)
  return minutes > 18 * 60 ? null : parts[1] === '-' ? -minutes : minutes
}

/** Milliseconds. Date.UTC would read the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime()
}

function daysIn(year: number, month: number): number {
  return new Date(utc(year, month + 1, 1) - 1).getUTCDate()
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
