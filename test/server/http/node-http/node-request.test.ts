import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { NodeRequest } from '../../../../server/http/node-http/node-request.js'

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')
const request = new NodeRequest({
  method: 'PUT',
  url: '/a/b?c=d?e',
  rawHeaders: ['X-Name', latin1('Zoë'), 'Accept', 'a', 'accept', 'b'],
} as IncomingMessage)

test('method, path and query are those of the request line', () => {
  assert.equal(request.getMethod(), 'put')
  assert.equal(request.getUrl(), '/a/b')
  assert.equal(request.getQuery(), 'c=d?e')
  assert.equal(new NodeRequest({ url: '/a', rawHeaders: [] as string[] } as IncomingMessage).getQuery(), null)
})

test('a header is found by its name in lower case, as text or bytes; of several the first', () => {
  assert.equal(request.getHeader('accept'), 'a')
  assert.equal(request.getHeader(Buffer.from('x-name')), 'Zoë')
  assert.equal(request.getHeader('host'), '')
})

test('every header is listed, repeated ones too', () => {
  const all: string[] = []
  request.forEach((name, value) => all.push(`${name}: ${value}`))
  assert.deepEqual(all, ['x-name: Zoë', 'accept: a', 'accept: b'])
})
