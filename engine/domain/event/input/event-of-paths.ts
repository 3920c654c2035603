/**
 * An event out of paths and their values: what is read at a path (../path.ts) is put there.
 *
 * 1. A path goes through what holds others. Where a part of it has a value of its own, or is empty, the whole path is
 *    one key: no value is lost, and path.ts finds it in either form.
 */

/** The event that has the values at these paths. */
export function eventOfPaths(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = new Set(Object.keys(values))
  const event = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(values)) putAt(event, wayOf(name, names), value)
  return event
}

/** The keys that lead to the value of a path, among all paths of the event. */
export function wayOf(path: string, all: ReadonlySet<string>): readonly string[] {
  const keys = path.split('.')
  const isNested = !keys.includes('') && !keys.some((_, at) => at > 0 && all.has(keys.slice(0, at).join('.')))
  return isNested ? keys : [path]
}

export function putAt(event: Record<string, unknown>, way: readonly string[], value: unknown): void {
  let at = event
  for (const key of way.slice(0, -1)) {
    // No prototype: a key may be __proto__.
    at[key] ??= Object.create(null)
    at = at[key] as Record<string, unknown>
  }
  at[way.at(-1) as string] = value
}
