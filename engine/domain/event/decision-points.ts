/**
 * Reads the values at a job's decision points from an event's body.
 *
 * Owns: the rules for paths, arrays and missing values. Leaves out: how the values are used.
 *
 * 1. A path `a.b.c` leads down through objects by name. If it leads nowhere, a top-level field whose name is literally
 *    `a.b.c` counts (flattened documents).
 * 2. At an array on the path, the rest of the path is taken from each item. The results form one array.
 * 3. A missing path and a JSON null are the same: null.
 * 4. An array counts as the set of its scalars. Nested arrays are flattened; nulls and repeats are dropped. The first
 *    limits.pointItemsMax scalars among the first limits.pointWalkMax items are kept, and sorted. An empty array is
 *    null, and one with a single value is that value.
 * 5. An object counts as its JSON text. Text is cut at limits.pointValueCharsMax characters. Half a surrogate pair
 *    cannot be stored as UTF-8 and counts as U+FFFD.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import { jsonPrefix } from './json-prefix.js'
import type { PointTree } from './point-tree.js'
import type { PointValue, PointValues, ScalarValue } from './point-value.js'

interface Path {
  readonly text: string
  readonly names: readonly string[]
}

/** The decision points of a job, prepared for reading many events. */
export class DecisionPoints {
  readonly #paths: readonly Path[]
  /** As fingerprintOf. */
  readonly fingerprint: number
  /** Values can be read from a scanned body: no path has a name that objects give a meaning of their own. */
  readonly areScannable: boolean

  constructor(points: readonly string[]) {
    this.fingerprint = fingerprintOf(points)
    this.#paths = points.map((text) => ({ text, names: text.split('.') }))
    this.areScannable = this.#paths.every(({ names }) => !names.includes(PROTOTYPE))
  }

  get count(): number {
    return this.#paths.length
  }

  /** The value at the first point that has one; null if none has. */
  firstOf(body: Readonly<Record<string, unknown>>): PointValue {
    for (let i = 0; i < this.#paths.length; i++) {
      const value = readPoint(body, this.#paths[i] as Path)
      if (value !== null) return value
    }
    return null
  }

  /** The values of one event, in the order of the points. */
  valuesOf(body: Readonly<Record<string, unknown>>): PointValue[] {
    const values: PointValue[] = new Array<PointValue>(this.#paths.length)
    for (let i = 0; i < this.#paths.length; i++) values[i] = readPoint(body, this.#paths[i] as Path)
    return values
  }

  /**
   * The same values as valuesOf, of the body that was scanned last. `valueAt` reads the value whose bytes begin there.
   * The scanner refuses flattened documents, so a path that leads nowhere has no value.
   */
  scannedValues(tree: PointTree, valueAt: (start: number) => unknown): PointValue[] {
    const values: PointValue[] = new Array<PointValue>(this.#paths.length)
    for (let i = 0; i < this.#paths.length; i++) {
      const start = tree.startOf(i)
      values[i] = start < 0 ? null : (follow(valueAt(start), (this.#paths[i] as Path).names, tree.depthOf(i)) ?? null)
    }
    return values
  }
}

/** 32 bits of a hash of the points. It keeps buckets and models of different decision points apart. */
export function fingerprintOf(points: readonly string[]): number {
  return createHash('sha256').update(JSON.stringify(points)).digest().readUInt32LE(0)
}

/** True if no point has a value: such an event cannot be decided (S4). */
export function lacksPoints(values: PointValues): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== null) return false
  return true
}

function readPoint(body: Readonly<Record<string, unknown>>, path: Path): PointValue {
  const found = follow(body, path.names, 0)
  return found === undefined ? literal(body, path) : found
}

/** What `names`, from number `from` on, lead to in a value; undefined if they lead nowhere. */
function follow(start: unknown, names: readonly string[], from: number): PointValue | undefined {
  let value = start
  for (let i = from; i < names.length; i++) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) return settleArray(value, names, i)
    value = own(value, names[i] as string)
    if (value === undefined) return undefined
  }
  return settle(value)
}

function literal(body: Readonly<Record<string, unknown>>, path: Path): PointValue {
  return path.names.length > 1 ? settle(own(body, path.text)) : null
}

/** Own fields only, not what every object inherits: apart from `__proto__`, that is always a function. */
function own(object: object, name: string): unknown {
  const value = (object as Record<string, unknown>)[name]
  return typeof value === 'function' || name === PROTOTYPE ? undefined : value
}

function settle(value: unknown): PointValue {
  switch (typeof value) {
    case 'string':
      return cut(value)
    case 'number':
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      return Array.isArray(value) ? settleArray(value, noNames, 0) : cut(jsonPrefix(value, limits.pointValueCharsMax))
    default:
      return null
  }
}

function cut(text: string): string {
  return (text.length <= limits.pointValueCharsMax ? text : text.slice(0, limits.pointValueCharsMax)).toWellFormed()
}

const PROTOTYPE = '__proto__'
const noNames: readonly string[] = []

/** What `names`, from number `from` on, lead to in all items. */
function settleArray(items: readonly unknown[], names: readonly string[], from: number): PointValue {
  if (from === names.length && isSettled(items)) return items.slice()
  const scalars = new Set<ScalarValue>()
  gather(items, names, from, { scalars, itemsLeft: limits.pointWalkMax })
  if (scalars.size === 0) return null
  if (scalars.size === 1) return scalars.values().next().value as ScalarValue
  return [...scalars].sort(compareScalars)
}

/** Most arrays are what they count as: a few scalars in order, each once. */
function isSettled(items: readonly unknown[]): items is readonly ScalarValue[] {
  if (items.length < 2 || items.length > limits.pointItemsMax) return false
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    // A set has no minus zero.
    const isWhole = typeof item === 'string' ? cut(item) === item : typeof item === 'boolean' || isNumberOfSet(item)
    if (!isWhole || (i > 0 && compareScalars(items[i - 1] as ScalarValue, item as ScalarValue) >= 0)) return false
  }
  return true
}

function isNumberOfSet(item: unknown): boolean {
  return typeof item === 'number' && !Object.is(item, -0)
}

interface Gathered {
  readonly scalars: Set<ScalarValue>
  itemsLeft: number
}

function gather(items: readonly unknown[], names: readonly string[], from: number, into: Gathered): void {
  for (const item of items) {
    if (into.scalars.size >= limits.pointItemsMax || --into.itemsLeft < 0) return
    let value: unknown = item
    let i = from
    while (i < names.length && isPlainObject(value)) value = own(value, names[i++] as string)
    if (Array.isArray(value)) gather(value, names, i, into)
    else if (i === names.length) {
      const scalar = settle(value)
      if (scalar !== null) into.scalars.add(scalar as ScalarValue)
    }
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By type, then by value. Any total order would do, if it is the same everywhere. */
function compareScalars(a: ScalarValue, b: ScalarValue): number {
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
