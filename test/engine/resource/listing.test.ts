import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openResourceStore, smallSet } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { testAuthor } from '../../support/author.js'

test('without a filter everything is there, jobs in brief', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const all = resources.list({})
  assert.deepEqual(all.at(-1), {
    job: {
      type: 'job',
      properties: {
        id: 1,
        title: 'job',
        category: 'Decision intelligence',
        status: 'STARTED',
        decision_points: ['host.name', 'rule.id'],
        advanced_settings: {
          custom_labels: [
            { name: 'Escalate', hex_color: '#ED0A2C', id: 'label_0' },
            { name: 'Drop', hex_color: '#1264FE', id: 'label_1' },
            { name: 'Investigate', hex_color: '#9A00FF', id: 'label_2' },
          ],
        },
      },
    },
  })
  assert.deepEqual(resources.list({ type: 'job' }), [all.at(-1)])
  const types = ['api_key', 'integration', 'job'] as const
  assert.deepEqual(
    types.flatMap((type) => resources.list({ type })),
    all,
  )
})

test('an integration is flat and shows the reference to its key', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(resources.list({ type: 'integration', title: 'rest' }), [
    {
      id: 6,
      type: 'integration',
      title: 'rest',
      subcategory_id: 'external_rest_api',
      integration_type: 'External REST API',
      built_in: false,
      parameters: { api_key: "{{api_keys(name='key')}}", data_type: 'alerts' },
      created_at: '2023-11-14T22:13:20.000000Z',
    },
  ])
})

test('a job asked for by title or id is there in full', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const [shown] = resources.list({ title: 'job' }) as [Record<string, { properties: Record<string, unknown> }>]
  assert.deepEqual(resources.list({ type: 'job', id: '1' }), [shown])
  const properties = shown.job?.properties ?? {}
  const step = { enabled: true, parameters: {} }
  assert.deepEqual(properties.pipeline_integrations, [
    { ...step, resource: "{{integrations(title='rest')}}", integration_type: 'input' },
    { ...step, resource: "{{integrations(title='Decision processor')}}", integration_type: 'processor' },
  ])
  assert.deepEqual(properties.advanced_settings, {
    custom_labels: [
      { name: 'Escalate', hex_color: '#ED0A2C', id: 'label_0' },
      { name: 'Drop', hex_color: '#1264FE', id: 'label_1' },
      { name: 'Investigate', hex_color: '#9A00FF', id: 'label_2' },
    ],
  })
})

test('nothing found is an empty list; title and id exclude each other', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(resources.list({ type: 'job', title: 'nobody' }), [])
  assert.deepEqual(resources.list({ type: 'job', id: 'x' }), [])
  assert.deepEqual(resources.list({ type: 'api_key', title: 'job' }), [])
  const { context } = assertRefused('invalid_resources', () => resources.list({ title: 'job', id: '1' }))
  assert.deepEqual(context.issues?.[0]?.loc, ['query', 'id'])
})

test('a job called __proto__ is listed like any other', () => {
  const { resources } = openResourceStore()
  resources.apply({ j: { type: 'job', properties: { title: '__proto__' } } }, true, testAuthor)
  const text = JSON.stringify(resources.list({ type: 'job', title: '__proto__' }))
  assert.ok(text.startsWith('[{"__proto__":{"type":"job"'))
})
