import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonestShare, neverLabelled, score } from '../../../bench/demo/exam.js'
import { keptText, measuredText } from '../../../bench/demo/report.js'
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

function tenTimes(some: readonly Played[]): Played[] {
  return Array.from({ length: 10 }, () => some).flat()
}

function same(count: number, truth: number, label: string): Played[] {
  return Array.from({ length: count }, () => played(truth, label))
}

test('accuracy counts an event without a decision as not right', () => {
  const result = score(tenTimes([played(0, 'A'), played(0, ''), played(1, 'A'), played(1, 'B')]), labels)
  assert.equal(result.decided, 0.75)
  assert.equal(result.accuracy.value, 0.5)
})

test('macro recall counts each true label alike', () => {
  const { accuracy, macroRecall } = score(tenTimes([...same(3, 0, 'A'), ...same(1, 1, 'A')]), labels)
  assert.equal(accuracy.value, 0.75)
  assert.equal(macroRecall.value, 0.5)
  assert.equal(macroRecall.high, 0.5, 'nothing right of one, nothing wrong of the other')
  const mixed = score(tenTimes([...same(3, 0, 'A'), ...same(1, 0, 'B'), ...same(1, 1, 'A')]), labels).macroRecall
  assert.ok((mixed.low as number) < 0.375 && (mixed.high as number) > 0.375)
})

test('confident decisions are those with a confidence of 90 or more', () => {
  const some = [played(0, 'A', 90), played(0, 'B', 95), played(0, 'A', 89.99), played(0, '', 0)]
  const result = score(tenTimes(tenTimes(some)), labels)
  assert.equal(result.sure, 0.5)
  assert.deepEqual([result.sureRight.value, result.sureRight.events], [0.5, 200])
  assert.equal(score(tenTimes(some), labels).sureRight.value, null, 'twenty are not enough')
})

test('no events have no figure, and no NaN', () => {
  const none = { value: null, low: null, high: null, events: 0 }
  const shares = { decided: 0, sure: 0 }
  assert.deepEqual(score([], labels), { events: 0, ...shares, accuracy: none, macroRecall: none, sureRight: none })
})

test('a figure is shown with its interval, or with what it lacks', () => {
  assert.equal(measuredText({ value: 0.812, low: 0.8, high: 0.8246, events: 500 }), '81.2 % (80.0 to 82.5)')
  assert.equal(measuredText({ value: null, low: null, high: null, events: 12 }), 'not enough yet (12)')
})

test('an event whose bucket is new counts as never labelled', () => {
  assert.deepEqual(neverLabelled([played(0, 'A'), played(0, 'A', 99, 'in_knowledge_base'), played(0, 'A')]), [0, 2])
})

test('the commonest label is counted by truth', () => {
  assert.equal(commonestShare([played(2, 'A'), played(2, 'A'), played(0, 'A'), played(2, 'C')], labels), 0.75)
})

test('a stored event more or less than were answered ends the demo', () => {
  assert.match(keptText(1_200, 1_200), /^Nothing was lost: the 1,200 events/)
  for (const stored of [1_199, 1_201]) assert.throws(() => keptText(1_200, stored), /1,200 events were answered/)
})
