import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IntegrationRegistry, roleOf } from '../../../../engine/resource/registry/integration-registry.js'
import { builtInKinds } from '../../../../engine/resource/registry/registry-entries.js'

test('a kind answers to its name and its id in any case', () => {
  for (const text of ['External REST API', 'external rest api', 'external_rest_api', ' EXTERNAL-REST-API ']) {
    assert.equal(builtInKinds.byName(text)?.id, 'external_rest_api', text)
  }
  assert.equal(builtInKinds.byName('Fortune teller'), null)
})

test('a kind has a role or has it not', () => {
  const kind = builtInKinds.byId('external_rest_api')
  assert.equal(roleOf(kind, 'input')?.parameters.length, 2)
  assert.equal(roleOf(kind, 'output'), null)
})

test('a catalogue with one id twice, a built-in that needs parameters, or a secret with a default is a bug', () => {
  const kind = builtInKinds.byId('external_rest_api')
  const secret = { name: 's', type: 'string', required: false, description: '', secret: true } as const
  assert.throws(() => new IntegrationRegistry([kind, kind]))
  assert.throws(() => new IntegrationRegistry([{ ...kind, builtIn: true }]))
  assert.throws(() => new IntegrationRegistry([{ ...kind, connection: [{ ...secret, default: 'x' }] }]))
  assert.throws(
    () =>
      new IntegrationRegistry([{ ...kind, roles: [{ role: 'input', parameters: [{ ...secret, type: 'number' }] }] }]),
  )
  new IntegrationRegistry([{ ...kind, connection: [secret] }])
})
