import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Halt } from '../../../../engine/integration/delivery/halt.js'

const pace = { haltAfterMs: 60, haltPausesMs: [100, 1_000] }

test('a counterpart that is sure stops a step with its first answer; it tries again twice, later and later', () => {
  let changes = 0
  const halt = new Halt(pace, () => changes++)
  assert.deepEqual([halt.halted, halt.waitMs(0)], [null, 0])
  assert.equal(halt.failed('for_good', 'gone', 5), true)
  assert.deepEqual(halt.halted, { reason: 'gone', sinceMs: 5, isStopped: true, nextMs: 105 })
  assert.deepEqual([halt.waitMs(5), halt.waitMs(104), halt.waitMs(105), halt.waitMs(-1e9)], [100, 1, 0, 100])
  halt.failed('for_good', 'gone', 110)
  assert.equal(halt.waitMs(110), 1_000)
  halt.failed('for_good', 'still gone', 1_200)
  assert.deepEqual(halt.halted, { reason: 'still gone', sinceMs: 5, isStopped: true, nextMs: null })
  assert.equal(halt.waitMs(1e12), Infinity)
  assert.equal(changes, 3)
})

test('a counterpart that may be starting stops a step after a time, and people are told with its first answer', () => {
  const halt = new Halt(pace)
  assert.equal(halt.failed('set_up', 'nothing here', 0), false)
  assert.deepEqual([halt.halted?.isStopped, halt.halted?.reason, halt.waitMs(0)], [false, 'nothing here', 0])
  assert.equal(halt.failed('set_up', 'nothing here', 59), false)
  assert.equal(halt.failed('set_up', 'nothing here', 60), true)
})

test('several requests that were under way use up one try', () => {
  const halt = new Halt(pace)
  for (let at = 0; at < 4; at++) halt.failed('for_good', 'gone', at)
  assert.equal(halt.halted?.nextMs, 100)
})

test('what gets through, and a person, let a step go on with all its tries', () => {
  const halt = new Halt(pace)
  halt.failed('for_good', 'gone', 0)
  halt.failed('for_good', 'gone', 200)
  halt.goOn()
  assert.deepEqual([halt.halted, halt.waitMs(0)], [null, 0])
  halt.failed('for_good', 'gone', 300)
  assert.equal(halt.halted?.nextMs, 400)
})
