import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killLoop } from './kill-loop.js'

describe('an engine that is killed under load', () => {
  it('has everything that it acknowledged, once (npm run test:kill repeats it)', async () => {
    const counts = await killLoop(3, 7, 250)
    assert.equal(counts.kills, 3)
    assert.ok(counts.acknowledgedEvents > 0)
  })
})
