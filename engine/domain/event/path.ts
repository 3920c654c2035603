/**
 * Paths: what `a.b.c` names in an event (S30, S34). Every reader of paths reads them here, or is held to this by tests.
 *
 * Owns: which values a path leads to. Leaves out: what they count as (decision-points.ts, query/body-fields.ts).
 *
 * 1. At each object, the longest rest of the path that is a key wins, then shorter ones. So keys may contain dots.
 * 2. A key that leads to no value does not end the search. Null is no value, and neither is what holds nothing else.
 * 3. At an array on the way, the rest of the path is taken from each item.
 * 4. Below the event itself, an object that is a name and a value is read like a field of that name, if its own keys
 *    lead nowhere: `{"@Name": "TargetUserName", "#text": "ann"}`. So lists of them can be addressed by name.
 * 5. The value of such a pair may say its type, as OpenTelemetry does: `{"stringValue": "web-1"}`.
 */
import { isJsonObject } from './json.js'

/** Receives the values that a path leads to, in the order of the event. */
export interface PathTaker {
  take(value: unknown): void
  /** Items of arrays that may still be looked at. */
  itemsLeft: number
  /** Nothing more is needed. */
  readonly isFull: boolean
  /** Null and what holds nothing count as values. */
  readonly takesNothing?: boolean
}

/** Paths of up to so many names keep their parts: all of them are looked up in each object. */
const KEPT_NAMES_MAX = 16
/** Every object has fields of these names that are not its own. */
const PROTOTYPE = '__proto__'

/** Keys of the name of a pair, and of its value. */
export const pairNames = ['@Name', '@name', 'Name', 'name', 'Key', 'key', 'Label', 'label', 'TagKey'] as const
export const pairValues = [
  '#text',
  'Value',
  'value',
  'Values',
  'values',
  'TagValue',
  'stringValue',
  'intValue',
  'doubleValue',
  'boolValue',
] as const
/** Keys by which a value says its type; of lists the items lie in `values`. */
const typedValues: ReadonlySet<string> = new Set([
  'stringValue',
  'intValue',
  'doubleValue',
  'boolValue',
  'bytesValue',
  'arrayValue',
  'kvlistValue',
])
const typedLists: ReadonlySet<string> = new Set(['arrayValue', 'kvlistValue'])

export class Path {
  readonly text: string
  /** The names between dots. */
  readonly names: readonly string[]
  /** Where each name begins in the text; then the end of the text plus one. */
  readonly #starts: readonly number[]
  /** By first name and by number of names less one. */
  readonly #keys: (readonly string[])[] | null

  constructor(text: string) {
    this.text = text
    this.names = text.split('.')
    const starts = [0]
    for (const name of this.names) starts.push((starts.at(-1) as number) + name.length + 1)
    this.#starts = starts
    this.#keys = this.length > KEPT_NAMES_MAX ? null : this.names.map((_, from) => this.#keysFrom(from))
  }

  get length(): number {
    return this.names.length
  }

