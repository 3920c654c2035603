/**
 * From a path to what serves it.
 *
 * 1. A trailing slash changes nothing, repeated slashes are one (C1.2).
 * 2. A parameter is percent-decoded exactly once, after the path was cut; it may be any string, `/` and `%` included.
 *    What does not decode is taken as it stands, so that no path is an error of its own.
 * 3. A written segment wins over a parameter; where it leads to no path at all, the parameter is tried.
 * 4. A path that is known with other methods is told apart from one that is not known at all.
 */

/** What a path leads to. */
export type Match<T> =
  | { readonly found: true; readonly value: T; readonly params: readonly string[] }
  /** `allow` holds the methods the path has; empty where the path is unknown. */
  | { readonly found: false; readonly allow: readonly string[] }

interface Branch<T> {
  /** Few a branch, told apart by their first letters: looked through in the path itself, no segment is cut out for them. */
  readonly written: { readonly segment: string; readonly branch: Branch<T> }[]
  param: Branch<T> | null
  readonly byMethod: Map<string, T>
}

/** A request's path and method, and the parameters that were found on the way. */
interface Sought {
  readonly path: string
  readonly method: string
  readonly params: string[]
}

const SLASH = 0x2f

function branch<T>(): Branch<T> {
  return { written: [], param: null, byMethod: new Map() }
}

function decodeOnce(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** The methods of the path that is meant, by rule 3; empty where there is none. */
function methodsOf<T>(at: Branch<T> | null | undefined, segments: readonly string[], depth: number): string[] {
  if (at === null || at === undefined) return []
  if (depth === segments.length) return [...at.byMethod.keys()]
  const written = methodsOf(at.written.find(({ segment }) => segment === segments[depth])?.branch, segments, depth + 1)
  return written.length > 0 ? written : methodsOf(at.param, segments, depth + 1)
}

export class Router<T> {
  readonly #root = branch<T>()

  /** Adds a route; `path` as in OpenAPI, parameters in braces. */
  add(method: string, path: string, value: T): void {
    const lower = method.toLowerCase()
    let at = this.#root
    for (const segment of segmentsOf(path)) {
      if (segment.startsWith('{')) {
        at = at.param ??= branch<T>()
      } else {
        let next = at.written.find((each) => each.segment === segment)
        if (next === undefined) at.written.push((next = { segment, branch: branch<T>() }))
        at = next.branch
      }
    }
    if (at.byMethod.has(lower)) throw new Error(`assertion failed: ${method} ${path} is there twice`)
    at.byMethod.set(lower, value)
  }

  /** Finds what serves a method (lower case) on a path as sent. HEAD is served by GET. */
  find(method: string, path: string): Match<T> {
    const params: string[] = []
    const value = this.#walk(this.#root, 0, { path, method: method === 'head' ? 'get' : method, params })
    if (value !== undefined && value !== null) {
      for (let i = 0; i < params.length; i++) params[i] = decodeOnce(params[i]!)
      return { found: true, value, params }
    }
    const allow = methodsOf(this.#root, segmentsOf(path), 0)
    return { found: false, allow: allow.map((name) => name.toUpperCase()).sort() }
  }

  /**
   * Reads the path while it walks: a list of segments would be one more thing to make for each request. null where the
   * path is there with other methods, undefined where it is not.
   */
  #walk(at: Branch<T>, from: number, sought: Sought): T | null | undefined {
    const { path, method, params } = sought
    while (from < path.length && path.charCodeAt(from) === SLASH) from++
    if (from === path.length) return at.byMethod.get(method) ?? (at.byMethod.size > 0 ? null : undefined)
    const { written } = at
    for (let i = 0; i < written.length; i++) {
      const { segment, branch } = written[i]!
      if (!isSegmentAt(path, from, segment)) continue
      const value = this.#walk(branch, from + segment.length, sought)
      if (value !== undefined) return value
    }
    if (at.param === null) return undefined
    const slash = path.indexOf('/', from)
    const end = slash < 0 ? path.length : slash
    params.push(path.slice(from, end))
    const value = this.#walk(at.param, end, sought)
    if (value === undefined) params.pop()
    return value
  }
}

/** True where the path's segment that begins at `from` is this one. */
function isSegmentAt(path: string, from: number, segment: string): boolean {
  const end = from + segment.length
  return (end === path.length || path.charCodeAt(end) === SLASH) && path.startsWith(segment, from)
}
