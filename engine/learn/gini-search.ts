/**
 * The best of some splits of a node by the fall of the Gini impurity.
 *
 * Owns: sums of the rows' weights by class and side. Leaves out: which columns are tried (forest.ts).
 */
import type { Dice } from './dice.js'
import type { TreeTable } from './tree-table.js'

const codesMax = 256
/** A split and how much it gains. */
interface Split {
  column: number
  code: number
  gain: number
}

/** A loop: filling a few numbers by `fill` costs more. */
export function cleared(numbers: Float64Array): Float64Array {
  for (let k = 0; k < numbers.length; k++) numbers[k] = 0
  return numbers
}

export class GiniSearch {
  /** The weight of each class in the node; filled before `begin`. */
  readonly counts: Float64Array
  /** The best split since `begin`; column -1 where there is none. */
  readonly best: Split = { column: -1, code: 0, gain: 0 }
  readonly #table: TreeTable
  readonly #right: Float64Array
  /** Weights by code and class, 0 between two calls; and the codes that rows of the node have. */
  readonly #bins: Float64Array
  readonly #hasCode = new Uint8Array(codesMax)
  #rows: Int32Array = new Int32Array(0)
  #start = 0
  #end = 0
  #total = 0
  #weights: Float64Array = new Float64Array(0)

  constructor(table: TreeTable) {
    this.#table = table
    this.counts = new Float64Array(table.classCount)
    this.#right = new Float64Array(table.classCount)
    this.#bins = new Float64Array(codesMax * table.classCount)
  }

  /** Begins with rows[start..end), which weigh `total` together. */
  begin(rows: Int32Array, start: number, end: number, total: number, weights: Float64Array): void {
    this.#rows = rows
    this.#start = start
    this.#end = end
    this.#total = total
    this.#weights = weights
    this.best.column = -1
    this.best.gain = -1
  }

  /** Tries a column: numbers at a place of chance, or at each place where there are no dice; false where it parts nothing. */
  tryColumn(column: number, dice: Dice | null): boolean {
    return column < this.#table.numberCount ? this.#tryNumber(column, dice) : this.#tryFeature(column)
  }

  #tryFeature(column: number): boolean {
    const { bits, bitStride, numberCount, classes } = this.#table
    const rows = this.#rows
    const weights = this.#weights
    const right = cleared(this.#right)
    const base = (column - numberCount) * bitStride
    let count = 0
    for (let i = this.#start; i < this.#end; i++) {
      const row = rows[i] as number
      if ((((bits[base + (row >> 5)] as number) >>> (row & 31)) & 1) === 0) continue
      const label = classes[row] as number
      right[label] = (right[label] as number) + (weights[row] as number)
      count++
    }
    if (count === 0 || count === this.#end - this.#start) return false
    this.#offer(column, 0)
    return true
  }

  #tryNumber(column: number, dice: Dice | null): boolean {
    const { codes, rowCount, classes } = this.#table
    const rows = this.#rows
    const start = this.#start
    const end = this.#end
    const base = column * rowCount
    let low = 255
    let high = 0
    for (let i = start; i < end; i++) {
      const code = codes[base + (rows[i] as number)] as number
      if (code < low) low = code
      if (code > high) high = code
    }
    if (low >= high) return false
    const weights = this.#weights
    const right = cleared(this.#right)
    if (dice !== null) {
      const code = low + dice.below(high - low)
      for (let i = start; i < end; i++) {
        const row = rows[i] as number
        if ((codes[base + row] as number) <= code) continue
        const label = classes[row] as number
        right[label] = (right[label] as number) + (weights[row] as number)
      }
      this.#offer(column, code)
      return true
    }
    const classCount = right.length
    const bins = this.#bins
    const hasCode = this.#hasCode
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const code = codes[base + row] as number
      hasCode[code] = 1
      const at = code * classCount + (classes[row] as number)
      bins[at] = (bins[at] as number) + (weights[row] as number)
    }
    for (let code = high; code >= low; code--) {
      if (hasCode[code] === 0) continue
      hasCode[code] = 0
      const at = code * classCount
      for (let k = 0; k < classCount; k++) {
        right[k] = (right[k] as number) + (bins[at + k] as number)
        bins[at + k] = 0
      }
      if (code > low) this.#offer(column, code - 1)
    }
    return true
  }

  /** Takes the split if it is the best so far; its right side's weights are in #right. */
  #offer(column: number, code: number): void {
    const { counts, best } = this
    const right = this.#right
    let rightTotal = 0
    let rightSquares = 0
    let leftSquares = 0
    for (let k = 0; k < counts.length; k++) {
      const r = right[k] as number
      const l = (counts[k] as number) - r
      rightTotal += r
      rightSquares += r * r
      leftSquares += l * l
    }
    const gain = rightSquares / rightTotal + leftSquares / Math.max(1e-12, this.#total - rightTotal)
    if (gain <= best.gain) return
    best.column = column
    best.code = code
    best.gain = gain
  }
}

