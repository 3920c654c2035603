import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sfc32 } from '../../../../../engine/domain/learn/sfc32.js'
import { GradientSums, type NodeSums } from '../../../../../engine/domain/learn/trees/gradient-sums.js'
import { codeAt, partition, type TreeTable } from '../../../../../engine/domain/learn/features/tree-table.js'
import { tableOf } from '../../../../support/tree-tables.js'

const limits = { l2: 1, hessianMin: 2 }

/** Two numbers, and features from common to rare. */
function table(seed: number): TreeTable {
  const random = new Sfc32(seed, 0)
  const rows = Array.from({ length: 200 }, () => ({
    numbers: [random.below(12), 1 + random.below(3)],
    features: [2, 3, 10, 60, 1]
      .map((odds, feature) => (random.below(odds) === 0 ? feature : -1))
      .filter((feature) => feature >= 0),
    label: random.below(2),
  }))
  return tableOf(rows, 2, 5)
}

/** The greatest gain over all columns and codes, by trying each by itself. */
function bestGain(trees: TreeTable, sums: GradientSums, rows: readonly number[], chosen: Uint8Array): number {
  const add = (some: readonly number[], of: Float64Array): number =>
    some.reduce((sum, row) => sum + (of[row] as number), 0)
  const worth = (some: readonly number[]): number =>
    add(some, sums.gradients) ** 2 / (add(some, sums.hessians) + limits.l2)
  let best = -Infinity
  for (let column = 0; column < trees.columnCount; column++) {
    for (let code = 0; chosen[column] === 1 && code < 12; code++) {
      const left = rows.filter((row) => codeAt(trees, column, row) <= code)
      const right = rows.filter((row) => codeAt(trees, column, row) > code)
      if (add(left, sums.hessians) < limits.hessianMin || add(right, sums.hessians) < limits.hessianMin) continue
      best = Math.max(best, worth(left) + worth(right))
    }
  }
  return best > worth(rows) + 1e-9 ? best : -Infinity
}

test('the split of each node is the best of all, with the larger side by subtraction', () => {
  for (const seed of [1, 2, 3]) {
    const trees = table(seed)
    const sums = new GradientSums(trees, limits, trees.rowCount)
    const random = new Sfc32(seed, 1)
    for (let tree = 0; tree < 3; tree++) {
      for (let row = 0; row < trees.rowCount; row++)
        sums.set(row, random.below(1000) / 1000 - 0.5, (1 + random.below(250)) / 1000)
      const chosen = Uint8Array.from({ length: trees.columnCount }, () => Number(random.below(4) > 0))
      const rows = Int32Array.from({ length: trees.rowCount }, (_, row) => row)
      let nodes = 0
      const descend = (start: number, end: number, own: NodeSums): void => {
        const mine = [...rows.subarray(start, end)]
        const g = mine.reduce((sum, row) => sum + (sums.gradients[row] as number), 0)
        const h = mine.reduce((sum, row) => sum + (sums.hessians[row] as number), 0)
        const best = bestGain(trees, sums, mine, chosen)
        const found = sums.findSplit(own, g, h, chosen)
        assert.equal(found, best > -Infinity)
        if (!found) return sums.release(own)
        const { column, code, gain, h: rightH } = { ...sums.split }
        assert.ok(chosen[column] === 1 && Math.abs(gain - best) < 1e-9, `${gain} found, ${best} is best`)
        nodes++
        const middle = partition(trees, rows, { start, end }, { column, code })
        assert.equal(
          rows.subarray(middle, end).reduce((sum, row) => sum + (sums.hessians[row] as number), 0),
          rightH,
          'sums are exact',
        )
        const left = sums.sumUp(rows, start, middle)
        sums.subtract(own, left)
        descend(start, middle, left)
        descend(middle, end, own)
      }
      descend(0, rows.length, sums.sumUp(rows, 0, rows.length))
      assert.ok(nodes > 2, `${nodes} nodes`)
    }
  }
})

test('sums are the same in any order, and what is left after a subtraction is what the other rows have', () => {
  const trees = table(4)
  const sums = new GradientSums(trees, limits, trees.rowCount)
  const random = new Sfc32(4, 1)
  for (let row = 0; row < trees.rowCount; row++)
    sums.set(row, Math.sin(random.next()), Math.abs(Math.sin(random.next())))
  const rows = Int32Array.from({ length: trees.rowCount }, (_, row) => row)
  const whole = sums.sumUp(rows, 0, rows.length)
  const backwards = sums.sumUp(rows.toReversed(), 0, rows.length)
  assert.deepEqual(whole.sums, backwards.sums)
  sums.subtract(whole, sums.sumUp(rows, 0, 40))
  assert.deepEqual(whole.sums, sums.sumUp(rows, 40, rows.length).sums)
})

test('WebAssembly gives the bits of the JavaScript, in the memory of nodes and beyond it', () => {
  const random = new Sfc32(6, 0)
  const rows = Array.from({ length: 3_000 }, () => ({
    numbers: Array.from({ length: 6 }, () => random.below(5)),
    features: Array.from({ length: 40 }, (_, feature) => feature).filter((feature) => random.below(feature + 2) === 0),
    label: random.below(2),
  }))
  const trees = tableOf(rows, 2, 40)
  assert.ok(trees.columns.length > 20_000)
  const sums = new GradientSums(trees, limits, trees.rowCount, 2)
  for (let row = 0; row < trees.rowCount; row++)
    sums.set(row, Math.sin(random.next()), Math.abs(Math.sin(random.next())))
  assert.ok(sums.gradients.buffer === sums.rows.buffer, 'all is in one memory')
  for (let row = 0; row < trees.rowCount; row++) sums.rows[row] = trees.rowCount - 1 - row
  const others = sums.rows.slice()
  const held: NodeSums[] = []
  for (const [start, end] of [
    [0, 3_000],
    [17, 900],
    [2_000, 2_001],
    [5, 5],
  ] as const) {
    // The first is in the memory of nodes, from the third on there is no room.
    const ours = sums.sumUp(sums.rows, start, end)
    const theirs = sums.sumUp(others, start, end)
    assert.deepEqual(Float64Array.from(ours.sums), Float64Array.from(theirs.sums))
    assert.deepEqual(
      [...ours.features.subarray(0, ours.count)].sort(),
      [...theirs.features.subarray(0, theirs.count)].sort(),
    )
    sums.release(theirs)
    held.push(ours)
  }
  assert.equal(new Set(held.map(({ sums: own }) => own)).size, held.length)
})
