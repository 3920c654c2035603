/**
 * Gradient boosted trees for the softmax loss, one tree a class and round.
 *
 * Friedman 2001 with the second-order gains and leaves of XGBoost (Chen, Guestrin 2016): a leaf is -rate G / (H + l2), a
 * split gains G_l²/(H_l + l2) + G_r²/(H_r + l2) - G²/(H + l2), where G and H are the sums of the first and second
 * derivatives. Columns are drawn for each tree, events for each round. Two classes need one tree a round.
 */
import { Sfc32 } from '../sfc32.js'
import { leafOfRow, partition, type RowRange, type TreeRows, type TreeTable } from '../features/tree-table.js'
import { softmax } from '../linear/logistic.js'
import type { Stage } from '../progress.js'
import { leafOf, TreeBuilder, type FlatTrees } from './flat-trees.js'
import { GradientSums, type NodeSums } from './gradient-sums.js'
import { partByChance } from './row-draw.js'

export interface BoostingOptions {
  readonly rounds: number
  readonly depth: number
  readonly rate: number
  readonly l2: number
  /** The least sum of second derivatives on each side of a split. */
  readonly hessianMin: number
  /** Share of the columns that a tree looks at. */
  readonly columnShare: number
  /** Share of the events that a round looks at, and how many at most. */
  readonly rowShare: number
  readonly rowsMax: number
  readonly seed: number
}

/** Rounds of a boosting that nothing stops. */
export const roundsMax = 100

/** Trees that one round has for so many classes. */
export function treesARound(classCount: number): number {
  return classCount === 2 ? 1 : classCount
}

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
  /** The rows that the present tree is made from, in the order of its leaves in the end; which of the round's trees it is. */
  #rows: Int32Array = new Int32Array(0)
  #k = 0

  constructor(table: TreeTable, from: TreeRows, options: BoostingOptions) {
    this.#table = table
    this.#options = options
    this.#from = from
    let weight = 0
    for (const row of from.rows) weight += from.weights[row] as number
    this.#sums = new GradientSums(table, options, weight)
    this.#chosen = new Uint8Array(table.columnCount)
    this.#perRound = treesARound(table.classCount)
    this.#scores = new Float64Array(table.rowCount * this.#perRound)
  }

  grow(stage: Stage): FlatTrees {
    const { classCount } = this.#table
    const { rows } = this.#from
    const { rounds, rowShare, rowsMax, seed } = this.#options
    const perRound = this.#perRound
    const one = new Float64Array(classCount)
    const chances = new Float64Array(rows.length * classCount)
    const share = Math.min(rowShare, rowsMax / rows.length)
    for (let round = 0; round < rounds; round++) {
      stage.at(round / rounds)
      for (let i = 0; i < rows.length; i++) {
        scoresToChances(this.#scores, (rows[i] as number) * perRound, perRound, one)
        // A loop: copying a few numbers by `set` costs more.
        for (let k = 0; k < classCount; k++) chances[i * classCount + k] = one[k] as number
      }
      const random = new Sfc32(seed, round + 1)
      const [drawn, others] = partByChance(rows, share, random)
      if (drawn.length === 0) continue
      for (let k = 0; k < perRound; k++) {
        stage.at((round + k / perRound) / rounds)
        this.#derive(chances, k)
        this.#choose(random)
        this.#tree(drawn.slice(), others, k)
      }
    }
    return this.#builder.finish()
  }

  /** The derivatives of the loss by the score of class k; with two classes the score is that of the second. */
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

  #choose(random: Sfc32): void {
    const share = this.#options.columnShare * (1 << 20)
    for (let column = 0; column < this.#chosen.length; column++)
      this.#chosen[column] = random.below(1 << 20) < share ? 1 : 0
  }

  /** Grows a tree from `drawn`, which it puts into another order, and adds what it says to the scores of all. */
  #tree(drawn: Int32Array, others: Int32Array, k: number): void {
    const { gradients, hessians } = this.#sums
    this.#builder.startTree()
    this.#rows = drawn
    this.#k = k
    let g = 0
    let h = 0
    for (const row of drawn) {
      g += gradients[row] as number
      h += hessians[row] as number
    }
    const root = this.#builder.nodeCount
    this.#node({ start: 0, end: drawn.length, depth: 0, g, h }, this.#sums.sumUp(drawn, 0, drawn.length))
    const { nodes, values } = this.#builder.view()
    for (const row of others) this.#score(row, values[leafOfRow(this.#table, row, nodes, root)] as number)
  }

  #score(row: number, more: number): void {
    const at = row * this.#perRound + this.#k
    this.#scores[at] = (this.#scores[at] as number) + more
  }

  /** `own` are the sums of the node's rows, null where it is not to be split; it keeps them. */
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
    const middle = partition(this.#table, this.#rows, node, { column, code })
    const left: Node = { start: node.start, end: middle, depth, g: node.g - g, h: node.h - h }
    const right: Node = { start: middle, end: node.end, depth, g, h }
    const [leftSums, rightSums] = this.#share(own, left, right)
    this.#node(left, leftSums)
    this.#builder.rightComes(at)
    this.#node(right, rightSums)
  }

  /** Parts the sums of two nodes: the rows of the smaller one are summed up, the other has the rest. */
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
    const smaller = sums.sumUp(this.#rows, start, end)
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
    // As the tree says it: its numbers are floats.
    const said = Math.fround(value)
    for (let i = start; i < end; i++) this.#score(this.#rows[i] as number, said)
  }
}

/** The chances of the classes for the scores from `at` on. */
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

/** Fills `chances` with the probability of each class. */
export function predictBoosting(trees: FlatTrees, codes: Uint8Array, chances: Float64Array): void {
  chances.fill(0)
  addTrees(trees, { start: 0, end: trees.roots.length }, codes, chances)
  softmax(chances)
}

/** The same as after each of some numbers of rounds, ascending; one after the other in `chances`. */
export function predictRounds(
  trees: FlatTrees,
  rounds: readonly number[],
  codes: Uint8Array,
  chances: Float64Array,
): void {
  const { roots } = trees
  const classCount = chances.length / rounds.length
  const scores = new Float64Array(classCount)
  let done = 0
  rounds.forEach((count, i) => {
    const end = Math.min(roots.length, count * treesARound(classCount))
    addTrees(trees, { start: done, end }, codes, scores)
    done = end
    const view = chances.subarray(i * classCount, (i + 1) * classCount)
    view.set(scores)
    softmax(view)
  })
}

/** Adds the values of trees start to end - 1 to the scores of the classes. */
function addTrees(
  { roots, nodes, values }: FlatTrees,
  { start, end }: RowRange,
  codes: Uint8Array,
  scores: Float64Array,
): void {
  const perRound = treesARound(scores.length)
  const first = perRound === 1 ? 1 : 0
  for (let tree = start; tree < end; tree++) {
    const k = first + (tree % perRound)
    scores[k] = (scores[k] as number) + (values[leafOf(nodes, roots[tree] as number, codes)] as number)
  }
}
