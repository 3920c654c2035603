/**
 * Gradient boosted trees for the softmax loss, one tree a class and round.
 *
 * Friedman 2001 with the second-order gains and leaves of XGBoost (Chen, Guestrin 2016): a leaf is -rate G / (H + l2), a
 * split gains G_l²/(H_l + l2) + G_r²/(H_r + l2) - G²/(H + l2), where G and H are the sums of the first and second
 * derivatives. Columns are drawn for each tree, events for each round. Two classes need one tree a round.
 */
import { Dice } from './dice.js'
import { leafOf, TreeBuilder, type FlatTrees } from './flat-trees.js'
import { GradientSums } from './gradient-sums.js'
import { softmax } from './logistic.js'
import type { Stage } from './progress.js'
import { leafOfRow, partition, type TreeRows, type TreeTable } from './tree-table.js'

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

/** Trees that one round has for so many classes. */
export function treesARound(classCount: number): number {
  return classCount === 2 ? 1 : classCount
}

const hessianFloor = 1e-16

class BoostingGrower {
  readonly #table: TreeTable
  readonly #options: BoostingOptions
  readonly #builder = new TreeBuilder()
  readonly #sums: GradientSums
  readonly #chosen: Uint8Array
  readonly #leaf = new Float64Array(1)

  constructor(table: TreeTable, options: BoostingOptions) {
    this.#table = table
    this.#options = options
    this.#sums = new GradientSums(table, options)
    this.#chosen = new Uint8Array(table.columnCount)
  }

  grow(from: TreeRows, stage: Stage): FlatTrees {
    const table = this.#table
    const { rounds, rowShare, rowsMax, seed } = this.#options
    const classCount = table.classCount
    const perRound = treesARound(classCount)
    const scores = new Float64Array(table.rowCount * perRound)
    const one = new Float64Array(classCount)
    const chances = new Float64Array(from.rows.length * classCount)
    const share = Math.min(rowShare, rowsMax / from.rows.length)
    for (let round = 0; round < rounds; round++) {
      stage.at(round / rounds)
      for (let i = 0; i < from.rows.length; i++) {
        scoresToChances(scores, (from.rows[i] as number) * perRound, perRound, one)
        chances.set(one, i * classCount)
      }
      const dice = new Dice(seed, round + 1)
      const drawn = from.rows.filter(() => dice.below(1 << 20) < share * (1 << 20))
      if (drawn.length === 0) continue
      for (let k = 0; k < perRound; k++) {
        stage.at((round + k / perRound) / rounds)
        this.#derive(from, chances, k)
        this.#choose(dice)
        this.#sums.begin(drawn, this.#chosen)
        this.#builder.startTree()
        const root = this.#builder.nodeCount
        this.#node(drawn.slice(), 0, drawn.length, 0)
        this.#add(from.rows, root, k, perRound, scores)
      }
    }
    return this.#builder.finish()
  }

  /** The derivatives of the loss by the score of class k; with two classes the score is that of the second. */
  #derive(from: TreeRows, chances: Float64Array, k: number): void {
    const { classes, classCount } = this.#table
    const { gradients, hessians } = this.#sums
    const label = classCount === 2 ? 1 : k
    for (let i = 0; i < from.rows.length; i++) {
      const row = from.rows[i] as number
      const p = chances[i * classCount + label] as number
      const weight = from.weights[row] as number
      gradients[row] = weight * (p - (classes[row] === label ? 1 : 0))
      hessians[row] = weight * Math.max(hessianFloor, (classCount === 2 ? 1 : 2) * p * (1 - p))
    }
  }

  #choose(dice: Dice): void {
    const share = this.#options.columnShare * (1 << 20)
    for (let column = 0; column < this.#chosen.length; column++) this.#chosen[column] = dice.below(1 << 20) < share ? 1 : 0
  }

  /** Adds what the newest tree says of each row to its score. */
  #add(rows: Int32Array, root: number, k: number, perRound: number, scores: Float64Array): void {
    const { nodes, values } = this.#builder.view()
    const table = this.#table
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      const at = row * perRound + k
      scores[at] = (scores[at] as number) + (values[leafOfRow(table, row, nodes, root)] as number)
    }
  }

  #node(rows: Int32Array, start: number, end: number, depth: number): void {
    const { gradients, hessians, split } = this.#sums
    let g = 0
    let h = 0
    for (let i = start; i < end; i++) {
      g += gradients[rows[i] as number] as number
      h += hessians[rows[i] as number] as number
    }
    const { depth: depthMax, rate, l2, hessianMin } = this.#options
    if (depth < depthMax && h >= 2 * hessianMin && end - start > 1 && this.#sums.findSplit(rows, start, end, g, h)) {
      const { column, code } = split
      const node = this.#builder.split(column, code)
      const middle = partition(this.#table, rows, start, end, column, code)
      this.#node(rows, start, middle, depth + 1)
      this.#builder.rightComes(node)
      this.#node(rows, middle, end, depth + 1)
      return
    }
    this.#leaf[0] = (-rate * g) / (h + l2)
    this.#builder.leaf(this.#leaf)
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
  return new BoostingGrower(table, options).grow(from, stage)
}

/** Fills `chances` with the probability of each class. */
export function askBoosting({ roots, nodes, values }: FlatTrees, codes: Uint8Array, chances: Float64Array): void {
  const classCount = chances.length
  const perRound = treesARound(classCount)
  const first = perRound === 1 ? 1 : 0
  chances.fill(0)
  for (let tree = 0; tree < roots.length; tree++) {
    const k = first + (tree % perRound)
    chances[k] = (chances[k] as number) + (values[leafOf(nodes, roots[tree] as number, codes)] as number)
  }
  softmax(chances)
}
