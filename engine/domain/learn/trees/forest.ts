/**
 * Extra trees and random forests: trees that grow until their leaves are pure.
 *
 * Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) use every event and split at a random place. Trees of a
 * random forest (Breiman 2001) use a draw with replacement and split at the best place. Both take the best of a few
 * candidates, by the decrease of the Gini impurity. Their answer is the mean of the class shares in their leaves.
 *
 * A candidate column is one of a random event of the node. So columns are tried as often as they occur, and a point
 * with thousands of rare values does not crowd out the others.
 */
import { partition, type RowRange, type TreeRows, type TreeTable } from '../features/tree-table.js'
import { ListKey } from '../hash.js'
import type { Stage } from '../progress.js'
import { Sfc32 } from '../sfc32.js'
import { findLeaves, leavesFor, TreeBuilder, type FlatTrees } from './flat-trees.js'
import { cleared, GiniSearch } from './gini-search.js'
import { drawRows, pickRows } from './row-draw.js'

export interface ForestOptions {
  readonly trees: number
  /** True: draw events, take the best split (random forest). False: all events, a random split (extra trees). */
  readonly bootstrap: boolean
  /** Candidates for each node, as a multiple of the square root of an event's mean number of entries. */
  readonly breadth: number
  /** Events that one tree sees at most. */
  readonly rowsMax: number
  readonly seed: number
}

const depthMax = 60
/** Tries to draw an event by its weight. The last takes any event, so that light ones are drawn as well. */
const drawTrials = 8

/** The weight of a node's rows, and of the heaviest one. */
interface NodeWeights {
  readonly total: number
  readonly heaviest: number
}

class ForestGrower {
  readonly #table: TreeTable
  readonly #options: ForestOptions
  readonly #candidates: number
  readonly #builder = new TreeBuilder()
  /** The last node that tried each column; nodes count from 1 over all trees. */
  readonly #triedBy: Int32Array
  readonly #triedMax: number
  /** The first equal row, by row. */
  readonly #twins: Int32Array
  #nodeCount = 0
  readonly #gini: GiniSearch
  #weights: Float64Array
  #random: Sfc32

  constructor(table: TreeTable, options: ForestOptions) {
    this.#table = table
    this.#options = options
    const entries = table.columns.length / Math.max(1, table.rowCount)
    this.#candidates = Math.max(2, Math.ceil(options.breadth * Math.sqrt(entries)))
    this.#gini = new GiniSearch(table, Math.min(options.rowsMax, table.rowCount))
    this.#twins = firstTwins(table)
    this.#triedMax = this.#candidates * 3
    this.#triedBy = new Int32Array(table.columnCount)
    this.#weights = new Float64Array(0)
    this.#random = new Sfc32(options.seed, 0)
  }

