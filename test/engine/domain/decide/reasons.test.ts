import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reasonsOf } from '../../../../engine/domain/decide/reasons.js'
import type { Model, PointValues } from '../../../../engine/domain/learn/classifier.js'

/** A model whose first label is as probable as the values say together. */
function modelBy(probability: (values: PointValues) => number): Model {
  const predict = (values: PointValues, probabilities: Float64Array): void => {
    const p = probability(values)
    probabilities.set([p, 1 - p])
  }
  const summary = { outlierThreshold: 4, evidenceWeight: null } as Model['summary']
  const choose = (probabilities: Float64Array): number => ((probabilities[0] as number) >= 0.5 ? 0 : 1)
  return {
    summary,
    predict,
    choose,
    mostProbable: (probabilities) => ((probabilities[0] as number) >= 0.5 ? 0 : 1),
    outlierScore: () => 1,
    assess: (values, probabilities) => {
      predict(values, probabilities)
      return 1
    },
    references: new Int32Array(0),
    neighbours: () => [],
    steps: () => ({ members: [], steps: [] }),
    likeness: () => ({ hold: () => {}, distance: () => 0, holdAll: () => {}, distances: () => new Float64Array(0) }),
  }
}

const active = (model: Model) => ({ model, version: 1, probabilities: new Float64Array(2) })
const terms = { firstField: 0, needsFields: true, ruleOff: false }

describe('the reasons of an answer', () => {
  it('find a pair of which either field alone is enough', () => {
    const has = (values: PointValues, at: number): boolean => values[at] !== null
    const model = modelBy((values) => (has(values, 1) || has(values, 2) ? 0.9 : 0.2) + (has(values, 0) ? 0.05 : 0))
    const { answer, fields, pair } = reasonsOf(active(model), ['a', 'b', 'c'], terms)
    assert.equal(answer.confidence, 9_500)
    assert.deepEqual(
      fields.map((one) => [one.fields, one.effect, one.answer.label]),
      [
        [[0], 500, 0],
        [[1], 0, 0],
        [[2], 0, 0],
      ],
    )
    assert.deepEqual(
      [pair?.fields, pair?.effect, pair?.answer.label, pair?.answer.confidence],
      [[1, 2], 7_000, 1, 7_500],
    )
  })

  it('leave out fields without a value, and what is no field', () => {
    const model = modelBy((values) => 0.5 + 0.1 * values.filter((value) => value !== null).length)
    const { fields, pair, pairs } = reasonsOf(active(model), ['place', null, 'a', 'b'], { ...terms, firstField: 1 })
    assert.deepEqual(
      fields.flatMap((one) => one.fields),
      [2, 3],
    )
    assert.deepEqual([pair?.fields, pairs], [[2, 3], 1])
    // An event needs a field of its own, whatever its place.
    assert.deepEqual([pair?.answer.label, pair?.effect], [-1, 8_000])
  })
})
