import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { isEligible, type BucketVotes, type GateScope } from '../../../../engine/domain/autonomy/passage.js'
import { isHeldOut, sampleOf } from '../../../../engine/domain/autonomy/sampling.js'
import type { Decision } from '../../../../engine/domain/decide/decision.js'

const scope: GateScope = { label: 1, threshold: 9_500, modelVersion: 3, exclusions: new Set(['out']) }
const decision: Decision = {
  label: 1,
  confidence: 9_500,
  outlier: false,
  outlierScore: 0.1,
  source: 'model',
  modelVersion: 3,
}
const votes: BucketVotes = { bucketId: 'in', dissent: false, protectedVote: false }

describe('a gate lets pass', () => {
  it('an answer with its label, at its threshold, of its model or of the knowledge base', () => {
    assert.equal(isEligible(scope, decision, votes), true)
    assert.equal(isEligible(scope, { ...decision, source: 'knowledge_base' }, votes), true)
  })

  it('nothing else', () => {
    const others: Partial<Decision>[] = [
      { label: 0 },
      { label: -1, source: 'none' },
      { confidence: 9_499 },
      { modelVersion: 4 },
      { outlier: true },
      { source: 'ageing_model' },
      { source: 'untrained' },
    ]
    for (const other of others) assert.equal(isEligible(scope, { ...decision, ...other }, votes), false)
    assert.equal(isEligible(scope, decision, { ...votes, dissent: true }), false)
    assert.equal(isEligible(scope, decision, { ...votes, protectedVote: true }), false)
    assert.equal(isEligible(scope, decision, { ...votes, bucketId: 'out' }), false)
  })
})

describe('the draw of audits', () => {
  const secret = Buffer.alloc(32, 7)

  it('is the HMAC-SHA-256 of the event id', () => {
    const digest = createHmac('sha256', secret).update('alert-1').digest('hex')
    assert.equal(sampleOf(secret, 'alert-1'), Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48)
  })

  it('takes the share of events that it was told, whatever their ids look like', () => {
    let held = 0
    for (let at = 0; at < 20_000; at++) if (isHeldOut(secret, `alert-${at}`, 0.05)) held++
    assert.ok(Math.abs(held / 20_000 - 0.05) < 0.006, `${held}`)
    assert.equal(isHeldOut(secret, 'any', 0), false)
    assert.equal(isHeldOut(secret, 'any', 1), true)
  })

  it('is another one with another secret', () => {
    assert.notEqual(sampleOf(secret, 'alert-1'), sampleOf(Buffer.alloc(32, 8), 'alert-1'))
  })
})
