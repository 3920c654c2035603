import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSettings } from '../../../engine/job/job.js'
import type { Catalog } from '../../../engine/resource/catalog.js'
import type { Principal } from '../../../engine/service.js'
import { apiKey, input, job, openCatalog, restApi } from '../../support/catalog.js'

function valueOf(catalog: Catalog, name: string): string {
  return catalog.apply({ k: apiKey(name) }, true).created[0]?.value as string
}

function principalOf(catalog: Catalog, secret: string): Principal {
  const principal = catalog.authenticate(secret)
  assert.ok(principal !== null)
  return principal
}

test('a key is whose it is, and nothing else is anybody', () => {
  const { catalog, reopen } = openCatalog()
  const secret = valueOf(catalog, 'one')
  const other = valueOf(catalog, 'two')
  for (const each of [catalog, reopen()]) {
    for (let i = 0; i < 2; i++) {
      assert.equal(each.authenticate(secret)?.name, 'one')
      assert.equal(each.authenticate(other)?.name, 'two')
      for (const wrong of ['', 'one', `${secret} `, secret.toUpperCase(), secret.slice(1), 'x'.repeat(100_000)]) {
        assert.equal(each.authenticate(wrong), null)
      }
    }
  }
})

test('an input key has the scopes of an input, a management key every one', () => {
  const { catalog } = openCatalog()
  const managementKey = 'a-management-key-of-tests'
  catalog.bootstrap({ adminPassword: 'long enough', managementKey })
  const input = principalOf(catalog, valueOf(catalog, 'one'))
  assert.equal(input.kind, 'input')
  assert.deepEqual([...input.scopes].sort(), [
    'execute:job_operations', 'public', 'read:event_export', 'write:event_agentic_notes', 'write:event_feedback', 'write:events',
  ])
  const management = principalOf(catalog, managementKey)
  assert.equal(management.kind, 'management')
  assert.deepEqual([...management.scopes].sort(), [
    'delete:resources', 'execute:job_operations', 'execute:reprocess_events', 'public', 'read:event_export', 'read:event_query',
    'read:platform_monitoring', 'read:resources', 'write:consensus', 'write:event_agentic_notes', 'write:event_feedback',
    'write:events', 'write:resources',
  ])
})

test('a deleted key is nobody at once, and its name made again has another value', () => {
  const { catalog } = openCatalog()
  const secret = valueOf(catalog, 'one')
  assert.ok(catalog.authenticate(secret))
  catalog.remove({ type: 'api_key', title: 'one' })
  assert.equal(catalog.authenticate(secret), null)
  assert.notEqual(valueOf(catalog, 'one'), secret)
  assert.equal(catalog.authenticate(secret), null)
})

test('more keys than are remembered all work', () => {
  const { catalog } = openCatalog()
  const names = Array.from({ length: 9_000 }, (_, index) => `key ${index}`)
  const { created } = catalog.apply(Object.fromEntries(names.map((name) => [name, apiKey(name)])), true)
  for (let round = 0; round < 2; round++) {
    for (const { title, value } of created) assert.equal(catalog.authenticate(value as string)?.name, title)
  }
})

test('an input key sees the jobs with an enabled input that is bound to it, a management key all', () => {
  const { catalog } = openCatalog()
  const managementKey = 'a-management-key-of-tests'
  catalog.bootstrap({ adminPassword: 'long enough', managementKey })
  const one = principalOf(catalog, valueOf(catalog, 'one'))
  const two = principalOf(catalog, valueOf(catalog, 'two'))
  catalog.apply({
    i1: restApi('i1', 'one'),
    i2: restApi('i2', 'two'),
    a: job('a', { pipeline_integrations: [input('i1')] }),
    b: job('b', { pipeline_integrations: [input('i1'), input('i2')] }),
    c: job('c', { pipeline_integrations: [input('i2', { enabled: false })] }),
    d: job('d', { pipeline_integrations: [{ resource: 'Internal storage' }] }),
  }, true)
  const id = (title: string): number => (catalog.jobByTitle(title) as JobSettings).id
  const seen = (principal: Principal): string[] => {
    return ['a', 'b', 'c', 'd'].filter((title) => catalog.canSee(principal, id(title)))
  }
  assert.deepEqual([seen(one), seen(two)], [['a', 'b'], ['b']])
  const management = principalOf(catalog, managementKey)
  assert.deepEqual(seen(management), ['a', 'b', 'c', 'd'])
  assert.equal(catalog.canSee(management, 999), false)
  assert.deepEqual([...catalog.jobs()].map((each) => catalog.hasRestInput(each)), [true, true, false, false])

  catalog.apply({ i1: restApi('i1', 'two') }, true)
  assert.deepEqual([seen(one), seen(two)], [[], ['a', 'b']], 'bound to another key')
  catalog.apply({ c: job('c', { pipeline_integrations: [input('i2')] }) }, true)
  assert.deepEqual(seen(two), ['a', 'b', 'c'], 'enabled')
  catalog.setJobStatus(id('c'), 'STOPPED')
  assert.deepEqual(seen(two), ['a', 'b', 'c'], 'a stopped job is seen as well')
  const gone = id('a')
  catalog.remove({ type: 'job', title: 'a' })
  assert.equal(catalog.canSee(two, gone), false, 'deleted')
})
