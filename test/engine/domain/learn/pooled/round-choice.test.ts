import assert from 'node:assert/strict'
import { test } from 'node:test'
import { predictBoosting, predictRounds } from '../../../../../engine/domain/learn/trees/boosted-trees.js'
import { growBoosting, roundsMax } from '../../../../../engine/domain/learn/trees/boosting.js'
import { ProgressReport } from '../../../../../engine/domain/learn/progress.js'
import { DepthTrials, roundChoices, RoundTrials } from '../../../../../engine/domain/learn/pooled/round-choice.js'
import type { TreeTable } from '../../../../../engine/domain/learn/features/tree-table.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const rowCount = 400
const columnCount = 12
const options = { depth: 6, rate: 0.1, l2: 1, hessianMin: 1, columnShare: 0.5, rowShare: 0.9, rowsMax: 1_000 }
const stage = new ProgressReport(() => true).stage(0, 1, '')

/** Columns of codes 1 to 8, and the class that `classOf` tells of them. */
function tableOf(classOf: (codes: readonly number[], random: SeededRandom) => number): TreeTable {
  const random = new SeededRandom(11)
  const rows = Array.from({ length: rowCount }, () => Array.from({ length: columnCount }, () => 1 + random.below(8)))
  const codes = new Uint8Array(columnCount * rowCount)
  rows.forEach((row, r) =>
    row.forEach((code, column) => {
      codes[column * rowCount + r] = code
    }),
  )
  return {
    rowCount,
    classCount: 2,
    classes: Int32Array.from(rows, (row) => classOf(row, random)),
    numberCount: columnCount,
    columnCount,
    codes,
    bits: new Int32Array(0),
    bitStride: 0,
    starts: Int32Array.from({ length: rowCount + 1 }, (_, row) => row * columnCount),
    columns: Int32Array.from({ length: rowCount * columnCount }, (_, i) => i % columnCount),
    entryCodes: Uint8Array.from(rows.flat()),
    rowKeys: Int32Array.from(rows.keys()),
    columnKeys: Int32Array.from({ length: columnCount }, (_, column) => column),
  }
}

/** The number of rounds that the second half of the rows asks for of a boosting on the first. */
function roundsFor(table: TreeTable): number {
  const half = rowCount / 2
  const rows = Int32Array.from({ length: half }, (_, row) => row)
  const trees = growBoosting(
    table,
    { rows, weights: new Float64Array(rowCount).fill(1) },
    { ...options, rounds: roundsMax },
    stage,
  )
  const trials = new RoundTrials(half, 2)
  const whole = new Float64Array(2)
  for (let h = 0; h < half; h++) {
    const codes = Uint8Array.from(
      { length: columnCount },
      (_, column) => table.codes[column * rowCount + half + h] as number,
    )
    trials.predict(h, trees, codes)
    predictBoosting(trees, codes, whole)
    assert.deepEqual(trials.chances(h, roundChoices.length - 1), whole)
  }
  const choice = trials.best(table.classes.subarray(half), new Float64Array(half).fill(1))
  return roundChoices[choice] as number
}

test('boosting goes on where each round tells more', () => {
  assert.equal(roundsFor(tableOf((codes) => ((codes[0] as number) > 4 ? 1 : 0))), roundsMax)
})

test('boosting stops early where there is only noise', () => {
  assert.ok(roundsFor(tableOf((_, random) => random.below(2))) < roundsMax)
})

/** The depth that the second half of the rows asks for of boostings of depth 2 and 6 on the first. */
function depthFor(table: TreeTable, count = rowCount / 2): number {
  const half = rowCount / 2
  const rows = Int32Array.from({ length: half }, (_, row) => row)
  const depths = [2, 6]
  const trees = depths.map((depth) =>
    growBoosting(
      table,
      { rows, weights: new Float64Array(rowCount).fill(1) },
      { ...options, depth, rounds: roundsMax },
      stage,
    ),
  )
  const trials = new DepthTrials(depths, count, 2)
  for (let h = 0; h < count; h++) {
    trials.predict(
      h,
      trees,
      Uint8Array.from({ length: columnCount }, (_, column) => table.codes[column * rowCount + half + h] as number),
    )
  }
  const best = trials.best(table.classes.subarray(half, half + count), new Float64Array(count).fill(1))
  const alone = new RoundTrials(count, 2)
  const tree = trees[depths.indexOf(best.depth)] as (typeof trees)[number]
  alone.predict(
    0,
    tree,
    Uint8Array.from({ length: columnCount }, (_, column) => table.codes[column * rowCount + half] as number),
  )
  assert.deepEqual(best.chances(0), alone.chances(0, roundChoices.indexOf(best.rounds)))
  return best.depth
}

/** Two columns that tell the class together, and neither of them alone. */
const together = (codes: readonly number[]): number =>
  codes.slice(0, 2).reduce((odd, code) => odd ^ (code > 4 ? 1 : 0), 0)

test('boosted trees go deep where values tell something together, else they stay shallow', () => {
  assert.equal(depthFor(tableOf(together)), 6)
  assert.equal(
    depthFor(tableOf((codes, random) => ((codes[0] as number) + (codes[1] as number) + random.below(6) > 11 ? 1 : 0))),
    2,
  )
})

test('of a handful of held-out examples trees stay shallow', () => {
  assert.equal(depthFor(tableOf(together), 40), 2)
})

test('the first rounds of a boosting are a boosting of so many rounds', () => {
  const table = tableOf((codes) => ((codes[0] as number) > 4 ? 1 : 0))
  const rows = Int32Array.from({ length: rowCount }, (_, row) => row)
  const from = { rows, weights: new Float64Array(rowCount).fill(1) }
  const long = growBoosting(table, from, { ...options, rounds: 30 }, stage)
  const short = growBoosting(table, from, { ...options, rounds: 20 }, stage)
  const codes = Uint8Array.from({ length: columnCount }, (_, column) => column % 8)
  const staged = new Float64Array(4)
  const whole = new Float64Array(2)
  predictRounds(long, [20, 30], codes, staged)
  predictBoosting(short, codes, whole)
  assert.deepEqual(staged.subarray(0, 2), whole)
})