  /** The names from number `from` to before number `to`, as one key. */
  key(from: number, to: number): string {
    if (this.#keys !== null) return (this.#keys[from] as readonly string[])[to - from - 1] as string
    return this.text.slice(this.#starts[from], (this.#starts[to] as number) - 1)
  }

  /** The number of the name after those that `key` spells from number `from` on; -1 if the path has others there. */
  after(from: number, key: string): number {
    const start = this.#starts[from] as number
    if (key === '' || !this.text.startsWith(key, start)) return -1
    const end = start + key.length
    if (end < this.text.length && this.text.charCodeAt(end) !== DOT) return -1
    let to = from
    while ((this.#starts[to] as number) <= end) to++
    return to
  }

  #keysFrom(from: number): readonly string[] {
    return this.names
      .slice(from)
      .map((_, i) => this.text.slice(this.#starts[from], (this.#starts[from + i + 1] as number) - 1))
  }
}

const DOT = 0x2e

/**
 * Gives `taker` the values that the path, from name number `from` on, leads to in `value`. True if there are any.
 * `isEvent`: the value is the event itself.
 */
export function walkPath(value: unknown, path: Path, from: number, taker: PathTaker): boolean {
  if (from === path.length) {
    if (taker.takesNothing !== true && isNothing(value)) return false
    taker.take(value)
    return true
  }
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return walkItems(value, path, from, taker)
  if (!isJsonObject(value)) return false
  for (let to = path.length; to > from; to--) {
    const inner = ownField(value, path.key(from, to))
    if (inner !== undefined && walkPath(inner, path, to, taker)) return true
  }
  return from > 0 && walkPair(value, path, from, taker)
}

function walkItems(items: readonly unknown[], path: Path, from: number, taker: PathTaker): boolean {
  let found = false
  for (const item of items) {
    if (taker.isFull || --taker.itemsLeft < 0) break
    if (walkPath(item, path, from, taker)) found = true
  }
  return found
}

/** Reads an object as a field, if it is a name and a value. */
function walkPair(object: Readonly<Record<string, unknown>>, path: Path, from: number, taker: PathTaker): boolean {
  for (const nameKey of pairNames) {
    const name = ownField(object, nameKey)
    const to = typeof name === 'string' ? path.after(from, name) : -1
    if (to < 0) continue
    for (const valueKey of pairValues) {
      const value = ownField(object, valueKey)
      if (value === undefined) continue
      const plain = typedValue(value)
      if (plain !== value && walkPath(plain, path, to, taker)) return true
      if (walkPath(value, path, to, taker)) return true
    }
  }
  return false
}

/** The name and the value of an object that is such a pair and nothing else; null for any other value. */
export function pairOf(value: unknown): { readonly name: string; readonly value: unknown } | null {
  if (!isJsonObject(value)) return null
  const nameKey = pairNames.find((key) => typeof ownField(value, key) === 'string' && value[key] !== '')
  const valueKey = pairValues.find((key) => ownField(value, key) !== undefined)
  if (nameKey === undefined || valueKey === undefined || Object.keys(value).length > PAIR_KEYS_MAX) return null
  return { name: value[nameKey] as string, value: typedValue(value[valueKey]) }
}

/** Beside a name and a value, a pair may say one thing more, such as a type. */
const PAIR_KEYS_MAX = 3

/** What a value that says its type holds; any other as it is. */
function typedValue(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const [key, ...others] = Object.keys(value)
  if (key === undefined || others.length > 0 || !typedValues.has(key)) return value
  const inner = value[key]
  if (!typedLists.has(key)) return inner
  const items = isJsonObject(inner) ? inner.values : undefined
  return Array.isArray(items) ? items.map(typedValue) : value
}

/** Own fields only, not what every object inherits: apart from `__proto__`, that is always a function. */
function ownField(object: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = object[name]
  return typeof value === 'function' || name === PROTOTYPE ? undefined : value
}

/** True for null, and for objects and lists that hold nothing else: they are the same as no value at all (S33). */
export function isNothing(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined
  if (value === null) return true
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isNothing(value[i])) return false
    return true
  }
  if (!isJsonObject(value)) return false
  for (const name in value) if (!isNothing(value[name])) return false
  return true
}

/** Collects values. */
class Collector implements PathTaker {
  readonly values: unknown[] = []
  readonly isFull = false
  itemsLeft = Number.POSITIVE_INFINITY
  readonly takesNothing: boolean

  constructor(takesNothing: boolean) {
    this.takesNothing = takesNothing
  }

  take(value: unknown): void {
    this.values.push(value)
  }
}

/** All values that a path leads to in an event. With `takesNothing`, null and what holds nothing are values, too. */
export function valuesAt(event: unknown, path: Path, takesNothing = false): readonly unknown[] {
  const found = new Collector(takesNothing)
  walkPath(event, path, 0, found)
  return found.values
}

/** The value that a path leads to in an event: a list where it leads to several, undefined where it leads to none. */
export function valueAt(event: unknown, path: Path | string): unknown {
  const values = valuesAt(event, typeof path === 'string' ? new Path(path) : path)
  return values.length > 1 ? values : values[0]
}
