/** A model that has answered thousands of events gives each the bits that a model gives it as its first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValue, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { defaultClassifier, loadModel } from '../../../../../engine/domain/learn/registry.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const points = ['rule', 'roles', 'level', 'note', 'time', 'id']

/** Events of few values, of which one in `rare` is another one, of any type. */
function eventOf(random: SeededRandom, rare: number): PointValues {
  const others: readonly PointValue[] = [
    null,
    -0,
    0,
    7,
    3.25,
    true,
    '',
    'rule 9',
    '10.0.0.9',
    ['a'],
    ['r1', 'r2'],
    'x y z',
  ]
  const usual: PointValue[] = [
    `rule ${random.below(5)}`,
    [`r${random.below(3)}`, `s${random.below(2)}`],
    random.below(4),
    `seen on ${random.below(3)} machines`,
    random.below(2) === 0 ? '2026-03-01T04:00:00Z' : '2026-03-01T16:00:00Z',
    null,
  ]
  const values = usual.map((value) => (random.below(rare) === 0 ? (random.pick(others) as PointValue) : value))
  values[5] = random.below(10) === 0 ? null : `id ${random.nextUint32()}`
  return values
}

for (const [how, idsAtTraining] of [
  ['never had', false],
  ['had at its training', true],
] as const) {
  test(`with ids at a point that the model ${how}`, () => {
    const random = new SeededRandom(idsAtTraining ? 5 : 6)
    const examples = Array.from({ length: 200 }, () => {
      const values = [...eventOf(random, 20)]
      if (!idsAtTraining) values[5] = null
      return { values, label: values[0] === 'rule 1' ? 1 : values[2] === 3 ? 2 : 0, weight: 1 }
    })
    const background = examples.map(({ values }) => values)
    const bytes = defaultClassifier.train({ points, labelCount: 3, examples, background, seed: 1 }, () => true)
    const model = loadModel(bytes)
    const [ours, alone] = [new Float64Array(3), new Float64Array(3)]
    const events = Array.from({ length: 1_500 }, (_, i) => eventOf(random, i % 3 === 0 ? 4 : 40))
    events.forEach((values, i) => {
      const score = model.assess(values, ours)
      if (i % 4 > 0) return
      assert.equal(score, loadModel(bytes).assess(values, alone), JSON.stringify(values))
      assert.deepEqual(ours, alone, JSON.stringify(values))
    })
  })
}
