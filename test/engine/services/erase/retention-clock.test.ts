import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RetentionClock, type RetentionClockState } from '../../../../engine/services/erase/retention-clock.js'

const [HOUR, DAY] = [3_600e6, 86_400e6]
const start: RetentionClockState = { seenMicros: 1_000 * DAY, doubtedMicros: 0, since: null }

/** What each reading, in days since the start, comes to. */
function ages(clock: RetentionClock, days: readonly number[]): number[] {
  return days.map((day) => Math.round(((clock.at((1_000 + day) * DAY) - 1_000 * DAY) / DAY) * 100) / 100)
}

test('time that passes while somebody looks is believed at once', () => {
  assert.deepEqual(ages(new RetentionClock(start), [0, 0.5, 1, 2, 2.25]), [0, 0.5, 1, 2, 2.25])
})

test('a step ahead is believed when the clock has gone on so for a day, across restarts too', () => {
  const clock = new RetentionClock(start)
  assert.deepEqual(ages(clock, [0, 3_650, 3_650.5]), [0, 0, 0.5])
  assert.equal(clock.trustedAt, (1_000 + 3_651) * DAY)
  const restarted = new RetentionClock(clock.state)
  assert.deepEqual(ages(restarted, [3_650.75, 3_651, 3_651.5]), [0.75, 3_651, 3_651.5])
  assert.equal(restarted.trustedAt, null)
})

test('a clock that is set back again has deleted nothing, and is believed', () => {
  const clock = new RetentionClock(start)
  assert.deepEqual(ages(clock, [3_650, 3_650.25, 0.5, 1, 1.75]), [0, 0.25, 0.25, 0.75, 1.75])
  assert.equal(clock.trustedAt, null)
})

test('another step while it runs begins the day anew', () => {
  assert.deepEqual(ages(new RetentionClock(start), [10, 10.9, 20, 20.2, 20.95, 21]), [0, 0.9, 0.9, 1.1, 1.85, 21])
})

test('a service that runs an hour every week deletes, a week late', () => {
  let state = start
  const seen: number[] = []
  for (let week = 1; week <= 3; week++) {
    const clock = new RetentionClock(state)
    clock.at((1_000 + 7 * week) * DAY)
    seen.push((clock.at((1_000 + 7 * week) * DAY + HOUR) - 1_000 * DAY) / HOUR)
    state = clock.state
  }
  assert.deepEqual(seen, [1, 14 * 24 + 1, 14 * 24 + 2])
})
