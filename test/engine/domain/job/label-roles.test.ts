import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label, LabelRole } from '../../../../engine/domain/job/job.js'
import { labelMeanings } from '../../../../engine/domain/job/label-roles.js'
import { defaultLabels, placeLabels } from '../../../../engine/domain/job/labels.js'

function labelsOf(...names: readonly (string | Partial<Label>)[]): Label[] {
  return names.map((given, place) => {
    const label = { id: `label_${place}`, name: `Label ${place}`, hexColor: '#000000' }
    return typeof given === 'string' ? { ...label, name: given } : { ...label, ...given }
  })
}

/** Names of the root cause, the symptom and the irrelevant label; `byPlace` of those that have it by place. */
function meaningsOf(...names: readonly (string | Partial<Label>)[]): [string[], string[]] {
  const labels = labelsOf(...names)
  const { byRole, byPlace } = labelMeanings(labels)
  const nameOf = (place: number): string => (labels[place] as Label).name
  return [byRole.map(nameOf), byPlace.map(nameOf)]
}

test('labels of a root cause job are matched by name, in whatever order they are', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['Root cause', 'Symptom', 'Irrelevant'],
    ['root-cause', 'SYMPTOMS', 'Not relevant'],
    ['rootCause', 'Effect', 'Noise'],
    ['Cause', 'Secondary', 'Other'],
    ['Root Cuase', 'Sympton', 'Irelevant'],
    ['Likely origin', 'Consequence', 'Unrelated'],
    ['Culprit', 'Caused by another', 'Neither'],
  ]
  const orders = [
    [0, 1, 2],
    [1, 0, 2],
    [2, 1, 0],
    [1, 2, 0],
  ] as const
  for (const row of rows)
    for (const order of orders) assert.deepEqual(meaningsOf(...order.map((at) => row[at])), [row, []], row.join())
})

test('an id says what a label means where its name does not', () => {
  const [meanings, byPlace] = meaningsOf(
    { name: 'Folge', id: 'symptom' },
    { name: 'Auslöser', id: 'root_cause' },
    'Rest',
  )
  assert.deepEqual([meanings, byPlace], [['Auslöser', 'Folge', 'Rest'], []])
})

test('a role that is given counts more than any name', () => {
  const labels = [
    { name: 'Symptom', role: 'root_cause' },
    { name: 'Root cause', role: 'symptom' },
    'Irrelevant',
  ] as const
  assert.deepEqual(meaningsOf(...labels), [['Symptom', 'Root cause', 'Irrelevant'], []])
})

test('the exact name counts more than a similar one', () => {
  assert.deepEqual(meaningsOf('Contributing cause', 'Irrelevant', 'Root cause')[0], [
    'Root cause',
    'Contributing cause',
    'Irrelevant',
  ])
})

test('labels that say nothing take their meaning from their places, and are listed', () => {
  assert.deepEqual(meaningsOf('Escalate', 'Drop', 'Investigate'), [
    ['Escalate', 'Drop', 'Investigate'],
    ['Escalate', 'Drop', 'Investigate'],
  ])
  assert.deepEqual(meaningsOf('Alpha', 'Root cause', 'Beta'), [
    ['Root cause', 'Alpha', 'Beta'],
    ['Alpha', 'Beta'],
  ])
  assert.deepEqual(meaningsOf('Relevant', 'Symptom', 'Cause of a symptom')[1], ['Relevant', 'Cause of a symptom'])
})

test('a label that an update finds again keeps its role, unless another label gets it', () => {
  const before = labelsOf({ name: 'A', role: 'symptom' }, { name: 'B', role: 'root_cause' }, 'C')
  const rolesAfter = (...roles: readonly (LabelRole | undefined)[]): (LabelRole | undefined)[] => {
    const inputs = ['A', 'B', 'D'].map((name, at) => ({ name, role: roles[at] }))
    return placeLabels(inputs, before).map(({ role }) => role)
  }
  assert.deepEqual(rolesAfter(), ['symptom', 'root_cause', undefined])
  assert.deepEqual(rolesAfter('irrelevant'), ['irrelevant', 'root_cause', undefined])
  assert.deepEqual(rolesAfter(undefined, undefined, 'symptom'), [undefined, 'root_cause', 'symptom'])
  assert.ok(defaultLabels('Automated root cause analysis').every(({ role }) => role === undefined))
})
