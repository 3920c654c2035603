import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scopeTable, scopesOfRole } from '../../../../engine/api/scopes.js'
import { ADMIN, principalOf, tokenOf, withAdmin } from '../../../support/accounts.js'
import { apiKey, openResourceStore, keyOf } from '../../../support/resource-store.js'
import { testAuthor } from '../../../support/author.js'

test('a key is whose it is, and nothing else is anybody', () => {
  const { resources, reopen } = openResourceStore()
  const secret = keyOf(resources, 'one')
  const other = keyOf(resources, 'two')
  for (const each of [resources, reopen()]) {
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
  const { resources } = openResourceStore()
  resources.bootstrap(ADMIN)
  const input = principalOf(resources, keyOf(resources, 'one'))
  assert.equal(input.kind, 'input')
  assert.deepEqual([...input.scopes].sort(), [
    'execute:job_operations',
    'public',
    'read:event_export',
    'write:event_agentic_notes',
    'write:event_feedback',
    'write:events',
  ])
  const management = principalOf(resources, ADMIN.managementKey)
  assert.equal(management.kind, 'management')
  assert.deepEqual([...management.scopes].sort(), Object.keys(scopeTable).sort())
})

test('a deleted key is nobody at once, and its name made again has another value', () => {
  const { resources } = openResourceStore()
  const secret = keyOf(resources, 'one')
  assert.ok(resources.authenticate(secret))
  resources.delete({ type: 'api_key', title: 'one' }, testAuthor)
  assert.equal(resources.authenticate(secret), null)
  assert.notEqual(keyOf(resources, 'one'), secret)
  assert.equal(resources.authenticate(secret), null)
})

test('more keys than are remembered all work', () => {
  const { resources } = openResourceStore()
  const names = Array.from({ length: 9_000 }, (_, index) => `key ${index}`)
  const { created } = resources.apply(Object.fromEntries(names.map((name) => [name, apiKey(name)])), true, testAuthor)
  for (let round = 0; round < 2; round++) {
    for (const { title, value } of created) assert.equal(resources.authenticate(value as string)?.name, title)
  }
})

describe('the token of a user', () => {
  test('does what the role allows, and follows it', async () => {
    const { resources, by } = withAdmin()
    await resources.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    const token = (await tokenOf(resources, 'ann')).value
    const narrow = (await tokenOf(resources, 'ann', { scopes: ['public', 'write:resources'] })).value
    assert.equal(principalOf(resources, token).name, 'ann')
    assert.equal(principalOf(resources, token).kind, 'user')
    assert.deepEqual(principalOf(resources, token).scopes, scopesOfRole.analyst)
    assert.deepEqual([...principalOf(resources, narrow).scopes], ['public'])
    resources.users.change(by, 'ann', { role: 'power_user' })
    assert.deepEqual(principalOf(resources, token).scopes, scopesOfRole.power_user)
    assert.deepEqual([...principalOf(resources, narrow).scopes], ['public', 'write:resources'])
    resources.users.change(by, 'ann', { role: 'analyst' })
    assert.deepEqual(principalOf(resources, token).scopes, scopesOfRole.analyst)
  })

  test('stops at once when the user is disabled, works when enabled again, and ends with the user', async () => {
    const { resources, by, reopen } = withAdmin()
    await resources.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    const token = (await tokenOf(resources, 'ann')).value
    assert.ok(reopen().authenticate(token))
    resources.users.change(by, 'ann', { enabled: false })
    assert.equal(resources.authenticate(token), null)
    assert.equal(reopen().authenticate(token), null)
    resources.users.change(by, 'ann', { enabled: true })
    assert.ok(resources.authenticate(token))
    resources.users.remove(by, 'ann')
    assert.equal(resources.authenticate(token), null)
    await resources.users.create(by, { name: 'ann', password: 'long enough', role: 'analyst' })
    assert.equal(resources.authenticate(token), null)
  })

  test('is over when its time is', async () => {
    const { resources, clock } = withAdmin()
    const token = (await tokenOf(resources, 'admin')).value
    clock.advanceMs(59_999)
    assert.ok(resources.authenticate(token))
    clock.advanceMs(1)
    assert.equal(resources.authenticate(token), null)
  })
})
