import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump, job, openCatalog, smallSet } from '../../support/catalog.js'
import { assertRefused } from '../../support/engine-refusal.js'

test('what is in use stays, and the refusal names who uses it', () => {
  const { catalog, environment } = openCatalog()
  catalog.apply(smallSet(), true)
  const before = dump(environment)
  const key = assertRefused('resource_in_use', () => catalog.remove({ type: 'api_key', title: 'key' }))
  assert.equal(key.context.details, 'used by: integration "rest"')
  const integration = assertRefused('resource_in_use', () => catalog.remove({ type: 'integration', title: 'rest' }))
  assert.equal(integration.context.details, 'used by: job "job"')
  assert.deepEqual(dump(environment), before)
})

test('users first, then used, everything goes', () => {
  const { catalog, environment } = openCatalog()
  const before = dump(environment, ['jobs', 'integrations', 'api_keys'])
  const { created } = catalog.apply(smallSet(), true)
  const id = (type: string): string => String(created.find((ref) => ref.type === type)?.internalId)
  const removed = catalog.remove({ type: 'job', id: id('job') })
  const gone = { type: 'job', resourceName: 'job', title: 'job', internalId: 1, url: '/use-cases/overview/1' }
  assert.deepEqual(removed, { deleted: [gone], updated: [] })
  assert.equal(catalog.job(1), undefined)
  assert.equal(catalog.jobByTitle('job'), undefined)
  catalog.remove({ type: 'integration', id: id('integration') })
  assert.equal(catalog.remove({ type: 'api_key', id: id('api_key') }).deleted[0]?.value, undefined)
  assert.deepEqual(dump(environment, ['jobs', 'integrations', 'api_keys']), before)
})

test('ids are not used again, not even after another start', () => {
  const { catalog, reopen } = openCatalog()
  catalog.apply(smallSet(), true)
  const first = catalog.jobByTitle('job')?.id
  catalog.remove({ type: 'job', title: 'job' })
  const again = reopen()
  again.apply(smallSet(), true)
  assert.equal(again.jobByTitle('job')?.id, (first as number) + 1)
})

test('the parts of the service and the last management key stay', () => {
  const { catalog } = openCatalog()
  catalog.bootstrap({ adminPassword: 'long enough', managementKey: 'a-management-key' })
  assertRefused('resource_in_use', () => catalog.remove({ type: 'integration', title: 'Internal storage' }))
  assertRefused('resource_in_use', () => catalog.remove({ type: 'integration', title: 'Decision processor' }))
  assertRefused('resource_in_use', () => catalog.remove({ type: 'api_key', title: 'management' }))
  assert.ok(catalog.authenticate('a-management-key'))
})

test('a deletion that names nothing, or too little, or too much is refused', () => {
  const { catalog } = openCatalog()
  catalog.apply(smallSet(), true)
  assertRefused('resource_not_found', () => catalog.remove({ type: 'job', title: 'nobody' }))
  assertRefused('resource_not_found', () => catalog.remove({ type: 'job', id: '99' }))
  assertRefused('resource_not_found', () => catalog.remove({ type: 'api_key', title: 'job' }))
  assertRefused('invalid_resources', () => catalog.remove({ type: 'job' }))
  assertRefused('invalid_resources', () => catalog.remove({ title: 'job' }))
  assertRefused('invalid_resources', () => catalog.remove({ type: 'job', title: 'job', id: '1' }))
})

test('a commit that fails removes nothing', () => {
  const { catalog, environment } = openCatalog()
  catalog.apply(smallSet(), true)
  const heard: number[] = []
  catalog.onJobRemoved((id) => heard.push(id))
  environment.failNextCommit = new Error('disk')
  assert.throws(() => catalog.remove({ type: 'job', title: 'job' }), /disk/)
  assert.ok(catalog.jobByTitle('job'))
  assert.deepEqual(heard, [])
  catalog.remove({ type: 'job', title: 'job' })
  assert.deepEqual(heard, [1])
})

test('by force the pipelines lose the integration and the integrations their key, in one commit', () => {
  const bench = openCatalog()
  const { catalog, environment } = bench
  const [key] = catalog.apply(smallSet(), true).created
  catalog.apply(smallSet(' of others'), true)
  const others = JSON.stringify(catalog.list({ title: 'job of others' }))
  const heard: number[] = []
  catalog.onJobChanged((each) => heard.push(each.id))
  const principal = catalog.authenticate(key?.value as string)
  assert.ok(principal !== null && catalog.canSee(principal, 1))
  const unbound = catalog.remove({ type: 'api_key', title: 'key', force: true })
  assert.deepEqual(
    [unbound.deleted, unbound.updated].map((refs) => refs.map(({ title }) => title)),
    [['key'], ['rest']],
  )
  assert.equal(catalog.authenticate(key?.value as string), null)
  const [rest] = catalog.list({ type: 'integration', title: 'rest' }) as [{ parameters: object }]
  assert.deepEqual(rest.parameters, { data_type: 'alerts' })
  const stored = dump(environment)
  assert.equal(catalog.apply([rest], true).updated.length, 1)
  assert.deepEqual(dump(environment), stored)
  const [again] = catalog.apply({ k: { type: 'api_key', properties: { name: 'key' } } }, true).created
  const newcomer = catalog.authenticate(again?.value as string)
  assert.ok(newcomer !== null && !catalog.canSee(newcomer, 1), 'a name that is used again binds nothing')
  const { deleted, updated } = catalog.remove({ type: 'integration', title: 'rest', force: true })
  assert.deepEqual(
    [deleted, updated].map((refs) => refs.map(({ title }) => title)),
    [['rest'], ['job']],
  )
  assert.deepEqual(heard, [1])
  assert.deepEqual(
    catalog.job(1)?.pipeline.map(({ role }) => role),
    ['processor'],
  )
  assert.equal(JSON.stringify(catalog.list({ title: 'job of others' })), others)
  assert.deepEqual(bench.reopen().list({}), catalog.list({}))
})

test('force moves neither what is built in nor the last management key, and asks for nothing more', () => {
  const { catalog } = openCatalog()
  catalog.bootstrap({ adminPassword: 'long enough', managementKey: 'a-management-key' })
  assertRefused('resource_in_use', () =>
    catalog.remove({ type: 'integration', title: 'Internal storage', force: true }),
  )
  assertRefused('resource_in_use', () => catalog.remove({ type: 'api_key', title: 'management', force: true }))
  catalog.apply(smallSet(), true)
  assert.deepEqual(catalog.remove({ type: 'job', title: 'job', force: true }).updated, [])
})

test('everyone who uses it is named', () => {
  const { catalog } = openCatalog()
  catalog.apply(smallSet(), true)
  const steps = { pipeline_integrations: [{ resource: 'rest', integration_type: 'input' }] }
  catalog.apply(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`j${i}`, job(`user ${i}`, steps)])), true)
  const { context } = assertRefused('resource_in_use', () => catalog.remove({ type: 'integration', title: 'rest' }))
  assert.equal(context.details?.split('job "').length, 52)
  catalog.apply(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`j${i}`, job(`more ${i}`, steps)])), true)
  assert.match(
    assertRefused('resource_in_use', () => catalog.remove({ type: 'integration', title: 'rest' })).context.details ??
      '',
    / and 1 more$/,
  )
})
