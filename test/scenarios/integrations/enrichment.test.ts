/** Enrichment over a real port: events wait for it, and are decided with it or without it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, inputResources, type Client } from '../../support/client.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let server: SearchServer

before(async () => {
  server = await SearchServer.open()
  server.put('cmdb', 'a', { ip: '10.0.0.1', owner: { team: 'payments' }, tier: 1, secret: 'x' })
  server.put('cmdb', 'b', { ip: '10.0.0.2', owner: { team: 'web' }, tier: 3 })
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(async () => {
  await service.close()
  await server.close()
})

let made = 0

/** A job whose events are enriched from the search engine. */
async function makeEnriched(parameters: object = {}, connection: object = {}, more: object = {}): Promise<number> {
  const name = `cmdb ${++made}`
  const answer = await client.post('/api/v2/resources', {
    ...inputResources(`sender ${made}`),
    cmdb: {
      type: 'integration',
      properties: {
        title: name,
        integration_type: 'Search engine',
        parameters: { ...server.connection, ...connection },
      },
    },
    job: {
      type: 'job',
      properties: {
        title: `Enriched ${made}`,
        decision_points: ['rule', 'enrichment.cmdb.owner.team'],
        ...more,
        pipeline_integrations: [
          { resource: 'input', integration_type: 'input', enabled: true },
          {
            resource: 'cmdb',
            integration_type: 'enrichment',
            enabled: true,
            parameters: {
              name: 'cmdb',
              index_pattern: 'cmdb',
              event_field: 'source.ip',
              document_field: 'ip',
              fields: 'owner.team,tier',
              ...parameters,
            },
          },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.created.find((one: any) => one.type === 'job').internal_id
}

async function post(jobId: number, id: string, rawBody: object): Promise<any> {
  const { status, body } = await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: rawBody })
  assert.equal(status, 201)
  return body
}

/** The exported event once it is decided. */
async function decided(jobId: number, id: string): Promise<any> {
  const { body } = await eventually(
    () => client.get(`/api/v1/events/${jobId}/${id}/export`),
    (answer) => answer.body.status === 'OK',
    10_000,
  )
  return body.service_event
}

test('an event waits for its enrichment, has it in its fields, and says so in its log', async () => {
  const jobId = await makeEnriched()
  const posted = await post(jobId, 'a', { rule: 'r', source: { ip: '10.0.0.1' } })
  assert.deepEqual([posted.status, posted.error_message], ['pending_inference', null])
  const event = await decided(jobId, 'a')
  assert.deepEqual(event.enrichment, { cmdb: { owner: { team: 'payments' }, tier: 1, count: 1, found: true } })
  assert.match(event.service.log_messages[0].content, /enrichment by "cmdb \d+" \(cmdb\) found something/)
  await post(jobId, 'b', { rule: 'r', source: { ip: '10.9.9.9' } })
  assert.deepEqual((await decided(jobId, 'b')).enrichment, { cmdb: { found: false } })
  await post(jobId, 'c', { rule: 'r' })
  assert.deepEqual((await decided(jobId, 'c')).enrichment, { cmdb: { found: false } })
  const { body } = await client.get('/api/v2/integrations/enrichments')
  const step = body.find((one: any) => one.job_id === jobId)
  assert.deepEqual(
    [step.name, step.status, step.found_count, step.nothing_count, step.failed_count],
    ['cmdb', 'running', 1, 2, 0],
  )
  const batches = await client.get('/api/monitoring/api/v1/batches/latest?type=look_up')
  assert.ok(JSON.stringify(batches.body).includes('look_up'), batches.text)
  const { text } = await client.get('/metrics')
  assert.match(text, /decision_look_ups_total\{outcome="found"\} 1\n/)
  assert.match(text, /decision_look_ups_total\{outcome="nothing"\} 2\n/)
})

test('enrichment decides: a model is trained on it, buckets differ by it, filters find it', async () => {
  const jobId = await makeEnriched()
  for (let i = 0; i < 6; i++) await post(jobId, `e${i}`, { rule: 'r', n: i, source: { ip: `10.0.0.${1 + (i % 2)}` } })
  for (let i = 0; i < 6; i++) await decided(jobId, `e${i}`)
  await client.put(`/api/v1/events/${jobId}/e0/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  await client.put(`/api/v1/events/${jobId}/e1/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  await post(jobId, 'x', { rule: 'r', source: { ip: '10.0.0.1' } })
  await post(jobId, 'y', { rule: 'r', source: { ip: '10.0.0.2' } })
  assert.equal((await decided(jobId, 'x')).service.result_label, 'Escalate')
  assert.equal((await decided(jobId, 'y')).service.result_label, 'Drop')
  const filters = [{ field: 'enrichment.cmdb.owner.team', operator: 'is', value: 'web' }]
  assert.equal((await client.post('/api/v2/events/query', { job_ids: [jobId], filters, size: 0 })).body.total_count, 4)
  // Reprocessing asks no counterpart: the enrichment is stored.
  const query = server.http.received.length
  await client.post(`/api/v2/events/${jobId}/e2/reprocess`)
  assert.equal((await decided(jobId, 'e2')).service.result_label, 'Escalate')
  assert.equal(server.http.received.length, query)
})

test('the same event again is unchanged; another body is enriched again; a client gets its own enrichment back', async () => {
  const jobId = await makeEnriched()
  const body = { rule: 'r', source: { ip: '10.0.0.1' }, enrichment: { cmdb: { tier: 99 }, other: 'kept' } }
  const first = await post(jobId, 'same', body)
  const event = await decided(jobId, 'same')
  assert.deepEqual(event.enrichment, {
    other: 'kept',
    cmdb: { owner: { team: 'payments' }, tier: 1, count: 1, found: true },
  })
  const again = await post(jobId, 'same', body)
  assert.equal(again.ingest_timestamp, first.ingest_timestamp)
  assert.equal((await client.get(`/api/v1/events/${jobId}/same`)).body.status, 'OK')
  await post(jobId, 'same', { ...body, source: { ip: '10.0.0.2' } })
  assert.equal((await decided(jobId, 'same')).enrichment.cmdb.owner.team, 'web')
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, 1)
})

/** What is said of an event that is decided without its enrichment. On a busy machine it may be late first. */
async function saidOf(jobId: number, words: RegExp): Promise<string> {
  for (let tries = 1; ; tries++) {
    await post(jobId, `no-${tries}`, { rule: 'r', source: { ip: '10.0.0.1' } })
    const event = await decided(jobId, `no-${tries}`)
    assert.equal(event.enrichment, undefined)
    const said = event.service.log_messages[0].content as string
    if (words.test(said)) return JSON.stringify(event)
    assert.ok(tries < 20, said)
    assert.match(said, /was late/)
  }
}

test('a slow, wrong or unreachable counterpart delays nobody: the event is decided without it, and says so', async () => {
  const working = server.http.answer
  const slow = await makeEnriched({ time_limit_seconds: 0.3 })
  const held: (() => void)[] = []
  server.http.answer = (received, response) => void held.push(() => working(received, response))
  await post(slow, 'late', { rule: 'r', source: { ip: '10.0.0.1' } })
  const late = await decided(slow, 'late')
  server.http.answer = working
  for (const answer of held) answer()
  assert.equal(late.enrichment, undefined)
  assert.match(late.service.log_messages[0].content, /was late after \d+ ms; the event was decided without it/)
  const locked = await makeEnriched({ time_limit_seconds: 0.5 }, { password: 'wrong' })
  assert.ok(!(await saidOf(locked, /failed after \d+ ms: HTTP 401/)).includes('wrong'))
  const private_ = await makeEnriched({ time_limit_seconds: 0.5 }, { hosts: '10.255.0.1' })
  await saidOf(private_, /private, local or reserved/)
})

test('a stopped job holds its events, and enriches them when it starts; a job without its step decides them', async () => {
  const jobId = await makeEnriched()
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await post(jobId, 'held', { rule: 'r', source: { ip: '10.0.0.1' } })
  assert.equal((await client.get(`/api/v1/events/${jobId}/held`)).body.status, 'pending_inference')
  await client.post(`/api/v2/jobs/${jobId}/start`)
  assert.equal((await decided(jobId, 'held')).enrichment.cmdb.found, true)
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await post(jobId, 'stays', { rule: 'r', source: { ip: '10.0.0.1' } })
  const {
    body: [shown],
  } = await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)
  const [title, { properties }] = Object.entries(shown)[0] as [string, any]
  const steps = properties.pipeline_integrations.map((step: any) => ({
    ...step,
    enabled: step.integration_type !== 'enrichment',
  }))
  const changed = await client.post('/api/v2/resources', {
    job: { type: 'job', properties: { title, pipeline_integrations: steps } },
  })
  assert.equal(changed.status, 200, changed.text)
  await client.post(`/api/v2/jobs/${jobId}/start`)
  assert.equal((await decided(jobId, 'stays')).enrichment, undefined)
})
