/**
 * Sums of the loss's derivatives over the rows of a node, by column and code, and the best split by these sums.
 *
 * Sums are exact, whatever the order. Derivatives are rounded to multiples of a number small enough not to matter, and
 * large enough for 53 bits to hold any sum. So a split reads only the rows of its smaller side; the larger side has the
 * difference. This is the subtraction of LightGBM's histograms, here without rounding errors.
 *
 * Owns: sums and their memory. Leaves out: trees and rounds (boosting.ts).
 *
 * 1. The best split depends on the rows, not on their order: of equal gains the lowest column and code wins.
 * 2. Released sums are 0.
 */
import type { TreeTable } from '../features/tree-table.js'
import { SumMemory, type NodeSums } from './sum-memory.js'

export type { NodeSums } from './sum-memory.js'

export interface SplitLimits {
  readonly l2: number
  /** The least sum of second derivatives on each side of a split. */
  readonly hessianMin: number
}

const gainMin = 1e-9
/** Bits of a sum: 53, less two as a reserve. */
const sumBits = 51

export class GradientSums {
  /** The first and second derivatives, by row. */
  readonly gradients: Float64Array
  readonly hessians: Float64Array
  /** The result of the last search: the best split, and the sums of its right side. */
  readonly split = { column: -1, code: 0, gain: 0, g: 0, h: 0 }
  readonly #table: TreeTable
  readonly #limits: SplitLimits
  readonly #quantum: number
  /** The first slot of each column, that of code 1; then follow code 2 and so on. */
  readonly #slots: Int32Array
  /** The place of the sums for each entry of the table: twice its slot. */
  readonly #entryPlaces: Int32Array
  /** Room for the rows of a tree, in an order that changes: rows of other arrays take longer to sum up. */
  readonly rows: Int32Array
  readonly #memory: SumMemory | null
  readonly #spare: NodeSums[] = []

