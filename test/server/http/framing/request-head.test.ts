import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '../../../../server/http/native.js'
import { headerOf, isChunked, readHead } from '../../../../server/http/framing/request-head.js'

type Headers = readonly (readonly [name: string, value: string])[]

function read(headers: Headers) {
  const request = {
    forEach: (take: (name: string, value: string) => void) => {
      for (const [name, value] of headers) take(name, value)
    },
  }
  return readHead(request as HttpRequest)
}

const host = ['host', 'x'] as const

test('a header is found by its name, the first of repeated ones, and none of the request before', () => {
  assert.equal(read([host, ['accept', 'a'], ['accept', 'b'], ['x-only', 'c']]), null)
  assert.equal(headerOf('accept'), 'a')
  assert.equal(headerOf('x-only'), 'c')
  assert.equal(read([host]), null)
  assert.deepEqual([headerOf('host'), headerOf('accept'), headerOf('x-only')], ['x', '', ''])
})

test('headers that must be single are refused when they are repeated, wherever they are', () => {
  const others = Array.from({ length: 90 }, (_, i) => [`x-${i}`, ''] as const)
  for (const name of [
    'content-length',
    'transfer-encoding',
    'host',
    'authorization',
    'x-service-api-key',
    'x-y-api-key',
  ])
    for (const headers of [
      [[name, '1'] as const, ...others, [name, '1'] as const],
      [...others, [name, '1'] as const, [name, '2'] as const],
    ]) {
      assert.deepEqual(read(headers), { status: 400, message: `the header ${name} occurs more than once` })
    }
  assert.equal(read([host]), null, 'a fault belongs to one request')
})

test('a body has one framing', () => {
  assert.equal(read([host, ['content-length', '0']]), null)
  assert.equal(isChunked(), false)
  assert.equal(read([host, ['transfer-encoding', 'Chunked']]), null)
  assert.equal(isChunked(), true)
  assert.equal(read([host]), null)
  assert.equal(isChunked(), false)
  for (const [status, ...headers] of [
    [400, ['content-length', '']],
    [400, ['content-length', ''], ['transfer-encoding', 'chunked']],
    [400, ['transfer-encoding', ''], ['content-length', '5']],
    [400, ['transfer-encoding', '']],
    [400, ['transfer-encoding', 'chunked, gzip']],
    [400, ['transfer-encoding', 'notchunked']],
    [501, ['transfer-encoding', 'gzip,\tchunked']],
  ] as [number, ...Headers][]) {
    assert.equal(read([host, ...headers])?.status, status, JSON.stringify(headers))
  }
})
