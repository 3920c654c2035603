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
   * where its numbers start. Valid until the next decision, which may move them (placed-trees.ts).
   */
  readonly nodes: Int32Array
  readonly values: Float32Array
}

/** A tree that knows nothing: each class has the same share. */
export function singleLeaf(classCount: number): FlatTrees {
  const values = new Float32Array(classCount).fill(1 / classCount)
  return { roots: Int32Array.of(0), nodes: Int32Array.of(-1, 0), values }
}

/** A part of the trees: `end` is behind the last one. */
export interface TreeRange {
  readonly start: number
  readonly end: number
}

let buffer = new Int32Array(512)

/** Memory for findLeaves, valid until the next call. */
export function leavesFor({ start, end }: TreeRange): Int32Array {
  if (buffer.length < end - start) buffer = new Int32Array(end - start)
  return buffer
}

/**
 * Fills `leaves` with the leaf of an event with these codes in each tree of the range: where its numbers start.
 *
 * Four trees are walked side by side. Nodes lie far apart in memory, and the processor fetches those of the other three
 * while it waits for one.
 */
export function findLeaves({ roots, nodes }: FlatTrees, range: TreeRange, codes: Uint8Array, leaves: Int32Array): void {
  const { start, end } = range
  let tree = start
  for (; tree + 3 < end; tree += 4) {
    let a = (roots[tree] as number) << 1
    let b = (roots[tree + 1] as number) << 1
    let c = (roots[tree + 2] as number) << 1
    let d = (roots[tree + 3] as number) << 1
    let splitA = nodes[a] as number
    let splitB = nodes[b] as number
    let splitC = nodes[c] as number
    let splitD = nodes[d] as number
    while ((splitA & splitB & splitC & splitD) >= 0) {
      if (splitA >= 0) splitA = nodes[(a = childOf(nodes, a, splitA, codes))] as number
      if (splitB >= 0) splitB = nodes[(b = childOf(nodes, b, splitB, codes))] as number
      if (splitC >= 0) splitC = nodes[(c = childOf(nodes, c, splitC, codes))] as number
      if (splitD >= 0) splitD = nodes[(d = childOf(nodes, d, splitD, codes))] as number
    }
    const at = tree - start
    leaves[at] = nodes[a + 1] as number
    leaves[at + 1] = nodes[b + 1] as number
    leaves[at + 2] = nodes[c + 1] as number
    leaves[at + 3] = nodes[d + 1] as number
  }
  for (; tree < end; tree++) leaves[tree - start] = leafOf(nodes, roots[tree] as number, codes)
}

function leafOf(nodes: Int32Array, root: number, codes: Uint8Array): number {
  let at = root << 1
  for (let split = nodes[at] as number; split >= 0; split = nodes[at] as number) at = childOf(nodes, at, split, codes)
  return nodes[at + 1] as number
}

/** Without a branch: which child comes next is as good as chance, and each wrong guess costs some 15 cycles. */
function childOf(nodes: Int32Array, at: number, split: number, codes: Uint8Array): number {
  const left = at + 2
  const goesRight = ((split & codeMask) - (codes[split >> codeBits] as number)) >> 31
  return left + (goesRight & (((nodes[at + 1] as number) << 1) - left))
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
  return { roots: from.i32s(), nodes: from.i32s(), values: from.f32s() }
}
