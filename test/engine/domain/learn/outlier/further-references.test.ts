import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { chooseReferences } from '../../../../../engine/domain/learn/pooled/nearest.js'
import { outlierReferencesMax } from '../../../../../engine/domain/learn/outlier/outlier-references.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { ExampleView } from '../../../../../engine/domain/learn/pooled/nearest.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const examplesMade = outlierReferencesMax + 300

/** An event as it is compared: the weight of each token, and its numbers. */
interface Seen {
  readonly tokens: ReadonlyMap<number, number>
  readonly numbers: readonly number[]
}

/** The same distance, of all tokens and all numbers. */
function distanceOf(a: Seen, b: Seen): number {
  let likeness = a.tokens.size === 0 ? 1 : 0
  for (const [token, weight] of a.tokens) likeness += weight * (b.tokens.get(token) ?? 0)
  const apart = a.numbers.reduce((sum, number, i) => sum + Math.abs(number - (b.numbers[i] as number)), 0)
  return 1 - likeness + (a.numbers.length > 0 ? apart / a.numbers.length : 0)
}

function holdAgainstAll(points: readonly string[], eventOf: (random: SeededRandom) => PointValues): void {
  const random = new SeededRandom(3)
  const examples = Array.from(
    { length: examplesMade },
    (): Example => ({ values: eventOf(random), label: random.below(3), weight: 1 }),
  )
  const profiles = profilePoints(
    points.length,
    examples.map(({ values }) => values),
  )
  const encoder = new FeatureEncoder(points, profiles, new Int32Array(0))
  const sight = new ExampleView(examples, encoder, (example) => example)
  const seen = (values: PointValues): Seen => {
    encoder.encode(values)
    sight.view.take(values, encoder)
    const tokens = new Map<number, number>()
    for (let j = 0; j < sight.view.count; j++) {
      const token = sight.view.tokens[j] as number
      tokens.set(token, (tokens.get(token) ?? 0) + (sight.view.weights[j] as number))
    }
    return { tokens, numbers: [...sight.view.numbers] }
  }
  const chosen = chooseReferences(examples, [...examples.keys()], 1)
  const { references } = sight.nearest(chosen, 1)
  const all = chosen.map((example) => seen((examples[example] as Example).values))
  let further = 0
  for (let i = 0; i < 300; i++) {
    const values = eventOf(random)
    const except = i % 3 === 0 ? chosen.length - 1 - i : -1
    const mine = seen(except < 0 ? values : (examples[chosen[except] as number] as Example).values)
    references.distance(sight.view, except)
    if (except < 0) {
      const distances = references.distances(sight.view)
      assert.equal(Math.min(...distances.slice(0, outlierReferencesMax)), references.nearestDistance)
      for (const [place, one] of all.entries())
        assert.ok(Math.abs((distances[place] as number) - distanceOf(mine, one)) < 1e-4)
    }
    const limit = 0.1 + random.nextFloat() * 0.5
    const found = references.nearestWithin(sight.view, limit, except)
    const least = Math.min(...all.map((one, place) => (place === except ? Infinity : distanceOf(mine, one))))
    if (found.place < 0) assert.ok(least > limit - 1e-4, `${least} is within ${limit}`)
    else assert.ok(Math.abs(found.distance - least) < 1e-4, `${found.distance} is not ${least}`)
    if (found.place >= outlierReferencesMax) further++
  }
  assert.ok(further > 30, `${further} of 300 were found beyond the first`)
}

test('the nearest of many is that of a comparison with each: categories and numbers', () => {
  holdAgainstAll(['rule', 'host', 'bytes', 'seconds', 'tags'], (random) => [
    `rule ${random.below(9)}`,
    `host-${random.below(30)}`,
    random.below(5) * random.below(1_000),
    random.nextFloat(),
    ['a', `t${random.below(4)}`],
  ])
})

test('the nearest of many is that of a comparison with each: texts that repeat words', () => {
  holdAgainstAll(['message', 'host'], (random) => [
    Array.from({ length: 3 + random.below(6) }, () => `w${random.below(5)}`).join(' '),
    `host ${random.below(60)}`,
  ])
})

test('the nearest of many is that of a comparison with each: numbers alone, more of them than are summed up together', () => {
  const points = Array.from({ length: 11 }, (_, i) => `n${i}`)
  holdAgainstAll(points, (random) => points.map(() => random.nextFloat() ** 3 * 40))
})
