import assert from 'node:assert/strict'
import { it } from 'node:test'
import { InputProfile } from '../../../../engine/domain/metrics/input-profile.js'

it('sees which decision point moved', () => {
  const [before, after] = [new InputProfile(2), new InputProfile(2)]
  for (let i = 0; i < 500; i++) {
    before.add([`user ${i % 5}`, `host ${i % 7}`])
    after.add([`user ${i % 5}`, `machine ${i % 7}`])
  }
  const [same, moved] = after.driftFrom(before)
  assert.ok(typeof same === 'number' && same < 1e-9 && typeof moved === 'number' && moved > 0.5)
  assert.deepEqual(after.driftFrom(new InputProfile(2)), [null, null])
})
