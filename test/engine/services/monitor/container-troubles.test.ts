import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTrouble, well, worseOf, type Trouble } from '../../../../engine/services/monitor/container-troubles.js'

test('the worse of two troubles is told, so that one does not hide the other', () => {
  const full: Trouble = { health: 'unhealthy', reason: 'full' }
  const late = clockTrouble(90)
  assert.equal(late.health, 'degraded')
  for (const [one, other, worse] of [
    [well, late, late],
    [late, well, late],
    [late, full, full],
    [full, late, full],
    [well, clockTrouble(0), well],
  ] as const)
    assert.equal(worseOf(one, other), worse)
})
