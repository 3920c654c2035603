/**
 * Reads times as products write them (S35): one implementation for events, filters, inputs and parameters.
 *
 * Owns: the forms. Leaves out: which field is the time of an event, date arithmetic of queries (query/instant.ts).
 *
 * | form              | examples                                                                 |
 * |-------------------|--------------------------------------------------------------------------|
 * | ISO 8601          | `2026-03-01T10:00:00.123456+01:00`, `20260301T100000Z`, `2026-W09-7`     |
 * | the same, loosely | `2026-03-01 10:00:00,123 UTC`, `2026/3/1 9:05 PM`, `2026:03:01-10:00:00` |
 * | zone by name      | `2026-03-01T10:00:00[Europe/Berlin]`, `2026-03-01 10:00:00 CET`          |
 * | month by name     | RFC 2822, asctime, the common log format, `Mar 1, 2026 @ 10:00:00.123`   |
 * | the same, no year | `Mar  1 10:00:00.123 UTC` (syslog, CEF)                                  |
 * | day, month, year  | `13/03/2026 10:00:00`, `01.03.2026 10:00`                                |
 * | counts            | s, ms, µs, ns since 1970, `1.7723592e9`, `/Date(…)/`, `20260301100000`   |
 * | Windows           | FILETIME (100 ns since 1601), ticks of .NET (since the year 1), WMI      |
 *
 * 1. A time without a zone is UTC, whatever the zone of the process is.
 * 2. A count is a time from 1990 to 2100 in exactly one unit. Other numbers are no times.
 * 3. Day and month in digits, the year last, are read where only one of both orders is a date: `13/03/2026`. With dots
 *    the day is first. `03/01/2026` is not read: it would be a guess.
 * 4. Microseconds are exact, and what is finer is cut off. Second 60 is the next minute.
 * 5. Without a year it is the one that makes the time nearest to the arrival, but never more than five weeks ahead of
 *    it: in November, March is that of this year.
 */

/** The microseconds that a date covers, both ends included. */
export interface Span {
  readonly first: number
  readonly last: number
}

const SECOND = 1_000_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY_MICROS = 24 * HOUR
/** Times without a year are that far ahead at most. */
const AHEAD_MAX = 35 * DAY_MICROS

const TEXT_CHARS_MAX = 100
const TEXT_CHARS_MIN = 6

/** The years that a count of any unit may name: ranges of different units do not overlap. */
const [COUNT_YEAR_MIN, COUNT_YEAR_MAX] = [1990, 2100]
const COUNT_MIN = 631_152_000
const COUNT_MAX = 4_102_444_800

/** The first microseconds of the years 0 and 10000: within them each time can be written as ISO 8601. */
const [YEAR_0, YEAR_10000] = [-62_167_219_200e6, 253_402_300_800e6]

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

/**
 * Zones by their usual abbreviations, in hours east of UTC. Those that two parts of the world share are left out (BST,
 * IST), but for the ones that RFC 2822 fixes.
 */
const zones: Readonly<Record<string, number>> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  MEZ: 1,
  MESZ: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
  KST: 9,
  HKT: 8,
  SGT: 8,
  AWST: 8,
  AEST: 10,
  AEDT: 11,
  NZST: 12,
  NZDT: 13,
}

const FRACTION = '(?:[.,:](?<fraction>\\d{1,18}))?'
const HALF = '(?: ?(?<half>[ap]\\.?m\\.?))?'
const OFFSET = '[+-]\\d{2}(?::?\\d{2}(?::?00)?)?'
const NAME = '[a-z]+(?:[/_-][a-z]+)+'
const ZONE = `(?: ?(?<zone>${OFFSET}|(?:ut|utc|gmt)[+-]\\d{1,2}(?::?\\d{2})?|${NAME}|[a-z]{1,4})(?![a-z]))?`
const CLOCK = `(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})?`
const DAY_NAME = '(?:(?<weekday>[a-z]{3,9})(?:\\.,? ?|, ?| ))?'
const MONTH_NAME = '(?<month>[a-z]{3,9})\\.?'

