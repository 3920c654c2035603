import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import type { ResourceStore } from '../../../engine/resource/resource-store.js'
import { apiKey, input, openResourceStore, restApi } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { testAuthor } from '../../support/author.js'

function bench(): ResourceStore {
  const { resources } = openResourceStore()
  resources.apply(
    { k: apiKey('k'), a: restApi('a', 'k'), b: restApi('b', 'k'), c: restApi('c', 'k') },
    true,
    testAuthor,
  )
  return resources
}

function put(resources: ResourceStore, properties: Record<string, unknown>): JobSettings {
  resources.apply({ j: { type: 'job', properties: { title: 'j', ...properties } } }, true, testAuthor)
  return resources.jobByTitle('j') as JobSettings
}

/** The pipeline as `title:role`, with `!` for a disabled step. */
function pipeline(resources: ResourceStore, settings: JobSettings): string[] {
  return settings.pipeline.map((step) => {
    const [shown] = resources.list({ type: 'integration', id: String(step.integrationId) }) as [{ title: string }]
    return `${shown.title}:${step.role}${step.enabled ? '' : '!'}`
  })
}

function faultOf(resources: ResourceStore, properties: Record<string, unknown>): string[] {
  const { context } = assertRefused('invalid_resources', () => put(resources, properties))
  return (context.issues ?? []).map((issue) => issue.loc.slice(2).join('.'))
}

test('a new job takes defaults', () => {
  const settings = put(bench(), {})
  assert.deepEqual(
    { ...settings, pipeline: settings.pipeline.length, labels: settings.labels.map((label) => label.name) },
    {
      id: 1,
      revision: 1,
      shard: 1,
      title: 'j',
      description: '',
      category: 'Decision intelligence',
      decisionPoints: [],
      labels: ['Escalate', 'Drop', 'Investigate'],
      autoRetrain: null,
      advancedSettings: {},
      feedbackColumns: [],
      pipeline: 1,
      status: 'STARTED',
      createdAt: '2023-11-14T22:13:20.000000Z',
    },
  )
})

test('each category has its processors, and steps stand in the order that events pass them', () => {
  const steps = [{ resource: 'Internal storage' }, input('a')]
  const of = (category: string): string[] => {
    const resources = bench()
    return pipeline(resources, put(resources, { category, pipeline_integrations: steps }))
  }
  assert.deepEqual(of('Decision intelligence'), ['a:input', 'Decision processor:processor', 'Internal storage:output'])
  assert.deepEqual(of('EVENT CENTRIC DECISION INTELLIGENCE'), [
    'a:input',
    'Event processor:processor',
    'Internal storage:output',
  ])
  assert.deepEqual(of('Automated root cause analysis'), [
    'a:input',
    'Clustering processor:processor',
    'Root cause processor:processor',
    'Internal storage:output',
  ])
})

test('what is absent stays as it was and what is there replaces it', () => {
  const resources = bench()
  const before = put(resources, {
    description: 'first',
    decision_points: ['x', 'y'],
    feedback_columns: ['x'],
    advanced_settings: {
      auto_retrain: { enabled: true, cron: '0 3 * * *', blockers: { outliers: true } },
      monitoring_settings: { throttling: 1 },
      more: 1,
    },
  })
  resources.setJobStatus(before.id, 'STOPPED', testAuthor)
  const after = put(resources, {
    decision_points: ['z'],
    advanced_settings: { auto_retrain: { cron: '0 4 * * *', blockers: { low_confidence_score: true } }, more: 2 },
  })
  assert.deepEqual(after, {
    ...before,
    revision: before.revision + 2,
    status: 'STOPPED',
    decisionPoints: ['z'],
    autoRetrain: {
      enabled: true,
      cron: '0 4 * * *',
      blockers: { ...before.autoRetrain?.blockers, outliers: true, lowConfidenceScore: true },
    },
    advancedSettings: { monitoring_settings: { throttling: 1 }, more: 2 },
  })
})

