import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentEntries } from '../../../engine/resource/document.js'
import { unknownProperty } from '../../../engine/resource/unknown-properties.js'
import { apiKey, job } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'

/** `identifier at place, properties at place` of each resource. */
function standing(document: unknown): string[] {
  return documentEntries(document).map(({ identifier, place, inside }) => {
    return `${identifier} at ${place.join('.')}, properties at ${inside.join('.')}`
  })
}

const flat = { id: 7, type: 'integration', title: 'rest', subcategory_id: 'external_rest_api' }

test('a map, a list of maps, flat resources, and any of them under resources', () => {
  const set = { k: apiKey('a'), j: job('b') }
  const plain = ['k at k, properties at k.properties', 'j at j, properties at j.properties']
  assert.deepEqual(standing(set), plain)
  assert.deepEqual(standing({ resources: set, overwrite: 'False' }), [
    'k at resources.k, properties at resources.k.properties',
    'j at resources.j, properties at resources.j.properties',
  ])
  assert.deepEqual(standing([flat, { j: job('b') }]), [
    'rest at 0, properties at 0',
    'j at 1.j, properties at 1.j.properties',
  ])
  assert.deepEqual(standing({ resources: [flat] }), ['rest at resources.0, properties at resources.0'])
  assert.deepEqual(standing(flat), ['rest at , properties at '])
  assert.deepEqual(standing({ resources: flat }), ['rest at resources, properties at resources'])
  assert.deepEqual(standing({ mine: flat }), ['mine at mine, properties at mine'])
  assert.deepEqual(standing([]), [])
})

test('a flat integration without a type is known by its subcategory', () => {
  const { type: _, ...untyped } = flat
  const [found] = documentEntries([untyped])
  assert.deepEqual(found?.value, { type: 'integration', properties: untyped, depends_on: undefined })
})

test('a resource called resources or overwrite is one', () => {
  assert.deepEqual(standing({ resources: apiKey('a') }), ['resources at resources, properties at resources.properties'])
  assert.deepEqual(standing({ overwrite: apiKey('a') }), ['overwrite at overwrite, properties at overwrite.properties'])
})

test('one identifier twice in a list, and what is no resource, is refused at its place', () => {
  const places = (document: unknown): string[] => {
    const { context } = assertRefused('invalid_resources', () => documentEntries(document))
    return (context.issues ?? []).map(({ loc }) => loc.join('.'))
  }
  assert.deepEqual(places([{ a: apiKey('a') }, { a: apiKey('b') }]), ['1.a'])
  assert.deepEqual(places([5, flat, 'x']), ['0', '2'])
  assert.deepEqual(places({ resources: 5 }), ['resources'])
})

test('a long identifier is refused, and no issue repeats more of it than of a name', () => {
  const long = 'k'.repeat(1_000_000)
  const { context } = assertRefused('invalid_resources', () => documentEntries({ [long]: { type: 'job' } }))
  assert.deepEqual(context.issues, [
    { loc: [`${'k'.repeat(255)}…`], msg: 'an identifier may have at most 256 characters', type: 'too_long' },
  ])
  assert.equal(documentEntries({ ['k'.repeat(256)]: { type: 'job' } }).length, 1)
})

test('a warning of an unknown property repeats no more of its name', () => {
  const { place, message } = unknownProperty(['j'], 'p'.repeat(100_000), ['title'])
  assert.deepEqual(
    [place[1], message],
    [`${'p'.repeat(255)}…`, `\`${'p'.repeat(255)}…\` is not known and has no effect.`],
  )
})
