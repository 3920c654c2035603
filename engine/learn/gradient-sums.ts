/**
 * Sums of the loss's derivatives over the rows of a node, and the best split that they show.
 *
 * Owns: which entries of each row can still matter. Where every split of a column leaves a side that weighs less than
 * a side must, it is the same in each part of the rows: the rows go on without it. So rare values, and those that nearly
 * all rows have, cost one look and not one a level.
 * Leaves out: trees and rounds (boosting.ts).
 *
 * 1. What the best split is does not depend on what was ruled out: columns are tried in the order in which rows show them.
 * 2. Between two calls all sums are 0.
 */
import type { TreeTable } from './tree-table.js'

export interface SplitLimits {
  readonly l2: number
  /** The least sum of second derivatives on each side of a split. */
  readonly hessianMin: number
}

const gainMin = 1e-9
/** Sums of the same numbers in another order differ by less, as a share. */
const roundingMax = 1e-9
/** Entries are taken out where they are more than this share: it costs a look at all of them. */
const outShareMin = 0.25

export class GradientSums {
  /** First and second derivative of each row, by row number; the second is above 0 for rows that are asked about. */
  readonly gradients: Float64Array
  readonly hessians: Float64Array
  /** The best split that was found last. */
  readonly split = { column: -1, code: 0, gain: 0 }
  readonly #table: TreeTable
  readonly #limits: SplitLimits
  /** Where the sums of a column stand: slot of code 1, then of code 2 and so on. */
  readonly #slots: Int32Array
  /** For each entry of the table where its sums are: the slot, times two. */
  readonly #entryPlaces: Int32Array
  /** Sums of both derivatives, by slot. */
  readonly #sums: Float64Array
  /** Entries of each row that matter, from #starts[row] up to #ends[row]: column and place of the sums. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #entries: Int32Array
  /** The columns that the node's rows have. */
  readonly #touched: Int32Array
  readonly #isTouched: Uint8Array
  /** 1 for columns that are ruled out below the node. */
  readonly #isOut: Uint8Array
  /** What all entries of the node weigh, and those that are ruled out. */
  readonly #weighed = { all: 0, out: 0 }

  constructor(table: TreeTable, limits: SplitLimits) {
    this.#table = table
    this.#limits = limits
    this.gradients = new Float64Array(table.rowCount)
    this.hessians = new Float64Array(table.rowCount)
    const { columns, entryCodes, columnCount } = table
    const highest = new Int32Array(columnCount)
    for (let j = 0; j < columns.length; j++) {
      const column = columns[j] as number
      highest[column] = Math.max(highest[column] as number, entryCodes[j] as number)
    }
    this.#slots = new Int32Array(columnCount + 1)
    for (let c = 0; c < columnCount; c++) this.#slots[c + 1] = (this.#slots[c] as number) + (highest[c] as number)
    this.#entryPlaces = columns.map((column, j) => ((this.#slots[column] as number) + (entryCodes[j] as number) - 1) * 2)
    this.#sums = new Float64Array((this.#slots[columnCount] as number) * 2)
    this.#starts = new Int32Array(table.rowCount)
    this.#ends = new Int32Array(table.rowCount)
    // A place more: what is left out is written before it is overwritten.
    this.#entries = new Int32Array(columns.length * 2 + 2)
    this.#touched = new Int32Array(columnCount)
    this.#isTouched = new Uint8Array(columnCount)
    this.#isOut = new Uint8Array(columnCount)
  }

  /** Begins a tree of these rows, which looks at the columns that are 1 in `chosen`. */
  begin(rows: Int32Array, chosen: Uint8Array): void {
    const { starts, columns } = this.#table
    const entries = this.#entries
    let next = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      this.#starts[row] = next
      const end = starts[row + 1] as number
      for (let j = starts[row] as number; j < end; j++) {
        const column = columns[j] as number
        entries[next] = column
        entries[next + 1] = this.#entryPlaces[j] as number
        // No branch: whether a column was drawn is a coin's word, which no processor foresees.
        next += (chosen[column] as number) * 2
      }
      this.#ends[row] = next
    }
  }

  /** Finds the best split of rows[start..end), whose derivatives sum up to g and h; false where none gains. */
  findSplit(rows: Int32Array, start: number, end: number, g: number, h: number): boolean {
    this.split.column = -1
    this.split.gain = (g * g) / (h + this.#limits.l2) + gainMin
    const count = this.#addUp(rows, start, end)
    const weighed = this.#weighed
    weighed.all = 0
    weighed.out = 0
    for (let i = 0; i < count; i++) {
      const column = this.#touched[i] as number
      this.#isTouched[column] = 0
      this.#tryColumn(column, g, h)
    }
    if (this.split.column >= 0 && weighed.out > outShareMin * weighed.all) this.#ruleOut(rows, start, end)
    for (let i = 0; i < count; i++) this.#isOut[this.#touched[i] as number] = 0
    return this.split.column >= 0
  }

  /** Adds up the derivatives of the rows by what they have; answers how many columns that touched. */
  #addUp(rows: Int32Array, start: number, end: number): number {
    const sums = this.#sums
    const entries = this.#entries
    const isTouched = this.#isTouched
    let count = 0
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const g = this.gradients[row] as number
      const h = this.hessians[row] as number
      const stop = this.#ends[row] as number
      for (let j = this.#starts[row] as number; j < stop; j += 2) {
        const at = entries[j + 1] as number
        const before = sums[at + 1] as number
        if (before === 0) {
          const column = entries[j] as number
          if (isTouched[column] === 0) {
            isTouched[column] = 1
            this.#touched[count++] = column
          }
        }
        sums[at] = (sums[at] as number) + g
        sums[at + 1] = before + h
      }
    }
    return count
  }

  /** Tries each split of a column, from its highest code down, and clears its sums; marks it where none is possible below. */
  #tryColumn(column: number, g: number, h: number): void {
    const { l2, hessianMin } = this.#limits
    const sideMin = hessianMin * (1 - roundingMax)
    const sums = this.#sums
    const split = this.split
    const first = this.#slots[column] as number
    let rightG = 0
    let rightH = 0
    let out = 1
    for (let slot = (this.#slots[column + 1] as number) - 1; slot >= first; slot--) {
      const at = slot * 2
      const slotH = sums[at + 1] as number
      if (slotH === 0) continue
      rightG += sums[at] as number
      rightH += slotH
      sums[at] = 0
      sums[at + 1] = 0
      const leftG = g - rightG
      const leftH = h - rightH
      if (rightH >= sideMin && leftH >= sideMin) out = 0
      if (rightH < hessianMin || leftH < hessianMin) continue
      const gain = (rightG * rightG) / (rightH + l2) + (leftG * leftG) / (leftH + l2)
      if (gain <= split.gain) continue
      split.column = column
      split.code = slot - first
      split.gain = gain
    }
    this.#isOut[column] = out
    this.#weighed.all += rightH
    this.#weighed.out += rightH * out
  }

  /** Takes what is ruled out from the rows; their order and that of their entries stay. */
  #ruleOut(rows: Int32Array, start: number, end: number): void {
    const entries = this.#entries
    const isOut = this.#isOut
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const stop = this.#ends[row] as number
      let next = this.#starts[row] as number
      for (let j = next; j < stop; j += 2) {
        const column = entries[j] as number
        entries[next] = column
        entries[next + 1] = entries[j + 1] as number
        next += 2 - 2 * (isOut[column] as number)
      }
      this.#ends[row] = next
    }
  }
}
