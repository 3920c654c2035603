import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Role } from '../../../../engine/api/scopes.js'
import { ADDRESS, ADMIN, principalOf, tokenOf, withAdmin } from '../../../support/accounts.js'
import { dump } from '../../../support/resource-store.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const password = ADMIN.adminPassword
const ann = { name: 'ann', password, role: 'analyst' as Role }

test('a user is made once, whatever the case of the name, and is there after a start', async () => {
  const { catalog, by, reopen, environment } = withAdmin()
  const made = await catalog.users.create(by, ann)
  assert.deepEqual(
    [made.name, made.role, made.enabled, made.lastLoginAt, made.tokens],
    ['ann', 'analyst', true, null, 0],
  )
  await assert.rejects(catalog.users.create(by, { ...ann, name: 'ANN' }), { code: 'user_exists' })
  const twins = await Promise.allSettled(['bob', 'Bob'].map((name) => catalog.users.create(by, { ...ann, name })))
  assert.deepEqual(twins.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.deepEqual(
    reopen()
      .users.list()
      .map(({ name }) => name.toLowerCase())
      .sort(),
    ['admin', 'ann', 'bob'],
  )
  assert.ok(!dump(environment).join('\n').includes(password))
})

test('names and passwords that cannot be one are refused with their place', async () => {
  const { catalog, by } = withAdmin()
  for (const name of ['', ' ', 'a b', 'a/b', '..', '-a', 'me', 'ME', 'é', 'x'.repeat(129)]) {
    await assert.rejects(catalog.users.create(by, { ...ann, name }), { code: 'invalid_body' }, name)
  }
  for (const bad of ['', 'short', '        ', 'x'.repeat(513)]) {
    await assert.rejects(catalog.users.create(by, { ...ann, password: bad }), { code: 'invalid_body' })
  }
  await catalog.users.create(by, { ...ann, name: 'ann.b+c@example.com' })
})

test('the last enabled administrator stays one', async () => {
  const { catalog, by } = withAdmin()
  const { users } = catalog
  const mustHold = (): void => {
    assertRefused('last_administrator', () => users.remove(by, 'admin'))
    assertRefused('last_administrator', () => users.change(by, 'admin', { enabled: false }))
    assertRefused('last_administrator', () => users.change(by, 'admin', { role: 'power_user' }))
  }
  mustHold()
  await users.create(by, { ...ann, role: 'administrator' })
  users.change(by, 'ann', { enabled: false })
  mustHold()
  users.change(by, 'ann', { enabled: true })
  users.change(by, 'admin', { enabled: false })
  assertRefused('last_administrator', () => users.remove(by, 'ann'))
  users.remove(by, 'admin')
  assert.deepEqual(
    users.list().map(({ name }) => name),
    ['ann'],
  )
})

test('an unknown user is not found', async () => {
  const { catalog, by } = withAdmin()
  assertRefused('user_not_found', () => catalog.users.get('nobody'))
  assertRefused('user_not_found', () => catalog.users.change(by, 'nobody', {}))
  assertRefused('user_not_found', () => catalog.users.remove(by, 'nobody'))
  await assert.rejects(catalog.users.setPassword(by, 'nobody', { password, keepTokens: false, address: ADDRESS }), {
    code: 'user_not_found',
  })
})

test('a commit that fails changes nobody', async () => {
  const { catalog, by, environment } = withAdmin()
  environment.failNextCommit = new Error('disk')
  await assert.rejects(catalog.users.create(by, ann), /disk/)
  assert.equal(catalog.users.list().length, 1)
})

describe('a password', () => {
  const next = 'another password'
  const change = { password: next, keepTokens: false, address: ADDRESS }

  test("of one's own is changed with the current one, and other tokens end", async () => {
    const { catalog, by } = withAdmin()
    await catalog.users.create(by, ann)
    const [mine, other] = [(await tokenOf(catalog, 'ann')).value, (await tokenOf(catalog, 'ann')).value]
    const own = principalOf(catalog, mine)
    for (const currentPassword of [undefined, 'wrong']) {
      const wrong = { ...change, ...(currentPassword === undefined ? {} : { currentPassword }) }
      await assert.rejects(catalog.users.setPassword(own, 'ann', wrong), { code: 'forbidden' })
    }
    await assert.rejects(catalog.users.setPassword(own, 'admin', { ...change, currentPassword: password }), {
      code: 'forbidden',
    })
    await catalog.users.setPassword(own, 'ann', { ...change, currentPassword: password })
    assert.ok(catalog.authenticate(mine))
    assert.equal(catalog.authenticate(other), null)
    await assert.rejects(tokenOf(catalog, 'ann'), { code: 'wrong_password' })
    await tokenOf(catalog, 'ann', { password: next })
  })

  test('that somebody else has changed meanwhile is not changed by who knew the one before', async () => {
    const { catalog, by } = withAdmin()
    await catalog.users.create(by, ann)
    const own = principalOf(catalog, (await tokenOf(catalog, 'ann')).value)
    const mine = catalog.users.setPassword(own, 'ann', {
      ...change,
      password: 'of who stole it',
      currentPassword: password,
    })
    const [stolen] = await Promise.allSettled([
      mine,
      catalog.users.setPassword(by, 'ann', { ...change, keepTokens: true }),
    ])
    assert.deepEqual([stolen.status, (stolen as PromiseRejectedResult).reason?.code], ['rejected', 'forbidden'])
    await tokenOf(catalog, 'ann', { password: next })
  })

  test('is neither made nor changed by who may it no longer when it is hashed', async () => {
    const { catalog, by } = withAdmin()
    const { users } = catalog
    for (const name of ['ann', 'eve']) await users.create(by, { ...ann, name, role: 'administrator' })
    const eve = principalOf(catalog, (await tokenOf(catalog, 'eve')).value)
    const query = (): Promise<unknown>[] => [
      users.create(eve, { ...ann, name: 'friend' }),
      users.setPassword(eve, 'ann', change),
    ]
    const refused = async (code: string, all: Promise<unknown>[]): Promise<unknown> =>
      Promise.all(all.map((one) => assert.rejects(one, { code })))
    const demoted = refused('forbidden', query())
    users.change(by, 'eve', { role: 'analyst' })
    await demoted
    users.change(by, 'eve', { role: 'administrator' })
    const revoked = refused('unauthorized', query())
    catalog.tokens.revoke(by, eve.tokenId as string)
    await revoked
    await tokenOf(catalog, 'ann')
  })

  test("of another's is changed by whoever may, and all tokens end unless they are kept", async () => {
    const { catalog, by } = withAdmin()
    await catalog.users.create(by, ann)
    const token = (await tokenOf(catalog, 'ann')).value
    await catalog.users.setPassword(by, 'ann', { ...change, keepTokens: true })
    assert.ok(catalog.authenticate(token))
    await catalog.users.setPassword(by, 'ann', change)
    assert.equal(catalog.authenticate(token), null)
  })
})
