import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimit } from '../../../server/http/rate-limit.js'
import { assertRefused } from '../../support/engine/refusal.js'
import type { Principal } from '../../../engine/api/principal.js'

const principal = (kind: Principal['kind'], name: string): Principal => ({ kind, name, scopes: new Set() })
const ann = principal('user', 'ann')

test('a caller has a burst, then as many as come back with time', () => {
  let now = 0
  const limit = new RateLimit(10, 3, () => now)
  for (let i = 0; i < 3; i++) limit.take(ann)
  assertRefused('rate_limited', () => limit.take(ann))
  now += 99
  assert.equal(limit.tryTake(ann), false)
  now += 1
  assert.equal(limit.tryTake(ann), true)
  assert.equal(limit.tryTake(ann), false)
  now += 3_600_000
  for (let i = 0; i < 3; i++) limit.take(ann)
  assertRefused('rate_limited', () => limit.take(ann))
})

test('a refusal says after how many seconds there is room', () => {
  let now = 0
  const limit = new RateLimit(0.1, 1, () => now)
  limit.take(ann)
  now += 2_500
  assert.equal(assertRefused('rate_limited', () => limit.take(ann)).context.retryAfterSeconds, 8)
  now += 7_499
  assert.equal(assertRefused('rate_limited', () => limit.take(ann)).context.retryAfterSeconds, 1)
})

test('callers have buckets of their own; a key and a user of one name are two', () => {
  const limit = new RateLimit(1, 1, () => 0)
  for (const each of [ann, principal('input', 'ann'), principal('user', 'bob')]) assert.equal(limit.tryTake(each), true)
  assert.equal(limit.tryTake(ann), false)
  assert.equal(limit.tryTake({ ...ann, tokenId: 'another token' }), false)
})
