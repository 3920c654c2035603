/** Dates as people write them in parameters, and counterparts in documents. */
import { instantOf } from '../domain/query/instant.js'

/** What a calendar of this program ends with, milliseconds either way. */
const MILLIS_MAX = 8.64e15

/** Milliseconds since 1970: ISO 8601, UTC where it says no zone, or a number that counts from 1970; null for what is no date. */
export function millisIn(text: string): number | null {
  const instant = instantOf(text.trim())
  return whole(instant === null ? Date.parse(text) : instant / 1_000)
}

/** The same of seconds. */
export function millisOfSeconds(seconds: number): number | null {
  return whole(seconds * 1_000)
}

function whole(millis: number): number | null {
  return Math.abs(millis) <= MILLIS_MAX ? Math.floor(millis) : null
}
