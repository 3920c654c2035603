/** The client over the whole document: each operation, and the bundle that is published. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openApiDocument } from '../../../server/openapi.js'
import { routes } from '../../../server/routes/index.js'
import type { Client } from '../../../server/client/index.js'
import { root } from '../../support/source-tree.js'
import { FakeService, jsonReply } from './fake.js'

const BYTES_MAX = 6.5 * 1024

type AnyMethod = (params: Record<string, unknown>) => Promise<unknown>

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

/** A page or a file for browsers. */
function isPage({ responses }: Operation): boolean {
  const [, good] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [mediaType = 'text/html'] = Object.keys(good?.content ?? {})
  return mediaType === 'text/html' || mediaType === '*/*'
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'service'))) as {
  paths: Record<string, Record<string, Operation>>
}
const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
)
const operations = all.filter((operation) => !isPage(operation))

test('every operation of the document has a method, unless it is a page, and every method is one', () => {
  assert.ok(operations.length > 150 && all.length - operations.length < 25)
  const { client } = new FakeService([jsonReply({})])
  const own = ['events', 'items', 'pages']
  assert.deepEqual(
    Object.keys(client)
      .filter((name) => !own.includes(name))
      .sort(),
    operations.map(({ operationId }) => operationId).sort(),
  )
})

test('every method sends its operation: method, path, query and body', async () => {
  for (const { operationId, method, path, parameters, requestBody } of operations) {
    if (operationId === 'postEventLines' || operationId === 'streamEvents') continue
    const service = new FakeService([jsonReply({})])
    const body = { a: 1 }
    const values = Object.fromEntries(parameters.map(({ name }) => [name, `${name}/ä?`]))
    assert.ok(!('body' in values), operationId)
    const call = service.client[operationId as keyof Client] as AnyMethod
    await call(requestBody === undefined ? values : { ...values, body })
    const [sent] = service.sent
    assert.equal(sent?.method, method, operationId)
    const expected = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] as string))
    assert.equal(sent.url.pathname, `/base${expected}`, operationId)
    const query = parameters.filter((one) => one.in === 'query').map(({ name }) => [name, values[name]])
    assert.deepEqual([...sent.url.searchParams], query, operationId)
    assert.equal(sent.body, requestBody === undefined ? null : JSON.stringify(body), operationId)
    assert.equal(sent.headers.get('content-type'), requestBody === undefined ? null : 'application/json')
    assert.equal(sent.headers.get('authorization'), 'Bearer key-that-nobody-may-see')
  }
})

test('lists and dates in a query are sent as the service takes them, and what is undefined is not sent', async () => {
  const service = new FakeService([jsonReply({})])
  await service.client.getPlatformMetrics({ job_ids: [1, 2] })
  await service.client.listAuditLogs({ user: undefined, page: 0, start_date: new Date(0) as unknown as string })
  assert.deepEqual(
    service.sent.map(({ url }) => url.search),
    ['?job_ids=1&job_ids=2', '?page=0&start_date=1970-01-01T00%3A00%3A00.000Z'],
  )
})

test('a part of a path that would lead to another operation is refused', async () => {
  for (const event_id of ['', '.', '..', 'half a pair \ud800']) {
    const service = new FakeService([jsonReply({})])
    await assert.rejects(service.client.getEvent({ job_id: 1, event_id }), {
      code: 'invalid_parameter',
      message: 'getEvent: event_id is missing, or cannot be part of an address',
    })
    await assert.rejects(
      service.client.removeUser({} as { username: string }),
      /^ServiceError: removeUser: username is missing/,
    )
    assert.equal(service.sent.length, 0)
  }
})

test('pages and archives are text and bytes', async () => {
  assert.equal(await new FakeService([new Response('up 1')]).client.getPrometheusMetrics(), 'up 1')
  assert.equal((await new FakeService([new Response('PK')]).client.exportAllLogs()).size, 2)
})

test('the published bundle is small, whole, and works', async () => {
  const path = join(root, '.build/client/index.js')
  const text = readFileSync(path, 'utf8')
  const bytes = gzipSync(text, { level: 9 }).length
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`)
  assert.doesNotMatch(text, /\b(import|require)\b\s*[('"{]/)
  const name = 'decision-service/client'
  const published = (await import(name)) as typeof import('../../../server/client/index.js')
  const client = published.createClient({ baseUrl: 'http://service.test', fetch: async () => jsonReply({ name: 'x' }) })
  assert.equal((await client.getRoot()).name, 'x')
})
