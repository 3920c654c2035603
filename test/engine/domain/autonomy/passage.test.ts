import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  autonomyAgain,
  blind,
  isEligible,
  standingOf,
  type GateScope,
} from '../../../../engine/domain/autonomy/passage.js'
import { Draw } from '../../../../engine/domain/autonomy/sampling.js'
import type { Decision } from '../../../../engine/domain/decide/decision.js'

const scope: GateScope = { label: 1, threshold: 9_500, modelVersion: 3 }
const decision: Decision = {
  label: 1,
  confidence: 9_500,
  outlier: false,
  outlierScore: 0.1,
  source: 'model',
  modelVersion: 3,
}
const votes = { excluded: false, dissent: false, protectedVote: false, protectedConsensus: false }

describe('a gate lets pass', () => {
  it('an answer with its label, at its threshold, of its model or of the knowledge base', () => {
    assert.equal(isEligible(scope, decision), true)
    assert.equal(isEligible(scope, { ...decision, source: 'knowledge_base' }), true)
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
      { ruleOff: true },
    ]
    for (const other of others) assert.equal(isEligible(scope, { ...decision, ...other }), false)
  })

  it('no event of a bucket with dissent, with a protected vote, or left out', () => {
    assert.deepEqual(standingOf(votes), { barred: false, isProtected: false })
    for (const reason of ['excluded', 'dissent', 'protectedVote'])
      assert.deepEqual(standingOf({ ...votes, [reason]: true }), { barred: true, isProtected: false })
    const people = { ...votes, protectedVote: true, protectedConsensus: true }
    assert.deepEqual(standingOf(people), { barred: true, isProtected: true })
  })
})

describe('the draw of audits', () => {
  const secret = Buffer.alloc(32, 7)
  const draw = new Draw(secret)

  it('is the HMAC-SHA-256 of the event id, whatever its length and its letters', () => {
    for (const id of ['', 'alert-1', 'ä €😀', ...Array.from({ length: 300 }, (_, length) => 'x'.repeat(length))]) {
      const digest = createHmac('sha256', secret).update(id).digest('hex')
      assert.equal(draw.placeOf(id), Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48, id)
    }
    for (const bytes of [16, 33, 64]) {
      const key = Buffer.alloc(bytes, bytes)
      const digest = createHmac('sha256', key).update('alert-1').digest('hex')
      assert.equal(new Draw(key).placeOf('alert-1'), Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48)
    }
    assert.throws(() => new Draw(Buffer.alloc(65)), /at most 64 bytes/)
  })

  it('takes the share of events that it was told, whatever their ids look like', () => {
    let held = 0
    for (let at = 0; at < 20_000; at++) if (draw.isHeldOut(`alert-${at}`, 0.05)) held++
    assert.ok(Math.abs(held / 20_000 - 0.05) < 0.006, `${held}`)
    assert.equal(draw.isHeldOut('any', 0), false)
    assert.equal(draw.isHeldOut('any', 1), true)
  })

  it('is another one with another secret', () => {
    assert.notEqual(draw.placeOf('alert-1'), new Draw(Buffer.alloc(32, 8)).placeOf('alert-1'))
  })
})

describe('an event that is decided again', () => {
  it('goes back to people where it was settled with another label, and is never settled then', () => {
    assert.equal(autonomyAgain({ label: 1, autonomy: 'settled' }, 0), 'review')
    assert.equal(autonomyAgain({ label: 1, autonomy: 'settled' }, 1), 'settled')
    assert.equal(autonomyAgain({ label: 0, autonomy: 'review' }, 1), 'review')
    assert.equal(autonomyAgain({ label: 1, autonomy: 'audit' }, 0), 'audit')
  })
})

describe('an audit', () => {
  it('is a review to everybody who votes', () => {
    assert.deepEqual((['settled', 'review', 'audit', 'none'] as const).map(blind), [
      'settled',
      'review',
      'review',
      'none',
    ])
  })
})
