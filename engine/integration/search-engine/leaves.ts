/** The scalars of documents, grouped by their path. */

type Scalar = string | number | boolean

/** Deeper values are ignored. */
const DEPTH_MAX = 16
/** Paths in one answer; further ones are ignored. */
const PATHS_MAX = 1_000

/** The distinct values at each path. A name with dots counts as a path, as in the search engine. */
export function leavesOf(documents: readonly Readonly<Record<string, unknown>>[]): Map<string, Set<Scalar>> {
  const leaves = new Map<string, Set<Scalar>>()
  for (const document of documents) gather(document, '', 0, leaves)
  return leaves
}

function gather(value: unknown, path: string, depth: number, leaves: Map<string, Set<Scalar>>): void {
  if (value === null || depth > DEPTH_MAX) return
  if (Array.isArray(value)) {
    for (const item of value) gather(item, path, depth + 1, leaves)
  } else if (typeof value === 'object') {
    for (const [name, item] of Object.entries(value))
      gather(item, path === '' ? name : `${path}.${name}`, depth + 1, leaves)
  } else if (path !== '') {
    let values = leaves.get(path)
    if (values === undefined && leaves.size < PATHS_MAX) leaves.set(path, (values = new Set()))
    values?.add(value as Scalar)
  }
}

/**
 * The object with these leaves. If a path leads through a value, the value stays. `asLists` makes a list of one value
 * too.
 */
export function nested(leaves: ReadonlyMap<string, ReadonlySet<Scalar>>, asLists: boolean): Record<string, unknown> {
  const root = Object.create(null) as Record<string, unknown>
  for (const [path, values] of leaves) {
    const names = path.split('.')
    const last = names.pop() as string
    let at: Record<string, unknown> | null = root
    for (const name of names) {
      if (at === null) break
      const next: unknown = (at[name] ??= Object.create(null))
      at = typeof next === 'object' && !Array.isArray(next) ? (next as Record<string, unknown>) : null
    }
    if (at !== null && at[last] === undefined) at[last] = values.size === 1 && !asLists ? [...values][0] : [...values]
  }
  return root
}
