import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dawidSkene,
  precisionOf,
  reliabilityOf,
  voteWeight,
} from '../../../../../engine/domain/metrics/analysts/dawid-skene.js'
import { SeededRandom } from '../../../../../engine/rng.js'

/** Events whose analysts answer rightly with these chances. */
function simulated(chances: readonly number[], events: number) {
  const random = new SeededRandom(7)
  return Array.from({ length: events }, () => {
    const truth = random.below(3)
    return chances.map((chance, analyst) => {
      const isRight = random.below(1_000) < 1_000 * chance
      return { analyst, label: isRight ? truth : (truth + 1 + random.below(2)) % 3 }
    })
  })
}

test('reliabilities are found without the truth', () => {
  const found = dawidSkene(simulated([0.95, 0.8, 0.5], 600), 3, 3)
  assert.ok(found !== null)
  for (const [analyst, chance] of [0.95, 0.8, 0.5].entries())
    for (let label = 0; label < 3; label++) {
      const own = reliabilityOf(found, analyst, label)
      assert.ok(Math.abs(own - chance) < 0.08, `analyst ${analyst}, label ${label}: ${own}`)
      assert.ok(Math.abs(precisionOf(found, analyst, label) - chance) < 0.1)
    }
  assert.ok(voteWeight(found, 0, 0) > voteWeight(found, 2, 0))
  assert.ok(voteWeight(found, 2, 0) >= 1)
})

test('with fewer than thirty events that two answered nothing is said', () => {
  assert.equal(dawidSkene(simulated([0.9, 0.9], 29), 2, 3), null)
  assert.notEqual(dawidSkene(simulated([0.9, 0.9], 30), 2, 3), null)
})
