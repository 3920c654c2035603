import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpFailure } from '../../../../engine/integration/http/http-client.js'
import { parsePage } from '../../../../engine/integration/search-engine/search-page.js'

const textOf = (source: Uint8Array | undefined): string => Buffer.from(source ?? []).toString('utf8')
const page = (...hits: string[]): Buffer => Buffer.from(`{"took":1,"hits":{"hits":[${hits.join(',')}]}}`)

test('documents stay unparsed bytes, and the rest of the answer is parsed', () => {
  const first = '{"n":12345678901234567890,"text":"\\"_source\\":{ \\\\","_source":{"deep":[{"_source":{}}]},"ü":"€"}'
  const { answer, sources } = parsePage(
    page(`{"_id":"a","_source" : ${first},"sort":[1,2]}`, '{"_id":"_source","_source":{}}', '{"_id":"c"}'),
  )
  assert.deepEqual(sources.map(textOf), [first, '{}'])
  assert.deepEqual(answer, {
    took: 1,
    hits: { hits: [{ _id: 'a', _source: 0, sort: [1, 2] }, { _id: '_source', _source: 1 }, { _id: 'c' }] },
  })
})

test('only _source of a hit is a document', () => {
  const { answer, sources } = parsePage(
    Buffer.from('{"_source":{"a":1},"hits":{"_source":{},"hits":[{"inner":{"_source":{"b":2}},"_source":null}]}}'),
  )
  assert.equal(sources.length, 0)
  assert.deepEqual(answer, {
    _source: { a: 1 },
    hits: { _source: {}, hits: [{ inner: { _source: { b: 2 } }, _source: null }] },
  })
})

test('a partial answer, invalid JSON or too deep nesting is a failure', () => {
  const whole = page('{"_id":"a","_source":{"text":"x"}}')
  for (let end = 0; end < whole.length; end++) assert.throws(() => parsePage(whole.subarray(0, end)), HttpFailure)
  assert.throws(() => parsePage(page(`{"_source":${'['.repeat(80)}${']'.repeat(80)}}`)), /deeper than/)
})
