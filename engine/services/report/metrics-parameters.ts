/** Query parameters of metrics requests. Every fault is invalid_body and names the parameter. */
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { parseInterval, type Interval } from '../../domain/metrics/period.js'
import { parseFilters } from '../../domain/query/filter.js'
import { instantOf } from '../../domain/query/instant.js'
import type { MetricsScope } from '../../api/metrics-service.js'
import type { ScopeTask } from './metrics-query.js'

/** @throws Refusal invalid_body. */
export function readScope({ startDatetime, endDatetime, filters }: MetricsScope): ScopeTask {
  const fromMicros =
    startDatetime === undefined || isZeroTime(startDatetime) ? null : readInstant(startDatetime, 'start_datetime')
  const toMicros =
    endDatetime === undefined || isZeroTime(endDatetime) ? null : readInstant(endDatetime, 'end_datetime')
  if (fromMicros !== null && toMicros !== null && toMicros <= fromMicros) {
    throw fault('end_datetime', 'Input should be later than start_datetime', 'value_error')
  }
  return { fromMicros, toMicros, filters: parseFilters(filters) }
}

/** True for the zero time of Go and .NET, which their clients send for a time that was never set. */
function isZeroTime(text: string): boolean {
  return /^\s*0001-01-01\s*(?:$|[T ]00:00:00)/.test(text)
}

/** An ISO 8601 date in microseconds; UTC where it has no zone. @throws Refusal invalid_body. */
export function readInstant(text: string, name: string): number {
  // A plus sign that was not encoded arrives as a space.
  const instant = /^\s*\d{4}-/.test(text) ? instantOf(text.trim().replace(/ (\d\d:?\d\d)$/, '+$1')) : null
  if (instant === null || instant < 0) throw fault(name, 'Input should be an ISO 8601 date', 'datetime_parsing')
  return instant
}

/** The same, which must not be in the future. @throws Refusal invalid_body. */
export function readPastInstant(text: string, name: string, clock: Clock): number {
  const instant = readInstant(text, name)
  if (instant > clock.nowMicros()) throw fault(name, 'Input should not be in the future', 'date_past')
  return instant
}

/** A length of time such as 12h; null where it is not given. @throws Refusal invalid_body. */
export function readInterval(text: string): Interval
export function readInterval(text: string | undefined): Interval | null
export function readInterval(text: string | undefined): Interval | null {
  if (text === undefined) return null
  const interval = parseInterval(text)
  if (interval === null)
    throw fault('aggregation_time_interval', 'Input should be a length of time such as 12h, 1d, 7d, 2w', 'value_error')
  return interval
}

function fault(name: string, msg: string, type: string): Refusal {
  return new Refusal('invalid_body', `${name}: ${msg}`, { issues: [{ loc: ['query', name], msg, type }] })
}
