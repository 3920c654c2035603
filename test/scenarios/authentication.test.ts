/** Keys, tokens and the name in identifiers (S1, C1.1). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '../../server/routes/index.js'
import { makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ name: 'arcanna' })
  client = service.client
})
after(() => service.close())

const filled = (path: string): string => path.replace(/\{\w+\}/g, '1')

test('without a key, or with a wrong one, every operation that needs a key is 401', async () => {
  for (const route of routes.filter(({ scope }) => scope !== null)) {
    for (const key of [null, '', 'wrong', 'x'.repeat(2_000)]) {
      const body = route.method === 'POST' || route.method === 'PUT' ? '{}' : undefined
      const answer = await client.request(route.method, filled(route.path), { key, body })
      assert.equal(answer.status, 401, `${route.method} ${route.path}`)
      assert.equal(typeof answer.body.error, 'string')
      assert.ok(!answer.text.includes('wrong'))
    }
  }
})

test('an input key is 403 where its scope is missing', async () => {
  const { key } = await makeJob(client)
  for (const [method, path] of [
    ['GET', '/api/v2/resources'],
    ['POST', '/api/v2/resources'],
    ['DELETE', '/api/v2/resources?title=a'],
  ] as const) {
    const answer = await client.withKey(key).request(method, path)
    assert.equal(answer.status, 403, path)
    assert.match(answer.body.error, /scope/)
  }
})

test('an input key sees its own jobs only; any other job is 404 for it', async () => {
  const mine = await makeJob(client)
  const other = await makeJob(client)
  const key = client.withKey(mine.key)
  assert.equal((await key.get(`/api/v1/jobs/${other.jobId}`)).status, 404)
  assert.equal((await key.post('/api/v1/events/', { job_id: other.jobId, raw_body: {} })).status, 404)
  assert.equal((await key.post('/api/v1/jobs/get_by_name', { job_name: other.title })).status, 404)
  const lines = await key.bulk(`{"job_id":${other.jobId},"raw_body":{}}\n{"job_id":${mine.jobId},"raw_body":{}}`)
  assert.deepEqual(
    lines.map(({ status, status_code }) => status_code ?? status),
    [404, 'OK'],
  )
})

test('a disabled input takes no events, whoever posts them, and its key still reads the job', async () => {
  const { jobId, key, title } = await makeJob(client)
  const own = client.withKey(key)
  const event = { job_id: jobId, raw_body: { rule: 'a' } }
  assert.equal((await own.post('/api/v1/events/known', event)).status, 201)
  const setInput = async (enabled: boolean): Promise<void> => {
    const [shown] = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body
    const steps: { integration_type: string }[] = shown[title].properties.pipeline_integrations
    const pipeline = steps.map((step) => (step.integration_type === 'input' ? { ...step, enabled } : step))
    const answer = await client.post('/api/v2/resources', {
      job: { type: 'job', properties: { title, pipeline_integrations: pipeline } },
    })
    assert.equal(answer.status, 200, answer.text)
  }
  await setInput(false)
  for (const sender of [own, client]) {
    const answers = [
      await sender.post('/api/v1/events/', event),
      await sender.post('/api/v1/events/another', event),
      await sender.post(`/api/v1/bulk/${jobId}`, { events: [{ raw_body: { rule: 'a' } }] }),
      await sender.post(`/api/v1/alertmanager/${jobId}`, { alerts: [] }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 409)
      assert.match(body.error, /input of the job is disabled/)
    }
    const [line] = await sender.bulk(JSON.stringify(event))
    assert.equal(line.status_code, 409)
  }
  assert.equal((await own.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, 1)
  assert.deepEqual(
    (await own.get('/api/v1/jobs/')).body.map((job: { job_id: number }) => job.job_id),
    [jobId],
  )
  assert.equal((await own.get(`/api/v1/events/${jobId}/known`)).status, 200)
  await setInput(true)
  assert.equal((await own.post('/api/v1/events/', event)).status, 201)
})

test('a key works as a bearer token, too; its own header comes first, and another scheme does not count', async () => {
  const { key } = await makeJob(client)
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${service.baseUrl}/api/v1/jobs/`, { headers })).status
  for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])
    assert.equal(await statusOf({ authorization }), 200)
  for (const authorization of ['Bearer', 'Bearer ', key, `Basic ${key}`, `Bearer ${key} ${key}`, `Bearer ${key}x`]) {
    assert.equal(await statusOf({ authorization }), 401, authorization)
  }
  assert.equal(await statusOf({ authorization: `Bearer ${key}`, 'x-service-api-key': 'wrong' }), 401)
  assert.equal(await statusOf({ authorization: 'Bearer wrong', 'x-service-api-key': key }), 200)
})

test('the configured header and the neutral one both work, in any case', async () => {
  for (const header of [
    'x-arcanna-api-key',
    'X-Arcanna-Api-Key',
    'X-ARCANNA-API-KEY',
    'x-service-api-key',
    'X-Service-Api-Key',
  ]) {
    const answer = await client.get('/api/v2/health', { key: null, headers: { [header]: client.key } })
    assert.equal(answer.status, 200, header)
    assert.deepEqual(answer.body, { status: 'OK', reason: null, reason_details: null })
  }
})

test('the configured name shows in exports, beside the neutral one, and both are equal', async () => {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  const { body } = await client.get(`/api/v1/events/${jobId}/e/export`)
  assert.deepEqual(body.arcanna_event, body.service_event)
  assert.equal(body.arcanna_event.rule, 'a')
  assert.equal(typeof body.arcanna_event.arcanna.bucket_state, 'string')
})

test('health tells a wrong key by the status, with an answer of the same form', async () => {
  const good = await client.get('/api/v1/health')
  assert.deepEqual([good.status, good.body], [200, { status: true, connected: true }])
  for (const key of [null, 'wrong']) {
    const bad = await client.get('/api/v1/health', { key })
    assert.deepEqual([bad.status, bad.body], [401, { status: false, connected: false }])
    const older = await client.get('/api/v1/health/check', { key })
    assert.deepEqual([older.status, older.body], [401, bad.body])
  }
})

test('a key reads its own scopes as an array of strings', async () => {
  const all = (await client.get('/api/v2/token/scopes')).body
  assert.ok(all.includes('public') && all.includes('write:resources'))
  const { key } = await makeJob(client)
  const few = (await client.withKey(key).get('/api/v2/token/scopes')).body
  assert.ok(few.includes('write:events') && !few.includes('write:resources'))
})
