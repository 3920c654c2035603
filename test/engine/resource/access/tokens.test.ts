import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoMicros } from '../../../../engine/clock.js'
import { limits } from '../../../../engine/limits.js'
import { encodeRecord, nameKey, type TokenRecord } from '../../../../engine/resource/records.js'
import { hashSecret } from '../../../../engine/resource/access/secrets.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { ADMIN, principalOf, tokenOf, withAdmin } from '../../../support/accounts.js'
import { dump } from '../../../support/resource-store.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const ann = { name: 'ann', password: ADMIN.adminPassword, role: 'analyst' } as const

test('a token is made for the right password, and kept as a hash only', async () => {
  const { resources, environment, clock } = withAdmin()
  const token = await tokenOf(resources, 'admin', { lifeSeconds: 3_600 })
  assert.match(token.value, /^[\w-]{43}$/)
  assert.equal(token.expiresMicros, clock.nowMicros() + 3_600e6)
  const rows = dump(environment).join('\n')
  assert.ok(!rows.includes(token.value))
  assert.ok(rows.includes(hashSecret(token.value)))
  const [seen] = resources.tokens.list(principalOf(resources, token.value), null)
  assert.ok(!JSON.stringify(seen).includes(hashSecret(token.value)))
})

test('unknown, disabled and wrong are one refusal', async () => {
  const { resources, by } = withAdmin()
  await resources.users.create(by, ann)
  resources.users.change(by, 'ann', { enabled: false })
  for (const [username, password] of [
    ['nobody', 'x'],
    ['admin', 'x'],
    ['ann', ADMIN.adminPassword],
    ['', ''],
  ] as const) {
    await assert.rejects(tokenOf(resources, username, { password }), {
      code: 'wrong_password',
      message: 'wrong user name or password',
    })
  }
})

test('a user who is disabled while the password is looked at gets no token', async () => {
  const { resources, by } = withAdmin()
  await resources.users.create(by, ann)
  const query = tokenOf(resources, 'ann')
  resources.users.change(by, 'ann', { enabled: false })
  await assert.rejects(query, { code: 'wrong_password' })
})

test("one sees and ends one's own; whoever may sees and ends all", async () => {
  const { resources, by } = withAdmin()
  await resources.users.create(by, ann)
  const [anns, admins] = [await tokenOf(resources, 'ann'), await tokenOf(resources, 'admin')]
  const own = principalOf(resources, anns.value)
  const ids = (username: string | null, who = own): string[] => resources.tokens.list(who, username).map(({ id }) => id)
  assert.deepEqual(ids(null), [anns.id])
  assert.deepEqual(ids('ann'), [anns.id])
  assertRefused('forbidden', () => ids('admin'))
  assert.deepEqual(ids(null, by).sort(), [anns.id, admins.id].sort())
  assert.deepEqual(ids('admin', by), [admins.id])
  assertRefused('token_not_found', () => resources.tokens.revoke(own, admins.id))
  assertRefused('token_not_found', () => resources.tokens.revoke(by, 'none'))
  resources.tokens.revoke(own, anns.id)
  assert.equal(resources.authenticate(anns.value), null)
  resources.tokens.revoke(by, admins.id)
  assert.equal(resources.authenticate(admins.value), null)
})

test('the last use is told, and outlasts a start that was orderly', async () => {
  const { resources, by, clock, reopen } = withAdmin()
  const { value } = await tokenOf(resources, 'admin')
  assert.equal(resources.tokens.list(by, null)[0]!.lastUsedAt, null)
  clock.advanceMs(1_000)
  resources.authenticate(value)
  const at = resources.tokens.list(by, null)[0]!.lastUsedAt
  assert.ok(at !== null)
  resources.close()
  assert.equal(reopen().tokens.list(by, null)[0]!.lastUsedAt, at)
})

test('one token too many ends those that are over, else the one that was not used for the longest', async () => {
  const { environment, clock, reopen, by } = withAdmin()
  const batch = new WriteBatch()
  const at = clock.nowMicros()
  for (let i = 0; i < limits.tokensPerUserMax; i++) {
    const expiresMicros = at + (i === 2 ? 10e6 : 1e12)
    const token: TokenRecord = {
      id: `t${i}`,
      user: 'admin',
      hash: hashSecret(`value ${i}`),
      createdAt: isoMicros(at + i),
      expiresMicros,
    }
    batch.put('tokens', nameKey(token.id), encodeRecord(token))
  }
  environment.commit(batch)
  const resources = reopen()
  clock.advanceMs(11_000)
  assert.ok(resources.authenticate('value 0'))
  const ids = (): Set<string> => new Set(resources.tokens.list(by, 'admin').map(({ id }) => id))
  await tokenOf(resources, 'admin')
  assert.deepEqual(
    [ids().size, ids().has('t2'), ids().has('t1')],
    [limits.tokensPerUserMax, false, true],
    'one was over',
  )
  await tokenOf(resources, 'admin')
  assert.deepEqual(
    [ids().size, ids().has('t1'), ids().has('t0')],
    [limits.tokensPerUserMax, false, true],
    'one was used lately',
  )
})
