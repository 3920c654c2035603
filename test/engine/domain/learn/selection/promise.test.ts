import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptShare, promisedEvents } from '../../../../../engine/domain/learn/selection/promise.js'

const DAY = 86_400_000_000

test('a young bucket is promised as many events as it has had', () => {
  assert.equal(promisedEvents({ events: 40, firstMicros: 0, lastMicros: DAY }, DAY), 40)
})

test('an old bucket is promised a week of its events', () => {
  assert.equal(promisedEvents({ events: 401, firstMicros: 0, lastMicros: 70 * DAY }, 70 * DAY), 40)
})

test('a silent bucket is promised less and less', () => {
  const past = { events: 100, firstMicros: 0, lastMicros: DAY }
  const after = [7, 14, 30, 90].map((days) => promisedEvents(past, days * DAY))
  assert.deepEqual(
    [...after].sort((a, b) => b - a),
    after,
  )
  assert.ok((after[3] as number) <= 1)
})

test('a promise is kept as far as its events came, scaled to seven days', () => {
  assert.equal(keptShare([]), null)
  assert.equal(keptShare([{ promised: 10, settled: 25, ageMicros: 7 * DAY }]), 1)
  assert.equal(keptShare([{ promised: 10, settled: 10, ageMicros: 14 * DAY }]), 0.5)
  assert.equal(
    keptShare([
      { promised: 30, settled: 30, ageMicros: 7 * DAY },
      { promised: 10, settled: 0, ageMicros: 7 * DAY },
    ]),
    0.75,
  )
})
