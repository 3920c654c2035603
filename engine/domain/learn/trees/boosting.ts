/**
 * Gradient boosted trees for the softmax loss, one tree for each class and round.
 *
 * Friedman 2001, with the second-order gains and leaves of XGBoost (Chen, Guestrin 2016). G and H are the sums of the
 * first and second derivatives.
 *
 *   leaf = -rate G / (H + l2)
 *   gain = G_l²/(H_l + l2) + G_r²/(H_r + l2) - G²/(H + l2)
 *
 * Columns are drawn for each tree, events for each round. Two classes need one tree for each round. What is drawn
 * follows from what a column or an event holds. So a training with one label more draws nearly the same.
 */
import { leafOfRow, partition, type RowRange, type TreeRows, type TreeTable } from '../features/tree-table.js'
import { hashPair } from '../hash.js'
import { softmax } from '../linear/logistic.js'
import type { Stage } from '../progress.js'
import { treesPerRound } from './boosted-trees.js'
import { TreeBuilder, type FlatTrees } from './flat-trees.js'
import { GradientSums, type NodeSums } from './gradient-sums.js'
import { isDrawn, partByKeys } from './row-draw.js'

export interface BoostingOptions {
  readonly rounds: number
  readonly depth: number
  readonly rate: number
  readonly l2: number
  /** The least sum of second derivatives on each side of a split. */
  readonly hessianMin: number
  /** The share of the columns that a tree may use. */
  readonly columnShare: number
  /** The share of the events that a round uses, and their maximum. */
  readonly rowShare: number
  readonly rowsMax: number
}

/** Draws of rows and of columns are apart. */
const rowDraws = 0x3c6ef372
const columnDraws = 0x2545f491

/** The most rounds. */
export const roundsMax = 100

/** Rows of the tree, and the sums of their derivatives. */
interface Node extends RowRange {
  readonly depth: number
  readonly g: number
  readonly h: number
}

class BoostingGrower {
  readonly #table: TreeTable
  readonly #options: BoostingOptions
  readonly #from: TreeRows
  readonly #builder = new TreeBuilder()
  readonly #sums: GradientSums
  readonly #chosen: Uint8Array
  readonly #leaf = new Float64Array(1)
  /** Scores by row number of the table, those of one row side by side. */
  readonly #scores: Float64Array
  readonly #perRound: number
  /** The index of the present tree in the round. Its rows, at last in the order of its leaves, are with the sums. */
  #k = 0

  constructor(table: TreeTable, from: TreeRows, options: BoostingOptions) {
    this.#table = table
    this.#options = options
    this.#from = from
    let weight = 0
    for (const row of from.rows) weight += from.weights[row] as number
    // At each depth one node waits for its sibling.
    this.#sums = new GradientSums(table, options, weight, options.depth + 2)
    this.#chosen = new Uint8Array(table.columnCount)
    this.#perRound = treesPerRound(table.classCount)
    this.#scores = new Float64Array(table.rowCount * this.#perRound)
  }

