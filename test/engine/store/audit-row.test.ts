import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Audit, AuditOutcome } from '../../../engine/domain/autonomy/audit.js'
import { decodeAudit, encodeAudit } from '../../../engine/store/audit-row.js'
import { encodeJsonRow } from '../../../engine/store/json-row.js'

const bucket = '00112233445566778899aabbccddeeff'
const audit: Audit = {
  drawnMicros: 1_700_000_000_123_457,
  dueMicros: 1_700_000_259_200_000,
  label: 2,
  confidence: 9_999,
  from: 6_050,
  modelVersion: 4_000_000_000,
  rate: 0.05,
  bucketId: bucket,
  subject: bucket,
  second: false,
  outcome: 'pending',
  analysts: 0,
  differ: false,
}

describe('the row of an audit', () => {
  it('comes back as it was', () => {
    const outcomes: readonly AuditOutcome[] = ['pending', 'clean', 'failure', 'late']
    for (const outcome of outcomes)
      for (const second of [false, true])
        for (const differ of [false, true])
          for (const place of [
            { bucketId: bucket, subject: bucket },
            { bucketId: bucket, subject: 'ff'.repeat(16) },
            { bucketId: null, subject: '00060a24181e4001' },
          ])
            for (const gone of [{}, { gone: true as const }]) {
              const row: Audit = { ...audit, outcome, second, differ, ...place, ...gone, analysts: 70_000 }
              assert.deepEqual(decodeAudit(encodeAudit(row)), row)
            }
  })

  it('is short, since audits are written as fast as events', () => {
    assert.equal(encodeAudit(audit).length, 56)
  })

  it('is read where it is JSON, as it was before', () => {
    assert.deepEqual(decodeAudit(encodeJsonRow(audit)), audit)
  })

  it('is refused in a later version', () => {
    const row = encodeAudit(audit)
    row[0] = 3
    assert.throws(() => decodeAudit(row), /a version that this code knows/)
  })
})
