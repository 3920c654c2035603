import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonestShare, neverLabelled, score } from '../../../bench/demo/exam.js'
import type { Played } from '../../../bench/demo/play.js'

const labels = ['A', 'B', 'C']

function played(truth: number, label: string, confidence = 50, state = 'new'): Played {
  const answer = {
    event_id: 'e',
    status: 'OK',
    result: label === '' ? '' : `label_${labels.indexOf(label)}`,
    result_label: label,
    bucket_state: state,
    outlier: false,
    confidence_score: confidence,
  }
  return { eventId: 'e', event: { json: '{}', truth }, answer }
}

test('accuracy counts an event without a decision as not right', () => {
  const result = score([played(0, 'A'), played(0, ''), played(1, 'A'), played(1, 'B')], labels)
  assert.equal(result.decided, 0.75)
  assert.equal(result.accuracy, 0.5)
})

test('macro recall counts each true label alike', () => {
  const result = score([played(0, 'A'), played(0, 'A'), played(0, 'A'), played(1, 'A')], labels)
  assert.equal(result.accuracy, 0.75)
  assert.equal(result.macroRecall, 0.5)
})

test('confident decisions are those with a confidence of 90 or more', () => {
  const result = score([played(0, 'A', 90), played(0, 'B', 95), played(0, 'A', 89.99), played(0, '', 0)], labels)
  assert.equal(result.sure, 0.5)
  assert.equal(result.sureRight, 0.5)
})

test('no events score zero, not NaN', () => {
  assert.deepEqual(score([], labels), { events: 0, decided: 0, accuracy: 0, macroRecall: 0, sure: 0, sureRight: 0 })
})

test('an event whose bucket is new counts as never labelled', () => {
  assert.deepEqual(neverLabelled([played(0, 'A'), played(0, 'A', 99, 'in_knowledge_base'), played(0, 'A')]), [0, 2])
})

test('the commonest label is counted by truth', () => {
  assert.equal(commonestShare([played(2, 'A'), played(2, 'A'), played(0, 'A'), played(2, 'C')], labels), 0.75)
})
