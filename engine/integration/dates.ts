/** Dates in parameters that people write, and in documents of counterparts. */
import { instantOf } from '../domain/query/instant.js'

/** The range of a JavaScript Date, milliseconds in both directions. */
const MILLIS_MAX = 8.64e15

/**
 * Milliseconds since 1970 of an ISO 8601 date (UTC without a zone) or of a number that counts from 1970; null for no
 * date.
 */
export function millisIn(text: string): number | null {
  const instant = instantOf(text.trim())
  return whole(instant === null ? Date.parse(text) : instant / 1_000)
}

/** Milliseconds of seconds since 1970; null outside the range of a date. */
export function millisOfSeconds(seconds: number): number | null {
  return whole(seconds * 1_000)
}

function whole(millis: number): number | null {
  return Math.abs(millis) <= MILLIS_MAX ? Math.floor(millis) : null
}
