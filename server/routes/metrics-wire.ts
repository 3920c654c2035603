/**
 * Metrics as the wire shows them: names in snake_case, maps as objects whose names are left alone, numbers rounded to six
 * decimals.
 */

const ROUNDING = 1e6

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

/** A name such as `__proto__`, which somebody may give a label, is a field like any other. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

/** `topEventsIds` is `top_events_ids`, `f1Score` is `f1_score`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (deadLetter) => `_${deadLetter.toLowerCase()}`)
}
