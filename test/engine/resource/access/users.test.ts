import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Role } from '../../../../engine/api/scopes.js'
import { ADDRESS, ADMIN, principalOf, tokenOf, withAdmin } from '../../../support/accounts.js'
import { dump } from '../../../support/resource-store.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const password = ADMIN.adminPassword
const ann = { name: 'ann', password, role: 'analyst' as Role }

test('a user is made once, whatever the case of the name, and is there after a start', async () => {
  const { resources, by, reopen, environment } = withAdmin()
  const made = await resources.users.create(by, ann)
  assert.deepEqual(
    [made.name, made.role, made.enabled, made.lastLoginAt, made.tokens],
    ['ann', 'analyst', true, null, 0],
  )
  await assert.rejects(resources.users.create(by, { ...ann, name: 'ANN' }), { code: 'user_exists' })
  const twins = await Promise.allSettled(['bob', 'Bob'].map((name) => resources.users.create(by, { ...ann, name })))
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
  const { resources, by } = withAdmin()
  for (const name of ['', ' ', 'a b', 'a/b', '..', '-a', 'me', 'ME', 'é', 'x'.repeat(129)]) {
    await assert.rejects(resources.users.create(by, { ...ann, name }), { code: 'invalid_body' }, name)
  }
  for (const bad of ['', 'short', '        ', 'x'.repeat(513)]) {
    await assert.rejects(resources.users.create(by, { ...ann, password: bad }), { code: 'invalid_body' })
  }
  await resources.users.create(by, { ...ann, name: 'ann.b+c@example.com' })
})

test('the last enabled administrator stays one', async () => {
  const { resources, by } = withAdmin()
  const { users } = resources
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
  const { resources, by } = withAdmin()
  assertRefused('user_not_found', () => resources.users.get('nobody'))
  assertRefused('user_not_found', () => resources.users.change(by, 'nobody', {}))
  assertRefused('user_not_found', () => resources.users.remove(by, 'nobody'))
  await assert.rejects(resources.users.setPassword(by, 'nobody', { password, keepTokens: false, address: ADDRESS }), {
    code: 'user_not_found',
  })
})

test('a commit that fails changes nobody', async () => {
  const { resources, by, environment } = withAdmin()
  environment.failNextCommit = new Error('disk')
  await assert.rejects(resources.users.create(by, ann), /disk/)
  assert.equal(resources.users.list().length, 1)
})

describe('a password', () => {
  const next = 'another password'
  const change = { password: next, keepTokens: false, address: ADDRESS }

  test("of one's own is changed with the current one, and other tokens end", async () => {
    const { resources, by } = withAdmin()
    await resources.users.create(by, ann)
    const [mine, other] = [(await tokenOf(resources, 'ann')).value, (await tokenOf(resources, 'ann')).value]
    const own = principalOf(resources, mine)
    for (const currentPassword of [undefined, 'wrong']) {
      const wrong = { ...change, ...(currentPassword === undefined ? {} : { currentPassword }) }
      await assert.rejects(resources.users.setPassword(own, 'ann', wrong), { code: 'forbidden' })
    }
    await assert.rejects(resources.users.setPassword(own, 'admin', { ...change, currentPassword: password }), {
      code: 'forbidden',
    })
    await resources.users.setPassword(own, 'ann', { ...change, currentPassword: password })
    assert.ok(resources.authenticate(mine))
    assert.equal(resources.authenticate(other), null)
    await assert.rejects(tokenOf(resources, 'ann'), { code: 'wrong_password' })
    await tokenOf(resources, 'ann', { password: next })
  })

  test('that somebody else has changed meanwhile is not changed by who knew the one before', async () => {
    const { resources, by } = withAdmin()
    await resources.users.create(by, ann)
    const own = principalOf(resources, (await tokenOf(resources, 'ann')).value)
    const mine = resources.users.setPassword(own, 'ann', {
      ...change,
      password: 'of who stole it',
      currentPassword: password,
    })
    const [stolen] = await Promise.allSettled([
      mine,
      resources.users.setPassword(by, 'ann', { ...change, keepTokens: true }),
    ])
    assert.deepEqual([stolen.status, (stolen as PromiseRejectedResult).reason?.code], ['rejected', 'forbidden'])
    await tokenOf(resources, 'ann', { password: next })
  })

  test('of a user who was deleted meanwhile is not given to who came under the same name', async () => {
    const { resources, by } = withAdmin()
    await resources.users.create(by, ann)
    const changing = assert.rejects(resources.users.setPassword(by, 'ann', change), { code: 'forbidden' })
    resources.users.remove(by, 'ann')
    const identity = { issuer: 'https://provider.example', subject: '1', name: 'ann', role: 'analyst' } as const
    resources.tokens.issueFor(identity, 60, ADDRESS)
    await changing
    await assert.rejects(tokenOf(resources, 'ann', { password: next }), { code: 'wrong_password' })
  })

  test('is neither made nor changed by who may it no longer when it is hashed', async () => {
    const { resources, by } = withAdmin()
    const { users } = resources
    for (const name of ['ann', 'eve']) await users.create(by, { ...ann, name, role: 'administrator' })
    const eve = principalOf(resources, (await tokenOf(resources, 'eve')).value)
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
    resources.tokens.revoke(by, eve.tokenId as string)
    await revoked
    await tokenOf(resources, 'ann')
  })

  test("of another's is changed by whoever may, and all tokens end unless they are kept", async () => {
    const { resources, by } = withAdmin()
    await resources.users.create(by, ann)
    const token = (await tokenOf(resources, 'ann')).value
    await resources.users.setPassword(by, 'ann', { ...change, keepTokens: true })
    assert.ok(resources.authenticate(token))
    await resources.users.setPassword(by, 'ann', change)
    assert.equal(resources.authenticate(token), null)
  })
})
