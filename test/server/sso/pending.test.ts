import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathHere, PendingSignIns } from '../../../server/sso/pending.js'

const signIn = { state: 's', nonce: 'n', codeVerifier: 'v', returnTo: '/' }

test('a sign-in is taken once, and within ten minutes', () => {
  let now = 0
  const pending = new PendingSignIns(() => now)
  const first = pending.add(signIn)
  assert.equal(pending.take(first)?.state, 's')
  assert.equal(pending.take(first), null)
  const second = pending.add(signIn)
  now = 600_001
  assert.equal(pending.take(second), null)
  assert.equal(pending.take(''), null)
})

test('too many of them end the oldest', () => {
  const pending = new PendingSignIns(() => 0)
  const [first, ...others] = Array.from({ length: 10_001 }, () => pending.add(signIn))
  assert.equal(pending.take(first!), null)
  assert.notEqual(pending.take(others.at(-1)!), null)
})

test('a path to come back to is one of this service', () => {
  for (const path of ['/', '/jobs/1?a=b', '/jobs/feedback-flow/1#x']) assert.equal(pathHere(path), path)
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', 'jobs', '/a b', '/a\nb', undefined])
    assert.equal(pathHere(path), '/')
})
