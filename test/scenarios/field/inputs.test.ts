/** Inputs from search engines, as they really are (S39): wrong clocks, indexes that cannot be read, small pages. */
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { afterwards } from '../../support/afterwards.js'
import { eventually, type Client } from '../../support/client.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(() => service.close())

const YEAR_MS = 365 * 86_400_000
let jobs = 0

interface Bench {
  readonly server: SearchServer
  put(id: string, aheadMs: number, index?: string, more?: object): void
  start(parameters?: object): Promise<void>
  count(): Promise<number>
  ids(): Promise<string[]>
  input(): Promise<any>
  warnings(): Promise<any[]>
}

async function open(context: TestContext): Promise<Bench> {
  const server = await SearchServer.open()
  afterwards(context, () => server.close())
  const number = ++jobs
  let jobId = 0
  return {
    server,
    put(id, aheadMs, index = 'a-1', more = {}) {
      server.put(index, id, { '@timestamp': new Date(Date.now() + aheadMs).toISOString(), rule: id, ...more })
    },
    async start(parameters = {}) {
      const answer = await client.post('/api/v2/resources', {
        search: {
          type: 'integration',
          properties: { title: `Search ${number}`, integration_type: 'search engine', parameters: server.connection },
        },
        job: {
          type: 'job',
          properties: {
            title: `From search ${number}`,
            decision_points: ['rule'],
            pipeline_integrations: [
              {
                resource: 'search',
                integration_type: 'input',
                parameters: { index_pattern: 'a-*', preserve_id: true, ...parameters },
              },
            ],
          },
        },
      })
      assert.equal(answer.status, 200, answer.text)
      jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
    },
    count: async () => (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count,
    async ids() {
      const { body } = await client.post('/api/v2/events/query', { job_ids: [jobId], size: 1_000 })
      return body.events.map((one: any) => one.event_id).sort()
    },
    input: async () => (await client.get('/api/v2/integrations/inputs')).body.find((one: any) => one.job_id === jobId),
    warnings: async () => (await client.get(`/api/v1/jobs/${jobId}`)).body.warnings,
  }
}

test('a document of 2032 is read once, and the documents of the next minute, too', async (context) => {
  const { put, start, count, ids, input } = await open(context)
  put('of 2032', 6 * YEAR_MS)
  put('one', -2_000)
  put('two', -1_000)
  await start()
  await eventually(count, (events) => events === 3)
  put('three', -500)
  put('four', -400)
  await eventually(count, (events) => events === 5)
  assert.deepEqual(await ids(), ['four', 'of 2032', 'one', 'three', 'two'])
  const { status, quiet_since: quiet, last_taken_at: last, behind_seconds: behind } = await input()
  assert.deepEqual([status, quiet], ['running', last])
  assert.ok(behind < 10)
})

test('a host whose clock is 150 s fast hides no document of others', async (context) => {
  const { put, start, count } = await open(context)
  for (let i = 0; i < 10; i++) put(`fast ${i}`, 150_000 + i)
  await start()
  await eventually(count, (events) => events === 10)
  for (let i = 0; i < 9; i++) put(`right ${i}`, -1_000 + i)
  await eventually(count, (events) => events === 19)
})

test('an index that cannot be read is named, and the others are read', async (context) => {
  const { server, put, start, count, ids, input, warnings } = await open(context)
  server.indexes.set('a-empty', { fields: {} })
  server.indexes.set('a-bare', { withoutSource: true })
  put('read', -2_000)
  put('not stored', -1_000, 'a-bare')
  await start()
  await eventually(count, (events) => events === 1)
  const { reason, status } = await eventually(input, ({ reason: why }) => /a-bare/.test(why))
  assert.equal(status, 'running')
  assert.match(reason, /no field @timestamp: a-empty; .*_source is disabled\): a-bare/)
  const told = await eventually(warnings, (all) => all.filter(({ type }) => type === 'skipped_index').length === 2)
  assert.deepEqual(told.flatMap(({ type, example }) => (type === 'skipped_index' ? [example] : [])).sort(), [
    'a-bare: it does not store its documents (_source)',
    'a-empty: it has no field @timestamp',
  ])
  assert.deepEqual(await ids(), ['read'])
})

test('where no index stores its documents, the input fails and says so; there are no empty events', async (context) => {
  const { server, put, start, count, input } = await open(context)
  server.indexes.set('a-bare', { withoutSource: true })
  for (const id of ['1', '2', '3']) put(id, -1_000, 'a-bare')
  await start()
  const { reason } = await eventually(input, ({ status }) => status !== 'running')
  assert.match(reason, /documents are not stored \(_source is disabled\): a-bare/)
  assert.equal(await count(), 0)
})

test('25,000 documents are read in pages of 10,000', async (context) => {
  const { put, start, count } = await open(context)
  for (let i = 0; i < 25_000; i++) put(`d${i}`, -25_000 + i)
  await start({ batch_size: 10_000 })
  await eventually(count, (events) => events === 25_000, 60_000)
})
