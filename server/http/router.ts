/**
 * Finds the route for a method and a path.
 *
 * 1. A trailing slash is ignored, and repeated slashes count as one (C1.2).
 * 2. A parameter is percent-decoded exactly once, after the path is split. It may be any string, including `/` and `%`.
 *    One that does not decode is taken literally, so that no path is an error in itself.
 * 3. A literal segment takes precedence over a parameter. If it leads to no path, the parameter is tried.
 * 4. A path that exists with other methods is distinguished from an unknown path.
 */

/** The result of a search. */
export type Match<T> =
  | { readonly found: true; readonly value: T; readonly params: readonly string[] }
  /** `allow` holds the methods of the path; it is empty if the path is unknown. */
  | { readonly found: false; readonly allow: readonly string[] }

interface Branch<T> {
  /** A short list, compared within the path itself, so that no segment is cut out. */
  readonly literal: { readonly segment: string; readonly branch: Branch<T> }[]
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
  return { literal: [], param: null, byMethod: new Map() }
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

/** The methods of the path that rule 3 selects; empty if there is none. */
function methodsOf<T>(at: Branch<T> | null | undefined, segments: readonly string[], depth: number): string[] {
  if (at === null || at === undefined) return []
  if (depth === segments.length) return [...at.byMethod.keys()]
  const literal = methodsOf(at.literal.find(({ segment }) => segment === segments[depth])?.branch, segments, depth + 1)
  return literal.length > 0 ? literal : methodsOf(at.param, segments, depth + 1)
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
        let next = at.literal.find((each) => each.segment === segment)
        if (next === undefined) at.literal.push((next = { segment, branch: branch<T>() }))
        at = next.branch
      }
    }
    if (at.byMethod.has(lower)) throw new Error(`assertion failed: ${method} ${path} is registered twice`)
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
   * The value for the rest of the path. null: the path exists with other methods; undefined: it does not exist. It
   * reads the path in place, so that no list of segments is made for each request.
   */
  #walk(at: Branch<T>, from: number, sought: Sought): T | null | undefined {
    const { path, method, params } = sought
    while (from < path.length && path.charCodeAt(from) === SLASH) from++
    if (from === path.length) return at.byMethod.get(method) ?? (at.byMethod.size > 0 ? null : undefined)
    const { literal } = at
    for (let i = 0; i < literal.length; i++) {
      const { segment, branch } = literal[i]!
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

/** True if the path has this segment at `from`. */
function isSegmentAt(path: string, from: number, segment: string): boolean {
  const end = from + segment.length
  return (end === path.length || path.charCodeAt(end) === SLASH) && path.startsWith(segment, from)
}
