import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfusionMatrix } from '../../../../engine/domain/metrics/confusion.js'
import { SeededRandom } from '../../../../engine/rng.js'

const names = ['Escalate', 'Drop', 'Investigate']

function near(value: number | null, wanted: number): void {
  assert.ok(value !== null && Math.abs(value - wanted) < 1e-9, `${value} is not ${wanted}`)
}

describe('scores of a confusion matrix', () => {
  it('are those of scikit-learn for its documented three-class example', () => {
    // y_true = [0, 1, 2, 0, 1, 2], y_pred = [0, 2, 1, 0, 0, 1]: macro precision 0.22, recall 0.33, F1 0.26.
    const matrix = ConfusionMatrix.of([
      [2, 0, 0],
      [1, 0, 1],
      [0, 2, 0],
    ])
    const quality = matrix.quality(names)
    near(quality.overallPrecision, 2 / 9)
    near(quality.overallRecall, 1 / 3)
    near(quality.overallF1Score, 0.8 / 3)
    near(quality.overallAccuracy, 1 / 3)
    assert.deepEqual(quality.metricsPerDecision.get('Drop'), {
      precision: 0,
      recall: 0,
      f1Score: 0,
      truePositives: 0,
      trueNegatives: 2,
      falsePositives: 2,
      falseNegatives: 2,
    })
  })

  it('are those counted by hand', () => {
    const quality = ConfusionMatrix.of([
      [50, 3, 2],
      [4, 30, 1],
      [5, 0, 5],
    ]).quality(names)
    const escalate = quality.metricsPerDecision.get('Escalate')
    assert.ok(escalate !== undefined)
    assert.deepEqual(
      [escalate.truePositives, escalate.falsePositives, escalate.falseNegatives, escalate.trueNegatives],
      [50, 9, 5, 36],
    )
    near(escalate.precision, 50 / 59)
    near(escalate.recall, 50 / 55)
    near(escalate.f1Score, 100 / 114)
    near(quality.overallAccuracy, 85 / 100)
    near(quality.overallPrecision, (50 / 59 + 30 / 33 + 5 / 8) / 3)
    near(quality.overallRecall, (50 / 55 + 30 / 35 + 5 / 10) / 3)
  })

  it('leave a label that never occurs out of the means', () => {
    const quality = ConfusionMatrix.of([
      [3, 1, 0],
      [0, 4, 0],
      [0, 0, 0],
    ]).quality(names)
    near(quality.overallRecall, (3 / 4 + 1) / 2)
    assert.equal(quality.metricsPerDecision.get('Investigate')?.precision, 0)
  })

  it('are null where nothing is counted', () => {
    const quality = new ConfusionMatrix(3).quality(names)
    assert.deepEqual(
      [quality.overallAccuracy, quality.overallPrecision, quality.overallRecall, quality.overallF1Score],
      [null, null, null, null],
    )
    assert.equal(quality.metricsPerDecision.size, 3)
  })
})

describe('any matrix', () => {
  const random = new SeededRandom(5)
  const matrices = Array.from({ length: 300 }, () => {
    return Array.from({ length: 3 }, () =>
      Array.from({ length: 3 }, () => (random.below(3) === 0 ? 0 : random.below(40))),
    )
  })

  it('has counts of each decision that sum to the total', () => {
    for (const rows of matrices) {
      const matrix = ConfusionMatrix.of(rows)
      for (const one of matrix.quality(names).metricsPerDecision.values()) {
        assert.equal(one.truePositives + one.trueNegatives + one.falsePositives + one.falseNegatives, matrix.total)
        for (const share of [one.precision, one.recall, one.f1Score]) assert.ok(share >= 0 && share <= 1)
      }
    }
  })

  it('has the sum of true positives over all decisions as its right ones', () => {
    for (const rows of matrices) {
      const matrix = ConfusionMatrix.of(rows)
      const right = [...matrix.quality(names).metricsPerDecision.values()].reduce(
        (all, one) => all + one.truePositives,
        0,
      )
      assert.equal(right, matrix.right)
    }
  })

  it('permutes with its labels', () => {
    const order = [2, 0, 1]
    for (const rows of matrices) {
      const permuted = order.map((i) => order.map((j) => (rows[i] as number[])[j] as number))
      const [a, b] = [
        ConfusionMatrix.of(rows).quality(names),
        ConfusionMatrix.of(permuted).quality(order.map((i) => names[i] as string)),
      ]
      for (const name of names) assert.deepEqual(a.metricsPerDecision.get(name), b.metricsPerDecision.get(name))
      for (const pick of ['overallAccuracy', 'overallPrecision', 'overallRecall', 'overallF1Score'] as const) {
        if (a[pick] === null) assert.equal(b[pick], null)
        else near(b[pick], a[pick])
      }
    }
  })

  it('of parts is the sum of the parts', () => {
    for (let i = 0; i + 1 < matrices.length; i += 2) {
      const both = ConfusionMatrix.of(matrices[i] as number[][])
      const total = both.total
      const other = ConfusionMatrix.of(matrices[i + 1] as number[][])
      both.addAll(other)
      assert.equal(both.total, total + other.total)
    }
  })
})
