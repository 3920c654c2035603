/**
 * The fields of events: the paths that lead to values, and these values, read as decision points are (S45).
 *
 * Owns: which paths are offered. Leaves out: what they lead to (path.ts, decision-points.ts).
 *
 * 1. A list of names and values has a path for each name, and none to its names and its values (S34).
 * 2. A path is offered once, however its keys are spelled.
 */
import { limits } from '../../limits.js'
import { DecisionPoints } from './decision-points.js'
import { isJsonObject } from './json.js'
import { isNothing, pairOf } from './path.js'
import type { Types } from './plain-value.js'
import type { PointValue } from './point-value.js'

/** Readers of paths that are kept. */
const KEPT_MAX = 10_000

export class FieldReader {
  readonly #types: Types
  readonly #points = new Map<string, DecisionPoints>()

  constructor(types: Types = 'loose') {
    this.#types = types
  }

  /** Calls `visit` with each path that leads to a value, and the value. */
  each(
    event: Readonly<Record<string, unknown>>,
    visit: (path: string, value: Exclude<PointValue, null>) => void,
  ): void {
    for (const path of pathsIn(event)) {
      const value = this.valueAt(event, path)
      if (value !== null) visit(path, value)
    }
  }

  valueAt(event: Readonly<Record<string, unknown>>, path: string): PointValue {
    let point = this.#points.get(path)
    if (point === undefined) {
      if (this.#points.size >= KEPT_MAX) this.#points.clear()
      this.#points.set(path, (point = new DecisionPoints([path], this.#types)))
    }
    return point.firstOf(event)
  }
}

/** The paths that lead to scalars of an event, in their order there. */
export function pathsIn(event: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const paths = new Set<string>()
  addPaths(event, '', 0, paths)
  return paths
}

function addPaths(value: unknown, path: string, depth: number, paths: Set<string>): void {
  if (path.length > limits.decisionPointCharsMax || depth > limits.eventDepthMax || isNothing(value)) return
  if (Array.isArray(value)) {
    const isOfPairs = value.every((item) => pairOf(item) !== null)
    for (const item of value) {
      const pair = isOfPairs ? pairOf(item) : null
      if (pair === null) addPaths(item, path, depth + 1, paths)
      else addPaths(pair.value, `${path}.${pair.name}`, depth + 1, paths)
    }
  } else if (isJsonObject(value)) {
    for (const [name, inner] of Object.entries(value))
      addPaths(inner, path === '' ? name : `${path}.${name}`, depth + 1, paths)
  } else if (path !== '') paths.add(path)
}
