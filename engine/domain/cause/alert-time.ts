/** Reads the time of an alert. */
import type { PointValue } from '../event/point-value.js'

/** The latest time of a Date, milliseconds. */
const TIME_MAX = 8.64e15
const numeric = /^\s*\d+(\.\d+)?\s*$/
const zoned = /(?:z|utc|gmt|[+-]\d\d:?\d\d)\s*$/i

/**
 * A date as milliseconds; null where it is none. It is text like ISO 8601, in UTC unless it names a zone, or a number
 * since 1970 in s, ms, µs or ns: its size tells which.
 */
export function millisOf(value: PointValue): number | null {
  if (typeof value === 'string' && !numeric.test(value)) return within(parsed(value))
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number') return null
  if (number < 1e11) return within(number * 1000)
  if (number < 1e14) return within(number)
  return within(number < 1e17 ? number / 1e3 : number / 1e6)
}

/** UTC without a zone: Date.parse would take the zone of the machine. */
function parsed(text: string): number {
  const utc = zoned.test(text) ? Number.NaN : Date.parse(`${text.trim()}Z`)
  return Number.isNaN(utc) ? Date.parse(text) : utc
}

function within(millis: number): number | null {
  return millis >= 0 && millis <= TIME_MAX ? Math.floor(millis) : null
}
