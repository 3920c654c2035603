import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Issue } from '../../../engine/errors.js'
import { jobCategories } from '../../../engine/job/job.js'
import {
  creatableKinds, integrationKinds, kindByName, readParameters, type ParameterSpec,
} from '../../../engine/resource/kinds.js'

test('a kind answers to its name and its id in any case', () => {
  for (const text of ['External REST API', 'external rest api', 'external_rest_api', ' EXTERNAL-REST-API ']) {
    assert.equal(kindByName(text)?.id, 'external_rest_api', text)
  }
  assert.equal(kindByName('Fortune teller'), null)
  assert.deepEqual(creatableKinds(), ['External REST API'])
})

test('ids and names are unique, and a built-in kind asks for no parameters', () => {
  assert.equal(new Set(integrationKinds.map((kind) => kind.id)).size, integrationKinds.length)
  assert.equal(new Set(integrationKinds.map((kind) => kind.name)).size, integrationKinds.length)
  for (const kind of integrationKinds) assert.ok(!kind.builtIn || kind.connection.length === 0, kind.id)
})

test('root cause analysis has two processors, the others one', () => {
  const counts = jobCategories.map((category) => {
    return integrationKinds.filter((kind) => kind.addedTo.includes(category)).length
  })
  assert.deepEqual(counts, [1, 1, 2])
})

const specs: readonly ParameterSpec[] = [
  { name: 'host', type: 'string', required: true, description: '' },
  { name: 'port', type: 'number', required: false, minimum: 1, description: '' },
  { name: 'schema', type: 'string', required: false, allowed: ['http', 'https'], description: '' },
]

function read(given: Record<string, unknown>, before: Record<string, unknown> = {}): [unknown, Issue[]] {
  const issues: Issue[] = []
  return [readParameters(specs, given, before, (issue) => issues.push(issue)), issues]
}

test('named parameters are taken over those there were, others are left out', () => {
  const [values, issues] = read({ port: 9, password: 'secret', constructor: 1 }, { host: 'a', port: 1 })
  assert.deepEqual([values, issues], [{ host: 'a', port: 9 }, []])
})

test('a missing or unfit parameter is told with its place', () => {
  const [, issues] = read({ port: 0, schema: 'ftp' })
  assert.deepEqual(issues.map(({ loc, msg }) => `${loc} ${msg}`), [
    'host is required',
    'port must be at least 1',
    'schema must be one of http, https',
  ])
  assert.equal(read({ host: 5, port: Number.NaN })[1].length, 2)
})
