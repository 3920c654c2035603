/** Which points have texts, and what their factors tell. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { chooseFactors } from '../../../../../engine/domain/learn/features/factor-choice.js'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import {
  FactorReader,
  noFactors,
  readFactors,
  writeFactors,
  type TextFactors,
} from '../../../../../engine/domain/learn/features/text-factors.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { wholeStage } from '../../../../support/learning-table.js'
import { sentenceAbout } from '../../../../support/sentences.js'

function factorsOf(events: readonly PointValues[]): TextFactors {
  return chooseFactors([], events, profilePoints(events[0]!.length, events), wholeStage)
}

/** So many events, `valuesOf` each. */
function events(count: number, valuesOf: (random: SeededRandom, i: number) => PointValues): PointValues[] {
  const random = new SeededRandom(5)
  return Array.from({ length: count }, (_, i) => valuesOf(random, i))
}

test('texts are what people write, and what is shorter beside them; names, categories, messages, times and numbers are none', () => {
  const mixed = events(400, (random, i) => [
    sentenceAbout(random, random.below(3)),
    `${sentenceAbout(random, random.below(3)).split(' ').slice(0, 2).join(' ')}`,
    `rule ${i % 40} said that something has happened to the host srv-${random.below(10_000)}`,
    random.pick(['red', 'green']),
    `2026-01-0${1 + random.below(9)} 10:${10 + random.below(50)}:00`,
    String(random.below(100_000)),
    i,
    ['a text in', 'a list'],
  ])
  assert.deepEqual([...factorsOf(mixed).points], [0, 1])
  assert.equal(factorsOf(mixed.map((values) => values.slice(1))).count, 0)
})

test('few texts, or texts that most events lack, have no factors', () => {
  assert.equal(factorsOf(events(90, (random) => [sentenceAbout(random, random.below(3))])).count, 0)
  const some = events(400, (random, i) => [i % 4 === 0 ? sentenceAbout(random, random.below(3)) : null, i])
  assert.deepEqual(factorsOf(some), noFactors)
})

test('labelled events that are in the stream as well are no texts that come again', () => {
  const texts = events(300, (random) => [sentenceAbout(random, random.below(3))])
  const profiles = profilePoints(1, texts)
  const { points } = chooseFactors(texts, texts, profiles, wholeStage)
  assert.deepEqual([...points], [0])
  assert.deepEqual([...chooseFactors(texts, texts.slice(0, 20), profiles, wholeStage).points], [0])
})

test('texts without a word in common are alike where their words come with the same others', () => {
  const reader = new FactorReader(factorsOf(events(600, (random) => [sentenceAbout(random, random.below(3))])))
  const place = (text: string): Float32Array => {
    reader.read([text])
    return reader.coordinates.slice()
  }
  const likeness = (a: string, b: string): number => {
    const other = place(b)
    return place(a).reduce((sum, x, k) => sum + x * other[k]!, 0)
  }
  assert.ok(likeness('volume', 'partition') > 2 * Math.abs(likeness('volume', 'password')))
  const length = Math.sqrt(likeness('volume disk', 'volume disk'))
  assert.ok(
    Math.abs(Math.sqrt(likeness('volume', 'volume')) - length) < 1e-5,
    'long and short texts are as far from nothing',
  )
  assert.ok(
    place('Qwertz').every((x) => x === 0),
    'no known word is no place',
  )
})

test('the same texts give the same factors, which are read as they were written', () => {
  const texts = events(300, (random) => [sentenceAbout(random, random.below(3)), 'x'])
  const factors = factorsOf(texts)
  assert.deepEqual(factorsOf(structuredClone(texts)), factors)
  const to = new ModelWriter('test/1')
  writeFactors(factors, to)
  assert.deepEqual(readFactors(new ModelReader(to.seal(), 'test/1')), factors)
})
