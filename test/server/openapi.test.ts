import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Compile } from 'typebox/schema'
import { describeCategory } from '../../engine/resource/registry/categories.js'
import { openApiDocument } from '../../server/openapi.js'
import { routes } from '../../server/routes/index.js'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; schema: object }[]
  responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>
  security: unknown[]
  tags: string[]
}

interface Schema {
  properties: Record<string, unknown> & { properties?: unknown; advanced_settings?: unknown }
}

interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  tags: { name: string }[]
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, { name: string }> }
}

// As a client gets it: what JSON does not carry is gone.
const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'arcanna'))) as Document

function references(value: unknown, into: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return into
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') into.add(member)
    else references(member, into)
  }
  return into
}

test('every route is in the document, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(described.sort(), routes.map((route) => `${route.method} ${route.path}`).sort())
})

test('the document is valid as OpenAPI 3.1', async () => {
  for (const name of ['service', 'arcanna']) {
    const plain = JSON.parse(JSON.stringify(openApiDocument(routes, name))) as Record<string, unknown>
    const { valid, errors } = await new Validator().validate(plain)
    assert.ok(valid, JSON.stringify(errors))
  }
})

test('a document that is not valid would be found', async () => {
  const broken = { ...document, paths: { '/a': { get: { responses: { 200: { description: 1 } } } } } }
  assert.equal((await new Validator().validate(broken)).valid, false)
})

test('the operations of the contract are there', () => {
  for (const [method, path] of [
    ['post', '/api/v1/events/'],
    ['post', '/api/v1/events/{event_id}'],
    ['get', '/api/v1/events/{job_id}/{event_id}'],
    ['get', '/api/v1/events/{job_id}/{event_id}/export'],
    ['put', '/api/v1/events/{job_id}/{event_id}/feedback'],
    ['get', '/api/v1/jobs/'],
    ['get', '/api/v1/jobs/{job_id}'],
    ['get', '/api/v1/jobs/{job_id}/labels'],
    ['post', '/api/v1/jobs/{job_id}/train'],
    ['post', '/api/v1/jobs/get_by_name'],
    ['post', '/api/v1/jobs/get_by_name/labels'],
    ['post', '/api/v2/resources'],
    ['get', '/api/v2/resources'],
    ['delete', '/api/v2/resources'],
  ] as const) {
    assert.ok(document.paths[path]?.[method], `${method} ${path}`)
  }
})

test('operation ids are unique, path parameters are described, every operation has a good answer', () => {
  const ids = new Set<string>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      assert.ok(!ids.has(operation.operationId), operation.operationId)
      ids.add(operation.operationId)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        operation.parameters.filter((each) => each.in === 'path').map((each) => each.name),
        inPath,
      )
      assert.ok(Object.keys(operation.responses).some((status) => /^2|^303$/.test(status)))
      for (const response of Object.values(operation.responses)) assert.ok(response.description)
      for (const tag of operation.tags) assert.ok(document.tags.some((each) => each.name === tag))
    }
  }
})

test('every reference leads to a component', () => {
  const found = references(document)
  assert.ok(found.has('#/components/schemas/Job'))
  for (const reference of found) {
    assert.ok(reference.startsWith('#/components/schemas/'))
    assert.ok(document.components.schemas[reference.slice('#/components/schemas/'.length)], reference)
  }
})

test('the security schemes name both headers', () => {
  assert.equal(document.components.securitySchemes.apiKey?.name, 'x-arcanna-api-key')
  assert.equal(document.components.securitySchemes.neutralApiKey?.name, 'x-service-api-key')
})

/** Every object of a document, with where it stands. */
function* objectsIn(value: unknown, place = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${place}/${key}`)
}

test('nothing is in the document that generators of clients stumble over', () => {
  for (const [place, object] of objectsIn(document)) {
    // They know no patterns for keys, and leave such values out: a record has them as additionalProperties.
    assert.ok(!('patternProperties' in object), place)
    // The most common one ends with an error at a property that is never anything but null.
    if (/\/properties\/[^/]+$/.test(place)) assert.notEqual(object.type, 'null', place)
  }
  // In Go NewUser is the function that makes a User.
  const names = Object.keys(document.components.schemas)
  assert.deepEqual(
    names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    [],
  )
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, responses } of Object.values(methods)) {
      // An answer without a type is none to them.
      for (const [status, { content }] of Object.entries(responses)) {
        for (const media of Object.values(content ?? {})) assert.ok(media.schema, `${operationId} ${status}`)
      }
    }
  }
})

test('a client sends its key where one is looked at, though none is needed', () => {
  assert.deepEqual(document.paths['/api/v1/health']?.get?.security, [
    { apiKey: [] },
    { neutralApiKey: [] },
    { bearer: [] },
    {},
  ])
  assert.deepEqual(document.paths['/livez']?.get?.security, [])
})

test('the stream is described as NDJSON', () => {
  const text = JSON.stringify(document.paths['/api/v1/events/_bulk'])
  assert.equal(text.split('application/x-ndjson').length - 1, 2)
})

test('every body has an example, which passes its own schema', () => {
  for (const { operationId, body, bodyExample } of routes) {
    if (body === undefined) continue
    assert.ok(bodyExample !== undefined, operationId)
    assert.deepEqual(Compile(body).Errors(bodyExample), [true, []], operationId)
  }
})

test('what is described of a parameter stands where readers look for it', () => {
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, parameters } of Object.values(methods)) {
      for (const { name, schema } of parameters) assert.ok(!('description' in schema), `${operationId} ${name}`)
    }
  }
})

test('the published properties of a job are those that a job is checked against', () => {
  const job = document.components.schemas.JobProperties as Schema
  const checked = JSON.parse(JSON.stringify(describeCategory('Decision intelligence', [], false)))
    .parameters_schema as Schema
  const names = (schema: Schema): string[] => Object.keys(schema.properties).sort()
  assert.deepEqual(names(job), names(checked))
  assert.deepEqual(
    names(document.components.schemas.JobSettings as Schema),
    names(checked.properties.advanced_settings as Schema),
  )
})
