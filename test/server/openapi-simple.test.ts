import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiDocument } from '../../server/openapi.js'
import { simpleDocument } from '../../server/openapi-simple.js'
import { routes } from '../../server/routes/index.js'

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'service')))
const simple = JSON.parse(JSON.stringify(simpleDocument(document)))

/** Every union in a value. */
function unionsIn(value: unknown): any[][] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'anyOf' in value ? [value.anyOf as any[]] : []
  return [...own, ...Object.values(value).flatMap(unionsIn)]
}

test('no union of the simple document has a list beside another type', () => {
  const mixed = (unions: any[][]) =>
    unions.filter((members) => {
      const types = members.filter(({ type }) => type !== 'null')
      return types.length > 1 && types.some(({ type }) => type === 'array')
    })
  assert.ok(mixed(unionsIn(document)).length > 0)
  assert.deepEqual(mixed(unionsIn(simple)), [])
})

test('it has the same operations and types, and lists where both forms are taken', () => {
  assert.deepEqual(Object.keys(simple.paths), Object.keys(document.paths))
  assert.deepEqual(Object.keys(simple.components.schemas), Object.keys(document.components.schemas))
  const { EventsQuery, ResourceSet, ResourceDocument, EventFilter } = simple.components.schemas
  assert.equal(EventsQuery.properties.job_ids.type, 'array')
  assert.equal(ResourceSet.properties.resources.$ref, '#/components/schemas/ResourceMap')
  assert.equal(ResourceDocument.$ref, '#/components/schemas/ResourceSet')
  assert.deepEqual(Object.keys(EventFilter.properties.value), ['description'])
})
