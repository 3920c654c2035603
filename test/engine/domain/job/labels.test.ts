import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobCategories } from '../../../../engine/domain/job/job.js'
import { defaultLabels, labelAmbiguity, placeLabels, resolveLabel } from '../../../../engine/domain/job/labels.js'

const hexColor = '#000000'

const named = [
  { name: 'Escalate', hexColor },
  { name: 'Drop', hexColor, id: 'drop_alert' },
  { name: 'Look', hexColor },
]

test('the defaults are those of the category', () => {
  assert.deepEqual(defaultLabels('Decision intelligence'), [
    { id: 'label_0', name: 'Escalate', hexColor: '#ED0A2C' },
    { id: 'label_1', name: 'Drop', hexColor: '#1264FE' },
    { id: 'label_2', name: 'Investigate', hexColor: '#9A00FF' },
  ])
  assert.deepEqual(defaultLabels('Event centric decision intelligence'), defaultLabels('Decision intelligence'))
  const names = defaultLabels('Automated root cause analysis').map((label) => label.name)
  assert.deepEqual(names, ['Root cause', 'Symptom', 'Irrelevant'])
  for (const category of jobCategories) assert.equal(labelAmbiguity(defaultLabels(category)), null)
})

test('a label answers to its name in any case, its id and both aliases', () => {
  const labels = placeLabels(named, [])
  for (const text of ['Drop', 'dROP', ' drop ', 'drop_alert', 'DROP_ALERT', 'label_1', 'class_1']) {
    assert.equal(resolveLabel(labels, text), 1, text)
  }
  for (const text of ['', '<empty>', 'label_3', 'label_', 'Undecided', 'drop alert']) {
    assert.equal(resolveLabel(labels, text), null, text)
  }
})

test('a word that would name two labels is found', () => {
  const ambiguity = (...inputs: { name: string; id?: string }[]): string | null => {
    return labelAmbiguity(
      placeLabels(
        inputs.map((each) => ({ hexColor, ...each })),
        [],
      ),
    )
  }
  assert.equal(ambiguity({ name: 'a' }, { name: 'A' }, { name: 'c' }), 'a')
  assert.equal(ambiguity({ name: 'a', id: 'x' }, { name: 'X' }, { name: 'c' }), 'x')
  assert.equal(ambiguity({ name: 'a', id: 'label_2' }, { name: 'b' }, { name: 'c' }), 'label_2')
  assert.equal(ambiguity({ name: 'class_1' }, { name: 'b' }, { name: 'c' }), 'class_1')
  assert.equal(ambiguity({ name: 'a', id: 'a' }, { name: 'b', id: 'label_1' }, { name: 'c' }), null)
})

test('a label without a colour has that of its place, and keeps the one it had', () => {
  assert.deepEqual(
    placeLabels([{ name: 'a' }, { name: 'b', hexColor }, { name: 'c' }], []).map((label) => label.hexColor),
    ['#ED0A2C', hexColor, '#9A00FF'],
  )
  assert.deepEqual(
    placeLabels([{ name: 'Look' }, { name: 'Drop' }, { name: 'Escalate' }], placeLabels(named, [])).map(
      (label) => label.hexColor,
    ),
    [hexColor, hexColor, hexColor],
  )
})

test('an update in another order leaves each label in its place with its id', () => {
  const update = [
    { name: 'drop', hexColor: '#111111' },
    { name: 'Look', hexColor },
    { name: 'Raise', hexColor },
  ]
  const after = placeLabels(update, placeLabels(named, []))
  assert.deepEqual(after, [
    { id: 'label_0', name: 'Raise', hexColor },
    { id: 'drop_alert', name: 'drop', hexColor: '#111111' },
    { id: 'label_2', name: 'Look', hexColor },
  ])
})

test('an id finds its label before a name does', () => {
  const before = placeLabels(
    [
      { name: 'a', hexColor },
      { name: 'b', hexColor },
      { name: 'c', hexColor },
    ],
    [],
  )
  const ids = [
    { name: 'b', hexColor, id: 'label_0' },
    { name: 'a', hexColor, id: 'label_1' },
  ]
  const swapped = [...ids, { name: 'c', hexColor }]
  assert.deepEqual(
    placeLabels(swapped, before).map((label) => label.name),
    ['b', 'a', 'c'],
  )
})
