import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DryRuns, type Intent } from '../../../server/mcp/dry-runs.js'

const intent: Intent = { caller: 'ann', tool: 'stop', input: { job_id: 1, filters: [{ a: 1, b: 2 }] } }

test('a token is for the same call, in any order of its fields', () => {
  const runs = new DryRuns(() => 0)
  const { token } = runs.mint(intent, 12)
  assert.deepEqual(runs.check(token, { ...intent, input: { filters: [{ b: 2, a: 1 }], job_id: 1 } }), {
    ok: true,
    count: 12,
  })
  for (const other of [
    { ...intent, caller: 'bob' },
    { ...intent, tool: 'start' },
    { ...intent, input: { job_id: 2 } },
  ])
    assert.equal(runs.check(token, other).ok, false)
  assert.equal(new DryRuns(() => 0).check(token, intent).ok, false, 'of another process')
})

test('a count that was changed is no token', () => {
  const runs = new DryRuns(() => 0)
  const [nonce, expires, , mac] = runs.mint(intent, 1).token.split('.')
  assert.equal(runs.check(`${nonce}.${expires}.zz.${mac}`, intent).ok, false)
  for (const text of ['', '.', 'a.b.c.d', '....']) assert.equal(runs.check(text, intent).ok, false)
})

test('a token works once, and for ten minutes', () => {
  let now = 0
  const runs = new DryRuns(() => now)
  const { token, expiresMs } = runs.mint(intent, 1)
  assert.equal(runs.use(token), true)
  assert.equal(runs.use(token), false)
  assert.deepEqual(runs.check(token, intent), { ok: false, why: 'the token was used already' })
  const later = runs.mint(intent, 1).token
  now = expiresMs + 1
  assert.deepEqual(runs.check(later, intent), { ok: false, why: 'the token has expired' })
})
