/** The predictions of boosted trees (boosting.ts): their values are added to the scores of the classes. */
import { softmax } from '../linear/logistic.js'
import { findLeaves, leavesFor, type FlatTrees, type TreeRange } from './flat-trees.js'

/** The number of trees in a round. */
export function treesPerRound(classCount: number): number {
  return classCount === 2 ? 1 : classCount
}

/** Fills `chances` with the probabilities of the classes. */
export function predictBoosting(trees: FlatTrees, codes: Uint8Array, chances: Float64Array): void {
  chances.fill(0)
  addTrees(trees, { start: 0, end: trees.roots.length }, codes, chances)
  softmax(chances)
}

/** The same after each of some numbers of rounds, which ascend; one after the other in `chances`. */
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
    const end = Math.min(roots.length, count * treesPerRound(classCount))
    addTrees(trees, { start: done, end }, codes, scores)
    done = end
    const view = chances.subarray(i * classCount, (i + 1) * classCount)
    view.set(scores)
    softmax(view)
  })
}

/** Adds the values of the trees of the range to the scores of the classes. */
function addTrees(trees: FlatTrees, range: TreeRange, codes: Uint8Array, scores: Float64Array): void {
  const { values } = trees
  const leaves = leavesFor(range)
  findLeaves(trees, range, codes, leaves)
  const perRound = treesPerRound(scores.length)
  const first = perRound === 1 ? 1 : 0
  for (let tree = range.start; tree < range.end; tree++) {
    const k = first + (tree % perRound)
    scores[k] = (scores[k] as number) + (values[leaves[tree - range.start] as number] as number)
  }
}
