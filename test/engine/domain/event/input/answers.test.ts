import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerAt,
  answerFields,
  idAt,
  idField,
  labelOfAnswer,
  labelsOfAnswers,
  type NamedField,
} from '../../../../../engine/domain/event/input/answers.js'

const field = (name: string, values: readonly string[], events = 100): NamedField => ({
  name,
  events,
  values: new Set(values),
})

test('a field with answers is known by its name and its few values', () => {
  for (const name of [
    'label',
    'verdict',
    'fault_severity',
    'classification',
    'is_malicious',
    'resolution',
    'alert.analystVerdict',
    'incident.determination',
    'true_positive',
    'ground_truth',
    'closing_reason',
    'close_code',
    'triage_outcome',
    'isFraud',
    'Disposition',
    'root_cause',
    'soc_decision',
  ])
    assert.deepEqual(answerFields([field(name, ['a', 'b', 'c'])]), [name], name)
})

test('a field that only sounds like answers, or has too many values or one, has none', () => {
  for (const name of [
    'severity',
    'event.severity',
    'labels.severity',
    'rule.name',
    'event.outcome',
    'status',
    'severity_type',
    'resolution_time',
    'label_id',
    'threat.reputation',
    'classifier.version',
    'priority',
  ])
    assert.deepEqual(answerFields([field(name, ['a', 'b', 'c'])]), [], name)
  assert.deepEqual(answerFields([field('label', ['a'])]), [])
  const many = Array.from({ length: 21 }, (_, n) => `v${n}`)
  assert.deepEqual(answerFields([field('label', many)]), [])
})

test('values that say what they are make answers of any field', () => {
  assert.deepEqual(answerFields([field('state', ['False Positive', 'True Positive', 'open'])]), ['state'])
  assert.deepEqual(answerFields([field('state', ['TP', 'FP'])]), ['state'])
  assert.deepEqual(answerFields([field('state', ['clean', 'malicious', 'unknown'])]), [])
})

test('the surest name comes first, then the field that more events have', () => {
  const fields = [
    field('resolution', ['a', 'b']),
    field('verdict', ['a', 'b'], 20),
    field('disposition', ['a', 'b'], 60),
  ]
  assert.deepEqual(answerFields(fields), ['disposition', 'verdict', 'resolution'])
})

test('the id is a field by its name, of which each event has another value', () => {
  const ids = Array.from({ length: 100 }, (_, n) => `v${n}`)
  const all = ['user.id', 'hash', 'id', 'alert_id'].map((name) => field(name, ids))
  assert.equal(idField(all, 100), 'alert_id')
  assert.equal(idField(all.slice(0, 3), 100), 'id')
  assert.equal(idField(all.slice(0, 2), 100), 'user.id')
  assert.equal(idField(all.slice(1, 2), 100), null)
  assert.equal(idField([field('alert_id', ids.slice(1))], 100), null)
  assert.equal(idField([field('alert_id', ids, 99)], 100), null)
  assert.equal(idField([field('user.id', ids.slice(0, 5), 5)], 5), null)
  for (const name of ['kibana.alert.uuid', '_id', 'alertId', 'event.id', 'ticket_number'])
    assert.equal(idField([field(name, ids)], 100), name, name)
})

test('ids and answers are read at names with dots and at paths', () => {
  const event = { 'a.b': 1, a: { b: 2, c: { d: ' x ' } }, e: '', f: true }
  assert.deepEqual(
    [idAt(event, 'a.b'), idAt(event, 'a.c.d'), idAt(event, 'e'), idAt(event, 'f')],
    ['1', ' x ', null, null],
  )
  assert.deepEqual([answerAt(event, 'a.c.d'), answerAt(event, 'f'), answerAt(event, 'e')], ['x', 'true', null])
  assert.equal(answerAt(event, 'a'), null)
})

/** The labels, and the name of the label of each value. */
function labelled(name: string, counts: Readonly<Record<string, number>>): readonly unknown[] {
  const { labels, places } = labelsOfAnswers(name, new Map(Object.entries(counts)))
  return [
    labels.map((label) => (label.unused ? `(${label.name})` : label.name)),
    Object.fromEntries([...places].map(([value, place]) => [value, labels[place]?.name])),
  ]
}

test('three values or fewer become the labels, in the places of what they mean', () => {
  assert.deepEqual(labelled('fault_severity', { none: 65, few: 25, many: 10 }), [
    ['many', 'none', 'few'],
    { none: 'none', few: 'few', many: 'many' },
  ])
  assert.deepEqual(labelled('label', { noise: 96, scan: 1, compromise: 2 })[0], ['compromise', 'noise', 'scan'])
  assert.deepEqual(labelled('is_malicious', { false: 90, true: 10 }), [
    ['malicious', 'not malicious', '(Investigate)'],
    { false: 'not malicious', true: 'malicious' },
  ])
  assert.deepEqual(labelled('label', { 0: 90, 1: 10 })[0], ['1', '0', '(Investigate)'])
  assert.deepEqual(labelled('verdict', { Drop: 3, drop: 5, Escalate: 1 }), [
    ['Escalate', 'drop', '(Investigate)'],
    { Drop: 'drop', drop: 'drop', Escalate: 'Escalate' },
  ])
  assert.deepEqual(labelled('label', { label_2: 5, label_0: 1, label_1: 1 })[0], ['label_0', 'label_1', 'label_2'])
  assert.deepEqual(labelled('verdict', { escalate: 4 })[0], ['escalate', '(Drop)', '(Investigate)'])
})

test('more values are the default labels that they mean, or the two commonest and the others', () => {
  assert.deepEqual(
    labelled('verdict', { 'False Positive': 50, Benign: 20, 'True Positive': 9, Undetermined: 3, weird: 1 }),
    [
      ['Escalate', 'Drop', 'Investigate'],
      { 'False Positive': 'Drop', Benign: 'Drop', 'True Positive': 'Escalate', Undetermined: 'Investigate' },
    ],
  )
  assert.deepEqual(labelled('cause', { odu: 6, idu: 5, power: 3, cable: 2 }), [
    ['odu', 'idu', 'Other'],
    { odu: 'odu', idu: 'idu', power: 'Other', cable: 'Other' },
  ])
})

test('a value is the label of a job that has its name, or the only one that means the same', () => {
  const labels = ['Escalate', 'Drop', 'Investigate']
  assert.deepEqual(
    ['drop', 'False Positive', 'true', 'Benign True Positive', 'suspicious', 'few'].map((value) =>
      labelOfAnswer(value, labels),
    ),
    [1, 1, 0, 1, 2, null],
  )
  assert.equal(labelOfAnswer('malicious', ['Incident', 'Attack', 'Noise']), null)
})
