/** S2: errors as RFC 9457 where the client asks for them, in our own shapes otherwise. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { limits } from '../../../engine/limits.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

const cases: readonly [
  status: number,
  method: string,
  path: string,
  body?: string | Uint8Array | undefined,
  key?: null,
][] = [
  [400, 'POST', '/api/v1/jobs/get_by_name', '{'],
  [401, 'GET', '/api/v1/jobs/', undefined, null],
  [404, 'GET', '/api/v1/jobs/999'],
  [404, 'GET', '/no/such/path'],
  [404, 'GET', '/docs/assets/none'],
  [405, 'DELETE', '/api/v1/jobs/'],
  [409, 'DELETE', '/api/v2/users/admin'],
  [413, 'POST', '/api/v1/events/', gzipSync(Buffer.alloc(limits.eventBytesMax + 1, ' '))],
  [422, 'POST', '/api/v1/jobs/get_by_name', '{}'],
]

test('every kind of error has both forms', async () => {
  for (const [status, method, path, body, key] of cases) {
    const ask = (accept: string) =>
      service.client.request(method, path, { body, headers: { accept }, ...(key === null ? { key } : {}) })
    const ours = await ask('application/json, application/problem+json;q=0.5')
    assert.deepEqual([ours.status, ours.headers.get('content-type')], [status, 'application/json'], path)
    if (status === 422) assert.ok(Array.isArray(ours.body.detail))
    else assert.equal(typeof ours.body.error, 'string')
    const problem = await ask('application/json;q=0.5, application/problem+json')
    assert.deepEqual([problem.status, problem.headers.get('content-type')], [status, 'application/problem+json'], path)
    assert.equal(problem.body.type, 'about:blank')
    assert.equal(problem.body.status, status)
    assert.equal(typeof problem.body.title, 'string')
    assert.equal(typeof problem.body.detail, 'string')
    assert.deepEqual(problem.body.errors, ours.body.detail)
    assert.equal(problem.headers.get('allow'), status === 405 ? 'GET' : null)
  }
})

test('answers that are not errors do not change', async () => {
  const answer = await service.client.get('/api/v1/jobs/', { headers: { accept: 'application/problem+json' } })
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json'])
})
