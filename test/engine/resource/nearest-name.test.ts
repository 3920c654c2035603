import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance, nearestName } from '../../../engine/resource/nearest-name.js'

const job = [
  'title',
  'description',
  'decision_points',
  'advanced_settings',
  'advanced_settings.custom_labels',
  'advanced_settings.auto_retrain',
  'advanced_settings.auto_retrain.cron',
  'feedback_columns',
  'pipeline_integrations',
]
const query = [
  'job_ids',
  'event_ids',
  'start_date',
  'end_date',
  'size',
  'page',
  'sort_by_column',
  'sort_order',
  'filters',
]
const metrics = ['job_id', 'start_datetime', 'end_datetime', 'timeout_s']

test('the nearest name is the same one elsewhere, one with its words, or one with a slip', () => {
  const found = (paths: readonly string[], ...names: readonly string[]): (string | null)[] =>
    names.map((name) => nearestName(name, paths))
  assert.deepEqual(found(job, 'labels', 'label', 'customLabels', 'CUSTOM-LABELS'), [
    'advanced_settings.custom_labels',
    'advanced_settings.custom_labels',
    'advanced_settings.custom_labels',
    'advanced_settings.custom_labels',
  ])
  assert.deepEqual(found(job, 'cron', 'tilte', 'desciption', 'pipeline', 'inputs', 'points', 'name'), [
    'advanced_settings.auto_retrain.cron',
    'title',
    'description',
    'pipeline_integrations',
    'pipeline_integrations',
    'decision_points',
    'title',
  ])
  assert.deepEqual(found(query, 'sort_by', 'sort', 'filter', 'limit', 'job_id', 'start'), [
    'sort_by_column',
    'sort_by_column',
    'filters',
    'size',
    'job_ids',
    'start_date',
  ])
  assert.deepEqual(found(metrics, 'start_date', 'timeout'), ['start_datetime', 'timeout_s'])
})

test('a name that is like none has no nearest one', () => {
  for (const name of ['', '_', 'zzz', 'x', 'secret_value', 'p'.repeat(10_000)])
    assert.equal(nearestName(name, job), null, name.slice(0, 20))
})

test('the distance counts letters that are inserted, deleted, replaced or swapped', () => {
  const distances = [
    ['', 'ab'],
    ['ab', 'ba'],
    ['abc', 'axc'],
    ['abc', 'abc'],
    ['size', 'sise'],
    ['kitten', 'sitting'],
  ].map(([one, other]) => editDistance(one!, other!))
  assert.deepEqual(distances, [2, 1, 1, 0, 1, 3])
})
