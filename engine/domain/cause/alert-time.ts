/** Reads the time of an alert. */
import { timeOf } from '../event/event-time.js'
import type { PointValue } from '../event/point-value.js'

/**
 * A time in any form (event-time.ts) as milliseconds since 1970; of a list the first that is one. Null where there is
 * none. `nearMicros` is the time of arrival.
 */
export function millisOf(value: PointValue, nearMicros: number | null = null): number | null {
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const micros = timeOf(one, nearMicros)
    if (micros !== null && micros >= 0) return Math.floor(micros / 1_000)
  }
  return null
}
