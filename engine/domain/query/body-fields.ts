/**
 * Reads the values at paths of a body from its bytes (event/body-format.ts), without building an object.
 *
 * Owns: one walk that finds all paths of a query. Leaves out: which path counts for a field (query/record-fields.ts).
 *
 * 1. A walk ends after the last field that the query needs, if the body's shape tells which one that is. A body whose
 *    shape has none of the fields is not walked.
 * 2. On a path, an array is walked item by item. At the end of a path, each item of an array is a value. An object
 *    there is no value, but its content makes the path present.
 */
import { BodyCursor } from '../event/body-cursor.js'
import { TAG_ARRAY, TAG_LONG_ARRAY, TAG_LONG_NAMED, TAG_NAMED, TAG_OBJECT } from '../event/body-format.js'
import { WrittenNumber } from '../event/json.js'
import type { ScalarValue } from '../event/point-value.js'
import type { ShapeTree } from '../event/shape-tree.js'
import type { Words } from '../event/words.js'
import type { BodyPath } from './field.js'

/** By field of one shape: the node that it leads to from one node. */
interface Plan {
  readonly steps: readonly (PathNode | null)[]
  /** The last field that leads anywhere, or -1. */
  readonly last: number
}

class PathNode {
  slot = -1
  readonly #children = new Map<string, PathNode>()
  readonly #plans: (Plan | undefined)[] = []

  child(name: string): PathNode {
    let node = this.#children.get(name)
    if (node === undefined) this.#children.set(name, (node = new PathNode()))
    return node
  }

  step(name: string): PathNode | null {
    return this.#children.get(name) ?? null
  }

  plan(shape: number, names: readonly string[]): Plan {
    const known = this.#plans[shape]
    if (known !== undefined) return known
    const steps = names.map((name) => this.step(name))
    const plan = { steps, last: steps.findLastIndex((step) => step !== null) }
    while (this.#plans.length < shape) this.#plans.push(undefined)
    this.#plans[shape] = plan
    return plan
  }
}

const noValues: readonly ScalarValue[] = []

export class BodyFields extends BodyCursor {
  readonly #root = new PathNode()
  readonly #values: ScalarValue[][]
  readonly #present: Uint8Array
  /** The slot of the values of the whole body, or -1. */
  readonly #whole: number
  #shapes!: ShapeTree
  #words!: Words

  constructor(paths: readonly BodyPath[]) {
    super()
    this.#whole = paths.findIndex(({ whole }) => whole === true)
    for (const [slot, { names }] of paths.entries()) {
      if (slot === this.#whole) continue
      let node = this.#root
      for (const name of names) node = node.child(name)
      node.slot = slot
    }
    this.#values = paths.map(() => [])
    this.#present = new Uint8Array(paths.length)
  }

  /** Reads the values of a body. @throws Error for an unknown shape or word. */
  walk(bytes: Buffer, shapes: ShapeTree, words: Words): void {
    this.clear()
    this.#shapes = shapes
    this.#words = words
    this.bytes = bytes
    this.at = 0
    this.#value(this.#root, true)
    if (this.#whole < 0) return
    this.at = 0
    this.#gather(this.#values[this.#whole] as ScalarValue[])
    this.#present[this.#whole] = 1
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
    let present: boolean
    if (tag === TAG_OBJECT) present = this.#object(node, mayStop && node.slot < 0)
    else if (tag === TAG_ARRAY || tag === TAG_LONG_ARRAY) present = this.#array(node)
    else if (tag === TAG_NAMED || tag === TAG_LONG_NAMED) present = this.#named(node)
    else if (node.slot < 0) present = this.skip(this.#shapes)
    else {
      const value = this.#scalar()
      present = value !== null
      if (value !== null) (this.#values[node.slot] as ScalarValue[]).push(value)
    }
    if (present && node.slot >= 0) this.#present[node.slot] = 1
    return present
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
    const { steps, last } = node.plan(shape, names)
    let present = false
    for (let i = 0; i < names.length; i++) {
      if (mayStop && i > last) return true
      const step = steps[i] as PathNode | null
      if (step === null ? this.skip(this.#shapes) : this.#value(step, mayStop && i === last)) present = true
    }
    return present
  }

  /** Reads a tag and the count or the shape behind it. */
  #counted(): number {
    const tag = this.bytes[this.at++] as number
    return tag === TAG_LONG_ARRAY || tag === TAG_LONG_NAMED ? this.longCount() : this.count()
  }

  #array(node: PathNode): boolean {
    let present = false
    for (let left = this.#counted(); left > 0; left--) if (this.#value(node, false)) present = true
    return present
  }

  #named(node: PathNode): boolean {
    let present = false
    for (let left = this.#counted(); left > 0; left--) {
      const step = node.step(this.#scalar() as string)
      if (step === null ? this.skip(this.#shapes) : this.#value(step, false)) present = true
    }
    return present
  }

  #scalar(): ScalarValue | null {
    const value = this.scalar(this.bytes[this.at++] as number, this.#words)
    return value instanceof WrittenNumber ? value.value : value
  }
}
