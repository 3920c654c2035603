import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Issue } from '../../../../engine/errors.js'
import { SeededRandom } from '../../../../engine/rng.js'
import {
  lostSecrets,
  openParameters,
  parametersSchema,
  readParameters,
  withoutSecrets,
  type ParameterSpec,
} from '../../../../engine/resource/registry/parameters.js'
import { isSealed, Sealer, SEALING_KEY_BYTES } from '../../../../engine/resource/access/sealing.js'

const specs: readonly ParameterSpec[] = [
  { name: 'host', type: 'string', required: true, address: true, description: 'where' },
  { name: 'port', type: 'number', required: false, minimum: 1, default: 9200, description: '' },
  { name: 'schema', type: 'string', required: false, allowed: ['http', 'https'], description: '' },
  { name: 'password', type: 'string', required: false, secret: true, description: '' },
  { name: 'seed', type: 'string', required: false, secret: true, signs: true, description: '' },
]
const sealer = new Sealer(new Uint8Array(SEALING_KEY_BYTES), new SeededRandom(1))

function read(
  given: Record<string, unknown>,
  before: Record<string, unknown> | null,
): [Record<string, unknown>, Issue[]] {
  const issues: Issue[] = []
  return [readParameters({ specs, given, before, sealer, report: (issue) => issues.push(issue) }), issues]
}

test('named parameters are taken over those there were, others are left out', () => {
  const [values, issues] = read({ port: 9, token: 'stray', constructor: 1 }, { host: 'a', port: 1 })
  assert.deepEqual([values, issues], [{ host: 'a', port: 9 }, []])
})

test('what is new takes defaults and misses what is required; what is there does neither', () => {
  assert.deepEqual(read({ host: 'a' }, null), [{ host: 'a', port: 9200 }, []])
  assert.deepEqual(
    read({}, null)[1].map(({ loc, msg }) => `${loc} ${msg}`),
    ['host is required'],
  )
  assert.deepEqual(read({}, {}), [{}, []])
})

test('an unfit parameter is told with its place', () => {
  const [, issues] = read({ host: 'x'.repeat(100_000), port: 0, schema: 'ftp' }, null)
  assert.deepEqual(
    issues.map(({ loc, msg }) => `${loc} ${msg}`),
    ['host must have at most 16384 characters', 'port must be at least 1', 'schema must be one of http, https'],
  )
  assert.equal(read({ host: 5, port: Number.NaN, password: { sealed: 'x' } }, null)[1].length, 3)
})

test('a secret is sealed, stays the same bytes while it is the same, and is not shown', () => {
  const [first] = read({ host: 'a', password: 'hush' }, null)
  const sealed = first.password
  assert.ok(isSealed(sealed) && !JSON.stringify(first).includes('hush'))
  assert.equal(sealer.open(sealed), 'hush')
  assert.deepEqual(withoutSecrets(first), { host: 'a', port: 9200 })
  assert.deepEqual(read({ password: 'hush' }, first)[0], first)
  assert.deepEqual(read(withoutSecrets(first), first)[0], first)
  const [changed] = read({ password: 'other' }, first)
  assert.ok(isSealed(changed.password) && sealer.open(changed.password) === 'other')
})

test('values whose secret was sealed with another key are not opened: a webhook would be posted without its signature', () => {
  const [values] = read({ host: 'a', seed: 'grain' }, null)
  assert.deepEqual(openParameters(values, sealer), { host: 'a', port: 9200, seed: 'grain' })
  const other = new Sealer(new Uint8Array(SEALING_KEY_BYTES).fill(1), new SeededRandom(1))
  assert.throws(() => openParameters(values, other), /^Error: its parameter seed has to be given again/)
  assert.deepEqual([lostSecrets(values, sealer), lostSecrets(values, other)], [[], ['seed']])
})

test('a secret that is sent is given again where the address changes; one that only signs stays', () => {
  const [first] = read({ host: 'a', password: 'hush', seed: 'grain' }, null)
  assert.deepEqual(
    read({ host: 'b' }, first)[1].map(({ loc }) => loc),
    [['password']],
  )
  assert.match(read({ host: 'b' }, first)[1][0]?.msg ?? '', /^must be given again when host changes/)
  const [moved, issues] = read({ host: 'b', password: 'hush' }, first)
  assert.deepEqual([moved, issues], [{ ...first, host: 'b' }, []])
  assert.deepEqual(read({ host: 'a', port: 1 }, first)[1], [])
  const [open] = read({ host: 'a' }, null)
  assert.deepEqual(read({ host: 'b' }, open)[1], [])
})

test('the schema says all that is known of a parameter', () => {
  assert.deepEqual(parametersSchema(specs, 'a search engine'), {
    type: 'object',
    description: 'a search engine',
    required: ['host'],
    properties: {
      host: { type: 'string', description: 'where' },
      port: { type: 'number', description: '', minimum: 1, default: 9200 },
      schema: { type: 'string', description: '', enum: ['http', 'https'] },
      password: { type: 'string', description: '', writeOnly: true, format: 'password' },
      seed: { type: 'string', description: '', writeOnly: true, format: 'password' },
    },
  })
})
