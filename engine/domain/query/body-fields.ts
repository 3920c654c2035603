/**
 * Reads the values at paths of a body from its bytes (event/body-format.ts), without building an object.
 *
 * Owns: one walk that finds all paths of a query, as event/path.ts would in the decoded body. Leaves out: which path
 * counts for a field (query/record-fields.ts).
 *
 * 1. A walk ends after the last field that the query needs, if the body's shape tells which one that is. A body whose
 *    shape has none of the fields is not walked.
 * 2. At the end of a path, each item of an array is a value. An object there is no value, but its content makes the
 *    path present.
 * 3. A path has a way for each spelling of its keys, in the order in which event/path.ts tries them. The first way that
 *    is present counts.
 * 4. Inside of arrays each item would choose its own way, and pairs of names and values are no fields. A body in which
 *    this may count is decoded, and read by event/path.ts.
 * 5. A whole number beyond 53 bits is the text of its digits.
 */
import { BodyCursor } from '../event/body-cursor.js'
import { TAG_ARRAY, TAG_LONG_ARRAY, TAG_LONG_NAMED, TAG_NAMED, TAG_OBJECT } from '../event/body-format.js'
import { BodyReader } from '../event/body-reader.js'
import { isJsonObject, WrittenNumber } from '../event/json.js'
import { pairNames, pairValues, Path, walkPath, type PathTaker } from '../event/path.js'
import type { ScalarValue } from '../event/point-value.js'
import type { ShapeTree } from '../event/shape-tree.js'
import type { Words } from '../event/words.js'
import type { BodyPath } from './field.js'
import { comparedNumber } from './scalar.js'

/** Paths of more names have too many ways. Of them, keys with dots are left to event/path.ts. */
const NAMES_MAX = 6

const namesOfPairs: ReadonlySet<string> = new Set(pairNames)
const valuesOfPairs: ReadonlySet<string> = new Set(pairValues)

function hasPair(names: readonly string[]): boolean {
  return names.some((name) => valuesOfPairs.has(name)) && names.some((name) => namesOfPairs.has(name))
}

/** By field of one shape: the node that it leads to from one node. */
interface Plan {
  readonly steps: readonly (PathNode | null)[]
  /** The last field that leads anywhere, or -1. */
  readonly last: number
  /** The object may be a name and a value. */
  readonly hasPair: boolean
}

/** Where a way of a path ends. */
interface End {
  readonly slot: number
  /** The place of the way among those of its path. */
  readonly rank: number
}

class PathNode {
  readonly ends: End[] = []
  /** The key that leads here is several names of a path. */
  readonly isDotted: boolean
  /** A path of very many names has this key. */
  isLong = false
  readonly #children = new Map<string, PathNode>()
  readonly #plans: (Plan | undefined)[] = []

  constructor(isDotted = false) {
    this.isDotted = isDotted
  }

  get isInner(): boolean {
    return this.#children.size > 0
  }

  child(name: string): PathNode {
    let node = this.#children.get(name)
    if (node === undefined) this.#children.set(name, (node = new PathNode(name.includes('.'))))
    return node
  }

  step(name: string): PathNode | null {
    return this.#children.get(name) ?? null
  }

  plan(shape: number, names: readonly string[]): Plan {
    const known = this.#plans[shape]
    if (known !== undefined) return known
    const steps = names.map((name) => this.step(name))
    const plan = {
      steps,
      last: steps.findLastIndex((step) => step !== null),
      hasPair: this.isInner && hasPair(names),
    }
    while (this.#plans.length < shape) this.#plans.push(undefined)
    this.#plans[shape] = plan
    return plan
  }
}

/** Adds the ways of a path, in the order in which event/path.ts tries them. */
function addWays(root: PathNode, path: Path, slot: number): void {
  let rank = 0
  const add = (node: PathNode, from: number): void => {
    if (from === path.length) {
      node.ends.push({ slot, rank: rank++ })
      return
    }
    for (let to = path.length; to > from; to--) add(node.child(path.key(from, to)), to)
  }
  if (path.length <= NAMES_MAX) return add(root, 0)
  // Keys with dots lead to a node that ends nothing, so they are only noticed.
  let node = root
  for (let from = 0; from < path.length; from++) {
    for (let to = from + 2; to <= path.length; to++) node.child(path.key(from, to)).isLong = true
    node = node.child(path.names[from] as string)
  }
  node.ends.push({ slot, rank })
}

/** What event/path.ts finds at one path. */
class Found implements PathTaker {
  readonly isFull = false
  itemsLeft = Number.POSITIVE_INFINITY
  readonly #values: ScalarValue[]