const form = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join('')}$`, 'i')

/** `2026-03-01T10:00:00.123Z`. What is after the date may be left out. */
const ISO = form(
  '(?<year>\\d{4})-(?<month>\\d{1,2})(?:-(?<day>\\d{1,2})(?:(?:t| |_)',
  `(?<hour>\\d{2}|\\d(?=:| ?[ap]))(?::?(?<minute>\\d{2})(?::?(?<second>\\d{2})${FRACTION})?)?`,
  `${HALF})?${ZONE})?`,
)
/** With other signs between year, month and day. */
const YEAR_FIRST = form(
  '(?<year>\\d{4})(?<sign>[/.:])(?<month>\\d{1,2})\\k<sign>(?<day>\\d{1,2})',
  `(?:(?:t| |_|-)${CLOCK}${HALF}${ZONE})?`,
)
/** `20260301T100000Z`, `20260301100000.123+060` of WMI. */
const BASIC = form(
  '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})',
  `(?:[t _-]?(?<hour>\\d{2}):?(?<minute>\\d{2})(?::?(?<second>\\d{2})${FRACTION})?(?:${ZONE}|(?<minutes>[+-]\\d{3})))?`,
)
/** `2026-03-01-10.00.00.123456` of Db2. */
const DB2 = form(
  '(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})-',
  `(?<hour>\\d{2})\\.(?<minute>\\d{2})\\.(?<second>\\d{2})${FRACTION}`,
)
const WEEK = form(`(?<year>\\d{4})-?w(?<week>\\d{2})-?(?<weekday>[1-7])(?:t${CLOCK}${ZONE})?`)
const ORDINAL = form(`(?<year>\\d{4})-?(?<ordinal>\\d{3})t${CLOCK}${ZONE}`)
const DAY_MONTH_YEAR = form(
  `(?<one>\\d{1,2})(?<sign>[/.-])(?<two>\\d{1,2})\\k<sign>(?<year>\\d{4})(?:(?:t| |, ?)${CLOCK}${HALF}${ZONE})?`,
)
const NAMED: readonly RegExp[] = [
  // Sun, 01 Mar 2026 10:00:00 +0000; 01/Mar/2026:10:00:00 +0000; 01-MAR-26 10.00.00.123456 AM; 1Mar2026 10:00:00
  form(
    `${DAY_NAME}(?<day>\\d{1,2})[ /-]?${MONTH_NAME},?[ /-]?(?<year>\\d{4}|(?<=-)\\d{2})`,
    '(?:(?:[:t ]|, ?| at | @ )(?<hour>\\d{1,2})[:.](?<minute>\\d{2})(?:[:.](?<second>\\d{2})',
    `${FRACTION})?${HALF}${ZONE})?`,
  ),
  // Mar 1, 2026 @ 10:00:00.123; March 1, 2026 at 10:00:00 AM UTC; Sun Mar 01 2026 10:00:00 GMT+0000
  form(
    `${DAY_NAME}${MONTH_NAME} (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})`,
    `(?:(?: |, ?| at | @ |, at )${CLOCK}${HALF}${ZONE})?`,
  ),
  // Sun Mar  1 10:00:00 UTC 2026; Sun Mar 1 10:00:00 2026 +0000; Mar 01 10:00:00
  form(`${DAY_NAME}${MONTH_NAME} (?<day>\\d{1,2}),? ${CLOCK}${ZONE}`),
  form(`${DAY_NAME}${MONTH_NAME} (?<day>\\d{1,2}),? ${CLOCK}${ZONE} (?<year>\\d{4})`),
  form(`${DAY_NAME}${MONTH_NAME} (?<day>\\d{1,2}),? ${CLOCK} (?<year>\\d{4})${ZONE}`),
  form(`${DAY_NAME}(?<day>\\d{1,2})[ -]${MONTH_NAME} ${CLOCK}${ZONE}`),
]
const COUNTED = /^([1-9]\d{8,19})(?:[.,](\d{1,18}))?$/
const EXPONENT = /^\d(?:\.\d{1,18})?e\+?\d{1,2}$/i
const DATE_CALL = /^\\?\/?date\((-?\d{1,16})(?:[+-]\d{4})?\)\\?\/?$/i
const DATE_LIKE = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}\/\d{1,2}\/\d{2})(?:[ t,]|$)/i
/** What may stand in brackets after a time: names of zones and of calendars (RFC 9557). */
const BRACKETS = /\[!?([^[\]]{1,64})\]$/

type Parts = Readonly<Partial<Record<string, string>>>

/**
 * The instant that a value names, in microseconds since 1970, or null if it is no time. `nearMicros` is the time of
 * arrival, for times without a year; they are not read without it.
 */
export function timeOf(value: unknown, nearMicros: number | null = null): number | null {
  if (typeof value === 'number') return showable(countOf(value))
  if (typeof value !== 'string' || value.length < TEXT_CHARS_MIN || value.length > TEXT_CHARS_MAX) return null
  const text = plain(value)
  return showable(countIn(text) ?? spanIn(text, { offsetMinutes: 0, nearMicros, dayIsNamed: true })?.first ?? null)
}

/** What a date refers to, and how much of one it must name. */
interface DateReading {
  /** Minutes east of UTC of a date without a zone. */
  readonly offsetMinutes: number
  /** For dates without a year; null: they are none. */
  readonly nearMicros: number | null
  /** A year, or a year and a month, are no date. */
  readonly dayIsNamed: boolean
}

/** The span of a date in a query, where `2026` and `2026-03` are dates, too; null for no date. Counts are none. */
export function dateSpan(text: string, offsetMinutes: number, nearMicros: number | null): Span | null {
  if (text.length < 4 || text.length > TEXT_CHARS_MAX) return null
  return spanIn(plain(text), { offsetMinutes, nearMicros, dayIsNamed: false })
}

function spanIn(text: string, reading: DateReading): Span | null {
  return isoSpan(text, reading) ?? otherForm(text, reading)
}

/** True for a text that is a time by its form: a count of seconds is none. */
export function isTimeText(text: string): boolean {
  return text.length >= TEXT_CHARS_MIN && !/^[\d.,]+(?:e\+?\d+)?$/i.test(text) && timeOf(text, 0) !== null
}

/**
 * True for a text that somebody wrote as a time, whether it can be read or not: it has a time of day, or a month's name
 * or two signs between digits. A word, an id or a length of time has not.
 */
export function looksLikeTime(text: string): boolean {
  if (text.length > TEXT_CHARS_MAX) return false
  if (/\d{1,2}:\d{2}/.test(text)) return /\d[-/. ]\d{1,2}[-/. ]\d|\b[a-z]{3}/i.test(text)
  return DATE_LIKE.test(text)
}

function showable(micros: number | null): number | null {
  return micros !== null && micros >= YEAR_0 && micros < YEAR_10000 ? micros : null
}

/** Without signs around it, and with blanks as single ones. */
function plain(text: string): string {
  let found = text.replace(/[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g, ' ').trim()
  if (/^\[[^[\]]+\]$/.test(found)) found = found.slice(1, -1)
  // Cisco marks times of a clock that is not set, and ends with a colon.
  return found
    .replace(/^[*.](?=[a-z])/i, '')
    .replace(/(?<=\d|[a-z]):$/i, '')
    .replace(/ ?\([^()]*\)$/, '')
    .trim()
}

/** The units of counts: how many make a second, and the seconds from their beginning to 1970. */
interface CountUnit {
  readonly perSecond: number
  readonly since: number
}
const units: readonly CountUnit[] = [
  { perSecond: 1, since: 0 },
  { perSecond: 1e3, since: 0 },
  { perSecond: 1e6, since: 0 },
  // FILETIME, and ticks of .NET: their numbers are nanoseconds of years before 1990.
  { perSecond: 1e7, since: 11_644_473_600 },
  { perSecond: 1e7, since: 62_135_596_800 },
  { perSecond: 1e9, since: 0 },
]

/** The unit in which a count is a time from 1990 to 2100 (2). */
function unitOf(count: number): CountUnit | null {
  for (const unit of units) {
    const seconds = count / unit.perSecond - unit.since
    if (seconds >= COUNT_MIN && seconds < COUNT_MAX) return unit
  }
  return null
}

function countOf(count: number): number | null {
  const unit = unitOf(count)
  if (unit === null) return Number.isInteger(count) && count < 1e14 ? calendarCount(String(count)) : null
  const { perSecond, since } = unit
  return perSecond < 1e6 ? Math.round(count * (1e6 / perSecond)) : Math.floor(count / (perSecond / 1e6)) - since * 1e6
}

/** The same of a text: all its digits count. */
function exactCount(digits: string, fraction: string): number | null {
  const unit = unitOf(Number(digits))
  if (unit === null) return calendarCount(digits)
  const { perSecond, since } = unit
  const places = perSecond === 1 ? 6 : perSecond === 1e3 ? 3 : 0
  const fine = BigInt(digits + fraction.padEnd(places, '0').slice(0, places))
  return Number((perSecond > 1e6 ? fine / BigInt(perSecond / 1e6) : fine) - BigInt(since) * 1_000_000n)
}

/** `20260301100000` as a number. */
function calendarCount(digits: string): number | null {
  return digits.length === 14 || digits.length === 12 ? (basicDate(digits)?.first ?? null) : null
}

/** The instant of a count that is written as a text: all its digits count. */
function countIn(text: string): number | null {
  const counted = COUNTED.exec(text)
  if (counted !== null) {
    const [, digits = '', fraction = ''] = counted
    return exactCount(digits, fraction)
  }
  if (EXPONENT.test(text)) return countOf(Number(text))
  const called = DATE_CALL.exec(text)
  return called === null ? null : Number(called[1]) * 1_000
}

/** The span of an ISO 8601 date, in the widest sense; null for other texts. */
function isoSpan(text: string, { offsetMinutes, dayIsNamed }: DateReading): Span | null {
  if (/^\d{4}$/.test(text)) return dayIsNamed ? null : spanOfParts({ year: text }, offsetMinutes)
  const [bare, zone] = withoutBrackets(text)
  const parts = ISO.exec(bare)?.groups ?? DB2.exec(bare)?.groups ?? YEAR_FIRST.exec(bare)?.groups
  if (parts === undefined) return basicDate(bare, offsetMinutes) ?? weekDate(bare, offsetMinutes)
  if (parts.day === undefined && (dayIsNamed || parts.month?.length !== 2)) return null
  if (parts.hour === undefined) {
    // `2026-03-01-0001` and `2026.03.01` may be an id and a version.
    if (parts.zone !== undefined && !/^(?:z|[+-]\d{2}:\d{2})$/i.test(parts.zone)) return null
    if (parts.sign === '.' || parts.sign === ':') return null
  }
  return spanOfParts(zone === null ? parts : { ...parts, named: zone }, offsetMinutes)
}

/** A text without names in brackets at its end, and the name of the zone among them. */
function withoutBrackets(text: string): readonly [string, string | null] {
  let [rest, zone]: [string, string | null] = [text, null]
  for (let found = BRACKETS.exec(rest); found !== null; found = BRACKETS.exec(rest)) {
    if (!found[1]!.includes('=')) zone = found[1] as string
    rest = rest.slice(0, found.index).trimEnd()
  }
  return [rest, zone]
}

function basicDate(text: string, offsetMinutes = 0): Span | null {
  const parts = BASIC.exec(text)?.groups
  const year = Number(parts?.year)
  if (parts === undefined || year < COUNT_YEAR_MIN || year > COUNT_YEAR_MAX) return null
  return spanOfParts(parts, offsetMinutes)
}

function weekDate(text: string, offsetMinutes: number): Span | null {
  const parts = WEEK.exec(text)?.groups ?? ORDINAL.exec(text)?.groups
  if (parts === undefined) return null
  const year = Number(parts.year)
  let day = daysOf(year, 1, 1)
  if (parts.ordinal !== undefined) {
    const ordinal = Number(parts.ordinal)
    if (ordinal < 1 || ordinal > daysOf(year + 1, 1, 1) - day) return null
    day += ordinal - 1
  } else {
    const week = Number(parts.week)
    // Week 1 has the fourth of January. The day 3 before 1970 was a Monday.
    const monday = (n: number): number => Math.floor((daysOf(n, 1, 4) + 3) / 7) * 7 - 3
    if (week < 1 || monday(year) + 7 * (week - 1) >= monday(year + 1)) return null
    day = monday(year) + 7 * (week - 1) + Number(parts.weekday) - 1
  }
  return spanOfDay(day, parts, offsetMinutes)
}

/** Forms with the month's name, and those with the year at the end. */
function otherForm(text: string, { offsetMinutes, nearMicros }: DateReading): Span | null {
  const digits = DAY_MONTH_YEAR.exec(text)?.groups
  if (digits !== undefined) return dayMonthYear(digits, offsetMinutes)
  for (const named of NAMED) {
    const parts = named.exec(text)?.groups
    if (parts === undefined) continue
    const month = monthOf(parts.month as string)
    if (month === 0 || (parts.weekday !== undefined && !isDayName(parts.weekday))) continue
    const { year } = parts
    const dated = { ...parts, month: String(month) }
    if (year !== undefined)
      return spanOfParts({ ...dated, year: year.length === 2 ? `20${year}` : year }, offsetMinutes)
    return nearMicros === null ? null : nearest(dated, offsetMinutes, nearMicros)
  }
  return null
}

/** The time in the year that brings it nearest, and not far ahead. */
function nearest(parts: Parts, offsetMinutes: number, nearMicros: number): Span | null {
  const around = new Date(nearMicros / 1_000).getUTCFullYear()
  let best: Span | null = null
  // The 29th of February may be years away.
  for (const reach of [1, 8]) {
    for (let year = around - reach; year <= around + reach; year++) {
      const found = spanOfParts({ ...parts, year: String(year).padStart(4, '0') }, offsetMinutes)
      if (found === null || found.first > nearMicros + AHEAD_MAX) continue
      if (best === null || Math.abs(found.first - nearMicros) < Math.abs(best.first - nearMicros)) best = found
    }
    if (best !== null) return best
  }
  return null
}

function dayMonthYear({ one, two, sign, ...parts }: Parts, offsetMinutes: number): Span | null {
  const dayFirst = spanOfParts({ ...parts, day: one, month: two }, offsetMinutes)
  if (sign === '.') return parts.hour === undefined ? null : dayFirst
  const monthFirst = spanOfParts({ ...parts, day: two, month: one }, offsetMinutes)
  if (dayFirst === null || monthFirst === null || one === two) return dayFirst ?? monthFirst
  return null
}

function monthOf(name: string): number {
  const small = name.toLowerCase()
  return small === 'sept' ? 9 : MONTHS.findIndex((month) => isShort(month, small)) + 1
}

function isDayName(name: string): boolean {
  const small = name.toLowerCase()
  return DAYS.some((day) => isShort(day, small)) || small === 'tues' || small === 'thur' || small === 'thurs'
}

function isShort(long: string, given: string): boolean {
  return given === long || (given.length === 3 && long.startsWith(given))
}

function spanOfParts(parts: Parts, offsetMinutes: number): Span | null {
  const [year, month, day] = [Number(parts.year), Number(parts.month ?? 1), Number(parts.day ?? 1)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  return spanOfDay(daysOf(year, month, day), parts, offsetMinutes)
}

function spanOfDay(day: number, parts: Parts, offsetMinutes: number): Span | null {
  let hour = Number(parts.hour ?? 0)
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)]
  const micros = Number((parts.fraction ?? '').padEnd(6, '0').slice(0, 6))
  if (parts.half !== undefined) {
    if (hour < 1 || hour > 12) return null
    hour = (hour % 12) + (/^p/i.test(parts.half) ? 12 : 0)
  }
  const isEndOfDay = hour === 24 && minute === 0 && second === 0 && micros === 0
  if ((hour > 23 && !isEndOfDay) || minute > 59 || second > 60) return null
  const local = day * DAY_MICROS + (hour * 3600 + minute * 60 + second) * SECOND + micros
  const offset = offsetIn(parts, local, offsetMinutes)
  if (offset === null) return null
  const first = local - offset * MINUTE
  return { first, last: first + lengthOf(parts, day) - 1 }
}

/** The offset that the parts name, minutes east of UTC; null if it is none. */
function offsetIn({ zone, minutes, named }: Parts, local: number, offsetMinutes: number): number | null {
  if (minutes !== undefined) return Number(minutes)
  if (zone !== undefined) return offsetOf(zone) ?? zoneOffset(zone, local)
  return named === undefined ? offsetMinutes : (offsetOf(named) ?? zoneOffset(named, local))
}

/** Minutes east of UTC of `Z`, `UTC`, `EST`, `+01:00`, `-0230`, `+01` or `GMT+1`; null for anything else. */
export function offsetOf(zone: string): number | null {
  const known = zones[zone.toUpperCase()]
  if (known !== undefined) return known * 60
  const parts = /^(?:(?:ut|utc|gmt)([+-])(\d{1,2})|([+-])(\d{2})):?(\d{2})?(?::?00)?$/i.exec(zone)
  if (parts === null) return null
  const minutes = Number(parts[2] ?? parts[4]) * 60 + Number(parts[5] ?? 0)
  if (minutes > 18 * 60 || Number(parts[5] ?? 0) > 59) return null
  return (parts[1] ?? parts[3]) === '-' ? -minutes : minutes
}

const ZONES_KEPT_MAX = 64
const formats = new Map<string, Intl.DateTimeFormat | null>()

/** Minutes east of UTC of a zone such as `Europe/Berlin`, at a local time; null for a zone that nobody knows. */
function zoneOffset(name: string, local: number): number | null {
  if (!name.includes('/')) return null
  let format = formats.get(name)
  if (format === undefined) {
    if (formats.size >= ZONES_KEPT_MAX) formats.clear()
    formats.set(name, (format = formatOf(name)))
  }
  if (format === null) return null
  // The offset at the local time as if it were UTC, then at that instant: this finds the right side of a change.
  const first = offsetAt(format, local)
  return offsetAt(format, local - first * MINUTE)
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
}

function offsetAt(format: Intl.DateTimeFormat, micros: number): number {
  const name = format.formatToParts(micros / 1_000).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  return offsetOf(name) ?? 0
}

/** Length of the smallest part that a date names, microseconds. */
function lengthOf(parts: Parts, day: number): number {
  if (parts.fraction !== undefined) return 10 ** Math.max(0, 6 - parts.fraction.length)
  if (parts.second !== undefined) return SECOND
  if (parts.minute !== undefined) return MINUTE
  if (parts.hour !== undefined) return HOUR
  if (parts.day !== undefined || parts.weekday !== undefined || parts.ordinal !== undefined) return DAY_MICROS
  const year = Number(parts.year)
  if (parts.month !== undefined) return daysIn(year, Number(parts.month)) * DAY_MICROS
  return (daysOf(year + 1, 1, 1) - day) * DAY_MICROS
}

/** Days from 1970 to a day of the Gregorian calendar. */
export function daysOf(year: number, month: number, day: number): number {
  // Years begin with March, so that the 29th of February is a last day.
  const y = month <= 2 ? year - 1 : year
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + ofYear - 719_468
}

export function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/**
 * The instant of the usual form of ISO 8601, `2026-03-01T10:00:00.123Z` or with an offset, in bytes from `start` to
 * `end`; NaN for any other. It gives what `timeOf` gives, without a string.
 */
export function isoTimeAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < USUAL_CHARS_MIN || end - start > USUAL_CHARS_MAX) return Number.NaN
  // The signs between the digits, and those between date and time: T, t or a blank.
  const between = bytes[start + 10] as number
  if (
    bytes[start + 4] !== HYPHEN ||
    bytes[start + 7] !== HYPHEN ||
    ((between | 0x20) !== SMALL_T && between !== BLANK) ||
    bytes[start + 13] !== COLON ||
    bytes[start + 16] !== COLON
  )
    return Number.NaN
  const month = twoDigits(bytes, start + 5)
  const day = twoDigits(bytes, start + 8)
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  // Comparisons with NaN are false: each says what must be.
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 60))
    return Number.NaN
  if (day > 28 && day > daysIn(year, month)) return Number.NaN
  let at = start + 19
  let micros = 0
  if (bytes[at] === DOT || bytes[at] === COMMA) {
    const from = ++at
    for (let unit = 100_000; isDigit(bytes[at]) && at < end; at++, unit = Math.floor(unit / 10))
      micros += unit * ((bytes[at] as number) - ZERO)
    if (at === from) return Number.NaN
  }
  const offset = offsetAtEnd(bytes, at, end)
  const ofDay = (hour * 60 + minute) * 60 + second
  return (daysOf(year, month, day) * 86_400 + ofDay - offset * 60) * SECOND + micros
}

/** Minutes east of UTC of `Z`, `+01:00`, `+0100` or nothing, from `at` to the end; NaN for anything else. */
function offsetAtEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at === end || (at + 1 === end && ((bytes[at] as number) | 0x20) === SMALL_Z)) return 0
  const sign = bytes[at] as number
  if (sign !== PLUS && sign !== HYPHEN) return Number.NaN
  const hasColon = bytes[at + 3] === COLON
  if (at + (hasColon ? 6 : 5) !== end) return Number.NaN
  const [hours, minutes] = [twoDigits(bytes, at + 1), twoDigits(bytes, at + (hasColon ? 4 : 3))]
  if (!(hours <= OFFSET_HOURS_MAX && minutes <= 59)) return Number.NaN
  return sign === HYPHEN ? -(hours * 60 + minutes) : hours * 60 + minutes
}

const [USUAL_CHARS_MIN, USUAL_CHARS_MAX] = [19, 40]
const OFFSET_HOURS_MAX = 17
const [BLANK, PLUS, COMMA, HYPHEN, DOT, ZERO, COLON, SMALL_T, SMALL_Z] = [
  0x20, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x3a, 0x74, 0x7a,
]

/** NaN unless both are digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at] as number, bytes[at + 1] as number]
  return isDigit(tens) && isDigit(ones) ? tens * 10 + ones - 11 * ZERO : Number.NaN
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9
}
