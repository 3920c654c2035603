import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecord, nameKey, type UserRecord } from '../../../engine/resource/records.js'
import { passwordMatches } from '../../../engine/resource/access/secrets.js'
import type { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { dump, openResourceStore } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'

function administrator(environment: MemoryEnvironment): UserRecord {
  const bytes = environment.get('users', nameKey('admin'))
  assert.ok(bytes !== undefined)
  return decodeRecord<UserRecord>('users', bytes)
}

test('an empty catalog gets an administrator and a management key, whose secrets are told once', async () => {
  const { resources, environment, reopen } = openResourceStore()
  const { adminPassword, managementKey } = resources.bootstrap({})
  assert.ok(adminPassword !== null && managementKey !== null)
  assert.equal(resources.authenticate(managementKey)?.kind, 'management')
  const admin = administrator(environment)
  assert.equal(admin.role, 'administrator')
  assert.ok(await passwordMatches(adminPassword, admin.password))

  const before = dump(environment)
  const none = { adminPassword: null, managementKey: null }
  assert.deepEqual(resources.bootstrap({}), none)
  const again = reopen()
  const others = { adminPassword: 'another password', managementKey: 'another-management-key' }
  assert.deepEqual(again.bootstrap(others), none)
  assert.equal(again.authenticate('another-management-key'), null)
  assert.equal(again.authenticate(managementKey)?.name, 'management')
  assert.deepEqual(dump(environment), before)
})

test('given secrets are used and not told', async () => {
  const { resources, environment } = openResourceStore()
  const given = { adminPassword: 'given password', managementKey: 'given-management-key' }
  assert.deepEqual(resources.bootstrap(given), { adminPassword: null, managementKey: null })
  assert.equal(resources.authenticate(given.managementKey)?.kind, 'management')
  assert.ok(await passwordMatches(given.adminPassword, administrator(environment).password))
})

test('a weak secret is refused with its setting named, and nobody is made', () => {
  const { resources, environment } = openResourceStore()
  const before = dump(environment)
  const password = assertRefused('invalid_resources', () => resources.bootstrap({ adminPassword: 'short' }))
  assert.match(password.message, /^SERVICE_ADMIN_PASSWORD must/)
  const key = assertRefused('invalid_resources', () => resources.bootstrap({ managementKey: 'short' }))
  assert.match(key.message, /^SERVICE_BOOTSTRAP_KEY must/)
  assert.deepEqual(dump(environment), before)
})

test('what is generated is kept before it is stored, and nothing is stored where it cannot be kept', () => {
  const { resources, environment } = openResourceStore()
  const before = dump(environment)
  assert.throws(
    () =>
      resources.bootstrap({}, () => {
        throw new Error('disk')
      }),
    /disk/,
  )
  assert.deepEqual(dump(environment), before)
  const kept: unknown[] = []
  const outcome = resources.bootstrap({ adminPassword: 'given password' }, (generated) => {
    assert.deepEqual(dump(environment), before)
    kept.push(generated)
  })
  assert.deepEqual(kept, [outcome])
  assert.equal(outcome.adminPassword, null)
  resources.bootstrap({}, () => assert.fail('nothing was generated'))
})

test('a commit that fails makes nobody, and the next one does', () => {
  const { resources, environment } = openResourceStore()
  const before = dump(environment)
  const given = { adminPassword: 'given password', managementKey: 'given-management-key' }
  environment.failNextCommit = new Error('disk')
  assert.throws(() => resources.bootstrap(given), /disk/)
  assert.deepEqual(dump(environment), before)
  assert.equal(resources.authenticate('given-management-key'), null)
  resources.bootstrap(given)
  assert.ok(resources.authenticate('given-management-key'))
})

test('what is built in is there from the first start and is not added twice', () => {
  const { resources, environment, reopen } = openResourceStore()
  const before = dump(environment)
  assert.deepEqual(reopen().list({}), resources.list({}))
  assert.deepEqual(dump(environment), before)
  assert.equal(resources.list({ type: 'integration', title: 'Internal storage' }).length, 1)
})
