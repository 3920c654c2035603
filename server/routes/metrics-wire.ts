/**
 * Metrics on the wire: the period and the filters of a request, and answers. An answer has field names in snake_case,
 * maps as objects with unchanged names, and numbers rounded to six decimals.
 */
import type { MetricsScope, Principal } from '../../engine/index.js'
import { filtersOf } from './queries.js'

const ROUNDING = 1e6
/** Default of `timeout_s`, in seconds. */
export const TIMEOUT_S = 120

export const filtersExample = { filters: [{ field: 'service.result_label', operator: 'is', value: 'Escalate' }] }

interface WirePeriod {
  readonly start_datetime?: string
  readonly end_datetime?: string
}

/** Period and filters of a request. */
export function scopeOf(
  query: WirePeriod,
  body: { readonly filters?: unknown; readonly query?: string | undefined },
  principal: Principal,
): MetricsScope {
  const filters = filtersOf(body, principal)
  return {
    ...(query.start_datetime === undefined ? {} : { startDatetime: query.start_datetime }),
    ...(query.end_datetime === undefined ? {} : { endDatetime: query.end_datetime }),
    ...(filters === undefined ? {} : { filters }),
  }
}

/** Any document of the engine's metrics. */
export function wireOf(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * ROUNDING) / ROUNDING
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wireOf)
  if (value instanceof Map)
    return objectOf([...(value as ReadonlyMap<string, unknown>)].map(([name, one]) => [name, wireOf(one)]))
  return objectOf(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [snakeCase(name), wireOf(one)]),
  )
}

/** A label may have a name such as `__proto__`; it becomes an ordinary field. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

/** `topEventsIds` becomes `top_events_ids`, `f1Score` becomes `f1_score`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (deadLetter) => `_${deadLetter.toLowerCase()}`)
}
