/** Specification: Resources API. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const keyOnly = (name: string) => ({ k: { type: 'api_key', properties: { name } } })

test('a set is created in the order that its references need, and answered with what was made', async () => {
  const { status, body } = await client.post('/api/v2/resources', {
    job: {
      type: 'job',
      properties: {
        title: 'Ordered',
        category: 'Decision intelligence',
        decision_points: ['a'],
        pipeline_integrations: [{ resource: 'rest', integration_type: 'input', enabled: true }],
      },
      depends_on: [],
    },
    rest: {
      type: 'integration',
      properties: {
        title: 'Ordered input',
        integration_type: 'External REST API',
        parameters: { api_key: "{{api_keys(name='ordered')}}", data_type: 'x' },
      },
    },
    key: { type: 'api_key', properties: { name: 'ordered' } },
  })
  assert.equal(status, 200)
  assert.equal(body.request.status, 'OK')
  assert.deepEqual(body.updated, [])
  const byName = Object.fromEntries(body.created.map((each: { resource_name: string }) => [each.resource_name, each]))
  assert.deepEqual(Object.keys(byName).sort(), ['job', 'key', 'rest'])
  assert.equal(typeof byName.key.internal_id, 'string')
  assert.equal(typeof byName.job.internal_id, 'number')
  assert.ok(byName.key.value.length >= 43)
  assert.equal(byName.job.value, undefined)
  assert.equal(byName.job.title, 'Ordered')
  assert.ok(byName.job.url.startsWith('/'))
})

test('the map under resources is taken as well, and a key that exists is not shown again', async () => {
  const first = await client.post('/api/v2/resources', { resources: keyOnly('twice') })
  assert.equal(first.body.created.length, 1)
  const second = await client.post('/api/v2/resources', { resources: keyOnly('twice') })
  assert.equal(second.status, 200)
  assert.deepEqual(second.body.created, [])
  assert.equal(second.body.updated.length, 1)
  assert.equal(second.body.updated[0].value, undefined)
})

test('overwrite false, in any form, refuses what exists and changes nothing', async () => {
  await client.post('/api/v2/resources', keyOnly('there'))
  const both = { ...keyOnly('there'), n: { type: 'api_key', properties: { name: 'not there' } } }
  for (const [path, body] of [
    ['/api/v2/resources?overwrite=False', { resources: both }],
    ['/api/v2/resources?overwrite=false', both],
    ['/api/v2/resources?overwrite=0', both],
    ['/api/v2/resources', { resources: both, overwrite: false }],
    ['/api/v2/resources', { resources: both, overwrite: 'False' }],
  ] as const) {
    const answer = await client.post(path, body)
    assert.equal(answer.status, 409, `${path}: ${answer.text}`)
    assert.ok(answer.body.error)
  }
  const found = await client.get('/api/v2/resources?resource_type=api_key&title=not%20there')
  assert.deepEqual(found.body, [])
  assert.equal((await client.post('/api/v2/resources?overwrite=True', both)).status, 200)
})

test('a set with a fault is refused whole, with the place of the fault', async () => {
  const answer = await client.post('/api/v2/resources', {
    resources: { good: { type: 'api_key', properties: { name: 'never made' } }, bad: { type: 'job', properties: {} } },
  })
  assert.equal(answer.status, 422)
  assert.deepEqual(answer.body.detail[0].loc.slice(0, 3), ['body', 'resources', 'bad'])
  assert.deepEqual((await client.get('/api/v2/resources?title=never+made')).body, [])
})

test('a reference that leads nowhere is refused', async () => {
  const answer = await client.post('/api/v2/resources', {
    i: {
      type: 'integration',
      properties: {
        title: 'Lost', integration_type: 'External REST API',
        parameters: { api_key: "{{api_keys(name='nobody')}}", data_type: 'x' },
      },
    },
  })
  assert.equal(answer.status, 422)
  assert.ok(answer.body.detail[0].loc.includes('i'))
})

test('resources are listed: jobs nested by title, integrations flat, an empty array for no match', async () => {
  const { jobId, title } = await makeJob(client, { description: 'in full' })
  const path = '/api/v2/resources?resource_type=job'
  const byTitle = await client.get(`${path}&title=${encodeURIComponent(title)}`)
  assert.equal(byTitle.status, 200)
  const job = byTitle.body[0][title]
  assert.equal(job.type, 'job')
  assert.equal(job.properties.id, jobId)
  assert.deepEqual(job.properties.decision_points, ['rule', 'source.ip'])
  assert.deepEqual((await client.get(`${path}&id=${jobId}`)).body, byTitle.body)
  const integrations = await client.get('/api/v2/resources?resource_type=integration')
  assert.ok(integrations.body.every((each: object) => 'id' in each && 'title' in each && 'subcategory_id' in each))
  assert.deepEqual((await client.get(`${path}&title=nobody`)).body, [])
  assert.ok((await client.get('/api/v2/resources')).body.length > 3)
})

test('a wrong query is 422 with its place', async () => {
  for (const [query, place] of [
    ['resource_type=nonsense', 'resource_type'], ['title=a&id=1', 'title'], ['overwrite=perhaps', 'overwrite'],
  ] as const) {
    const method = place === 'overwrite' ? 'POST' : 'GET'
    const answer = await client.request(method, `/api/v2/resources?${query}`, method === 'POST' ? { body: {} } : {})
    assert.equal(answer.status, 422, query)
    assert.deepEqual(answer.body.detail[0].loc, ['query', place])
  }
})

test('a delete says what to delete', async () => {
  const answer = await client.delete('/api/v2/resources')
  assert.equal(answer.status, 422)
  assert.ok(answer.body.detail.every((each: { loc: string[] }) => each.loc[0] === 'query'), answer.text)
  assert.equal((await client.delete('/api/v2/resources?resource_type=job')).status, 422)
})

test('a deleted job is gone, for its key too', async () => {
  const { jobId, key } = await makeJob(client)
  await client.withKey(key).post('/api/v1/events/a', { job_id: jobId, raw_body: { rule: 'a' } })
  const answer = await client.delete(`/api/v2/resources?resource_type=job&id=${jobId}`)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.request.status, 'OK')
  assert.equal(answer.body.deleted[0].internal_id, jobId)
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).status, 404)
  assert.equal((await client.withKey(key).get(`/api/v1/events/${jobId}/a`)).status, 404)
  assert.equal((await client.delete(`/api/v2/resources?resource_type=job&id=${jobId}`)).status, 404)
})

test('a deleted key is nobody from that moment on', async () => {
  const made = await client.post('/api/v2/resources', keyOnly('short-lived'))
  const key = client.withKey(made.body.created[0].value)
  assert.equal((await key.get('/api/v2/token/scopes')).status, 200)
  assert.equal((await client.delete('/api/v2/resources?resource_type=api_key&title=short-lived')).status, 200)
  assert.equal((await key.get('/api/v2/token/scopes')).status, 401)
})