test('an empty pipeline changes none; steps that are not named stay unless they are to be removed', () => {
  const resources = bench()
  const show = (properties: Record<string, unknown>): string[] => pipeline(resources, put(resources, properties))
  show({ pipeline_integrations: [input('a'), input('b')] })
  const both = ['a:input', 'b:input', 'Decision processor:processor']
  assert.deepEqual(show({ pipeline_integrations: [] }), both)
  assert.deepEqual(show({ pipeline_integrations: [], remove_missing_pipeline_integrations: true }), both)
  const three = ['a:input', 'b:input', 'c:input', 'Decision processor:processor']
  assert.deepEqual(show({ pipeline_integrations: [input('c')] }), three)
  assert.deepEqual(show({ pipeline_integrations: [input('b')], remove_missing_pipeline_integrations: true }), [
    'b:input',
    'Decision processor:processor',
  ])
})

test('a named step changes where it says so and keeps the rest', () => {
  const resources = bench()
  const parameters = { max_batch_size: 5, exposed_rest_api_job_tag: 't', password: 'stray' }
  put(resources, { pipeline_integrations: [input('a', { parameters, storage_tag: 's' })] })
  const { pipeline: steps } = put(resources, {
    pipeline_integrations: [{ resource: 'a', enabled: false, parameters: { max_batch_size: 9 }, auto_id: 1 }],
  })
  assert.deepEqual(steps[0], {
    integrationId: 6,
    role: 'input',
    enabled: false,
    parameters: { exposed_rest_api_job_tag: 't', max_batch_size: 9 },
    kept: { storage_tag: 's', auto_id: 1 },
  })
  const again = put(resources, { pipeline_integrations: [{ resource: 'a' }] })
  assert.equal(again.pipeline[0]?.enabled, false)
})

test('a step that its integration or category cannot have is refused at its place', () => {
  const step = (more: Record<string, unknown>): string[] => faultOf(bench(), { pipeline_integrations: [more] })
  assert.deepEqual(step({ resource: 'a', integration_type: 'output' }), ['pipeline_integrations.0.integration_type'])
  assert.deepEqual(step({ resource: 'Event processor' }), ['pipeline_integrations.0.resource'])
  assert.deepEqual(step({ resource: 'Decision processor', enabled: false }), ['pipeline_integrations.0.enabled'])
  const parameters = { max_batch_size: 'many' }
  assert.deepEqual(step(input('a', { parameters })), ['pipeline_integrations.0.parameters.max_batch_size'])
  const twice = [input('a'), input("{{integrations(title='a')}}")]
  assert.deepEqual(faultOf(bench(), { pipeline_integrations: twice }), ['pipeline_integrations.1'])
})

test('the category stays, a schedule needs its time, words of labels differ', () => {
  const resources = bench()
  put(resources, {})
  assert.deepEqual(faultOf(resources, { category: 'Automated root cause analysis' }), ['category'])
  const advanced = (settings: Record<string, unknown>): string[] => faultOf(resources, { advanced_settings: settings })
  assert.deepEqual(advanced({ auto_retrain: { enabled: true } }), ['advanced_settings.auto_retrain.cron'])
  const labels = ['a', 'b', 'class_0'].map((name) => ({ name, hex_color: '#000000' }))
  assert.deepEqual(advanced({ custom_labels: labels }), ['advanced_settings.custom_labels'])
})

test('labels with ids of their own keep them when they are renamed', () => {
  const resources = bench()
  const labels = (...names: string[]): unknown => names.map((name) => ({ name, hex_color: '#000000' }))
  const ids = [{ name: 'Drop', hex_color: '#000000', id: 'drop_alert' }, ...(labels('b', 'c') as object[])]
  put(resources, { advanced_settings: { custom_labels: ids } })
  const { labels: after } = put(resources, { advanced_settings: { custom_labels: labels('c', 'b', 'Dismiss') } })
  assert.deepEqual(
    after.map(({ id, name }) => `${id} ${name}`),
    ['drop_alert Dismiss', 'label_1 b', 'label_2 c'],
  )
})
