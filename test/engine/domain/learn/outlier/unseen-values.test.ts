import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Example, Model, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import {
  certainScore,
  freshAnchor,
  moveAnchor,
  outlierRateUsual,
} from '../../../../../engine/domain/learn/outlier/outlier-anchor.js'
import { pooled } from '../../../../../engine/domain/learn/pooled/pooled.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const points = ['rule', 'user', 'bytes', 'port', 'tags', 'at']

/** Users are many, so new ones are usual; bytes hardly recur; ports do. */
function eventOf(random: SeededRandom): PointValues {
  return [
    random.pick(['login failed', 'login ok', 'port scan']),
    `user ${random.below(400)}`,
    Math.exp(5 + random.nextFloat()),
    random.pick([22, 80, 443]),
    ['a', random.pick(['b', 'c'])],
    new Date(1.7e12 + random.below(1e9)).toISOString(),
  ]
}

function trained(labels: number, stream: number): Model {
  const random = new SeededRandom(3)
  const examples = Array.from({ length: labels }, (): Example => {
    const values = eventOf(random)
    return { values, label: values[0] === 'port scan' ? 1 : 0, weight: 1 }
  })
  const background = Array.from({ length: stream }, () => eventOf(random))
  return pooled.load(pooled.train({ points, labelCount: 3, examples, background, seed: 1 }, () => true))
}

const strange: PointValues = ['kernel module', 'mallory', 1e9, 31_337, ['rootkit'], '2031-01-01T00:00:00Z']

function without(values: PointValues, point: number, value: PointValues[number]): PointValues {
  return values.map((each, at) => (at === point ? value : each))
}

describe('an event without any value that was seen', () => {
  for (const [labels, stream] of [
    [10, 0],
    [50, 0],
    [50, 400],
    [100, 1_000],
  ] as const) {
    it(`is always an outlier after ${labels} labels and ${stream} other events`, () => {
      const model = trained(labels, stream)
      for (let i = 0; i < 100; i++) {
        const values: PointValues = [`rule-${i}`, `other${i}`, 1e7 + i, 50_000 + i, [`tag ${i}`], `when ${i}`]
        assert.ok(model.outlierScore(values) >= certainScore, JSON.stringify(values))
      }
    })
  }

  it('is known by one value that was seen, by a part of a list, too', () => {
    const model = trained(100, 400)
    assert.ok(model.outlierScore(strange) >= certainScore)
    for (const [point, value] of [
      [0, 'port scan'],
      [3, 443],
      [4, ['b', 'rootkit']],
    ] as const)
      assert.ok(model.outlierScore(without(strange, point, value)) < certainScore, JSON.stringify(value))
  })

  it('is one whatever is missing, and where numbers lie within the known range', () => {
    const model = trained(100, 400)
    const lacking: PointValues = ['kernel module', null, null, null, [], null]
    assert.ok(model.outlierScore(lacking) >= certainScore)
    assert.ok(model.outlierScore(without(strange, 2, 220.5)) >= certainScore)
  })

  it('is none of its own by a number within the range, a time or a usual word alone', () => {
    const model = trained(100, 400)
    for (const [point, value] of [
      [1, 'user x'],
      [2, 220.5],
      [5, '2031-01-01T00:00:00Z'],
    ] as const) {
      const values = points.map((_, at) => (at === point ? value : null))
      assert.ok(model.outlierScore(values) < certainScore, JSON.stringify(value))
    }
    assert.ok(model.outlierScore(points.map(() => null)) < certainScore)
  })

  it('is usual in a stream of ids, and then no outlier for that alone', () => {
    const random = new SeededRandom(5)
    const id = (): PointValues => [`${random.below(2 ** 30)}x`, `${random.below(2 ** 30)}y`]
    const examples = Array.from({ length: 60 }, (_, i): Example => ({ values: id(), label: i % 2, weight: 1 }))
    const set = { points: ['a', 'b'], labelCount: 2, examples, background: Array.from({ length: 200 }, id), seed: 1 }
    const model = pooled.load(pooled.train(set, () => true))
    assert.ok(model.outlierScore(id()) < certainScore)
  })

  it('stays an outlier however many come', () => {
    const anchor = freshAnchor(-Math.log(outlierRateUsual), outlierRateUsual)
    for (let i = 0; i < 100_000; i++) moveAnchor(anchor, certainScore + 10, -Math.log(outlierRateUsual))
    assert.ok(anchor.threshold <= certainScore)
  })
})
