/**
 * Decision points as the scanning kernel sees them: for each inner node of a tree a table, by the id of a name, of
 * where the name leads to.
 *
 * | part of a tree's memory | what                                                             |
 * |-------------------------|------------------------------------------------------------------|
 * | 256 words               | by step: the address of its table, 0 where no name leads further |
 * | tables                  | by id of a name, a byte: 0 not known yet, NOWHERE, or a step     |
 *
 * 1. A tree with more steps or names than there is room for is left to JavaScript (`base` 0).
 */
import type { PointNode, PointTree } from '../point-tree.js'
import type { ShapeNode } from '../shape-tree.js'

/** The entry of a name that leads to no decision point. */
export const NOWHERE = 1
const FIRST_STEP = 2
const STEPS_MAX = 256
const HEAD_BYTES = 4 * STEPS_MAX
const WIDTH_MIN = 256

/** A tree in the kernel's memory. */
export interface PlacedTree {
  /** The address of its memory, and of the table of its root; 0 where it has no room. */
  readonly base: number
  readonly root: number
  /** Names with smaller ids have entries. */
  readonly width: number
  /** By step. */
  readonly steps: readonly PointNode[]
}

export class ScanPaths {
  readonly #memory: Uint8Array
  readonly #words: DataView
  readonly #start: number
  readonly #end: number
  #next: number
  #placed = new Map<PointTree, PlacedTree>()
  /** By the address of a table. */
  readonly #tables = new Map<number, { readonly from: PointNode; readonly steps: readonly PointNode[] }>()

  /** Has the memory from `start` to `end`. */
  constructor(memory: Uint8Array, start: number, end: number) {
    this.#memory = memory
    this.#words = new DataView(memory.buffer, memory.byteOffset, memory.byteLength)
    this.#start = this.#next = start
    this.#end = end
  }

  /** The tree, with entries for so many names. */
  of(tree: PointTree, names: number): PlacedTree {
    const known = this.#placed.get(tree)
    return known !== undefined && names <= known.width ? known : this.#place(tree, names)
  }

  /** The entry of a name in a table, which is not known yet. */
  step(table: number, field: ShapeNode): number {
    const { from, steps } = this.#tables.get(table) as { from: PointNode; steps: readonly PointNode[] }
    const node = from.step(field)
    const step = node === null ? NOWHERE : steps.indexOf(node)
    this.#memory[table + field.id] = step
    return step
  }

  #place(tree: PointTree, names: number): PlacedTree {
    const width = Math.max(WIDTH_MIN, 2 ** Math.ceil(Math.log2(names + 1)))
    const steps: PointNode[] = [tree.root, tree.root]
    steps.push(tree.root)
    const known = new Set(steps)
    for (let i = FIRST_STEP; i < steps.length; i++)
      for (const child of (steps[i] as PointNode).children) if (known.size < known.add(child).size) steps.push(child)
    const inner = steps.flatMap((node, step) => (step >= FIRST_STEP && node.children.length > 0 ? [step] : []))
    const bytes = HEAD_BYTES + width * inner.length
    if (steps.length > STEPS_MAX || bytes > this.#end - this.#start) {
      const left = { base: 0, root: 0, width, steps }
      this.#placed.set(tree, left)
      return left
    }
    if (this.#next + bytes > this.#end) this.#clear()
    const base = this.#next
    this.#next += bytes
    this.#memory.fill(0, base, base + bytes)
    for (const [place, step] of inner.entries()) {
      const table = base + HEAD_BYTES + width * place
      this.#words.setUint32(base + 4 * step, table, true)
      this.#tables.set(table, { from: steps[step] as PointNode, steps })
    }
    const placed = { base, root: this.#words.getUint32(base + 4 * FIRST_STEP, true), width, steps }
    this.#placed.set(tree, placed)
    return placed
  }

  #clear(): void {
    this.#placed.clear()
    this.#tables.clear()
    this.#next = this.#start
  }
}
