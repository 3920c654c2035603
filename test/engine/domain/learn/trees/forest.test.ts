import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Sfc32 } from '../../../../../engine/domain/learn/sfc32.js'
import { predictForest, growForest, type ForestOptions } from '../../../../../engine/domain/learn/trees/forest.js'
import { copyCodes } from '../../../../../engine/domain/learn/features/tree-table.js'
import { allRows, tableOf, type TreeRow } from '../../../../support/tree-tables.js'

const stage = { at: (): void => undefined }
const kinds: readonly (readonly [string, ForestOptions])[] = [
  ['extra trees', { trees: 40, bootstrap: false, breadth: 2, rowsMax: 1_000, seed: 3 }],
  ['random forest', { trees: 40, bootstrap: true, breadth: 2, rowsMax: 1_000, seed: 3 }],
]

/** Class 1 where number 0 is above 6 and feature 2 is there; class 2 where feature 0 is; else class 0. */
function rowsOf(count: number, seed: number): TreeRow[] {
  const random = new Sfc32(seed, 0)
  return Array.from({ length: count }, () => {
    const numbers = [1 + random.below(12), random.below(5)]
    const features = [0, 1, 2, 3].filter((feature) => random.below(4) < (feature === 2 ? 2 : 1))
    const label = features.includes(0) ? 2 : (numbers[0] as number) > 6 && features.includes(2) ? 1 : 0
    return { numbers, features, label }
  })
}

for (const [name, options] of kinds) {
  describe(name, () => {
    const table = tableOf(rowsOf(600, 1), 3, 4)
    const trees = growForest(table, allRows(table), options, stage)

    test('learns what takes two columns to tell', () => {
      const query = tableOf(rowsOf(400, 2), 3, 4)
      const codes = new Uint8Array(query.columnCount)
      const shares = new Float64Array(3)
      let right = 0
      for (let row = 0; row < query.rowCount; row++) {
        copyCodes(query, row, codes)
        predictForest(trees, codes, shares)
        assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 1) < 1e-6)
        if (shares.indexOf(Math.max(...shares)) === query.classes[row]) right++
      }
      assert.ok(right > 390, `${right} of 400 are right`)
    })

    test('is the same for the same seed', () => {
      assert.deepEqual(growForest(table, allRows(table), options, stage), trees)
      assert.notDeepEqual(growForest(table, allRows(table), { ...options, seed: 4 }, stage).nodes, trees.nodes)
    })

    test('takes a row that weighs much for many', () => {
      const twins = tableOf(
        [
          { numbers: [1], features: [], label: 0 },
          { numbers: [1], features: [], label: 1 },
        ],
        2,
        0,
      )
      const grown = growForest(twins, { rows: Int32Array.of(0, 1), weights: Float64Array.of(9, 1) }, options, stage)
      const shares = new Float64Array(2)
      predictForest(grown, Uint8Array.of(1), shares)
      assert.ok((shares[0] as number) > 0.8, `${shares[0]}`)
    })

    test('leaves together what is alike in all columns, whatever its labels', () => {
      const alike = tableOf(
        Array.from({ length: 6 }, (_, i) => ({ numbers: [i >> 1], features: [0], label: i & 1 })),
        2,
        1,
      )
      const grown = growForest(alike, allRows(alike), { ...options, bootstrap: false }, stage)
      const shares = new Float64Array(2)
      for (const code of [0, 1, 2]) {
        predictForest(grown, Uint8Array.of(code, 1), shares)
        assert.deepEqual([...shares], [0.5, 0.5])
      }
      assert.equal(grown.nodes.length / 2, options.trees * 5, 'three leaves and two splits a tree')
    })

    test('sees no more rows a tree than it may', () => {
      const small = growForest(table, allRows(table), { ...options, rowsMax: 20 }, stage)
      assert.ok(small.nodes.length < trees.nodes.length, `${small.nodes.length} of ${trees.nodes.length}`)
    })
  })
}
