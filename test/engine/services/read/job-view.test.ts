import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeScore } from '../../../../engine/domain/learn/stream-shift.js'
import { modelHealth } from '../../../../engine/services/read/job-view.js'
import { emptyStats } from '../../../../engine/store/rows.js'

test('of a model that has decided hardly anything the job says what is not known', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  const says = (): string => modelHealth(stats).modelMsg
  assert.match(says(), /Not enough evidence yet: 0 new events/)
  stats.watch.drift.decided = 500
  assert.match(says(), /no votes confirm it yet/)
  stats.watch.drift.weight = 3
  assert.equal(says(), 'Recent events confirm the model')
  assert.equal(modelHealth(stats).modelAgeingSinceMicros, null)
})

test('of an ageing model the job says since when', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  Object.assign(stats.watch.drift, { ageing: 'feedback', sinceMicros: 1_700_000_000_000_000 })
  const { modelState, modelAgeingSinceMicros } = modelHealth(stats)
  assert.deepEqual([modelState, modelAgeingSinceMicros], ['ageing', 1_700_000_000_000_000])
})

test('of an ageing model the job says so where analysts picked what they voted on', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  const says = (): string => modelHealth(stats).modelMsg
  Object.assign(stats.watch.drift, { ageing: 'feedback', weight: 50, chosen: 10 })
  assert.match(says(), /until the next training$/)
  stats.watch.drift.chosen = 48
  assert.match(says(), /Analysts picked 96 % of these events themselves: if they correct wrong answers only/)
  stats.watch.drift.ageing = 'confidence'
  assert.match(says(), /until the next training$/, 'no votes have shown it')
})

test('of a rule for macro F1 that is off the job says so, and since when', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  stats.watch.rule = { weight: 100, changed: 60, isOff: true, sinceMicros: 1_700_000_000_000_000 }
  const { modelState, modelMsg } = modelHealth(stats)
  assert.equal(modelState, 'current')
  assert.match(modelMsg, /^Since 2023-11-14T.*rule for macro F1.* off/)
  stats.watch.rule = { weight: 100, changed: 1, isOff: false, sinceMicros: 0 }
  assert.match(modelHealth(stats).modelMsg, /Not enough evidence yet/)
})

test('of a stream that has moved the job says that answers are less sure', () => {
  const stats = { ...emptyStats(3), modelVersion: 1 }
  stats.watch.drift.decided = 500
  stats.watch.drift.weight = 3
  assert.ok(stats.watch.shift)
  for (let i = 0; i < 60; i++) seeScore(stats.watch.shift, 4)
  assert.deepEqual(modelHealth(stats), {
    modelState: 'current',
    modelMsg: 'Many recent events are unlike those of the training: until the next one, answers to them are less sure',
    modelAgeingSinceMicros: null,
  })
})
