/**
 * Finds the bytes of the decision points in the stored bytes of a body, without building an object: what the scanner
 * finds in the text of a request.
 *
 * Leaves out: bodies with an unusual object on the way to a point, and those in which a path may lead elsewhere
 * (point-tree.ts). They are to be decoded.
 */
import { BodyCursor } from './body-cursor.js'
import { TAG_LONG_NAMED, TAG_NAMED, TAG_OBJECT } from './body-format.js'
import { PointTree, type PointKey, type PointNode } from './point-tree.js'
import type { ShapeTree } from './shape-tree.js'

/** By field of one shape: the node of the tree that it leads to from one node, or null; and the last that has one. */
interface Steps {
  readonly nodes: readonly (PointNode | null)[]
  readonly last: number
}

export class StoredPoints extends BodyCursor {
  readonly #tree: PointTree
  /** By node, then by shape. */
  readonly #steps = new Map<PointNode, (Steps | undefined)[]>()

  constructor(points: readonly string[]) {
    super()
    this.#tree = new PointTree(points)
  }

  /**
   * The bytes at all points of a body, valid until the next one; null where it is to be decoded.
   * @throws Error for an unknown shape.
   */
  key(bytes: Buffer, shapes: ShapeTree): PointKey | null {
    const tree = this.#tree
    tree.reset()
    this.bytes = bytes
    this.at = 0
    if (!tree.isUsable || bytes[0] !== TAG_OBJECT || !this.#object(tree.root, shapes)) return null
    return tree.isSure(bytes) ? tree.key(bytes) : null
  }

  /** False where an object is unusual. At the root it stops after the last field that leads to a point. */
  #object(node: PointNode, shapes: ShapeTree): boolean {
    this.at++
    const shape = this.count()
    const { nodes, last } = this.#stepsOf(node, shape, shapes)
    for (let i = 0; i < nodes.length; i++) {
      if (node.depth === 0 && i > last) return true
      const step = nodes[i] as PointNode | null
      if (step === null) {
        this.skip(shapes)
        continue
      }
      const start = this.at
      const tag = this.bytes[start] as number
      if (step.isDotted || tag === TAG_NAMED || tag === TAG_LONG_NAMED) return false
      if (tag !== TAG_OBJECT) this.skip(shapes)
      else if (!this.#object(step, shapes)) return false
      this.#tree.mark(step, this.bytes, start, this.at)
    }
    return true
  }

  #stepsOf(node: PointNode, shape: number, shapes: ShapeTree): Steps {
    let byShape = this.#steps.get(node)
    if (byShape === undefined) this.#steps.set(node, (byShape = []))
    const known = byShape[shape]
    if (known !== undefined) return known
    const nodes = shapes.names(shape).map((name) => node.named(name))
    const steps = { nodes, last: nodes.findLastIndex((step) => step !== null) }
    // Filled from the start: an array with holes would be slow.
    while (byShape.length < shape) byShape.push(undefined)
    byShape[shape] = steps
    return steps
  }
}
