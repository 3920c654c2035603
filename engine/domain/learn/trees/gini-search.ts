/**
 * The best of some splits of a node by the decrease of the Gini impurity.
 *
 * Owns: sums of the rows' weights by class and side. Leaves out: which columns are tried (forest.ts).
 */
import type { RowRange, TreeTable } from '../features/tree-table.js'
import type { Sfc32 } from '../sfc32.js'

const codesMax = 256
/** A split and its gain. */
interface Split {
  column: number
  code: number
  gain: number
}

/** Sets all numbers to 0; a loop is faster than `fill` for a few. */
export function cleared(numbers: Float64Array): Float64Array {
  for (let k = 0; k < numbers.length; k++) numbers[k] = 0
  return numbers
}

export class GiniSearch {
  /** The weight of each class in the node; the caller fills it before `begin`. */
  readonly counts: Float64Array
  /** The best split since `begin`; column -1 where there is none. */
  readonly best: Split = { column: -1, code: 0, gain: 0 }
  readonly #table: TreeTable
  readonly #right: Float64Array
  /** Weights by code and class, 0 between two calls; and which codes the rows have. */
  readonly #bins: Float64Array
  readonly #hasCode = new Uint8Array(codesMax)
  /** The node's rows with their weights, by class, so that a candidate reads them in sequence. */
  readonly #rows: Int32Array
  readonly #weights: Float64Array
  readonly #codes: Uint8Array
  /** The end of each class in them. */
  readonly #ends: Int32Array
  #count = 0
  #total = 0

  /** `rowsMax` is the most rows of a node. */
  constructor(table: TreeTable, rowsMax: number) {
    this.#table = table
    this.counts = new Float64Array(table.classCount)
    this.#right = new Float64Array(table.classCount)
    this.#bins = new Float64Array(codesMax * table.classCount)
    this.#rows = new Int32Array(rowsMax)
    this.#weights = new Float64Array(rowsMax)
    this.#codes = new Uint8Array(rowsMax)
    this.#ends = new Int32Array(table.classCount)
  }

  /** Begins a node: these rows, which weigh `total` together. */
  begin(rows: Int32Array, { start, end }: RowRange, total: number, weights: Float64Array): void {
    this.#count = end - start
    this.#total = total
    this.best.column = -1
    this.best.gain = -1
    const { classes } = this.#table
    const ends = this.#ends
    for (let k = 0; k < ends.length; k++) ends[k] = 0
    for (let i = start; i < end; i++) {
      const label = classes[rows[i] as number] as number
      ends[label] = (ends[label] as number) + 1
    }
    let sum = 0
    for (let k = 0; k < ends.length; k++) {
      const size = ends[k] as number
      ends[k] = sum
      sum += size
    }
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const label = classes[row] as number
      const at = ends[label] as number
      ends[label] = at + 1
      this.#rows[at] = row
      this.#weights[at] = weights[row] as number
    }
  }

  /** Tries a column: at a random place, or at each place where `random` is null. False where it splits nothing. */
  tryColumn(column: number, random: Sfc32 | null): boolean {
    return column < this.#table.numberCount ? this.#tryNumber(column, random) : this.#tryFeature(column)
  }

  #tryFeature(column: number): boolean {
    const { bits, bitStride, numberCount } = this.#table
    const rows = this.#rows
    const weights = this.#weights
    const ends = this.#ends
    const base = (column - numberCount) * bitStride
    let count = 0
    let i = 0
    for (let k = 0; k < ends.length; k++) {
      const end = ends[k] as number
      let right = 0
      for (; i < end; i++) {
        const row = rows[i] as number
        // Without a branch, which no processor could predict.
        const bit = ((bits[base + (row >> 5)] as number) >>> (row & 31)) & 1
        right += (weights[i] as number) * bit
        count += bit
      }
      this.#right[k] = right
    }
    if (count === 0 || count === this.#count) return false
    this.#offer(column, 0)
    return true
  }

  #tryNumber(column: number, random: Sfc32 | null): boolean {
    const { rowCount } = this.#table
    const table = this.#table.codes
    const rows = this.#rows
    const codes = this.#codes
    const base = column * rowCount
    let low = 255
    let high = 0
    for (let i = 0; i < this.#count; i++) {
      const code = table[base + (rows[i] as number)] as number
      codes[i] = code
      if (code < low) low = code
      if (code > high) high = code
    }
    if (low >= high) return false
    if (random === null) this.#tryAll(column, low, high)
    else this.#tryOne(column, low + random.below(high - low))
    return true
  }

  /** Tries one place of the column whose codes are in #codes. */
  #tryOne(column: number, code: number): void {
    const codes = this.#codes
    const weights = this.#weights
    const ends = this.#ends
    let i = 0
    for (let k = 0; k < ends.length; k++) {
      const end = ends[k] as number
      let right = 0
      // Without a branch, too: a greater code makes the difference negative.
      for (; i < end; i++) right += (weights[i] as number) * ((code - (codes[i] as number)) >>> 31)
      this.#right[k] = right
    }
    this.#offer(column, code)
  }

  /** Tries each place of it. */
  #tryAll(column: number, low: number, high: number): void {
    const codes = this.#codes
    const weights = this.#weights
    const ends = this.#ends
    const right = cleared(this.#right)
    const classCount = right.length
    const bins = this.#bins
    const hasCode = this.#hasCode
    let i = 0
    for (let k = 0; k < classCount; k++) {
      const end = ends[k] as number
      for (; i < end; i++) {
        const code = codes[i] as number
        hasCode[code] = 1
        const at = code * classCount + k
        bins[at] = (bins[at] as number) + (weights[i] as number)
      }
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
  }

  /** Takes the split if it is the best so far; the weights of its right side are in #right. */
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
