import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoMicros, systemClock, WallClock } from '../../engine/clock.js'
import { SeededRandom } from '../../engine/rng.js'

describe('a timestamp', () => {
  it('is ISO 8601 in UTC with microseconds, as the Date of the same time says', () => {
    const random = new SeededRandom(7)
    const edges = [
      0,
      1,
      999_999,
      1e6,
      86_399_999_999,
      86_400_000_000,
      Date.UTC(2024, 1, 29, 23, 59, 59, 999) * 1000 + 999,
    ]
    const others = Array.from({ length: 2_000 }, () =>
      Math.floor((random.nextUint32() / 2 ** 32) * Date.UTC(2200, 0) * 1000),
    )
    for (const micros of [...edges, ...others]) {
      const ms = Math.floor(micros / 1000)
      const expected = new Date(ms).toISOString().replace('Z', `${String(micros - ms * 1000).padStart(3, '0')}Z`)
      assert.equal(isoMicros(micros), expected)
    }
  })
})

describe('the clock of the machine', () => {
  it('follows a wall that was set, back or forth, and a machine that slept, within a second', () => {
    let [wallMs, monotonicMs] = [1_700_000_000_000, 5_000]
    const clock = new WallClock(
      () => wallMs,
      () => monotonicMs,
      1_700_000_000_000 - 5_000,
    )
    const pass = (ms: number): number => {
      wallMs += ms
      monotonicMs += ms
      return clock.nowMicros()
    }
    for (const stepMs of [0, 3_600_000, -7_200_000, 28_800_000]) {
      wallMs += stepMs
      pass(999)
      assert.equal(pass(1), wallMs * 1000)
      assert.equal(pass(0.25), Math.floor(wallMs * 1000))
    }
  })

  it('runs on between readings that differ by less than they are exact', () => {
    let monotonicMs = 0
    const clock = new WallClock(
      () => Math.floor(1_700_000_000_000 + monotonicMs),
      () => monotonicMs,
      1_700_000_000_000,
    )
    for (; monotonicMs < 10_000; monotonicMs += 0.7)
      assert.equal(clock.nowMicros(), Math.floor((1_700_000_000_000 + monotonicMs) * 1000))
    assert.ok(Math.abs(systemClock.nowMicros() / 1000 - Date.now()) < 1_000)
  })
})
