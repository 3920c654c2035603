import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelHealth } from '../../../../engine/services/read/job-view.js'
import { emptyStats } from '../../../../engine/store/rows.js'

test('of a model that has decided hardly anything the job says what is not known', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  const says = (): string => modelHealth(stats).modelMsg
  assert.match(says(), /not known yet .* 0 new events/)
  stats.watch.drift.decided = 500
  assert.match(says(), /no feedback says yet/)
  stats.watch.drift.weight = 3
  assert.equal(says(), 'The stream bears the model out')
  assert.equal(modelHealth(stats).modelAgeingSinceMicros, null)
})

test('of an ageing model the job says since when', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  Object.assign(stats.watch.drift, { ageing: 'feedback', sinceMicros: 1_700_000_000_000_000 })
  const { modelState, modelAgeingSinceMicros } = modelHealth(stats)
  assert.deepEqual([modelState, modelAgeingSinceMicros], ['ageing', 1_700_000_000_000_000])
})
