import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Timeline } from '../../../../engine/domain/cause/timeline.js'
import { TestShelf } from '../../../support/cause.js'

const NOW = Date.UTC(2026, 0, 1)

describe('the time of a stream', () => {
  it('is not moved by single alerts from the future, and not at all by impossible ones', () => {
    const timeline = new Timeline(new TestShelf(), 60_000)
    for (let i = 0; i < 5; i++) timeline.place(NOW - 3_600_000 + i, NOW)
    timeline.place(NOW, NOW)
    assert.ok(timeline.watermark < NOW - 3_000_000)
    assert.deepEqual(timeline.place(Date.UTC(2100, 0, 1), NOW), {
      timeMs: NOW,
      isLate: false,
      isAssumed: true,
      isLatest: true,
    })
    assert.ok(timeline.watermark < NOW - 3_000_000)
  })

  it('never goes back, and calls late what is too far behind', () => {
    const timeline = new Timeline(new TestShelf(), 60_000)
    for (let i = 0; i < 5; i++) timeline.place(NOW, NOW)
    assert.equal(timeline.place(NOW - 50_000, NOW).isLate, false)
    assert.equal(timeline.watermark, NOW)
    assert.equal(timeline.place(0, NOW).isLate, true)
  })

  it('begins anew where another history is being sent', () => {
    const timeline = new Timeline(new TestShelf(), 60_000)
    timeline.place(NOW, NOW)
    let late = 0
    for (let i = 0; i < 100; i++) if (timeline.place(NOW - 1e10 + i, NOW).isLate) late++
    assert.deepEqual([late, timeline.epoch], [63, 1])
  })
})
