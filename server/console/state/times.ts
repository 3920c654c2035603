/**
 * Times as people read them: all in one zone, which each of them names. The zone is that of the browser, or UTC.
 */
import { computed } from '@preact/signals'
import { language } from '../texts.js'
import { serviceNow } from './clock.js'
import { preferences } from './preferences.js'

const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const

/** How times are written in a zone; undefined: that of the browser. */
function formatsOf(timeZone: string | undefined) {
  const format = (how: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, { ...how, timeZone })
  return {
    exact: format({ ...DAY, ...CLOCK, timeZoneName: 'short' }),
    zone: format({ timeZoneName: 'short' }),
  }
}

/** For `Intl` and charts. */
export const timeZone = computed(() => (preferences.value.zone === 'utc' ? 'UTC' : undefined))
const formats = computed(() => formatsOf(timeZone.value))
const utcDay = new Intl.DateTimeFormat(language, { ...DAY, timeZone: 'UTC' })

/** `Nov 29, 2026, 13:50:56 GMT+5:30`. */
export function timeText(ms: number): string {
  return formats.value.exact.format(ms)
}

/** `Nov 29, 2026`: a day of the service's reports, which begin at midnight UTC. */
export function utcDayText(ms: number): string {
  return utcDay.format(ms)
}

/** What the zone is called at a time: `UTC`, `GMT+5:30`. Clocks change at night. */
export function zoneName(ms: number = serviceNow()): string {
  const parts = formats.value.zone.formatToParts(ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
}

/** The value of a field for a date and a time, `2026-11-29T13:50`, as a time; null where it is none. */
export function timeOfField(text: string): number | null {
  // Without a zone the browser takes it for its own.
  const ms = Date.parse(timeZone.peek() === undefined || text === '' ? text : `${text}Z`)
  return Number.isNaN(ms) ? null : ms
}

/** The same the other way round. */
export function fieldOfTime(ms: number): string {
  const shiftMs = timeZone.peek() === undefined ? new Date(ms).getTimezoneOffset() * 60_000 : 0
  return new Date(ms - shiftMs).toISOString().slice(0, 16)
}
