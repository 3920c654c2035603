/**
 * Forests of trees that are grown until they are pure: extra trees and random forests.
 *
 * Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) see every event and split at a place of chance; trees of a
 * random forest (Breiman 2001) see a draw with replacement and split at the best place. Both take the best of a few
 * candidates by the fall of the Gini impurity, and answer with the mean of their leaves' shares.
 *
 * A candidate is what a random event of the node has: one of its numbers, or one of its features. So values are tried
 * as often as they come, and a column of thousands of rare values does not drown the others.
 */
import { Dice } from './dice.js'
import { leafOf, TreeBuilder, type FlatTrees } from './flat-trees.js'
import type { Stage } from './progress.js'
import { drawRows, pickRows } from './row-draw.js'
import { partition, type TreeRows, type TreeTable } from './tree-table.js'

export interface ForestOptions {
  readonly trees: number
  /** Draw events and seek the best split (random forest), or take all and split by chance (extra trees). */
  readonly bootstrap: boolean
  /** Candidates a node, as a multiple of the square root of how many entries an event has. */
  readonly breadth: number
  /** Events that one tree sees at most. */
  readonly rowsMax: number
  readonly seed: number
}

const depthMax = 60
const codesMax = 256
/** Tries to draw an event by its weight; the last takes what comes, so that light ones are not forgotten. */
const drawTrials = 8

/** A split and how much it gains. */
interface Split {
  column: number
  code: number
  gain: number
}

class ForestGrower {
  readonly #table: TreeTable
  readonly #options: ForestOptions
  readonly #candidates: number
  readonly #builder = new TreeBuilder()
  readonly #counts: Float64Array
  readonly #right: Float64Array
  readonly #bins: Float64Array
  readonly #best: Split = { column: -1, code: 0, gain: 0 }
  readonly #tried: Int32Array
  #weights: Float64Array
  #dice: Dice

  constructor(table: TreeTable, options: ForestOptions) {
    this.#table = table
    this.#options = options
    const entries = table.columns.length / Math.max(1, table.rowCount)
    this.#candidates = Math.max(2, Math.ceil(options.breadth * Math.sqrt(entries)))
    this.#counts = new Float64Array(table.classCount)
    this.#right = new Float64Array(table.classCount)
    this.#bins = new Float64Array(codesMax * table.classCount)
    this.#tried = new Int32Array(this.#candidates * 3)
    this.#weights = new Float64Array(0)
    this.#dice = new Dice(options.seed, 0)
  }

