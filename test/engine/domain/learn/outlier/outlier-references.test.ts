import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import { OutlierReferences } from '../../../../../engine/domain/learn/outlier/outlier-references.js'
import { OutlierView } from '../../../../../engine/domain/learn/outlier/outlier-view.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const points = ['rule', ...Array.from({ length: 20 }, (_, i) => `n${i}`)]

function eventOf(random: SeededRandom): PointValues {
  return [`rule ${random.below(4)}`, ...points.slice(1).map(() => random.nextFloat() * 100)]
}

interface Held {
  readonly references: OutlierReferences
  readonly view: OutlierView
  readonly look: (values: PointValues) => OutlierView
}

function holdAgainst(events: readonly PointValues[]): Held {
  const profiles = profilePoints(points.length, events)
  const encoder = new FeatureEncoder(points, profiles, new Int32Array(0))
  const view = new OutlierView(profiles)
  const look = (values: PointValues): OutlierView => {
    encoder.encode(values)
    view.take(values, encoder)
    return view
  }
  return { references: OutlierReferences.of(events.length, view, (i) => look(events[i] as PointValues)), view, look }
}

function localised({ references, look }: Held, events: readonly PointValues[]): Float64Array {
  const spreads = Float64Array.from(events, (values, place) => references.distance(look(values), place))
  references.localise(spreads)
  return spreads
}

test('the distance is that of a comparison with each reference, and comes back from its bytes', () => {
  const random = new SeededRandom(5)
  const events = Array.from({ length: 60 }, () => eventOf(random))
  const held = holdAgainst(events)
  const spreads = localised(held, events)
  const usual = (spreads.slice().sort()[30] as number) + 1e-3
  const seen = events.map((values) => ({ rule: values[0], numbers: [...held.look(values).numbers] }))
  const to = new ModelWriter('k')
  held.references.write(to)
  const back = OutlierReferences.read(new ModelReader(to.seal(), 'k'))
  for (let i = 0; i < 100; i++) {
    const values = eventOf(random)
    const mine = [...held.look(values).numbers]
    const apart = seen.map(({ numbers }) => numbers.map((number, j) => Math.abs(number - (mine[j] as number))))
    const start = seen.map(({ rule }) => 1 - likenessOf(held, rule as string, values[0] as string))
    const meanOf = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length
    const plain = apart.map((list, e) => (start[e] as number) + meanOf(list))
    const far = apart
      .map(
        (list, e) =>
          ((start[e] as number) + 0.35 * (meanOf(list) + Math.max(...list))) /
          (((spreads[e] as number) + usual) / (2 * usual)) ** 0.25,
      )
      .sort((a, b) => a - b)
    const expected = (meanOf(far.slice(0, 15)) + (far[0] as number)) / 2
    const found = held.references.distance(held.look(values))
    assert.ok(Math.abs(found - expected) < 1e-5, `${found} is not ${expected}`)
    assert.ok(Math.abs(held.references.nearestDistance - Math.min(...plain)) < 1e-5)
    assert.equal(held.references.nearestPlace, plain.indexOf(Math.min(...plain)))
    assert.equal(back.distance(held.view), found)
  }
})

/** The cosine of the tokens of two events that differ in their rule alone. */
function likenessOf({ look }: Held, one: string, other: string): number {
  const numbers = points.slice(1).map(() => 50)
  const tokensOf = (rule: string): Map<number, number> => {
    const view = look([rule, ...numbers])
    return new Map(Array.from({ length: view.count }, (_, j) => [view.tokens[j] as number, view.weights[j] as number]))
  }
  const mine = tokensOf(one)
  let sum = 0
  for (const [token, weight] of tokensOf(other)) sum += weight * (mine.get(token) ?? 0)
  return sum
}

/** An event about the middle of all numbers. */
function near(random: SeededRandom, rule: string, width: number): PointValues {
  return [rule, ...points.slice(1).map(() => 50 + (random.nextFloat() - 0.5) * width)]
}

test('one number far off among many is further than all of them a little off', () => {
  const random = new SeededRandom(6)
  const events = Array.from({ length: 80 }, () => near(random, 'rule', 20))
  const { view, look } = holdAgainst(events)
  const known = events[3] as PointValues
  const references = OutlierReferences.of(1, view, () => look(known))
  const oneOff = known.map((value, point) => (point === 7 ? 1e6 : value))
  const allOff = known.map((value) => (typeof value === 'number' ? value + 2 : value))
  assert.ok(references.distance(look(oneOff)) > references.distance(look(allOff)))
})

test('as far from references that are close to each other counts for more than from ones that are not', () => {
  const random = new SeededRandom(7)
  const events = Array.from({ length: 100 }, (_, i) => near(random, i < 50 ? 'close' : 'apart', i < 50 ? 5 : 60))
  const held = holdAgainst(events)
  const far = (rule: string): number => held.references.distance(held.look([rule, ...points.slice(1).map(() => 120)]))
  const before = far('close') / far('apart')
  localised(held, events)
  assert.ok(far('close') / far('apart') > 1.1 * before)
})
