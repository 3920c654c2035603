import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kinds, roleOf } from '../../../../engine/resource/registry/integration-registry.js'
import { standardKinds } from '../../../../engine/resource/registry/registry-entries.js'

test('a kind answers to its name and its id in any case', () => {
  for (const text of ['External REST API', 'external rest api', 'external_rest_api', ' EXTERNAL-REST-API ']) {
    assert.equal(standardKinds.byName(text)?.id, 'external_rest_api', text)
  }
  assert.equal(standardKinds.byName('Fortune teller'), null)
})

test('a kind has a role or has it not', () => {
  const kind = standardKinds.byId('external_rest_api')
  assert.equal(roleOf(kind, 'input')?.parameters.length, 2)
  assert.equal(roleOf(kind, 'output'), null)
})

test('a catalogue with one id twice, a built-in that needs parameters, or a secret with a default is a bug', () => {
  const kind = standardKinds.byId('external_rest_api')
  const secret = { name: 's', type: 'string', required: false, description: '', secret: true } as const
  assert.throws(() => new Kinds([kind, kind]))
  assert.throws(() => new Kinds([{ ...kind, builtIn: true }]))
  assert.throws(() => new Kinds([{ ...kind, connection: [{ ...secret, default: 'x' }] }]))
  assert.throws(() => new Kinds([{ ...kind, roles: [{ role: 'input', parameters: [{ ...secret, type: 'number' }] }] }]))
  new Kinds([{ ...kind, connection: [secret] }])
})