  grow(from: TreeRows, stage: Stage): FlatTrees {
    const { trees, bootstrap, rowsMax, seed } = this.#options
    for (let tree = 0; tree < trees; tree++) {
      stage.at(tree / trees)
      this.#random = new Sfc32(seed, tree + 1)
      this.#weights = from.weights
      let rows: Int32Array = from.rows.slice()
      if (bootstrap) {
        const drawn = drawRows(from, rowsMax, this.#table.rowCount, this.#random)
        rows = drawn.rows
        this.#weights = drawn.weights
      } else if (rowsMax < rows.length) rows = pickRows(rows, rowsMax, this.#random)
      this.#builder.startTree()
      this.#node(rows, { start: 0, end: rows.length }, 0)
    }
    return this.#builder.finish()
  }

  #node(rows: Int32Array, range: RowRange, depth: number): void {
    const { start, end } = range
    const { classes } = this.#table
    const counts = cleared(this.#gini.counts)
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
    if (!pure && depth < depthMax && this.#findSplit(rows, range, { total, heaviest })) {
      const { best } = this.#gini
      const node = this.#builder.split(best.column, best.code)
      const middle = partition(this.#table, rows, range, best)
      this.#node(rows, { start, end: middle }, depth + 1)
      this.#builder.rightComes(node)
      this.#node(rows, { start: middle, end }, depth + 1)
      return
    }
    for (let k = 0; k < counts.length; k++) counts[k] = (counts[k] as number) / total
    if (pure) this.#builder.sharedLeaf(first, counts)
    else this.#builder.leaf(counts)
  }

  /** A random row of the node, by weight: a row that stands for many events counts as many. */
  #drawRow(rows: Int32Array, { start, end }: RowRange, heaviest: number): number {
    for (let trial = 1; ; trial++) {
      const row = rows[start + this.#random.below(end - start)] as number
      if (trial === drawTrials || (this.#random.next() >>> 16) * heaviest < (this.#weights[row] as number) * (1 << 16))
        return row
    }
  }

  /** True where all rows are equal, as one event with two labels is: a search would be in vain. */
  #areTwins(rows: Int32Array, { start, end }: RowRange): boolean {
    const twins = this.#twins
    const first = twins[rows[start] as number] as number
    for (let i = start + 1; i < end; i++) if (twins[rows[i] as number] !== first) return false
    return true
  }

  /** Leaves the best of some candidates in `#gini.best`; false where none splits the rows. */
  #findSplit(rows: Int32Array, range: RowRange, { total, heaviest }: NodeWeights): boolean {
    const { starts, columns } = this.#table
    const gini = this.#gini
    if (this.#areTwins(rows, range)) return false
    gini.begin(rows, range, total, this.#weights)
    let found = 0
    let tried = 0
    const random = this.#options.bootstrap ? null : this.#random
    const node = ++this.#nodeCount
    const triedBy = this.#triedBy
    const triedMax = this.#triedMax
    for (let draw = 0; draw < triedMax * 2 && found < this.#candidates && tried < triedMax; draw++) {
      const row = this.#drawRow(rows, range, heaviest)
      const from = starts[row] as number
      const size = (starts[row + 1] as number) - from
      if (size === 0) continue
      const column = columns[from + this.#random.below(size)] as number
      if (triedBy[column] === node) continue
      triedBy[column] = node
      tried++
      if (gini.tryColumn(column, random)) found++
    }
    return gini.best.column >= 0
  }
}

/** The first row with equal codes in all columns, by row. */
function firstTwins({ rowCount, starts, columns, entryCodes }: TreeTable): Int32Array {
  const firsts = new Map<number, number>()
  const key = new ListKey()
  return Int32Array.from({ length: rowCount }, (_, row) => {
    key.clear()
    for (let j = starts[row] as number; j < (starts[row + 1] as number); j++)
      key.add((columns[j] as number) * 256 + (entryCodes[j] as number))
    const first = firsts.get(key.value) ?? row
    if (first === row) firsts.set(key.value, row)
    return first
  })
}

export function growForest(table: TreeTable, from: TreeRows, options: ForestOptions, stage: Stage): FlatTrees {
  return new ForestGrower(table, options).grow(from, stage)
}

/** Fills `shares` with the mean share of each class over the leaves, scaled to sum to 1. */
export function predictForest(trees: FlatTrees, codes: Uint8Array, shares: Float64Array): void {
  shares.fill(0)
  const { values } = trees
  const classCount = shares.length
  const all = { start: 0, end: trees.roots.length }
  const leaves = leavesFor(all)
  findLeaves(trees, all, codes, leaves)
  for (let tree = 0; tree < all.end; tree++) {
    const at = leaves[tree] as number
    for (let k = 0; k < classCount; k++) shares[k] = (shares[k] as number) + (values[at + k] as number)
  }
  scaleShares(shares)
}

/** Scales shares to sum to 1. */
export function scaleShares(shares: Float64Array): void {
  let total = 0
  for (let k = 0; k < shares.length; k++) total += shares[k] as number
  for (let k = 0; k < shares.length; k++) shares[k] = (shares[k] as number) / total
}
