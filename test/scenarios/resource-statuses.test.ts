/** Every status that the document promises of the operations on resources is answered; 429 and 503 are the service's. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { after, before, test } from 'node:test'
import { openApiDocument } from '../../server/openapi.js'
import { routes } from '../../server/routes/index.js'
import { catalogueRoutes } from '../../server/routes/catalogue.js'
import { resourceRoutes } from '../../server/routes/resources.js'
import { limits } from '../../engine/limits.js'
import { makeJob, type Client, type RequestOptions } from '../support/client.js'
import { spawnService, startService, type TestService } from '../support/service.js'

interface Case extends RequestOptions {
  readonly path: string
}

let service: TestService
let client: Client
let inputKey: string

before(async () => {
  service = await startService()
  client = service.client
  inputKey = (await makeJob(client, { title: 'Deleted' })).key
})
after(() => service.close())

const resources = '/api/v2/resources'
const schema = `${resources}/integration/parameters/schema`
const key = { k: { type: 'api_key', properties: { name: 'known' } } }

function cases(): Record<string, Record<number, Case>> {
  const guarded = (path: string) => ({ 200: { path }, 401: { path, key: null }, 403: { path, key: inputKey } })
  return {
    applyResources: {
      ...guarded(resources),
      400: { path: resources, body: '{"broken' },
      409: { path: `${resources}?overwrite=false`, body: key },
      413: { path: resources, body: gzipSync(Buffer.alloc(limits.bodyBytesMax + 1, ' ')), headers: { 'content-encoding': 'gzip' } },
      422: { path: resources, body: [5] },
    },
    listResources: { ...guarded(resources), 422: { path: `${resources}?title=a&id=1` } },
    deleteResource: {
      ...guarded(`${resources}?resource_type=job&title=Deleted`),
      404: { path: `${resources}?resource_type=job&title=Nobody` },
      409: { path: `${resources}?resource_type=api_key&title=management` },
      422: { path: `${resources}?title=a&id=1` },
    },
    getIntegrationParameterSchema: { ...guarded(schema), 422: { path: `${schema}?type=Nothing` } },
    getIntegrationMetadata: {
      ...guarded(`${resources}/integration/metadata`), 422: { path: `${resources}/integration/metadata?role=dancer` },
    },
    getJobMetadata: { ...guarded(`${resources}/job/metadata`), 422: { path: `${resources}/job/metadata?category=Nothing` } },
    listIntegrations: guarded('/api/v2/integrations'),
  }
}

const document = openApiDocument(routes, 'service') as {
  paths: Record<string, Record<string, { responses: Record<string, unknown>; parameters: unknown[]; requestBody?: unknown }>>
}

for (const { operationId, method, path } of [...resourceRoutes, ...catalogueRoutes]) {
  test(`${operationId} answers what it documents`, async () => {
    await client.post(resources, key)
    const own = cases()[operationId] as Record<number, Case>
    const { responses, parameters, requestBody } = document.paths[path]?.[method.toLowerCase()] ?? assert.fail(path)
    const bare = parameters.length === 0 && requestBody === undefined
    const elsewhere = [429, 503, 507, ...(bare ? [422] : [])]
    const promised = Object.keys(responses).map(Number).filter((status) => !elsewhere.includes(status))
    assert.deepEqual(Object.keys(own).map(Number), promised)
    // What deletes comes last.
    for (const status of promised.toReversed()) {
      const { path: asked, ...options } = own[status] as Case
      const answer = await client.request(method, asked, method === 'POST' && status === 200 ? { ...options, body: key } : options)
      assert.equal(answer.status, status, `${asked}: ${answer.text}`)
      if (status === 200) continue
      assert.ok(status === 422 ? answer.body.detail.length > 0 : typeof answer.body.error === 'string', answer.text)
    }
  })
}

test('a full disk is 507 and changes nothing; with room again it goes on', {
  skip: spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit is needed',
}, async () => {
  const full = await spawnService()
  try {
    await makeJob(full.client, { title: 'Stays' })
    const listed = (await full.client.get(resources)).body
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(full.started.child.pid), `--fsize=${bytes}:unlimited`])
    limit('16384')
    const remove = () => full.client.delete(`${resources}?resource_type=job&title=Stays`)
    for (const answer of [await full.client.post(resources, key), await remove()]) {
      assert.equal(answer.status, 507, answer.text)
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
    assert.deepEqual((await full.client.get(resources)).body, listed)
    limit('unlimited')
    assert.deepEqual([(await full.client.post(resources, key)).status, (await remove()).status], [200, 200])
  } finally {
    await full.close()
  }
})
