import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump, job, openResourceStore, smallSet } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { testAuthor } from '../../support/author.js'

test('what is in use stays, and the refusal names who uses it', () => {
  const { resources, environment } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const before = dump(environment)
  const key = assertRefused('resource_in_use', () => resources.delete({ type: 'api_key', title: 'key' }, testAuthor))
  assert.equal(key.context.details, 'used by: integration "rest"')
  const integration = assertRefused('resource_in_use', () =>
    resources.delete({ type: 'integration', title: 'rest' }, testAuthor),
  )
  assert.equal(integration.context.details, 'used by: job "job"')
  assert.deepEqual(dump(environment), before)
})

test('users first, then used, everything goes', () => {
  const { resources, environment } = openResourceStore()
  const before = dump(environment, ['jobs', 'integrations', 'api_keys'])
  const { created } = resources.apply(smallSet(), true, testAuthor)
  const id = (type: string): string => String(created.find((ref) => ref.type === type)?.internalId)
  const removed = resources.delete({ type: 'job', id: id('job') }, testAuthor)
  const gone = { type: 'job', resourceName: 'job', title: 'job', internalId: 1, url: '/use-cases/overview/1' }
  assert.deepEqual(removed, { deleted: [gone], updated: [] })
  assert.equal(resources.job(1), undefined)
  assert.equal(resources.jobByTitle('job'), undefined)
  resources.delete({ type: 'integration', id: id('integration') }, testAuthor)
  assert.equal(resources.delete({ type: 'api_key', id: id('api_key') }, testAuthor).deleted[0]?.value, undefined)
  assert.deepEqual(dump(environment, ['jobs', 'integrations', 'api_keys']), before)
})

test('ids are not used again, not even after another start', () => {
  const { resources, reopen } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const first = resources.jobByTitle('job')?.id
  resources.delete({ type: 'job', title: 'job' }, testAuthor)
  const again = reopen()
  again.apply(smallSet(), true, testAuthor)
  assert.equal(again.jobByTitle('job')?.id, (first as number) + 1)
})

test('the parts of the service and the last management key stay', () => {
  const { resources } = openResourceStore()
  resources.bootstrap({ adminPassword: 'long enough', managementKey: 'a-management-key' })
  assertRefused('resource_in_use', () =>
    resources.delete({ type: 'integration', title: 'Internal storage' }, testAuthor),
  )
  assertRefused('resource_in_use', () =>
    resources.delete({ type: 'integration', title: 'Decision processor' }, testAuthor),
  )
  assertRefused('resource_in_use', () => resources.delete({ type: 'api_key', title: 'management' }, testAuthor))
  assert.ok(resources.authenticate('a-management-key'))
})

test('a deletion that names nothing, or too little, or too much is refused', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  assertRefused('resource_not_found', () => resources.delete({ type: 'job', title: 'nobody' }, testAuthor))
  assertRefused('resource_not_found', () => resources.delete({ type: 'job', id: '99' }, testAuthor))
  assertRefused('resource_not_found', () => resources.delete({ type: 'api_key', title: 'job' }, testAuthor))
  assertRefused('invalid_resources', () => resources.delete({ type: 'job' }, testAuthor))
  assertRefused('invalid_resources', () => resources.delete({ title: 'job' }, testAuthor))
  assertRefused('invalid_resources', () => resources.delete({ type: 'job', title: 'job', id: '1' }, testAuthor))
})

test('a commit that fails removes nothing', () => {
  const { resources, environment } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const heard: number[] = []
  resources.onJobDeleted((id) => heard.push(id))
  environment.failNextCommit = new Error('disk')
  assert.throws(() => resources.delete({ type: 'job', title: 'job' }, testAuthor), /disk/)
  assert.ok(resources.jobByTitle('job'))
  assert.deepEqual(heard, [])
  resources.delete({ type: 'job', title: 'job' }, testAuthor)
  assert.deepEqual(heard, [1])
})

test('by force the pipelines lose the integration and the integrations their key, in one commit', () => {
  const bench = openResourceStore()
  const { resources, environment } = bench
  const [key] = resources.apply(smallSet(), true, testAuthor).created
  resources.apply(smallSet(' of others'), true, testAuthor)
  const others = JSON.stringify(resources.list({ title: 'job of others' }))
  const heard: number[] = []
  resources.onJobChanged((each) => heard.push(each.id))
  const principal = resources.authenticate(key?.value as string)
  assert.ok(principal !== null && resources.canSee(principal, 1))
  const unbound = resources.delete({ type: 'api_key', title: 'key', force: true }, testAuthor)
  assert.deepEqual(
    [unbound.deleted, unbound.updated].map((refs) => refs.map(({ title }) => title)),
    [['key'], ['rest']],
  )
  assert.equal(resources.authenticate(key?.value as string), null)
  const [rest] = resources.list({ type: 'integration', title: 'rest' }) as [{ parameters: object }]
  assert.deepEqual(rest.parameters, { data_type: 'alerts' })
  const stored = dump(environment)
  assert.equal(resources.apply([rest], true, testAuthor).updated.length, 1)
  assert.deepEqual(dump(environment), stored)
  const [again] = resources.apply({ k: { type: 'api_key', properties: { name: 'key' } } }, true, testAuthor).created
  const newcomer = resources.authenticate(again?.value as string)
  assert.ok(newcomer !== null && !resources.canSee(newcomer, 1), 'a name that is used again binds nothing')
  const { deleted, updated } = resources.delete({ type: 'integration', title: 'rest', force: true }, testAuthor)
  assert.deepEqual(
    [deleted, updated].map((refs) => refs.map(({ title }) => title)),
    [['rest'], ['job']],
  )
  assert.deepEqual(heard, [1])
  assert.deepEqual(
    resources.job(1)?.pipeline.map(({ role }) => role),
    ['processor'],
  )
  assert.equal(JSON.stringify(resources.list({ title: 'job of others' })), others)
  assert.deepEqual(bench.reopen().list({}), resources.list({}))
})

test('force moves neither what is built in nor the last management key, and asks for nothing more', () => {
  const { resources } = openResourceStore()
  resources.bootstrap({ adminPassword: 'long enough', managementKey: 'a-management-key' })
  assertRefused('resource_in_use', () =>
    resources.delete({ type: 'integration', title: 'Internal storage', force: true }, testAuthor),
  )
  assertRefused('resource_in_use', () =>
    resources.delete({ type: 'api_key', title: 'management', force: true }, testAuthor),
  )
  resources.apply(smallSet(), true, testAuthor)
  assert.deepEqual(resources.delete({ type: 'job', title: 'job', force: true }, testAuthor).updated, [])
})

test('everyone who uses it is named', () => {
  const { resources } = openResourceStore()
  resources.apply(smallSet(), true, testAuthor)
  const steps = { pipeline_integrations: [{ resource: 'rest', integration_type: 'input' }] }
  resources.apply(
    Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`j${i}`, job(`user ${i}`, steps)])),
    true,
    testAuthor,
  )
  const { context } = assertRefused('resource_in_use', () =>
    resources.delete({ type: 'integration', title: 'rest' }, testAuthor),
  )
  assert.equal(context.details?.split('job "').length, 52)
  resources.apply(
    Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`j${i}`, job(`more ${i}`, steps)])),
    true,
    testAuthor,
  )
  assert.match(
    assertRefused('resource_in_use', () => resources.delete({ type: 'integration', title: 'rest' }, testAuthor)).context
      .details ?? '',
    / and 1 more$/,
  )
})
