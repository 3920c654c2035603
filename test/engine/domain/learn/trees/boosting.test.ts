import assert from 'node:assert/strict'
import { test } from 'node:test'
import { predictBoosting, treesPerRound } from '../../../../../engine/domain/learn/trees/boosted-trees.js'
import { growBoosting, type BoostingOptions } from '../../../../../engine/domain/learn/trees/boosting.js'
import { Sfc32 } from '../../../../../engine/domain/learn/sfc32.js'
import { copyCodes } from '../../../../../engine/domain/learn/features/tree-table.js'
import { allRows, tableOf, type TreeRow } from '../../../../support/tree-tables.js'

const stage = { at: (): void => undefined }
const options: BoostingOptions = {
  rounds: 60,
  depth: 4,
  rate: 0.2,
  l2: 1,
  hessianMin: 1,
  columnShare: 1,
  rowShare: 0.9,
  rowsMax: 10_000,
}

/** With chance `noise` any class; else class by number 0 in thirds, or the last where feature 1 is there. */
function rowsOf(count: number, seed: number, classCount: number, noise = 0): TreeRow[] {
  const random = new Sfc32(seed, 0)
  return Array.from({ length: count }, () => {
    const numbers = [1 + random.below(30), random.below(9)]
    const features = [0, 1, 2].filter(() => random.below(3) === 0)
    const truth = features.includes(1) ? classCount - 1 : Math.floor((((numbers[0] as number) - 1) * classCount) / 30)
    return { numbers, features, label: random.below(1_000) < noise * 1_000 ? random.below(classCount) : truth }
  })
}

/** The share of right answers and the mean top probability on other rows. */
function judge(classCount: number, noise: number): { right: number; sure: number } {
  const table = tableOf(rowsOf(900, 1, classCount, noise), classCount, 3)
  const trees = growBoosting(table, allRows(table), options, stage)
  assert.equal(trees.roots.length, options.rounds * treesPerRound(classCount))
  const query = tableOf(rowsOf(600, 2, classCount, noise), classCount, 3)
  const codes = new Uint8Array(query.columnCount)
  const chances = new Float64Array(classCount)
  let right = 0
  let sure = 0
  for (let row = 0; row < query.rowCount; row++) {
    copyCodes(query, row, codes)
    predictBoosting(trees, codes, chances)
    const top = Math.max(...chances)
    sure += top / query.rowCount
    if (chances.indexOf(top) === query.classes[row]) right += 1 / query.rowCount
  }
  return { right, sure }
}

for (const classCount of [2, 3, 5]) {
  test(`${classCount} classes are learned`, () => {
    const { right } = judge(classCount, 0)
    assert.ok(right > 0.97, `${right}`)
  })
}

test('noise is not learned by heart', () => {
  const { right, sure } = judge(3, 0.4)
  assert.ok(right > 0.65 && sure < right + 0.2, `${right} right, ${sure} sure`)
})

test('trees are the same for the same rows', () => {
  const table = tableOf(rowsOf(200, 3, 3), 3, 3)
  assert.deepEqual(
    growBoosting(table, allRows(table), options, stage),
    growBoosting(table, allRows(table), options, stage),
  )
})

test('draws follow what rows and columns hold, not their places', () => {
  const rows = rowsOf(200, 3, 3)
  const table = tableOf(rows, 3, 3)
  // Each round draws a part of the rows, each tree a part of the columns.
  const drawing = { ...options, columnShare: 0.5, rowShare: 0.5 }
  const codes = new Uint8Array(table.columnCount)
  const answers = (of: typeof table): number[] => {
    const trees = growBoosting(of, allRows(of), drawing, stage)
    const chances = new Float64Array(3)
    return rows.flatMap((_, row) => {
      copyCodes(table, row, codes)
      predictBoosting(trees, codes, chances)
      return [...chances]
    })
  }
  const backwards = tableOf(rows.toReversed(), 3, 3)
  const moved = { ...backwards, rowKeys: table.rowKeys.toReversed() }
  const apart = (a: number[], b: number[]): number => Math.max(...a.map((x, i) => Math.abs(x - (b[i] as number))))
  const same = answers(table)
  assert.ok(apart(same, answers(moved)) < 1e-4, 'the same rows in another order')
  assert.ok(apart(same, answers(backwards)) > 0.01, 'rows with the keys of others')
  assert.ok(apart(same, answers({ ...table, columnKeys: table.columnKeys.toReversed() })) > 0.01, 'and columns')
})

test('rows of one class, or rows all alike, are survived', () => {
  for (const label of [0, 1]) {
    const table = tableOf(
      Array.from({ length: 5 }, () => ({ numbers: [1], features: [0], label })),
      2,
      1,
    )
    const chances = new Float64Array(2)
    predictBoosting(growBoosting(table, allRows(table), options, stage), Uint8Array.of(1, 1), chances)
    assert.ok((chances[label] as number) > 0.5)
  }
})
