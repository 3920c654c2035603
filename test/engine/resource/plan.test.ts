import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceStore } from '../../../engine/resource/resource-store.js'
import { apiKey, dump, input, job, openResourceStore, restApi, smallSet } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { kindsForTests, search, searchSecrets, searchSteps } from '../../support/registry.js'
import { testAuthor } from '../../support/author.js'

function integration(resources: ResourceStore, title: string): Record<string, unknown> {
  return resources.list({ type: 'integration', title })[0] as Record<string, unknown>
}

test('what is new is created with its id, page and, for a key, its value', () => {
  const { resources } = openResourceStore()
  const { created, updated } = resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(updated, [])
  const [key, rest, made] = created
  const integration = { type: 'integration', resourceName: 'rest', title: 'rest', internalId: 6 }
  assert.deepEqual(rest, { ...integration, url: '/integrations/6/edit' })
  const settings = { type: 'job', resourceName: 'job', title: 'job', internalId: 1 }
  const place = ['resources', 'job', 'properties']
  assert.deepEqual(made, { ...settings, url: '/use-cases/overview/1', place })
  assert.equal(typeof key?.internalId, 'string')
  assert.match(key?.value ?? '', /^[\w-]{43}$/)
})

test('what is there is updated under its id, and a key is not issued again', () => {
  const { resources } = openResourceStore()
  const first = resources.apply(smallSet(), true, testAuthor)
  const second = resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(second.created, [])
  assert.deepEqual(
    second.updated,
    first.created.map(({ value: _, ...rest }) => rest),
  )
  assert.equal(resources.authenticate(first.created[0]?.value as string)?.name, 'key')
})

test('ids count up from 1 and jobs spread over the shards', () => {
  const { resources } = openResourceStore(1, 3)
  const set = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`j${index}`, job(`j${index}`)]))
  resources.apply(set, true, testAuthor)
  const places = [...resources.jobs()].map(({ id, shard }) => `${id} in ${shard}`)
  assert.deepEqual(places, ['1 in 1', '2 in 2', '3 in 0', '4 in 1', '5 in 2', '6 in 0', '7 in 1'])
})

test('the same document again writes nothing; a change writes one record and raises the revision', () => {
  const { resources, environment } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const before = dump(environment)
  resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(dump(environment), before)
  assert.equal(resources.jobByTitle('job')?.revision, 1)
  resources.apply({ j: job('job', { description: 'changed' }) }, true, testAuthor)
  assert.equal(dump(environment).filter((entry) => !before.includes(entry)).length, 1)
  assert.equal(resources.jobByTitle('job')?.revision, 2)
})

test('an integration keeps what is absent and its type, and a stray parameter is not stored', () => {
  const { resources, environment } = openResourceStore()
  resources.apply({ k: apiKey('k'), other: apiKey('other'), i: restApi('i', 'k') }, true, testAuthor)
  const update = (properties: Record<string, unknown>): unknown => {
    resources.apply({ i: { type: 'integration', properties: { title: 'i', ...properties } } }, true, testAuthor)
    return integration(resources, 'i').parameters
  }
  assert.deepEqual(update({}), { api_key: "{{api_keys(name='k')}}", data_type: 'alerts' })
  const stray = update({ parameters: { data_type: 'logs', token: 'stray-secret' } })
  assert.deepEqual(stray, { api_key: "{{api_keys(name='k')}}", data_type: 'logs' })
  const rebound = update({ parameters: { api_key: 'other' } })
  assert.deepEqual(rebound, { api_key: "{{api_keys(name='other')}}", data_type: 'logs' })
  assert.ok(!dump(environment).join().includes('stray-secret'))
})

test('an unknown type is refused with the known ones, and what is built in is nobody’s to make or change', () => {
  const { resources } = openResourceStore()
  const put = (title: string, integration_type: string | null): string => {
    const properties = { title, integration_type }
    return assertRefused('invalid_resources', () =>
      resources.apply({ i: { type: 'integration', properties } }, true, testAuthor),
    ).message
  }
  assert.match(put('x', 'Fortune teller'), /^i\.properties\.integration_type: .*: External REST API$/)
  assert.match(put('x', null), /External REST API$/)
  assert.match(put('x', 'Internal storage'), /External REST API$/)
  assert.match(put('Internal storage', 'External REST API'), /is Internal storage and cannot change/)
  const same = { type: 'integration', properties: { title: 'Internal storage', integration_type: 'Internal storage' } }
  assert.equal(resources.apply({ same }, true, testAuthor).updated[0]?.internalId, 1)
})

test('a faulty integration is told without a word about the jobs that name it', () => {
  const { resources } = openResourceStore()
  const bad = { type: 'integration', properties: { title: 'i', integration_type: 'External REST API' } }
  const { context } = assertRefused('invalid_resources', () => {
    return resources.apply({ i: bad, j: job('j', { pipeline_integrations: [input('i')] }) }, true, testAuthor)
  })
  const places = context.issues?.map((issue) => issue.loc.join('.'))
  assert.deepEqual(places, ['i.properties.parameters.api_key', 'i.properties.parameters.data_type'])
})

test('an integration has several roles in one pipeline, and its secrets are sealed, kept and never shown', () => {
  const { resources, environment, reopen } = openResourceStore(1, 8, kindsForTests)
  resources.apply({ s: search('logs'), j: job('j', { pipeline_integrations: searchSteps('s') }) }, true, testAuthor)
  const roles = (): unknown => resources.jobByTitle('j')?.pipeline.map((step) => `${step.role} ${step.enabled}`)
  const steps = ['input true', 'enrichment true', 'processor true', 'output false']
  assert.deepEqual(roles(), steps)
  const shown = [...resources.list({ title: 'logs' }), ...resources.list({ title: 'j' })]
  const before = dump(environment)
  for (const secret of searchSecrets) {
    assert.ok(!before.join().includes(secret) && !JSON.stringify(shown).includes(secret))
  }
  assert.match(JSON.stringify(shown), /"hosts":"a,b"/)
  resources.apply(JSON.parse(JSON.stringify(shown)), true, testAuthor)
  resources.apply({ s: search('logs'), j: job('j', { pipeline_integrations: searchSteps('s') }) }, true, testAuthor)
  assert.deepEqual(dump(environment), before, 'posted back, and posted again')
  assert.deepEqual(reopen().list({}), resources.list({}))
  resources.apply({ s: search('logs', { password: 'another' }) }, true, testAuthor)
  assert.equal(dump(environment).filter((entry) => !before.includes(entry)).length, 1)
  assert.ok(!dump(environment).join().includes('another'))
  resources.apply(
    { j: job('j', { pipeline_integrations: [searchSteps('logs')[1]], remove_missing_pipeline_integrations: true }) },
    true,
    testAuthor,
  )
  assert.deepEqual(roles(), ['processor true', 'output false'])
})
