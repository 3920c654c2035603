/**
 * Times as the clock on a wall shows them, in a zone of the IANA database.
 *
 * Owns: the offset of a zone at a time, and which instants a wall shows as a given time. Leaves out: working hours
 * (working-hours.ts), cron (resource/cron.ts).
 *
 * 1. When clocks are set forward, a wall skips some times: they have no instant. When clocks are set back, it shows
 *    some times twice: they have two.
 */

export const UTC = 'UTC'

/** The zone of a job: its own (advanced_settings.time_zone), or that of the service. */
export function timeZoneOf(advancedSettings: Readonly<Record<string, unknown>>, serviceZone: string): string {
  const zone = advancedSettings.time_zone
  return typeof zone === 'string' && isTimeZone(zone) ? zone : serviceZone
}

/** What a wall shows. Months count from 1; weekdays from 0, which is Sunday. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** @throws RangeError for a name that is no zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

/** Whether a text names a zone, such as `Europe/Berlin` or `UTC`. Offsets are none: they know no summer. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** What a wall in the zone shows at an instant, milliseconds since 1970. */
export function wallTimeOf(ms: number, zone: string): WallTime {
  const parts = formatOf(zone).formatToParts(ms)
  const at = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value)
  return {
    year: at('year'),
    month: at('month'),
    day: at('day'),
    hour: at('hour'),
    minute: at('minute'),
    second: at('second'),
  }
}

/** Milliseconds since 1970 of a wall time as if the wall were in UTC. A day or an hour too many is counted on. */
export function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** How much a wall in the zone is ahead of UTC, milliseconds. */
export function offsetMs(ms: number, zone: string): number {
  const whole = Math.floor(ms / 1_000) * 1_000
  return zone === UTC ? 0 : asUtc(wallTimeOf(whole, zone)) - whole
}

/** The instants at which a wall shows a time, earlier ones first: none, one or two. */
export function instantsOf(wall: WallTime, zone: string): number[] {
  const utc = asUtc(wall)
  const offsets = new Set([offsetMs(utc - DAY_MS, zone), offsetMs(utc + DAY_MS, zone)])
  return [...offsets]
    .map((offset) => utc - offset)
    .filter((ms) => ms + offsetMs(ms, zone) === utc)
    .sort((a, b) => a - b)
}

/** The first instant at which a wall shows a time, or, where it skips it, a later one. */
export function firstInstantOf(wall: WallTime, zone: string): number {
  const [first] = instantsOf(wall, zone)
  if (first !== undefined) return first
  // The offset before the change counts on, as if clocks had not been set.
  const utc = asUtc(wall)
  const counted = utc - offsetMs(utc - DAY_MS, zone)
  let [before, after] = [counted - DAY_MS, counted]
  const offset = offsetMs(before, zone)
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000
    if (offsetMs(middle, zone) === offset) before = middle
    else after = middle
  }
  return after
}

const two = (number: number): string => String(number).padStart(2, '0')

/** `2026-03-29`. */
export function dayText({ year, month, day }: WallTime): string {
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** `14:02`. */
export function timeText({ hour, minute }: WallTime): string {
  return `${two(hour)}:${two(minute)}`
}

/** An instant for people, with its zone: `2026-03-29 14:02 Europe/Berlin`. Microseconds since 1970. */
export function momentText(micros: number, zone: string): string {
  const wall = wallTimeOf(micros / 1_000, zone)
  return `${dayText(wall)} ${timeText(wall)} ${zone}`
}

/** A span of time for people: the day is told once where it is the same. Microseconds since 1970. */
export function spanText(fromMicros: number, untilMicros: number, zone: string): string {
  const [from, until] = [wallTimeOf(fromMicros / 1_000, zone), wallTimeOf(untilMicros / 1_000, zone)]
  const isSameDay = dayText(from) === dayText(until)
  return `${dayText(from)} ${timeText(from)} and ${isSameDay ? '' : `${dayText(until)} `}${timeText(until)} ${zone}`
}