  grow(stage: Stage): FlatTrees {
    const { classCount } = this.#table
    const { rows } = this.#from
    const { rounds, rowShare, rowsMax } = this.#options
    const perRound = this.#perRound
    const one = new Float64Array(classCount)
    const chances = new Float64Array(rows.length * classCount)
    const share = Math.min(rowShare, rowsMax / rows.length)
    for (let round = 0; round < rounds; round++) {
      stage.at(round / rounds)
      for (let i = 0; i < rows.length; i++) {
        scoresToChances(this.#scores, (rows[i] as number) * perRound, perRound, one)
        // A loop is faster than `set` for a few numbers.
        for (let k = 0; k < classCount; k++) chances[i * classCount + k] = one[k] as number
      }
      const [drawn, others] = partByKeys(rows, this.#table.rowKeys, hashPair(rowDraws, round), share)
      if (drawn.length === 0) continue
      for (let k = 0; k < perRound; k++) {
        stage.at((round + k / perRound) / rounds)
        this.#derive(chances, k)
        this.#choose(hashPair(columnDraws, round * perRound + k))
        this.#tree(drawn, others, k)
      }
    }
    return this.#builder.finish()
  }

  /** The derivatives of the loss by the score of class k. Two classes have one score, that of the second. */
  #derive(chances: Float64Array, k: number): void {
    const { classes, classCount } = this.#table
    const { rows, weights } = this.#from
    const label = classCount === 2 ? 1 : k
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      const p = chances[i * classCount + label] as number
      const weight = weights[row] as number
      this.#sums.set(
        row,
        weight * (p - (classes[row] === label ? 1 : 0)),
        weight * (classCount === 2 ? 1 : 2) * p * (1 - p),
      )
    }
  }

  #choose(draw: number): void {
    const { columnKeys } = this.#table
    const { columnShare } = this.#options
    for (let column = 0; column < this.#chosen.length; column++)
      this.#chosen[column] = isDrawn(draw, columnKeys[column] as number, columnShare) ? 1 : 0
  }

  /** Grows a tree from `drawn`, and adds its values to the scores of all rows. */
  #tree(drawn: Int32Array, others: Int32Array, k: number): void {
    const { gradients, hessians } = this.#sums
    this.#builder.startTree()
    const rows = this.#sums.rows
    rows.set(drawn)
    this.#k = k
    let g = 0
    let h = 0
    for (const row of drawn) {
      g += gradients[row] as number
      h += hessians[row] as number
    }
    const root = this.#builder.nodeCount
    this.#node({ start: 0, end: drawn.length, depth: 0, g, h }, this.#sums.sumUp(rows, 0, drawn.length))
    const { nodes, values } = this.#builder.view()
    for (const row of others) this.#score(row, values[leafOfRow(this.#table, row, nodes, root)] as number)
  }

  #score(row: number, more: number): void {
    const at = row * this.#perRound + this.#k
    this.#scores[at] = (this.#scores[at] as number) + more
  }

  /** `own` are the sums of the node's rows, null for a leaf; the node takes ownership. */
  #node(node: Node, own: NodeSums | null): void {
    const sums = this.#sums
    if (own === null) return this.#leave(node)
    if (!sums.findSplit(own, node.g, node.h, this.#chosen)) {
      sums.release(own)
      return this.#leave(node)
    }
    const { column, code, g, h } = sums.split
    const depth = node.depth + 1
    const at = this.#builder.split(column, code)
    const middle = partition(this.#table, this.#sums.rows, node, { column, code })
    const left: Node = { start: node.start, end: middle, depth, g: node.g - g, h: node.h - h }
    const right: Node = { start: middle, end: node.end, depth, g, h }
    const [leftSums, rightSums] = this.#share(own, left, right)
    this.#node(left, leftSums)
    this.#builder.rightComes(at)
    this.#node(right, rightSums)
  }

  /** The sums of two children: the smaller one is summed up, the other has the difference. */
  #share(own: NodeSums, left: Node, right: Node): [NodeSums | null, NodeSums | null] {
    const sums = this.#sums
    const splitLeft = this.#mayPart(left)
    const splitRight = this.#mayPart(right)
    if (!splitLeft && !splitRight) {
      sums.release(own)
      return [null, null]
    }
    const leftIsSmaller = left.end - left.start < right.end - right.start
    const { start, end } = leftIsSmaller ? left : right
    const smaller = sums.sumUp(this.#sums.rows, start, end)
    sums.subtract(own, smaller)
    const [leftSums, rightSums] = leftIsSmaller ? [smaller, own] : [own, smaller]
    if (!splitLeft) sums.release(leftSums)
    if (!splitRight) sums.release(rightSums)
    return [splitLeft ? leftSums : null, splitRight ? rightSums : null]
  }

  #mayPart({ start, end, depth, h }: Node): boolean {
    return depth < this.#options.depth && h >= 2 * this.#options.hessianMin && end - start > 1
  }

  #leave({ start, end, g, h }: Node): void {
    const { rate, l2 } = this.#options
    const value = (-rate * g) / (h + l2)
    this.#leaf[0] = value
    this.#builder.leaf(this.#leaf)
    // As the tree stores it: single precision.
    const stored = Math.fround(value)
    for (let i = start; i < end; i++) this.#score(this.#sums.rows[i] as number, stored)
  }
}

/** The probabilities of the classes for the scores from `at` on. */
function scoresToChances(scores: Float64Array, at: number, perRound: number, chances: Float64Array): void {
  if (perRound === 1) {
    chances[0] = 0
    chances[1] = scores[at] as number
  } else for (let k = 0; k < perRound; k++) chances[k] = scores[at + k] as number
  softmax(chances)
}

export function growBoosting(table: TreeTable, from: TreeRows, options: BoostingOptions, stage: Stage): FlatTrees {
  return new BoostingGrower(table, from, options).grow(stage)
}