  constructor(values: ScalarValue[]) {
    this.#values = values
  }

  take(value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.take(item)
    } else if (!isJsonObject(value) && value !== null) this.#values.push(scalarOf(value as ScalarValue | WrittenNumber))
  }
}

function scalarOf(value: ScalarValue | WrittenNumber): ScalarValue {
  return typeof value === 'number' || value instanceof WrittenNumber ? comparedNumber(value) : value
}

const noValues: readonly ScalarValue[] = []

export class BodyFields extends BodyCursor {
  readonly #root = new PathNode()
  readonly #paths: readonly (Path | null)[]
  readonly #values: ScalarValue[][]
  readonly #present: Uint8Array
  /** By slot: the rank of the best way that is present. */
  readonly #ranks: Int32Array
  /** The slot of the values of the whole body, or -1. */
  readonly #whole: number
  #shapes!: ShapeTree
  #words!: Words
  #reader: BodyReader | null = null
  /** The body must be decoded; and where a path leads nowhere. */
  #isOdd = false
  #hasPairs = false
  /** Arrays around the position. */
  #arrays = 0

  constructor(paths: readonly BodyPath[]) {
    super()
    this.#whole = paths.findIndex(({ whole }) => whole === true)
    this.#paths = paths.map(({ text }, slot) => (slot === this.#whole ? null : new Path(text)))
    for (const [slot, path] of this.#paths.entries()) if (path !== null) addWays(this.#root, path, slot)
    this.#values = paths.map(() => [])
    this.#present = new Uint8Array(paths.length)
    this.#ranks = new Int32Array(paths.length)
  }

  /** Reads the values of a body that begins at `from`. @throws Error for an unknown shape or word. */
  walk(bytes: Buffer, shapes: ShapeTree, words: Words, from = 0): void {
    this.clear()
    if (this.#shapes !== shapes || this.#words !== words) this.#reader = null
    this.#shapes = shapes
    this.#words = words
    this.bytes = bytes
    this.at = from
    this.#isOdd = this.#hasPairs = false
    this.#arrays = 0
    this.#value(this.#root, true)
    if (this.#isOdd || (this.#hasPairs && this.#lacksAny())) this.#decode(bytes.subarray(from))
    if (this.#whole < 0) return
    this.at = from
    this.#gather(this.#values[this.#whole] as ScalarValue[])
    this.#present[this.#whole] = 1
  }

  #lacksAny(): boolean {
    for (let slot = 0; slot < this.#present.length; slot++)
      if (slot !== this.#whole && this.#present[slot] === 0) return true
    return false
  }

  #decode(bytes: Buffer): void {
    this.#reader ??= new BodyReader(this.#shapes, this.#words)
    const body = this.#reader.read(bytes)
    for (const [slot, path] of this.#paths.entries()) {
      if (path === null) continue
      const values = this.#values[slot] as ScalarValue[]
      values.length = 0
      this.#present[slot] = walkPath(body, path, 0, new Found(values)) ? 1 : 0
    }
  }

  /** Forgets the latest body. */
  clear(): void {
    for (let slot = 0; slot < this.#values.length; slot++) {
      if ((this.#values[slot] as ScalarValue[]).length > 0) (this.#values[slot] as ScalarValue[]).length = 0
    }
    this.#present.fill(0)
  }

  /** The values at a path, valid until the next walk. */
  values(slot: number): readonly ScalarValue[] {
    return this.#values[slot] ?? noValues
  }

  /** True if anything but null, empty objects and empty arrays is at the path or below it. */
  has(slot: number): boolean {
    return this.#present[slot] === 1
  }

  /** Walks one value. True if it is present. With `mayStop`, nothing after it is needed. */
  #value(node: PathNode, mayStop: boolean): boolean {
    const tag = this.bytes[this.at] as number
    const { ends } = node
    let present: boolean
    if (tag === TAG_OBJECT) present = this.#object(node, mayStop && ends.length === 0)
    else if (tag === TAG_ARRAY || tag === TAG_LONG_ARRAY) present = this.#array(node)
    else if (tag === TAG_NAMED || tag === TAG_LONG_NAMED) present = this.#named(node)
    else if (ends.length === 0) return this.skip(this.#shapes)
    else {
      const value = this.#scalar()
      if (value !== null)
        for (let i = 0; i < ends.length; i++)
          if (this.#counts(ends[i] as End)) (this.#values[(ends[i] as End).slot] as ScalarValue[]).push(value)
      return value !== null
    }
    if (present) for (let i = 0; i < ends.length; i++) this.#counts(ends[i] as End)
    return present
  }

  /** A way is present. False where an earlier one is. */
  #counts({ slot, rank }: End): boolean {
    const best = this.#present[slot] === 1 ? (this.#ranks[slot] as number) : Number.POSITIVE_INFINITY
    if (rank > best) return false
    if (rank < best) {
      ;(this.#values[slot] as ScalarValue[]).length = 0
      this.#present[slot] = 1
      this.#ranks[slot] = rank
    }
    return true
  }

  #gather(into: ScalarValue[]): void {
    const tag = this.bytes[this.at] as number
    if (tag < TAG_OBJECT || tag > TAG_LONG_NAMED) {
      const value = this.#scalar()
      if (value !== null) into.push(value)
      return
    }
    const count = this.#counted()
    for (let left = tag === TAG_OBJECT ? this.#shapes.names(count).length : count; left > 0; left--) {
      if (tag === TAG_NAMED || tag === TAG_LONG_NAMED) this.skip(this.#shapes)
      this.#gather(into)
    }
  }

  #object(node: PathNode, mayStop: boolean): boolean {
    this.at++
    const shape = this.count()
    const names = this.#shapes.names(shape)
    const plan = node.plan(shape, names)
    const { steps, last } = plan
    if (plan.hasPair && node !== this.#root) this.#notePair()
    let present = false
    for (let i = 0; i < names.length; i++) {
      if (mayStop && i > last) return true
      const step = steps[i] as PathNode | null
      if (step !== null) this.#noteStep(step)
      if (step === null ? this.skip(this.#shapes) : this.#value(step, mayStop && i === last)) present = true
    }
    return present
  }

  #notePair(): void {
    this.#hasPairs = true
    if (this.#arrays > 0) this.#isOdd = true
  }

  #noteStep(step: PathNode): void {
    if (step.isLong || (step.isDotted && this.#arrays > 0)) this.#isOdd = true
  }

  /** Reads a tag and the count or the shape behind it. */
  #counted(): number {
    const tag = this.bytes[this.at++] as number
    return tag === TAG_LONG_ARRAY || tag === TAG_LONG_NAMED ? this.longCount() : this.count()
  }

  #array(node: PathNode): boolean {
    let present = false
    this.#arrays++
    for (let left = this.#counted(); left > 0; left--) if (this.#value(node, false)) present = true
    this.#arrays--
    return present
  }

  #named(node: PathNode): boolean {
    let present = false
    for (let left = this.#counted(); left > 0; left--) {
      const name = String(this.#scalar())
      const step = node.step(name)
      if (step !== null) this.#noteStep(step)
      if (node.isInner && node !== this.#root && valuesOfPairs.has(name)) this.#notePair()
      if (step === null ? this.skip(this.#shapes) : this.#value(step, false)) present = true
    }
    return present
  }

  #scalar(): ScalarValue | null {
    const value = this.scalar(this.bytes[this.at++] as number, this.#words)
    return value === null ? null : scalarOf(value)
  }
}
