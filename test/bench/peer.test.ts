import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qualityOf } from '../../bench/end-to-end/peer.js'

test('accuracy and macro F1 count an event without a decision as wrong', () => {
  const truth = ['a', 'a', 'b', 'b']
  assert.deepEqual(qualityOf(truth, truth, ['a', 'b']), { accuracy: 1, macroF1: 1 })
  const { accuracy, macroF1 } = qualityOf(['a', '', 'b', 'a'], truth, ['a', 'b'])
  assert.equal(accuracy, 0.5)
  assert.ok(Math.abs(macroF1 - (1 / 2 + 2 / 3) / 2) < 1e-12)
})
