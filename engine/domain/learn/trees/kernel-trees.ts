/**
 * The trees of a model in the kernel's memory: predictForest and predictBoosting by WebAssembly, with the same bits.
 */
import { assert } from '../../../assert.js'
import { Cutter, scratchBytes, type Block, type Kernel } from '../kernel/kernel.js'
import { treesTogether } from '../kernel/tree-code.js'
import { softmax } from '../linear/logistic.js'
import { treesPerRound } from './boosted-trees.js'
import type { FlatTrees } from './flat-trees.js'
import { scaleShares } from './forest.js'
import { liveIn } from './placed-trees.js'

/** Half of the scratch memory is for the codes, half for the leaves. */
const codesMax = scratchBytes / 2 - 64
const treesMax = scratchBytes / 8

/** Addresses of trees. */
interface Place {
  readonly nodes: number
  readonly roots: number
  readonly rootsEnd: number
  readonly values: number
  readonly treeCount: number
}

/** The roots, with the last one again up to a number of trees that are walked together. */
function paddedRoots({ roots }: FlatTrees): Int32Array {
  const count = Math.ceil(roots.length / treesTogether) * treesTogether
  return Int32Array.from({ length: count }, (_, tree) => roots[Math.min(tree, roots.length - 1)] as number)
}

export class KernelTrees {
  readonly #kernel: Kernel
  readonly #block: Block
  readonly #places: readonly Place[]
  readonly #codes: number
  readonly #leaves: number

  private constructor(kernel: Kernel, block: Block, all: readonly FlatTrees[]) {
    this.#kernel = kernel
    this.#block = block
    this.#codes = kernel.scratch
    this.#leaves = scratchBytes / 2
    const cutter = new Cutter(block.start)
    this.#places = all.map((trees) => {
      const roots = paddedRoots(trees)
      const place = {
        nodes: cutter.take(trees.nodes.byteLength),
        roots: cutter.take(roots.byteLength),
        values: cutter.take(trees.values.byteLength),
      }
      kernel.ints.set(trees.nodes, place.nodes / 4)
      kernel.ints.set(roots, place.roots / 4)
      kernel.floats.set(trees.values, place.values / 4)
      return { ...place, rootsEnd: place.roots + roots.byteLength, treeCount: trees.roots.length }
    })
    liveIn(kernel, block, all, this.#places)
  }

  /** Moves forests and boosted trees into the kernel's memory; null where they do not fit. */
  static of(kernel: Kernel, forests: readonly FlatTrees[], boosting: FlatTrees): KernelTrees | null {
    const all = [...forests, boosting]
    if (all.some(({ roots }) => roots.length > treesMax - treesTogether)) return null
    const sizes = new Cutter(0)
    for (const trees of all)
      for (const { byteLength } of [trees.nodes, paddedRoots(trees), trees.values]) sizes.take(byteLength)
    const block = kernel.hold(sizes.bytesFrom(0))
    return block === null ? null : new KernelTrees(kernel, block, all)
  }

  /** They are still in the kernel's memory. */
  get isHeld(): boolean {
    return this.#block.isHeld
  }

  /** Predicts an event with these codes: as predictForest by each forest, and as predictBoosting. */
  predict(codes: Uint8Array, shares: readonly Float64Array[], chances: Float64Array): void {
    assert(codes.length <= codesMax, 'the codes fit into scratch memory')
    this.#kernel.bytes.set(codes, this.#codes)
    for (let forest = 0; forest < shares.length; forest++) this.#predictForest(forest, shares[forest] as Float64Array)
    this.#predictBoosting(shares.length, chances)
  }

  #predictForest(which: number, shares: Float64Array): void {
    const { values, treeCount } = this.#walk(which)
    const end = this.#leaves + 4 * treeCount
    for (let k = 0; k < shares.length; k++) shares[k] = this.#kernel.loops.sum(this.#leaves, end, 4, values + 4 * k)
    scaleShares(shares)
  }

  #predictBoosting(which: number, chances: Float64Array): void {
    const { values, treeCount } = this.#walk(which)
    const end = this.#leaves + 4 * treeCount
    const perRound = treesPerRound(chances.length)
    chances.fill(0)
    for (let k = 0; k < perRound; k++)
      chances[perRound === 1 ? 1 : k] = this.#kernel.loops.sum(this.#leaves + 4 * k, end, 4 * perRound, values)
    softmax(chances)
  }

  #walk(which: number): Place {
    const place = this.#places[which] as Place
    this.#kernel.loops.walk(place.nodes, place.roots, place.rootsEnd, this.#codes, this.#leaves)
    return place
  }
}
