/** A search engine on both ends of a job: documents become events, events with their decisions become documents. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, type Client } from '../../support/client.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let server: SearchServer

before(async () => {
  server = await SearchServer.open()
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(async () => {
  await service.close()
  await server.close()
})

function put(id: string, ms: number): void {
  server.put('alerts-1', id, { '@timestamp': new Date(1_700_000_000_000 + ms).toISOString(), rule: `r${ms % 3}` })
}

test('every document becomes an event once and every event a document, through faults and restarts of the step', async () => {
  for (let i = 0; i < 120; i++) put(`d${i}`, Math.floor(i / 4))
  const working = server.http.answer
  let requests = 0
  server.http.answer = (received, response) => {
    // Every fifth request is cut, refused, or half answered.
    const fault = ++requests % 15
    if (fault === 5) return void response.destroy()
    if (fault === 10) return void response.writeHead(500).end()
    if (fault === 0)
      return void response.writeHead(200, { 'content-length': '1000' }).write('{"hits":', () => response.destroy())
    working(received, response)
  }
  const job = {
    type: 'job',
    properties: {
      title: 'From search',
      decision_points: ['rule'],
      pipeline_integrations: [
        {
          resource: 'search',
          integration_type: 'input',
          enabled: true,
          parameters: { index_pattern: 'alerts-*', preserve_id: true, batch_size: 20 },
        },
        { resource: 'search', integration_type: 'output', enabled: true, parameters: { index: 'decided-{{job_id}}' } },
      ],
    },
  }
  const answer = await client.post('/api/v2/resources', {
    search: {
      type: 'integration',
      properties: { title: 'Search', integration_type: 'search engine', parameters: server.connection },
    },
    job,
  })
  assert.equal(answer.status, 200, answer.text)
  const jobId = answer.body.created.find((one: any) => one.type === 'job').internal_id
  const count = async (): Promise<number> => (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count
  await eventually(count, (events) => events > 60, 30_000)
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await eventually(
    () => client.get('/api/v2/integrations/inputs'),
    ({ body }) => body[0]?.status === 'paused',
  )
  await client.post(`/api/v2/jobs/${jobId}/start`)
  await eventually(count, (events) => events === 120, 30_000)
  put('late', 20)
  put('new', 1_000)
  await eventually(count, (events) => events === 122, 30_000)
  server.http.answer = working
  const written = (): string[] =>
    [...server.documents.values()]
      .filter(({ index }) => index === `decided-${jobId}`)
      .map(({ source }) => String(source.event_id))
  const ids = await eventually(
    async () => written(),
    (found) => found.length === 122,
    30_000,
  )
  assert.equal(new Set(ids).size, 122)
  // The last failed request may still wait for its repetition.
  const [input] = await eventually(
    async () => (await client.get('/api/v2/integrations/inputs')).body,
    (inputs) => inputs[0].status === 'running',
    30_000,
  )
  assert.equal(input.refused_count, 0)
  const event = await client.get(`/api/v1/events/${jobId}/d7/export`)
  assert.equal(event.body.service_event.rule, 'r1')
})

test('a wrong password is reported as the reason, and is not part of it', async () => {
  const parameters = { ...server.connection, password: 'not the one' }
  await client.post('/api/v2/resources', {
    search: { type: 'integration', properties: { title: 'Locked out', integration_type: 'search_engine', parameters } },
    job: {
      type: 'job',
      properties: {
        title: 'Locked out',
        pipeline_integrations: [
          {
            resource: 'search',
            integration_type: 'input',
            parameters: { index_pattern: 'alerts-*', preserve_id: true },
          },
        ],
      },
    },
  })
  const { body } = await eventually(
    () => client.get('/api/v2/integrations/inputs'),
    (answer) => {
      return answer.body.some?.((one: any) => one.integration_title === 'Locked out' && one.reason !== '')
    },
  )
  const { status, reason } = body.find((one: any) => one.integration_title === 'Locked out')
  assert.ok(status !== 'running')
  assert.match(reason, /HTTP 401/)
  assert.ok(!reason.includes('not the one'))
})
