/**
 * Decision trees in typed arrays, two integers for each node.
 *
 * A split has a column and a code: events above the code go right. Its left child is the next node, its right child is
 * named. A leaf names the place of its numbers in `values`. Their meaning is up to the grower.
 *
 * 1. Children come after their parents, so a walk ends.
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'

const codeBits = 8
const codeMask = 0xff

export interface FlatTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array
  /**
   * A split is column * 256 + code (there are far fewer than 2^22 columns), and the right child. A leaf is -1, and
   * where its numbers start.
   */
  readonly nodes: Int32Array
  readonly values: Float32Array
}

/** The leaf of an event with these codes: where its numbers start. */
export function leafOf(nodes: Int32Array, root: number, codes: Uint8Array): number {
  let at = root << 1
  for (;;) {
    const split = nodes[at] as number
    if (split < 0) return nodes[at + 1] as number
    at = (codes[split >> codeBits] as number) > (split & codeMask) ? (nodes[at + 1] as number) << 1 : at + 2
  }
}

/** Collects trees while they grow. */
export class TreeBuilder {
  #nodes = new Int32Array(1024)
  #values = new Float32Array(256)
  #valueCount = 0
  #nodeCount = 0
  readonly #roots: number[] = []
  /** Where the numbers of shared leaves start, by key. */
  readonly #shared = new Map<number, number>()

  /** The number of nodes, which is the index of the next one. */
  get nodeCount(): number {
    return this.#nodeCount
  }

  startTree(): void {
    this.#roots.push(this.#nodeCount)
  }

  #node(first: number, second: number): number {
    const at = this.#nodeCount * 2
    if (at + 2 > this.#nodes.length) {
      const grown = new Int32Array(this.#nodes.length * 2)
      grown.set(this.#nodes)
      this.#nodes = grown
    }
    this.#nodes[at] = first
    this.#nodes[at + 1] = second
    return this.#nodeCount++
  }

  /** Adds a split; its left child comes next, its right child later. */
  split(column: number, code: number): number {
    return this.#node((column << codeBits) | code, 0)
  }

  /** The next node is the right child of `node`. */
  rightComes(node: number): void {
    this.#nodes[node * 2 + 1] = this.#nodeCount
  }

  /** Adds a leaf with these numbers. */
  leaf(numbers: Float64Array): void {
    this.#node(-1, this.#store(numbers))
  }

  /** Adds a leaf that shares its numbers with others of the same key. */
  sharedLeaf(key: number, numbers: Float64Array): void {
    const known = this.#shared.get(key)
    const at = known ?? this.#store(numbers)
    if (known === undefined) this.#shared.set(key, at)
    this.#node(-1, at)
  }

  #store(numbers: Float64Array): number {
    const at = this.#valueCount
    this.#valueCount += numbers.length
    if (this.#valueCount > this.#values.length) {
      const grown = new Float32Array(Math.max(this.#valueCount, this.#values.length * 2))
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values.set(numbers, at)
    return at
  }

  /** The nodes and values so far, without a copy. Valid until the next change. */
  view(): { nodes: Int32Array; values: Float32Array } {
    return { nodes: this.#nodes, values: this.#values }
  }

  finish(): FlatTrees {
    return {
      roots: Int32Array.from(this.#roots),
      nodes: this.#nodes.slice(0, this.#nodeCount * 2),
      values: this.#values.slice(0, this.#valueCount),
    }
  }
}

export function writeTrees(trees: FlatTrees, to: ModelWriter): void {
  to.u32s(trees.roots)
  to.u32s(trees.nodes)
  to.f32s(trees.values)
}

export function readTrees(from: ModelReader): FlatTrees {
  return { roots: Int32Array.from(from.u32s()), nodes: Int32Array.from(from.u32s()), values: from.f32s() }
}
