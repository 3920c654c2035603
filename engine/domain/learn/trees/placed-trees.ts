/**
 * Where the numbers of trees are: in memory of their own, or in the kernel's. They are large, so they are kept once.
 *
 * 1. Trees that were copied into the kernel's memory are read from there, in JavaScript too. Before something else is
 *    written over them they get memory of their own again.
 * 2. Trees may be in the kernel's memory several times. They are read from the latest place.
 */
import type { Block, Kernel, Tenant } from '../kernel/kernel.js'
import type { FlatTrees } from './flat-trees.js'

/** Addresses of the numbers. */
export interface TreePlace {
  readonly nodes: number
  readonly values: number
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Trees and their places in one block, to which all their numbers were copied. */
class Residents implements Tenant {
  readonly #kernel: Kernel
  readonly #lengths: readonly { readonly nodes: number; readonly values: number }[]
  readonly #trees: readonly FlatTrees[]
  readonly #places: readonly TreePlace[]

  constructor(kernel: Kernel, trees: readonly FlatTrees[], places: readonly TreePlace[]) {
    this.#kernel = kernel
    this.#trees = trees
    this.#places = places
    this.#lengths = trees.map(({ nodes, values }) => ({ nodes: nodes.length, values: values.length }))
    for (const one of trees) homes.set(one, this)
    this.moved()
  }

  moved(): void {
    const { buffer } = this.#kernel.bytes
    for (const [at, trees] of this.#trees.entries()) {
      const [place, length] = [this.#places[at] as TreePlace, this.#lengths[at] as { nodes: number; values: number }]
      if (homes.get(trees) !== this) continue
      const mutable: Mutable<FlatTrees> = trees
      mutable.nodes = new Int32Array(buffer, place.nodes, length.nodes)
      mutable.values = new Float32Array(buffer, place.values, length.values)
    }
  }

  leave(): void {
    for (const trees of this.#trees) {
      if (homes.get(trees) !== this) continue
      homes.delete(trees)
      const mutable: Mutable<FlatTrees> = trees
      mutable.nodes = trees.nodes.slice()
      mutable.values = trees.values.slice()
    }
  }
}

/** Who reads the numbers of trees from the kernel's memory. It lives as long as the trees do. */
const homes = new WeakMap<FlatTrees, Residents>()

/** From now on the trees are read from the block, which has their numbers at these places. */
export function liveIn(kernel: Kernel, block: Block, trees: readonly FlatTrees[], places: readonly TreePlace[]): void {
  block.tenant = new WeakRef(new Residents(kernel, trees, places))
}
