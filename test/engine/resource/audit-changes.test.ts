import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopesOfKey } from '../../../engine/api/scopes.js'
import { proveChain } from '../../../engine/services/audit/audit-proof.js'
import { hashSecret } from '../../../engine/resource/access/secrets.js'
import { ADDRESS, ADMIN, tokenOf, withAdmin } from '../../support/accounts.js'
import { auditEntries, auditLines } from '../../support/audit.js'
import { apiKey, input, job, openResourceStore, restApi, smallSet } from '../../support/resource-store.js'

const named = { kind: 'management', name: 'ann' }
const ann = { ...named, scopes: scopesOfKey.management }

test('every record that is made, changed or deleted is one entry, by whoever asked', () => {
  const { resources, environment } = openResourceStore()
  const before = auditEntries(environment).length
  resources.apply(smallSet(), true, ann)
  resources.apply(smallSet(), true, ann)
  resources.apply(
    { resources: { job: job('job', { decision_points: ['rule.id'], pipeline_integrations: [] }) } },
    true,
    ann,
  )
  resources.setJobStatus(1, 'STOPPED', ann)
  resources.setJobStatus(1, 'STOPPED', ann)
  resources.setJobStatus(1, 'STARTED', ann)
  resources.delete({ type: 'job', title: 'job' }, ann)
  assert.deepEqual(auditLines(environment).slice(before), [
    'created integration rest',
    'created api_key key',
    'created job job',
    'updated job job',
    'stopped job job',
    'started job job',
    'deleted job job',
  ])
  for (const entry of auditEntries(environment).slice(before)) assert.deepEqual(entry.by, named)
  const updated = auditEntries(environment)[before + 3]!
  assert.deepEqual(updated.changes, { decision_points: { before: ['host.name', 'rule.id'], after: ['rule.id'] } })
  assert.deepEqual(updated.job, { id: 1, title: 'job' })
  assert.equal(proveChain(environment).intact, true)
})

test('a refused set and a commit that failed leave no entry', () => {
  const { resources, environment } = openResourceStore()
  const before = auditEntries(environment)
  assert.throws(() => resources.apply({ resources: { key: apiKey('key'), bad: restApi('rest', 'nobody') } }, true, ann))
  environment.failNextCommit = new Error('the disk is full')
  assert.throws(() => resources.apply(smallSet(), true, ann))
  assert.deepEqual(auditEntries(environment), before)
  resources.apply(smallSet(), true, ann)
  assert.equal(proveChain(environment).intact, true)
})

test('what the first start makes is told of the service itself', () => {
  const { resources, environment } = openResourceStore()
  resources.bootstrap({})
  const entries = auditEntries(environment)
  assert.ok(entries.length > 4)
  for (const { by, action } of entries) assert.deepEqual([by.name, action], ['service', 'created'])
  assert.ok(auditLines(environment).includes('created user admin'))
})

test('no value or hash of a key, no password and no parameter of a step is in the log', () => {
  const { resources, environment } = openResourceStore()
  const outcome = resources.bootstrap({ adminPassword: 'a-password-of-some-length', managementKey: 'k'.repeat(50) })
  const { created } = resources.apply(
    {
      resources: {
        key: apiKey('key'),
        rest: restApi('rest', 'key'),
        job: job('job', {
          pipeline_integrations: [input('rest', { parameters: { exposed_rest_api_job_tag: 'a-tag-for-nobody' } })],
        }),
      },
    },
    true,
    ann,
  )
  resources.apply(
    {
      resources: {
        job: job('job', {
          pipeline_integrations: [input('rest', { parameters: { exposed_rest_api_job_tag: 'another' } })],
        }),
      },
    },
    true,
    ann,
  )
  const text = JSON.stringify(auditEntries(environment))
  for (const secret of [
    'a-password-of-some-length',
    'k'.repeat(50),
    created.find(({ type }) => type === 'api_key')!.value!,
    'a-tag-for-nobody',
    'another',
  ]) {
    assert.ok(!text.includes(secret))
  }
  for (const table of ['users', 'api_keys'] as const) {
    for (const { value } of environment.range(table, {})) {
      const record = JSON.parse(Buffer.from(value.subarray(1)).toString()) as {
        hash?: string
        password?: { hash: string }
      }
      assert.ok(!text.includes(record.hash ?? record.password!.hash))
    }
  }
  assert.deepEqual(outcome, { adminPassword: null, managementKey: null })
  assert.deepEqual(auditEntries(environment).at(-1)!.changes, {
    pipeline_parameters: { before: '(hidden)', after: '(hidden)' },
  })
})

test('users, tokens and sign-ins are told, and no secret is', async () => {
  const { resources, environment, by } = withAdmin()
  const before = auditEntries(environment).length
  const password = ADMIN.adminPassword
  const { value, id } = await (async () => {
    await resources.users.create(by, { name: 'bob', password, role: 'analyst' })
    return tokenOf(resources, 'bob', { scopes: ['public'] })
  })()
  resources.users.change(by, 'bob', { role: 'power_user' })
  resources.users.change(by, 'bob', { enabled: false })
  await assert.rejects(tokenOf(resources, 'bob'))
  await assert.rejects(tokenOf(resources, 'my secret typed as a name'))
  resources.users.change(by, 'bob', { enabled: true })
  await resources.users.setPassword(by, 'bob', { password: 'another password', keepTokens: true, address: ADDRESS })
  resources.tokens.revoke(by, id)
  resources.users.remove(by, 'bob')
  assert.deepEqual(auditLines(environment).slice(before), [
    'created user bob',
    'token issued token bob',
    'updated user bob',
    'disabled user bob',
    'sign-in refused user bob',
    'sign-in refused user unknown user',
    'enabled user bob',
    'password changed user bob',
    'token revoked token bob',
    'deleted user bob',
  ])
  const entries = auditEntries(environment).slice(before)
  assert.deepEqual(entries[1]!.by, { kind: 'user', name: 'bob' })
  assert.deepEqual(entries[1]!.details, { address: ADDRESS })
  assert.deepEqual(entries[2]!.changes, { role: { before: 'analyst', after: 'power_user' } })
  const text = JSON.stringify(entries)
  for (const secret of [value, password, 'another password', 'my secret', hashSecret(value)])
    assert.ok(!text.includes(secret), secret)
  assert.equal(proveChain(environment).intact, true)
})