  /** No sum of derivatives exceeds `most`. So many `nodes` have sums at the same time. */
  constructor(table: TreeTable, limits: SplitLimits, most: number, nodes = 0) {
    this.#table = table
    this.#limits = limits
    this.#quantum = 2 ** (Math.ceil(Math.log2(most)) - sumBits)
    const { columns, entryCodes, columnCount } = table
    const highest = new Int32Array(columnCount)
    for (let j = 0; j < columns.length; j++) {
      const column = columns[j] as number
      highest[column] = Math.max(highest[column] as number, entryCodes[j] as number)
    }
    this.#slots = new Int32Array(columnCount + 1)
    for (let c = 0; c < columnCount; c++) this.#slots[c + 1] = (this.#slots[c] as number) + (highest[c] as number)
    this.#memory = SumMemory.of({ table, slots: this.#slots, nodes })
    const own = this.#memory ?? {
      gradients: new Float64Array(table.rowCount),
      hessians: new Float64Array(table.rowCount),
      rows: new Int32Array(table.rowCount),
      places: new Int32Array(columns.length),
    }
    this.gradients = own.gradients
    this.hessians = own.hessians
    this.rows = own.rows
    this.#entryPlaces = own.places
    for (let j = 0; j < columns.length; j++)
      own.places[j] = ((this.#slots[columns[j] as number] as number) + (entryCodes[j] as number) - 1) * 2
  }

  /** Sets the derivatives of a row, rounded. The second is above 0, which tells a sum from none. */
  set(row: number, gradient: number, hessian: number): void {
    const quantum = this.#quantum
    this.gradients[row] = Math.round(gradient / quantum) * quantum
    this.hessians[row] = Math.max(1, Math.round(hessian / quantum)) * quantum
  }

  /** Sums up rows[start..end). */
  sumUp(rows: Int32Array, start: number, end: number): NodeSums {
    const { starts, columns, numberCount } = this.#table
    const { gradients, hessians } = this
    const node = this.#spare.pop() ?? this.#make()
    if (this.#memory?.sumUp(rows, start, end, node) === true) return node
    const { sums, features } = node
    const places = this.#entryPlaces
    const firstFeature = (this.#slots[numberCount] as number) * 2
    let count = 0
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const g = gradients[row] as number
      const h = hessians[row] as number
      const stop = starts[row + 1] as number
      for (let j = starts[row] as number; j < stop; j++) {
        const at = places[j] as number
        const before = sums[at + 1] as number
        sums[at] = (sums[at] as number) + g
        sums[at + 1] = before + h
        if (before === 0 && at >= firstFeature) features[count++] = columns[j] as number
      }
    }
    node.count = count
    return node
  }

  #make(): NodeSums {
    const inMemory = this.#memory?.take() ?? null
    if (inMemory !== null) return inMemory
    const { columnCount, numberCount } = this.#table
    const sums = new Float64Array((this.#slots[columnCount] as number) * 2)
    return { sums, features: new Int32Array(columnCount - numberCount), count: 0 }
  }

  /** Subtracts the sums of some of a node's rows, which leaves those of the others. */
  subtract(from: NodeSums, some: NodeSums): void {
    for (let at = 0; at < (this.#slots[this.#table.numberCount] as number) * 2; at++) {
      from.sums[at] = (from.sums[at] as number) - (some.sums[at] as number)
    }
    for (let i = 0; i < some.count; i++) {
      const at = (this.#slots[some.features[i] as number] as number) * 2
      from.sums[at] = (from.sums[at] as number) - (some.sums[at] as number)
      from.sums[at + 1] = (from.sums[at + 1] as number) - (some.sums[at + 1] as number)
    }
  }

  /** Clears sums for another node. */
  release(node: NodeSums): void {
    node.sums.fill(0, 0, (this.#slots[this.#table.numberCount] as number) * 2)
    for (let i = 0; i < node.count; i++) {
      const at = (this.#slots[node.features[i] as number] as number) * 2
      node.sums[at] = 0
      node.sums[at + 1] = 0
    }
    this.#spare.push(node)
  }

  /**
   * Finds the best split by the columns that are 1 in `chosen`; g and h are the node's sums. False where none gains.
   */
  findSplit(node: NodeSums, g: number, h: number, chosen: Uint8Array): boolean {
    const { sums, features } = node
    this.split.column = -1
    this.split.gain = (g * g) / (h + this.#limits.l2) + gainMin
    for (let column = 0; column < this.#table.numberCount; column++)
      if (chosen[column] === 1) this.#tryNumber(sums, column, g, h)
    let left = 0
    for (let i = 0; i < node.count; i++) {
      const column = features[i] as number
      const at = (this.#slots[column] as number) * 2
      const rightH = sums[at + 1] as number
      // No row of the node has the feature any more.
      if (rightH === 0) continue
      features[left++] = column
      if (chosen[column] === 1) this.#offer(column, 0, sums[at] as number, rightH, g, h)
    }
    node.count = left
    return this.split.column >= 0
  }

  /** Tries each split of a column of numbers, from its highest code down. */
  #tryNumber(sums: Float64Array, column: number, g: number, h: number): void {
    const first = this.#slots[column] as number
    let rightG = 0
    let rightH = 0
    for (let slot = (this.#slots[column + 1] as number) - 1; slot >= first; slot--) {
      const slotH = sums[slot * 2 + 1] as number
      if (slotH === 0) continue
      rightG += sums[slot * 2] as number
      rightH += slotH
      this.#offer(column, slot - first, rightG, rightH, g, h)
    }
  }

  /** Takes a split if it is the best so far: sums of its right side, and of the node. */
  // biome-ignore lint/complexity/useMaxParams: the innermost loop, where an object for each call costs time
  #offer(column: number, code: number, rightG: number, rightH: number, g: number, h: number): void {
    const { l2, hessianMin } = this.#limits
    const leftH = h - rightH
    if (rightH < hessianMin || leftH < hessianMin) return
    const split = this.split
    const leftG = g - rightG
    const gain = (rightG * rightG) / (rightH + l2) + (leftG * leftG) / (leftH + l2)
    if (gain < split.gain || (gain === split.gain && column >= split.column)) return
    split.column = column
    split.code = code
    split.gain = gain
    split.g = rightG
    split.h = rightH
  }
}
