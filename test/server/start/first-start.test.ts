import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstStartText } from '../../../server/start/first-start.js'

const secrets = { adminPassword: 'the-password', managementKey: 'the-key' }

test('a terminal shows the secrets, anything else the file that has them', () => {
  const shown = firstStartText(secrets, '/data/first-start-secrets', true)
  assert.match(shown, /^ {2}administrator: admin, password: the-password$/m)
  assert.match(shown, /^ {2}management key: the-key$/m)
  assert.match(shown, /\/data\/first-start-secrets/)
  const journal = firstStartText(secrets, '/data/first-start-secrets', false)
  assert.match(journal, /\/data\/first-start-secrets/)
  assert.doesNotMatch(journal, /the-password|the-key/)
})

test('what the settings gave is not shown, and a later start says nothing', () => {
  assert.doesNotMatch(firstStartText({ ...secrets, managementKey: null }, '/f', true), /key/)
  assert.equal(firstStartText(null, '/f', true), '')
})
