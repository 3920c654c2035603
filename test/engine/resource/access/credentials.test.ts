import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scopeTable, scopesOfRole } from '../../../../engine/api/scopes.js'
import { ADMIN, principalOf, tokenOf, withAdmin } from '../../../support/accounts.js'
import { apiKey, openCatalog, keyOf } from '../../../support/resource-store.js'
import { testAuthor } from '../../../support/author.js'

test('a key is whose it is, and nothing else is anybody', () => {
  const { catalog, reopen } = openCatalog()
  const secret = keyOf(catalog, 'one')
  const other = keyOf(catalog, 'two')
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
  catalog.bootstrap(ADMIN)
  const input = principalOf(catalog, keyOf(catalog, 'one'))
  assert.equal(input.kind, 'input')
  assert.deepEqual([...input.scopes].sort(), [
    'execute:job_operations',
    'public',
    'read:event_export',
    'write:event_agentic_notes',
    'write:event_feedback',
    'write:events',
  ])
  const management = principalOf(catalog, ADMIN.managementKey)
  assert.equal(management.kind, 'management')
  assert.deepEqual([...management.scopes].sort(), Object.keys(scopeTable).sort())
})

test('a deleted key is nobody at once, and its name made again has another value', () => {
  const { catalog } = openCatalog()
  const secret = keyOf(catalog, 'one')
  assert.ok(catalog.authenticate(secret))
  catalog.remove({ type: 'api_key', title: 'one' }, testAuthor)
  assert.equal(catalog.authenticate(secret), null)
  assert.notEqual(keyOf(catalog, 'one'), secret)
  assert.equal(catalog.authenticate(secret), null)
})

test('more keys than are remembered all work', () => {
  const { catalog } = openCatalog()
  const names = Array.from({ length: 9_000 }, (_, index) => `key ${index}`)
  const { created } = catalog.apply(Object.fromEntries(names.map((name) => [name, apiKey(name)])), true, testAuthor)
  for (let round = 0; round < 2; round++) {
    for (const { title, value } of created) assert.equal(catalog.authenticate(value as string)?.name, title)
  }
})

describe('the token of a user', () => {
  test('does what the role allows, and follows it', async () => {
    const { catalog, by } = withAdmin()
    await catalog.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    const token = (await tokenOf(catalog, 'ann')).value
    const narrow = (await tokenOf(catalog, 'ann', { scopes: ['public', 'write:resources'] })).value
    assert.equal(principalOf(catalog, token).name, 'ann')
    assert.equal(principalOf(catalog, token).kind, 'user')
    assert.deepEqual(principalOf(catalog, token).scopes, scopesOfRole.analyst)
    assert.deepEqual([...principalOf(catalog, narrow).scopes], ['public'])
    catalog.users.change(by, 'ann', { role: 'power_user' })
    assert.deepEqual(principalOf(catalog, token).scopes, scopesOfRole.power_user)
    assert.deepEqual([...principalOf(catalog, narrow).scopes], ['public', 'write:resources'])
    catalog.users.change(by, 'ann', { role: 'analyst' })
    assert.deepEqual(principalOf(catalog, token).scopes, scopesOfRole.analyst)
  })

  test('stops at once when the user is disabled, works when enabled again, and ends with the user', async () => {
    const { catalog, by, reopen } = withAdmin()
    await catalog.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    const token = (await tokenOf(catalog, 'ann')).value
    assert.ok(reopen().authenticate(token))
    catalog.users.change(by, 'ann', { enabled: false })
    assert.equal(catalog.authenticate(token), null)
    assert.equal(reopen().authenticate(token), null)
    catalog.users.change(by, 'ann', { enabled: true })
    assert.ok(catalog.authenticate(token))
    catalog.users.remove(by, 'ann')
    assert.equal(catalog.authenticate(token), null)
    await catalog.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    assert.equal(catalog.authenticate(token), null)
  })

  test('is over when its time is', async () => {
    const { catalog, clock } = withAdmin()
    const token = (await tokenOf(catalog, 'admin')).value
    clock.advanceMs(59_999)
    assert.ok(catalog.authenticate(token))
    clock.advanceMs(1)
    assert.equal(catalog.authenticate(token), null)
  })
})
