import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelReader, ModelWriter } from '../../../engine/learn/model-bytes.js'
import {
  OutlierScale,
  rarityLevel,
  rarityLevels,
  SurpriseTable,
  type OutlierSignals,
} from '../../../engine/learn/outlier.js'
import { SeededRandom } from '../../../engine/random.js'

function knownSignals(count: number): OutlierSignals[] {
  const random = new SeededRandom(9)
  return Array.from({ length: count }, () => ({
    doubt: random.nextFloat() ** 3 * 0.6,
    surprise: random.nextFloat() * 4,
    unknown: random.below(4) === 0 ? random.nextFloat() * 0.2 : 0,
  }))
}

test('levels of rarity are powers of two', () => {
  assert.deepEqual([-1, 0, 1, 2, 3, 4, 7, 8, 1e12].map(rarityLevel), [0, 0, 1, 2, 2, 3, 3, 4, rarityLevels - 1])
})

test('a value never seen surprises where values repeat, not where each is new', () => {
  const seen = new Float64Array(2 * rarityLevels)
  seen[5] = 1_000
  seen[rarityLevels] = 1_000
  const table = SurpriseTable.of(2, seen)
  assert.ok(table.at(0, 0) > 7)
  assert.ok(table.at(0, 5) === 0)
  assert.ok(table.at(1, 0) === 0)
})

test('two in a hundred known events are outliers at most', () => {
  const known = knownSignals(1_000)
  const scale = OutlierScale.of(known)
  const flagged = known.filter((signals) => scale.score(signals) >= scale.threshold).length
  assert.ok(flagged > 0 && flagged <= 20, `${flagged}`)
})

test('no signal lowers the score, and past all known it still grows', () => {
  const scale = OutlierScale.of(knownSignals(300))
  for (const signal of ['doubt', 'surprise', 'unknown'] as const) {
    let last = -1
    for (let i = 0; i <= 100; i++) {
      const score = scale.score({ doubt: 0.1, surprise: 1, unknown: 0, [signal]: (i / 100) * 6 })
      assert.ok(score >= last, `${signal} ${i}`)
      last = score
    }
    assert.ok(last > scale.score({ doubt: 0.1, surprise: 1, unknown: 0, [signal]: 5.9 * 0.8 }) - 1e-12)
  }
})

test('what every known event has does not count', () => {
  const scale = OutlierScale.of(knownSignals(300).map((signals) => ({ ...signals, unknown: 0 })))
  assert.equal(scale.score({ doubt: 0, surprise: 0, unknown: 0 }), 0)
})

test('where all known events are alike, none of them is an outlier', () => {
  const one = { doubt: 0.3, surprise: 2, unknown: 0.1 }
  for (const count of [1, 2, 50]) {
    const scale = OutlierScale.of(new Array<OutlierSignals>(count).fill(one))
    assert.ok(scale.score(one) < scale.threshold)
  }
})

test('table and scale are read as they were written', () => {
  const scale = OutlierScale.of(knownSignals(200))
  const table = SurpriseTable.of(
    1,
    Float64Array.from({ length: rarityLevels }, (_, i) => i),
  )
  const to = new ModelWriter('k/1')
  table.write(to)
  scale.write(to)
  const from = new ModelReader(to.seal(), 'k/1')
  const readTable = SurpriseTable.read(from)
  const readScale = OutlierScale.read(from)
  from.finish()
  for (let level = 0; level < rarityLevels; level++) assert.equal(readTable.at(0, level), table.at(0, level))
  for (const signals of knownSignals(50)) assert.equal(readScale.score(signals), scale.score(signals))
  assert.equal(readScale.threshold, scale.threshold)
})
