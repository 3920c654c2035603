import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from '../../../engine/resource/shapes.js'
import { apiKey, job } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'

/** Places and types of what is wrong with a document. */
function faults(document: unknown): string[] {
  const { context } = assertRefused('invalid_resources', () => parseDocument(document))
  return (context.issues ?? []).map((issue) => issue.loc.join('.'))
}

test('the map stands alone or under resources', () => {
  const set = { k: apiKey('a'), j: job('b') }
  const titles = (document: unknown): string[] => parseDocument(document).map((input) => input.properties.title)
  assert.deepEqual(titles(set), ['a', 'b'])
  assert.deepEqual(titles({ resources: set, overwrite: true }), ['a', 'b'])
  assert.deepEqual(titles({ ...set, overwrite: 'True' }), ['a', 'b'])
  assert.deepEqual(titles({ resources: apiKey('a') }), ['a'])
  assert.deepEqual(titles({}), [])
  assert.deepEqual(titles({ resources: {} }), [])
})

test('a null means absent and unknown fields are ignored', () => {
  const properties = {
    title: 'j',
    description: null,
    category: null,
    decision_points: null,
    advanced_settings: { custom_labels: null, auto_retrain: { enabled: false, cron: null, blockers: null } },
    pipeline_integrations: null,
    remove_missing_pipeline_integrations: null,
    surprise: { deep: [1] },
  }
  const [input] = parseDocument({ j: { type: 'job', properties, depends_on: null, more: 1 }, nothing: null })
  assert.equal(input?.type, 'job')
  assert.deepEqual(input.properties.advancedSettings?.labels, undefined)
  assert.deepEqual(input.properties.pipeline, [])
  assert.ok(!('surprise' in input.properties))
})

test('further advanced settings and the fields of existing clients are kept as given', () => {
  const monitoring = { throttling: 5, monitors: [{ name: 'm', active: true, interval_check: 60, other: 'x' }] }
  const marks = { auto_id: 3, storage_tag: 't', storage_tag_display_name: null }
  const step = { resource: 'r', integration_type: 'INPUT', ...marks }
  const [input] = parseDocument({
    j: job('j', { advanced_settings: { monitoring_settings: monitoring, custom: [1] }, pipeline_integrations: [step] }),
  })
  assert.equal(input?.type, 'job')
  assert.deepEqual(input.properties.advancedSettings?.rest, { monitoring_settings: monitoring, custom: [1] })
  const [parsed] = input.properties.pipeline
  assert.deepEqual(parsed?.kept, { auto_id: 3, storage_tag: 't' })
  assert.deepEqual([parsed?.role, parsed?.enabled], ['input', undefined])
})

test('every fault is told with its place from the top', () => {
  const labels = [
    { name: 'a', hex_color: 'red' },
    { name: 'b', hex_color: '#123456' },
  ]
  assert.deepEqual(
    faults({
      resources: {
        one: { type: 'robot', properties: {} },
        two: apiKey('  '),
        three: job('t', {
          category: 'Horoscope',
          decision_points: ['a', ''],
          advanced_settings: { custom_labels: labels, auto_retrain: { enabled: true, cron: '99 * * * *' } },
          pipeline_integrations: [{ resource: 'x', integration_type: 'observer' }],
        }),
      },
    }).sort(),
    [
      'resources.one.type',
      'resources.three.properties.advanced_settings.auto_retrain.cron',
      'resources.three.properties.advanced_settings.custom_labels',
      'resources.three.properties.advanced_settings.custom_labels.0.hex_color',
      'resources.three.properties.category',
      'resources.three.properties.decision_points.1',
      'resources.three.properties.pipeline_integrations.0.integration_type',
      'resources.two.properties.name',
    ],
  )
})

test('what is no document is refused', () => {
  for (const document of [null, undefined, [5], 'text', 5, { resources: [null] }, { resources: 'x' }]) faults(document)
  assert.deepEqual(faults({ a: 5 }), ['a'])
  assert.deepEqual(faults({ a: {} }), ['a.type'])
  assert.deepEqual(faults({ a: { type: 'job' } }), ['a.properties'])
})

test('bounds are refusals: names, decision points, depth, number of resources', () => {
  assert.deepEqual(faults({ k: apiKey('n'.repeat(257)) }), ['k.properties.name'])
  assert.deepEqual(faults({ k: apiKey('half \ud800 pair') }), ['k.properties.name'])
  const points = Array.from({ length: 257 }, (_, index) => `p${index}`)
  assert.deepEqual(faults({ j: job('j', { decision_points: points }) }), ['j.properties.decision_points'])
  assert.deepEqual(faults({ j: job('j', { decision_points: ['a', 'a'] }) }), ['j.properties.decision_points'])
  const long = { x: 'y'.repeat(65_536) }
  assert.deepEqual(faults({ j: job('j', { advanced_settings: long }) }), ['j.properties.advanced_settings'])
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = [deep]
  faults({ j: job('j', { advanced_settings: { deep } }) })
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, apiKey(`k${index}`)]))
  assertRefused('limit_exceeded', () => parseDocument(many))
})

test('names with a meaning for the language are ordinary names', () => {
  const settings = '{"__proto__": {"polluted": true}, "kept": {"__proto__": 1, "constructor": 2}}'
  const properties = `{"title": "constructor", "advanced_settings": ${settings}}`
  const resources = JSON.parse(`{"__proto__": {"type": "job", "properties": ${properties}}}`)
  for (const document of [resources, { resources }]) {
    const [input] = parseDocument(document)
    assert.deepEqual([input?.identifier, input?.type, input?.properties.title], ['__proto__', 'job', 'constructor'])
    const kept = input?.type === 'job' && input.properties.advancedSettings?.rest
    assert.equal(JSON.stringify(kept), '{"kept":{"constructor":2}}')
  }
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('a category and a role are known in any case, and by the id that metadata has', () => {
  const step = { resource: 'x', integration_type: 'Post decision', enabled: true }
  const [input] = parseDocument({
    j: {
      type: 'job',
      properties: { title: 'j', category: 'event_centric_decision_intelligence', pipeline_integrations: [step] },
    },
  })
  assert.equal(input?.type, 'job')
  assert.equal(input.properties.category, 'Event centric decision intelligence')
  assert.equal(input.properties.pipeline[0]?.role, 'post_decision')
})

test('a label is not called what a tie and no choice are called', () => {
  const named = (label: object): unknown => ({
    j: {
      type: 'job',
      properties: {
        title: 'j',
        advanced_settings: {
          custom_labels: [label, { name: 'B', hex_color: '#111111' }, { name: 'C', hex_color: '#111111' }],
        },
      },
    },
  })
  const place = 'j.properties.advanced_settings.custom_labels.0'
  assert.deepEqual(faults(named({ name: ' undecided', hex_color: '#111111' })), [`${place}.name`])
  assert.deepEqual(faults(named({ name: 'A', hex_color: '#111111', id: '<empty>' })), [`${place}.id`])
})
