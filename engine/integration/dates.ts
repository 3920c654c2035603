/** Dates in parameters that people write, and in documents of counterparts. */
import { dateSpan, timeOf } from '../domain/event/event-time.js'

/** Milliseconds since 1970 of a time in any form (event-time.ts), UTC without a zone; null for no time. */
export function millisIn(text: string): number | null {
  const micros = timeOf(text) ?? dateSpan(text, 0, null)?.first ?? null
  return micros === null ? null : Math.floor(micros / 1_000)
}
