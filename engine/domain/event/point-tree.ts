/**
 * Decision points as a tree of names, in which the scanner finds them while it walks a body.
 *
 * Owns: which bytes of a body each decision point depends on. Leaves out: the value in them (decision-points.ts).
 *
 * 1. Equal bytes at all points mean equal values. Equal values may have different bytes: an array in another order, or
 *    a text that has become a word since. A path that ends early at a value says so: that value is not the point's.
 * 2. If a body has a top-level field named like a whole path, the rule for flattened documents may apply. The tree says
 *    so, and the scanner leaves the body to the writer.
 */
import { TAG_ABSENT, TAG_BROKEN_OFF, TAG_OBJECT } from './body-format.js'
import { hashBytes, viewOfBytes } from './byte-table.js'
import type { ShapeNode } from './shape-tree.js'

export class PointNode {
  /** The point that ends here, or -1. */
  point = -1
  /** All points at and below this node. */
  readonly points: number[] = []
  /** How many names lead here. */
  readonly depth: number
  /** This top-level name is the text of a whole path. */
  flattened = false
  /** Null where no path goes on: most nodes are the end of one. */
  #children: Map<string, PointNode> | null = null
  /** By id of the shape node: the child that its name leads to, null for none, undefined if not known yet. */
  readonly #steps: (PointNode | null | undefined)[] = []

  constructor(depth = 0) {
    this.depth = depth
  }

  get children(): readonly PointNode[] {
    return this.#children === null ? [] : [...this.#children.values()]
  }

  child(name: string): PointNode {
    this.#children ??= new Map()
    let node = this.#children.get(name)
    if (node === undefined) {
      node = new PointNode(this.depth + 1)
      this.#children.set(name, node)
    }
    return node
  }

  /** The child of that name, or null. */
  named(name: string): PointNode | null {
    return this.#children?.get(name) ?? null
  }

  /** The child that the field of a shape node leads to, or null. */
  step(field: ShapeNode): PointNode | null {
    if (this.#children === null) return null
    const known = this.#steps[field.id]
    if (known !== undefined) return known
    const node = this.named(field.name)
    // Filled from the start: an array with holes would be slow.
    while (this.#steps.length < field.id) this.#steps.push(undefined)
    this.#steps[field.id] = node
    return node
  }
}

/** The number of the tree, then the bytes at all points, one after the other; valid until the next body. */
export interface PointKey {
  readonly view: DataView
  readonly length: number
  readonly hash: number
}

const KEY_BYTES_MAX = 1024
/** Of the last body of any tree. */
const keyBytes = Buffer.allocUnsafeSlow(KEY_BYTES_MAX)
const keyView = viewOfBytes(keyBytes)

export class PointTree {
  readonly root = new PointNode()
  readonly #number: number
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #depths: Int32Array
  /** How many names the whole path has, by point. */
  readonly #lengths: Int32Array
  readonly #key = { view: keyView, length: 0, hash: 0 }

  /** Keys of trees with different numbers, of 32 bits, differ. */
  constructor(points: readonly string[], number = 0) {
    this.#number = number
    this.#starts = new Int32Array(points.length)
    this.#ends = new Int32Array(points.length)
    this.#depths = new Int32Array(points.length)
    this.#lengths = new Int32Array(points.length)
    for (const [point, path] of points.entries()) {
      const names = path.split('.')
      this.#lengths[point] = names.length
      let node = this.root
      for (const name of names) {
        node = node.child(name)
        node.points.push(point)
      }
      node.point = point
      if (names.length > 1) this.root.child(path).flattened = true
    }
  }

  /** Begins a new body. */
  reset(): void {
    this.#starts.fill(-1)
  }

  /** Notes the bytes of a value that the tree leads to. */
  mark(node: PointNode, bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === TAG_OBJECT) {
      if (node.point >= 0) this.#set(node.point, node.depth, start, end)
      return
    }
    // Anything but an object ends every path through it, so the value of each lies in these bytes.
    for (let i = 0; i < node.points.length; i++) this.#set(node.points[i] as number, node.depth, start, end)
  }

  /** Where the bytes that a point depends on begin in the last body; -1 for none. */
  startOf(point: number): number {
    return this.#starts[point] as number
  }

  /** How many names of the point's path lead to these bytes. */
  depthOf(point: number): number {
    return this.#depths[point] as number
  }

  /** The bytes at all points; null if they are too many to be worth remembering. */
  key(bytes: Buffer): PointKey | null {
    const key = keyBytes
    let at = key.writeUInt32LE(this.#number)
    for (let point = 0; point < this.#starts.length; point++) {
      const start = this.#starts[point] as number
      if (start < 0) {
        if (at + 1 > KEY_BYTES_MAX) return null
        key[at++] = TAG_ABSENT
        continue
      }
      const end = this.#ends[point] as number
      if (at + 3 + end - start > KEY_BYTES_MAX) return null
      const depth = this.#depths[point] as number
      if (depth < (this.#lengths[point] as number)) {
        key[at++] = TAG_BROKEN_OFF
        key[at++] = depth >>> 8
        key[at++] = depth & 0xff
      }
      for (let i = start; i < end; i++) key[at++] = bytes[i] as number
    }
    this.#key.length = at
    this.#key.hash = hashBytes(this.#key.view, 0, at)
    return this.#key
  }

  #set(point: number, depth: number, start: number, end: number): void {
    this.#depths[point] = depth
    this.#starts[point] = start
    this.#ends[point] = end
  }
}
