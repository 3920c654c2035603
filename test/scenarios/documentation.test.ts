/** The interactive documentation, served by the service itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../support/service.js'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

test('the documentation page and everything that it loads come from the service', async () => {
  const page = await service.client.get('/docs/exposer', { key: null })
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self';/)
  const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
  assert.ok(links.length >= 3)
  for (const link of links) {
    assert.ok(link.startsWith('/docs/'), link)
    const asset = await service.client.get(link, { key: null })
    assert.equal(asset.status, 200, link)
    const type = link.endsWith('.js') ? 'text/javascript' : link.endsWith('.css') ? 'text/css' : 'image/png'
    assert.ok(asset.headers.get('content-type')?.startsWith(type), link)
    assert.equal(asset.headers.get('x-content-type-options'), 'nosniff')
  }
  assert.ok(!/https?:\/\//.test(page.text))
})

test('other files are not served', async () => {
  for (const path of [
    'package.json',
    '..%2f..%2fpackage.json',
    'swagger-ui.js.map',
    '__proto__',
    'constructor',
    '%00',
  ]) {
    assert.equal((await service.client.get(`/docs/assets/${path}`, { key: null })).status, 404, path)
  }
})

test('the OpenAPI document is served without a key', async () => {
  const answer = await service.client.get('/openapi.json', { key: null })
  assert.equal(answer.status, 200)
  assert.equal(answer.body.openapi, '3.1.0')
  assert.equal(answer.body.components.securitySchemes.apiKey.name, 'x-service-api-key')
})

test('the root names the documentation', async () => {
  const answer = await service.client.get('/', { key: null })
  assert.deepEqual(answer.body, {
    name: 'service',
    pages: '/jobs',
    documentation: '/docs/exposer',
    manual: '/docs',
    openapi: '/openapi.json',
  })
})
