import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  firstThreshold,
  freshAnchor,
  moveAnchor,
  outlierThresholdUsual,
} from '../../../../../engine/domain/learn/outlier/outlier-anchor.js'
import { SeededRandom } from '../../../../../engine/rng.js'

/** The share flagged of so many known events, whose scores are `scale` times what they were in training. */
function flaggedShare(rate: number, scale: number, events: number, skip: number): number {
  const random = new SeededRandom(5)
  const anchor = freshAnchor(outlierThresholdUsual, rate)
  let flagged = 0
  for (let i = 0; i < events; i++) {
    const score = -Math.log(1 - random.nextFloat()) * scale
    if (i >= skip && score >= anchor.threshold) flagged++
    moveAnchor(anchor, score, outlierThresholdUsual)
  }
  return flagged / (events - skip)
}

describe('the anchored threshold', () => {
  it('begins at minus the logarithm of the rate', () => {
    assert.ok(Math.abs(firstThreshold(outlierThresholdUsual, 0.05) + Math.log(0.05)) < 1e-9)
  })

  it('holds each rate within one percentage point, on the stream of the training and on one that moved', () => {
    for (const rate of [0.01, 0.02, 0.05]) {
      for (const scale of [1, 1.5, 2]) {
        const share = flaggedShare(rate, scale, 20_000, 1_000)
        assert.ok(Math.abs(share - rate) < 0.01, `rate ${rate}, scale ${scale}: ${share}`)
      }
    }
  })

  it('goes no further than the median says where only the tail of the stream is new', () => {
    const random = new SeededRandom(6)
    const anchor = freshAnchor(outlierThresholdUsual, 0.02)
    for (let i = 0; i < 5_000; i++)
      moveAnchor(anchor, i % 4 === 0 ? 12 : -Math.log(1 - random.nextFloat()), outlierThresholdUsual)
    assert.ok(anchor.threshold < 12, `${anchor.threshold}`)
  })

  it('is the same for the same scores, also from a copy taken half way', () => {
    const random = new SeededRandom(7)
    const scores = Array.from({ length: 1_000 }, () => random.nextFloat() * 6)
    const whole = freshAnchor(outlierThresholdUsual, 0.02)
    for (const score of scores) moveAnchor(whole, score, outlierThresholdUsual)
    const first = freshAnchor(outlierThresholdUsual, 0.02)
    for (const score of scores.slice(0, 400)) moveAnchor(first, score, outlierThresholdUsual)
    const second = JSON.parse(JSON.stringify(first)) as typeof first
    for (const score of scores.slice(400)) moveAnchor(second, score, outlierThresholdUsual)
    assert.deepEqual(second, whole)
  })

  it('keeps new events that are one in twenty outliers, however long they come', () => {
    const anchor = freshAnchor(outlierThresholdUsual, 0.02)
    const random = new SeededRandom(9)
    let flagged = 0
    for (let i = 0; i < 20_000; i++) {
      const isNew = i % 20 === 0
      const score = isNew ? 4.6 : -Math.log(1 - random.nextFloat())
      if (isNew && i >= 10_000 && score >= anchor.threshold) flagged++
      moveAnchor(anchor, score, outlierThresholdUsual)
    }
    assert.ok(flagged > 400, `${flagged} of 500`)
  })
})
