import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Router } from '../../../server/http/router.js'

function makeRouter(): Router<string> {
  const router = new Router<string>()
  router.add('POST', '/api/v1/events/', 'post')
  router.add('POST', '/api/v1/events/_bulk', 'bulk')
  router.add('POST', '/api/v1/events/{event_id}', 'post with id')
  router.add('GET', '/api/v1/events/{job_id}/{event_id}', 'get')
  router.add('GET', '/api/v1/events/{job_id}/{event_id}/export', 'export')
  router.add('PUT', '/api/v1/events/{job_id}/{event_id}/feedback', 'feedback')
  router.add('GET', '/api/v1/jobs/{job_id}', 'job')
  router.add('POST', '/api/v1/jobs/get_by_name', 'by name')
  router.add('GET', '/', 'root')
  return router
}

const router = makeRouter()

function found(method: string, path: string): [string, ...string[]] | null {
  const match = router.find(method, path)
  return match.found ? [match.value, ...match.params] : null
}

test('a trailing slash changes nothing', () => {
  assert.deepEqual(found('post', '/api/v1/events'), ['post'])
  assert.deepEqual(found('post', '/api/v1/events/'), ['post'])
  assert.deepEqual(found('get', '/api/v1/events/1/a/export/'), ['export', '1', 'a'])
  assert.deepEqual(found('get', '/'), ['root'])
})

test('repeated slashes are one', () => {
  assert.deepEqual(found('post', '//api/v1//events///'), ['post'])
  assert.deepEqual(found('get', '//api/v1/events//1///abc'), ['get', '1', 'abc'])
  assert.deepEqual(found('get', '//'), ['root'])
})

test('a parameter is decoded exactly once and may be any string', () => {
  assert.deepEqual(found('get', '/api/v1/events/1/X%201'), ['get', '1', 'X 1'])
  assert.deepEqual(found('get', '/api/v1/events/1/a%2Fb'), ['get', '1', 'a/b'])
  assert.deepEqual(found('get', '/api/v1/events/1/%2541'), ['get', '1', '%41'])
  assert.deepEqual(found('get', '/api/v1/events/1/None'), ['get', '1', 'None'])
  assert.deepEqual(found('get', '/api/v1/events/1/%E2%82%AC'), ['get', '1', '€'])
})

test('what does not decode is taken as it stands', () => {
  assert.deepEqual(found('get', '/api/v1/events/1/100%'), ['get', '1', '100%'])
  assert.deepEqual(found('get', '/api/v1/events/1/%ff'), ['get', '1', '%ff'])
})

test('a written segment wins over a parameter, and gives way where it leads to no path', () => {
  assert.deepEqual(found('post', '/api/v1/events/_bulk'), ['bulk'])
  assert.deepEqual(found('post', '/api/v1/events/_bulk2'), ['post with id', '_bulk2'])
  assert.deepEqual(found('get', '/api/v1/events/_bulk/x'), ['get', '_bulk', 'x'])
  assert.deepEqual(router.find('get', '/api/v1/jobs/get_by_name'), { found: false, allow: ['POST'] })
})

test('HEAD is served by GET', () => {
  assert.deepEqual(found('head', '/api/v1/jobs/1'), ['job', '1'])
})

test('a known path with another method tells the methods it has', () => {
  assert.deepEqual(router.find('delete', '/api/v1/events/1/2'), { found: false, allow: ['GET'] })
  assert.deepEqual(router.find('put', '/api/v1/events/_bulk'), { found: false, allow: ['POST'] })
  assert.deepEqual(router.find('put', '/api/v1/jobs/get_by_name'), { found: false, allow: ['POST'] })
})

test('an unknown path allows nothing', () => {
  assert.deepEqual(router.find('get', '/api/v1/nope'), { found: false, allow: [] })
  assert.deepEqual(router.find('get', '/api/v1/events/1/2/3'), { found: false, allow: [] })
  assert.deepEqual(router.find('get', '/__proto__'), { found: false, allow: [] })
})

test('the same route twice is a mistake', () => {
  assert.throws(() => makeRouter().add('GET', '/api/v1/jobs/{other}', 'again'), /twice/)
})
