/**
 * Decision points as a tree of names, in which the scanner finds them while it walks a body.
 *
 * Owns: which bytes of a body each decision point depends on. Leaves out: the value in them (decision-points.ts).
 *
 * 1. Equal bytes at all points mean equal values. Equal values may have different bytes: an array in another order, or
 *    a text that has become a word since. A path that ends early at a value says so: that value is not the point's.
 * 2. The tree follows plain paths only: one name at each object. Where a body has a key that is several names of a
 *    path, or an object that may be a name and a value, and a point without a value, the path may lead elsewhere
 *    (path.ts). The tree says so, and the body is left to the slow reader.
 */
import { TAG_ABSENT, TAG_ARRAY, TAG_BROKEN_OFF, TAG_NULL, TAG_OBJECT } from './body-format.js'
import { hashBytes, viewOfBytes } from './byte-table.js'
import { pairValues, Path } from './path.js'
import type { ShapeNode } from './shape-tree.js'

export class PointNode {
  /** The point that ends here, or -1. */
  point = -1
  /** All points at and below this node. */
  readonly points: number[] = []
  /** How many names lead here. */
  readonly depth: number
  /** The key is several names of a path. */
  readonly isDotted: boolean
  /** The key may be that of the value of a pair. */
  isPairValue: boolean
  /** Null where no path goes on: most nodes are the end of one. */
  #children: Map<string, PointNode> | null = null
  /** By id of the shape node: the child that its name leads to, null for none, undefined if not known yet. */
  readonly #steps: (PointNode | null | undefined)[] = []

  constructor(depth = 0, { isDotted = false, isPairValue = false } = {}) {
    this.depth = depth
    this.isDotted = isDotted
    this.isPairValue = isPairValue
  }

  /** Each once. */
  get children(): readonly PointNode[] {
    return this.#children === null ? [] : [...new Set(this.#children.values())]
  }

  /** A node that only says what a key may mean. A child that a path goes through stays. */
  mark(key: string, node: PointNode): void {
    const known = this.named(key)
    if (known === null) (this.#children ??= new Map()).set(key, node)
    else if (node.isPairValue) known.isPairValue = true
  }

  child(name: string): PointNode {
    this.#children ??= new Map()
    let node = this.#children.get(name)
    if (node === undefined || node.points.length === 0) {
      node = new PointNode(this.depth + 1, { isPairValue: node?.isPairValue ?? false })
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

const dotted = new PointNode(0, { isDotted: true })
const pairValue = new PointNode(0, { isPairValue: true })
/** A path of more names has very many keys. Bodies of its job are left to the slow reader. */
const NAMES_MAX = 16

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
  /** False: the values of no body can be found by this tree. */
  readonly isUsable: boolean
  /** The body has an object that may be a name and a value. */
  #hasPairs = false

  /** Keys of trees with different numbers, of 32 bits, differ. */
  constructor(points: readonly string[], number = 0) {
    this.#number = number
    this.#starts = new Int32Array(points.length)
    this.#ends = new Int32Array(points.length)
    this.#depths = new Int32Array(points.length)
    this.#lengths = new Int32Array(points.length)
    const paths = points.map((text) => new Path(text))
    this.isUsable = paths.every(({ length }) => length <= NAMES_MAX)
    for (const [point, path] of paths.entries()) {
      this.#lengths[point] = path.length
      let node = this.root
      for (const [at, name] of path.names.entries()) {
        if (this.isUsable) markOthers(node, path, at)
        node = node.child(name)
        node.points.push(point)
      }
      node.point = point
    }
  }

  /** Begins a new body. */
  reset(): void {
    this.#starts.fill(-1)
    this.#hasPairs = false
  }

  /** Notes the bytes of a value that the tree leads to. */
  mark(node: PointNode, bytes: Uint8Array, start: number, end: number): void {
    if (node.isPairValue) this.#hasPairs = true
    if (bytes[start] === TAG_OBJECT) {
      if (node.point >= 0) this.#set(node.point, node.depth, start, end)
      return
    }
    // Anything but an object ends every path through it, so the value of each lies in these bytes.
    for (let i = 0; i < node.points.length; i++) this.#set(node.points[i] as number, node.depth, start, end)
  }

  /** False where a point has no value in these bytes, and an object of the body that is a pair may have it. */
  isSure(bytes: Uint8Array): boolean {
    if (!this.#hasPairs) return true
    for (let point = 0; point < this.#starts.length; point++) {
      const start = this.#starts[point] as number
      if (start < 0 || (this.#depths[point] as number) < (this.#lengths[point] as number)) return false
      const tag = bytes[start] as number
      if (tag === TAG_NULL || tag === TAG_OBJECT || tag === TAG_ARRAY) return false
    }
    return true
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

/** Marks what else may lead on from a node: keys of several names, and pairs. */
function markOthers(node: PointNode, path: Path, at: number): void {
  for (let to = at + 2; to <= path.length; to++) node.mark(path.key(at, to), dotted)
  if (at > 0) for (const key of pairValues) node.mark(key, pairValue)
}
