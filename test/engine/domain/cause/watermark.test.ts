import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Watermark } from '../../../../engine/domain/cause/watermark.js'
import { TestCauseStore } from '../../../support/cause.js'

const NOW = Date.UTC(2026, 0, 1)

describe('the time of a stream', () => {
  it('is not moved by single alerts from the future, and not at all by impossible ones', () => {
    const watermark = new Watermark(new TestCauseStore(), 60_000)
    for (let i = 0; i < 5; i++) watermark.advance(NOW - 3_600_000 + i, NOW)
    watermark.advance(NOW, NOW)
    assert.ok(watermark.timeMs < NOW - 3_000_000)
    assert.deepEqual(watermark.advance(Date.UTC(2100, 0, 1), NOW), {
      timeMs: NOW,
      isLate: false,
      isAssumed: true,
      isLatest: true,
    })
    assert.ok(watermark.timeMs < NOW - 3_000_000)
  })

  it('never goes back, and calls late what is too far behind', () => {
    const watermark = new Watermark(new TestCauseStore(), 60_000)
    for (let i = 0; i < 5; i++) watermark.advance(NOW, NOW)
    assert.equal(watermark.advance(NOW - 50_000, NOW).isLate, false)
    assert.equal(watermark.timeMs, NOW)
    assert.equal(watermark.advance(0, NOW).isLate, true)
  })

  it('begins anew where another history is being sent', () => {
    const watermark = new Watermark(new TestCauseStore(), 60_000)
    watermark.advance(NOW, NOW)
    let late = 0
    for (let i = 0; i < 100; i++) if (watermark.advance(NOW - 1e10 + i, NOW).isLate) late++
    assert.deepEqual([late, watermark.epoch], [63, 1])
  })
})
