import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Example, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { chooseReferences, ExampleView } from '../../../../../engine/domain/learn/pooled/nearest.js'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import { OutlierDetector } from '../../../../../engine/domain/learn/outlier/outlier-detector.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const points = ['rule', 'bytes', 'port', 'tags', 'rare.number']

function eventOf(random: SeededRandom): PointValues {
  return [
    random.pick(['login failed', 'login ok', 'port scan']),
    Math.round(Math.exp(5 + random.nextFloat())),
    random.pick([22, 80, 443]),
    ['a', random.pick(['b', 'c'])],
    random.below(10) === 0 ? random.below(5) : null,
  ]
}

function trained(count: number): {
  detector: OutlierDetector
  scoreOf: (values: PointValues, doubt?: number) => number
} {
  const random = new SeededRandom(2)
  const examples = Array.from(
    { length: count },
    (): Example => ({ values: eventOf(random), label: random.below(3), weight: 1 }),
  )
  const background = Array.from({ length: 500 }, () => eventOf(random))
  const profiles = profilePoints(points.length, [...examples.map(({ values }) => values), ...background])
  const doubts = Float64Array.from(examples, () => random.nextFloat() * 0.3)
  const encoder = new FeatureEncoder(points, profiles, new Int32Array(0))
  const sight = new ExampleView(examples, encoder, () => 0)
  const chosen = chooseReferences(examples, [...examples.keys()], 1)
  const { references } = sight.nearest(chosen, 1)
  const places = new Map(chosen.map((example, place) => [example, place]))
  const distanceOf = (values: PointValues, except = -1): number => {
    encoder.encode(values)
    sight.view.take(values, encoder)
    return references.distance(sight.view, except)
  }
  const distances = [
    ...examples.map(({ values }, i) => distanceOf(values, places.get(i))),
    ...background.map((values) => distanceOf(values)),
  ]
  const detector = OutlierDetector.of(
    Float64Array.from(distances),
    [1, 2].map((times) => Float64Array.from([...doubts, ...background.map(() => 0.1)], (doubt) => doubt * times)),
  )
  const to = new ModelWriter('k')
  detector.write(to)
  const back = OutlierDetector.read(new ModelReader(to.seal(), 'k'), 2)
  return {
    detector,
    scoreOf: (values, doubt = 0.1) => {
      const distance = distanceOf(values)
      const score = detector.score(distance, [doubt, 2 * doubt])
      assert.equal(back.score(distance, [doubt, 2 * doubt]), score)
      return score
    },
  }
}

describe('the outlier detector', () => {
  it('scores few known events over the line of 2 %, strange ones over it, and comes back from its bytes', () => {
    const { scoreOf } = trained(400)
    const random = new SeededRandom(9)
    const line = -Math.log(0.02)
    const flagged = Array.from({ length: 1_000 }, () => eventOf(random)).filter(
      (values) => scoreOf(values) >= line,
    ).length
    assert.ok(flagged < 50, `${flagged} of 1000`)
    assert.ok(scoreOf(['kernel module loaded', 1e9, 31_337, ['rootkit'], 77]) >= line)
  })

  it('scores higher with more doubt, and with a number further from all others', () => {
    const { scoreOf } = trained(300)
    const usual = (bytes: number): PointValues => ['login ok', bytes, 80, ['a', 'b'], null]
    assert.ok(scoreOf(usual(200), 0.6) > scoreOf(usual(200), 0.01))
    assert.ok(scoreOf(usual(1e12)) > scoreOf(usual(200)))
  })

  it('ranks each doubt by itself: a scale of its own does not count for more', () => {
    const random = new SeededRandom(4)
    const distances = Float64Array.from({ length: 500 }, () => random.nextFloat())
    const doubts = [1, 2].map(() => Float64Array.from({ length: 500 }, () => random.nextFloat()))
    const small = doubts.map((list, d) => (d === 0 ? list.map((doubt) => doubt / 1000) : list))
    const [plain, scaled] = [OutlierDetector.of(distances, doubts), OutlierDetector.of(distances, small)]
    for (const [distance, one, other] of [
      [0.5, 0.5, 0.5],
      [0.1, 0.99, 0.2],
      [0.9, 0.3, 0.97],
    ] as const) {
      assert.ok(Math.abs(plain.score(distance, [one, other]) - scaled.score(distance, [one / 1000, other])) < 1e-9)
    }
  })

  it('survives one example, and values of any type', () => {
    for (const count of [1, 3, 2_000]) {
      const { scoreOf } = trained(count)
      for (const value of [
        null,
        '',
        NaN,
        Infinity,
        -0,
        true,
        [],
        Array.from({ length: 5_000 }, (_, i) => `item ${i}`),
      ]) {
        const score = scoreOf(points.map(() => value as PointValues[number]))
        assert.ok(Number.isFinite(score) && score >= 0, `${count} ${String(value)}: ${score}`)
      }
    }
  })
})
