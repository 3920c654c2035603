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

test('paths of all sign-ins are bounded together', () => {
  const pending = new PendingSignIns(() => 0)
  const returnTo = `/${'x'.repeat(16_000)}`
  const handles = Array.from({ length: 1_100 }, () => pending.add({ ...signIn, returnTo }))
  assert.equal(pending.take(handles[0]!), null)
  assert.notEqual(pending.take(handles.at(-1)!), null)
})

test('a path to come back to is one of this service, of any length and in any script', () => {
  const long = `/events/1?query=${'host.name%3Aweb-1%20OR%20'.repeat(600)}`
  for (const path of ['/', '/jobs/1?a=b', '/jobs/feedback-flow/1#x', '/events/1?q=%C3%BC%2F%5C', long])
    assert.equal(pathHere(path), path)
  assert.equal(pathHere('/events/1?query=user:Müller 東'), '/events/1?query=user:M%C3%BCller%20%E6%9D%B1')
  assert.equal(pathHere('/jobs/1?a=\\d'), '/jobs/1?a=\\d')
  for (const path of [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'https://evil.example',
    'jobs',
    ' /jobs',
    undefined,
  ])
    assert.equal(pathHere(path), '/', path)
})
