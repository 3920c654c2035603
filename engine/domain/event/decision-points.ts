/**
 * Reads the values at a job's decision points from an event's body.
 *
 * Owns: what counts as a value, arrays and missing values. Leaves out: where a path leads (path.ts), which values are
 * equal (plain-value.ts), how the values are used.
 *
 * 1. A missing path, a JSON null, an empty text, and objects and arrays that hold nothing else are the same: null.
 * 2. At an array on the path, the rest of the path is taken from each item. The results form one array.
 * 3. An array counts as the set of its scalars. Nested arrays are flattened; nulls and repeats are dropped. The first
 *    limits.pointItemsMax scalars among the first limits.pointWalkMax items are kept, and sorted. One with a single
 *    value is that value.
 * 4. Text is cut at limits.pointValueCharsMax characters. Half a surrogate pair cannot be stored as UTF-8 and counts as
 *    U+FFFD.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import { isJsonObject, WrittenNumber } from './json.js'
import { isNothing, Path, walkPath, type PathTaker } from './path.js'
import { plainJson, plainScalar, type Types } from './plain-value.js'
import type { PointTree } from './point-tree.js'
import type { PointValue, PointValues, ScalarValue } from './point-value.js'

/** The decision points of a job, prepared for reading many events. */
export class DecisionPoints {
  readonly #paths: readonly Path[]
  readonly #settled: Settled
  /** By point, of the event that was read last: NUMBERS and TEXTS, if its value came as such. */
  readonly kinds: Uint8Array
  /** As fingerprintOf. */
  readonly fingerprint: number
  /** Values can be read from a scanned body: no path has a name that objects give a meaning of their own. */
  readonly areScannable: boolean

  constructor(points: readonly string[], types: Types = 'loose') {
    this.fingerprint = fingerprintOf(points, types)
    this.#paths = points.map((text) => new Path(text))
    this.#settled = new Settled(types)
    this.kinds = new Uint8Array(points.length)
    this.areScannable = this.#paths.every(({ names }) => !names.includes(PROTOTYPE))
  }

  get count(): number {
    return this.#paths.length
  }

  /** The value at the first point that has one; null if none has. */
  firstOf(body: Readonly<Record<string, unknown>>): PointValue {
    for (let i = 0; i < this.#paths.length; i++) {
      const value = this.#settled.at(body, this.#paths[i] as Path, 0)
      if (value !== null) return value
    }
    return null
  }

  /** The values of one event, in the order of the points. */
  valuesOf(body: Readonly<Record<string, unknown>>): PointValue[] {
    const values: PointValue[] = new Array<PointValue>(this.#paths.length)
    for (let i = 0; i < this.#paths.length; i++) {
      values[i] = this.#settled.at(body, this.#paths[i] as Path, 0)
      this.kinds[i] = this.#settled.kinds
    }
    return values
  }

  /**
   * The same values as valuesOf, of the body that was scanned last. `valueAt` reads the value whose bytes begin there.
   * The scanner refuses bodies in which a path may lead anywhere else, so a path that it did not find has no value.
   */
  scannedValues(tree: PointTree, valueAt: (start: number) => unknown): PointValue[] {
    const values: PointValue[] = new Array<PointValue>(this.#paths.length)
    for (let i = 0; i < this.#paths.length; i++) {
      const start = tree.startOf(i)
      values[i] = start < 0 ? null : this.#settled.at(valueAt(start), this.#paths[i] as Path, tree.depthOf(i))
      this.kinds[i] = start < 0 ? 0 : this.#settled.kinds
    }
    return values
  }
}

/** 32 bits of a hash of the points. It keeps buckets and models of different decision points apart. */
export function fingerprintOf(points: readonly string[], types: Types = 'loose'): number {
  const rules = types === 'loose' ? points : { points, types }
  return createHash('sha256').update(JSON.stringify(rules)).digest().readUInt32LE(0)
}

/** True if no point has a value: such an event cannot be decided (S4). */
export function lacksPoints(values: PointValues): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== null) return false
  return true
}

/** Kinds of values, as bits. */
export const NUMBERS = 1
export const TEXTS = 2

const PROTOTYPE = '__proto__'

/** Makes one value of all that a path leads to. */
class Settled implements PathTaker {
  readonly #types: Types
  /** What was found: the first value, and all scalars where there are several or an array. */
  #first: unknown
  #count = 0
  readonly #scalars = new Set<ScalarValue>()
  /** What the values of the last path came as. */
  kinds = 0
  itemsLeft = 0

  constructor(types: Types) {
    this.#types = types
  }

  get isFull(): boolean {
    return this.#scalars.size >= limits.pointItemsMax
  }

  at(value: unknown, path: Path, from: number): PointValue {
    this.#count = 0
    this.kinds = 0
    this.itemsLeft = limits.pointWalkMax
    if (!walkPath(value, path, from, this)) return null
    if (this.#count === 1) {
      const found = this.#first
      this.#first = undefined
      if (!Array.isArray(found)) return this.#settle(found)
      if (isSettled(found, this.#types)) {
        for (const item of found) this.#seeKind(item)
        return found.slice()
      }
      this.#gather(found)
    }
    const scalars = [...this.#scalars]
    this.#scalars.clear()
    if (scalars.length <= 1) return scalars[0] ?? null
    return scalars.sort(compareScalars)
  }

  take(value: unknown): void {
    if (++this.#count === 1) {
      this.#first = value
      return
    }
    if (this.#count === 2) this.#add(this.#first)
    this.#add(value)
  }

  #add(value: unknown): void {
    if (Array.isArray(value)) return this.#gather(value)
    if (this.isFull) return
    const scalar = this.#settle(value)
    if (scalar !== null) this.#scalars.add(scalar)
  }

  #gather(items: readonly unknown[]): void {
    for (const item of items) {
      if (this.isFull || --this.itemsLeft < 0) return
      if (!isNothing(item)) this.#add(item)
    }
  }

  #seeKind(value: unknown): void {
    if (typeof value === 'string') {
      if (value !== '') this.kinds |= TEXTS
    } else if (typeof value !== 'boolean') this.kinds |= NUMBERS
  }

  /** What anything but an array counts as. */
  #settle(value: unknown): ScalarValue | null {
    if (isJsonObject(value)) return cut(plainJson(value, limits.pointValueCharsMax, this.#types))
    this.#seeKind(value)
    if (typeof value === 'string') {
      const plain = plainScalar(value, this.#types)
      return typeof plain === 'string' ? cut(plain) : plain
    }
    if (typeof value === 'number' || typeof value === 'boolean' || value instanceof WrittenNumber)
      return plainScalar(value, this.#types)
    return null
  }
}

function cut(text: string): string {
  return (text.length <= limits.pointValueCharsMax ? text : text.slice(0, limits.pointValueCharsMax)).toWellFormed()
}

/** Most arrays are what they count as: a few scalars in order, each once. */
function isSettled(items: readonly unknown[], types: Types): items is readonly ScalarValue[] {
  if (items.length < 2 || items.length > limits.pointItemsMax) return false
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean') return false
    // A set has no minus zero.
    if (!Object.is(plainScalar(item, types), item) || (typeof item === 'string' && cut(item) !== item)) return false
    if (i > 0 && compareScalars(items[i - 1] as ScalarValue, item) >= 0) return false
  }
  return true
}

/** By type, then by value. Any total order would do, if it is the same everywhere. */
function compareScalars(a: ScalarValue, b: ScalarValue): number {
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