  grow(from: TreeRows, stage: Stage): FlatTrees {
    const { trees, bootstrap, rowsMax, seed } = this.#options
    for (let tree = 0; tree < trees; tree++) {
      stage.at(tree / trees)
      this.#dice = new Dice(seed, tree + 1)
      this.#weights = from.weights
      let rows: Int32Array = from.rows.slice()
      if (bootstrap) {
        const drawn = drawRows(from, rowsMax, this.#table.rowCount, this.#dice)
        rows = drawn.rows
        this.#weights = drawn.weights
      } else if (rowsMax < rows.length) rows = pickRows(rows, rowsMax, this.#dice)
      this.#builder.startTree()
      this.#node(rows, 0, rows.length, 0)
    }
    return this.#builder.finish()
  }

  #node(rows: Int32Array, start: number, end: number, depth: number): void {
    const { classes } = this.#table
    const counts = this.#counts.fill(0)
    let total = 0
    let heaviest = 0
    let pure = true
    const first = classes[rows[start] as number] as number
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const label = classes[row] as number
      const weight = this.#weights[row] as number
      counts[label] = (counts[label] as number) + weight
      total += weight
      if (weight > heaviest) heaviest = weight
      if (label !== first) pure = false
    }
    if (!pure && depth < depthMax && this.#findSplit(rows, start, end, total, heaviest)) {
      const { column, code } = this.#best
      const node = this.#builder.split(column, code)
      const middle = partition(this.#table, rows, start, end, column, code)
      this.#node(rows, start, middle, depth + 1)
      this.#builder.rightComes(node)
      this.#node(rows, middle, end, depth + 1)
      return
    }
    for (let k = 0; k < counts.length; k++) counts[k] = (counts[k] as number) / total
    if (pure) this.#builder.sharedLeaf(first, counts)
    else this.#builder.leaf(counts)
  }

  /** A row of the node, heavier ones more often: one that stands for many events is as many events. */
  #drawRow(rows: Int32Array, start: number, end: number, heaviest: number): number {
    for (let trial = 1; ; trial++) {
      const row = rows[start + this.#dice.below(end - start)] as number
      if (trial === drawTrials || this.#dice.below(1 << 16) * heaviest < (this.#weights[row] as number) * (1 << 16)) return row
    }
  }

  /** Leaves the best of some candidates in #best; false where nothing parts the rows. */
  #findSplit(rows: Int32Array, start: number, end: number, total: number, heaviest: number): boolean {
    const { numberCount, starts, columns } = this.#table
    const best = this.#best
    best.column = -1
    best.gain = -1
    let found = 0
    let tried = 0
    const draws = this.#tried.length * 2
    for (let draw = 0; draw < draws && found < this.#candidates && tried < this.#tried.length; draw++) {
      const row = this.#drawRow(rows, start, end, heaviest)
      const from = starts[row] as number
      const size = (starts[row + 1] as number) - from
      if (size === 0) continue
      const column = columns[from + this.#dice.below(size)] as number
      let known = false
      for (let i = 0; i < tried; i++) if (this.#tried[i] === column) known = true
      if (known) continue
      this.#tried[tried++] = column
      if (column < numberCount ? this.#tryNumber(rows, start, end, column, total) : this.#tryFeature(rows, start, end, column, total)) found++
    }
    return best.column >= 0
  }

  #tryFeature(rows: Int32Array, start: number, end: number, column: number, total: number): boolean {
    const { bits, bitStride, numberCount, classes } = this.#table
    const weights = this.#weights
    const right = this.#right.fill(0)
    const base = (column - numberCount) * bitStride
    let having = 0
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      if ((((bits[base + (row >> 5)] as number) >>> (row & 31)) & 1) === 0) continue
      const label = classes[row] as number
      right[label] = (right[label] as number) + (weights[row] as number)
      having++
    }
    if (having === 0 || having === end - start) return false
    this.#offer(column, 0, total)
    return true
  }

  #tryNumber(rows: Int32Array, start: number, end: number, column: number, total: number): boolean {
    const { codes, rowCount, classes } = this.#table
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
    const right = this.#right.fill(0)
    if (!this.#options.bootstrap) {
      const code = low + this.#dice.below(high - low)
      for (let i = start; i < end; i++) {
        const row = rows[i] as number
        if ((codes[base + row] as number) <= code) continue
        const label = classes[row] as number
        right[label] = (right[label] as number) + (weights[row] as number)
      }
      this.#offer(column, code, total)
      return true
    }
    const classCount = right.length
    const bins = this.#bins.fill(0, low * classCount, (high + 1) * classCount)
    for (let i = start; i < end; i++) {
      const row = rows[i] as number
      const at = (codes[base + row] as number) * classCount + (classes[row] as number)
      bins[at] = (bins[at] as number) + (weights[row] as number)
    }
    for (let code = high - 1; code >= low; code--) {
      let moved = 0
      for (let k = 0; k < classCount; k++) {
        const weight = bins[(code + 1) * classCount + k] as number
        moved += weight
        right[k] = (right[k] as number) + weight
      }
      if (moved > 0) this.#offer(column, code, total)
    }
    return true
  }

  /** Takes the split if it is the best so far; its right side's weights are in #right. */
  #offer(column: number, code: number, total: number): void {
    const counts = this.#counts
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
    const gain = rightSquares / rightTotal + leftSquares / Math.max(1e-12, total - rightTotal)
    if (gain <= this.#best.gain) return
    this.#best.column = column
    this.#best.code = code
    this.#best.gain = gain
  }
}

export function growForest(table: TreeTable, from: TreeRows, options: ForestOptions, stage: Stage): FlatTrees {
  return new ForestGrower(table, options).grow(from, stage)
}

/** Fills `shares` with the mean share of each class over the leaves. */
export function askForest({ roots, nodes, values }: FlatTrees, codes: Uint8Array, shares: Float64Array): void {
  shares.fill(0)
  const classCount = shares.length
  for (let tree = 0; tree < roots.length; tree++) {
    const at = leafOf(nodes, roots[tree] as number, codes)
    for (let k = 0; k < classCount; k++) shares[k] = (shares[k] as number) + (values[at + k] as number)
  }
  for (let k = 0; k < classCount; k++) shares[k] = (shares[k] as number) / roots.length
}
