/** Resources over a real port (CONTRACT.md#resources). */
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

test('the refusal of an unknown type of integration names every type, other names included', async () => {
  const { status, body } = await service.client.post('/api/v2/resources', {
    i: { type: 'integration', properties: { title: 'Odd', integration_type: 'no such type', parameters: {} } },
  })
  assert.equal(status, 422)
  const [{ msg }] = body.detail
  for (const name of ['External REST API', 'OpenSearch', 'Elasticsearch', 'Slack']) assert.ok(msg.includes(name), msg)
})

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
  assert.match(byName.job.url, /^http:\/\/[^/]+\/use-cases\/overview\/\d+$/)
})

test('the map under resources is accepted, too, and an existing key is not shown again', async () => {
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
        title: 'Lost',
        integration_type: 'External REST API',
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
  const listed = (await client.get(path)).body.find((each: object) => title in each)[title].properties
  assert.deepEqual(listed.decision_points, job.properties.decision_points)
  assert.deepEqual(listed.advanced_settings, { custom_labels: job.properties.advanced_settings.custom_labels })
  assert.ok((await client.get('/api/v2/resources')).body.length > 3)
})

test('a wrong query is 422 with its place', async () => {
  for (const [query, place] of [
    ['resource_type=nonsense', 'resource_type'],
    ['title=a&id=1', 'title'],
    ['overwrite=perhaps', 'overwrite'],
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
  assert.ok(
    answer.body.detail.every((each: { loc: string[] }) => each.loc[0] === 'query'),
    answer.text,
  )
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

test('a deleted key is rejected from that moment on', async () => {
  const made = await client.post('/api/v2/resources', keyOnly('short-lived'))
  const key = client.withKey(made.body.created[0].value)
  assert.equal((await key.get('/api/v2/token/scopes')).status, 200)
  assert.equal((await client.delete('/api/v2/resources?resource_type=api_key&title=short-lived')).status, 200)
  assert.equal((await key.get('/api/v2/token/scopes')).status, 401)
})

test('all three kinds of references find their target; one that leads nowhere is reported with its place', async () => {
  const { title } = await makeJob(client)
  const [job] = (await client.get(`/api/v2/resources?resource_type=job&title=${encodeURIComponent(title)}`)).body
  const named = job[title].properties.pipeline_integrations[0].resource
  const input = /title='(.*)'/.exec(named)![1]!
  const [integration] = (
    await client.get(`/api/v2/resources?resource_type=integration&title=${encodeURIComponent(input)}`)
  ).body
  const put = (resource: string) =>
    client.post('/api/v2/resources', {
      j: {
        type: 'job',
        properties: { title: 'Refers', pipeline_integrations: [{ resource, integration_type: 'input' }] },
      },
    })
  for (const resource of [
    input,
    `{{integrations(title='${input}')}}`,
    `{{ integrations( title = "${input}" ) }}`,
    `{{integrations(internal_id=${integration.id})}}`,
    `{{integrations(internal_id='${integration.id}')}}`,
  ])
    assert.equal((await put(resource)).status, 200, resource)
  for (const resource of [
    'Nobody',
    "{{integrations(title='Nobody')}}",
    '{{integrations(internal_id=999)}}',
    "{{api_keys(name='Nobody')}}",
    '{{broken',
  ]) {
    const answer = await put(resource)
    assert.equal(answer.status, 422, resource)
    const place = ['body', 'j', 'properties', 'pipeline_integrations', '0', 'resource']
    assert.deepEqual(
      answer.body.detail.map((each: { loc: string[] }) => each.loc),
      [place],
      resource,
    )
  }
})

test('a cycle is refused and named', async () => {
  const key = (name: string, depends_on: string[]) => ({ type: 'api_key', properties: { name }, depends_on })
  const answer = await client.post('/api/v2/resources', { a: key('a', ['b']), b: key('b', ['c']), c: key('c', ['a']) })
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail[0].msg, /cycle: a -> b -> c -> a/)
})

test('a resource in use is refused with its users; with force it is deleted, and the answer names who lost it', async () => {
  const { title, key, jobId } = await makeJob(client)
  const [job] = (await client.get(`/api/v2/resources?title=${encodeURIComponent(title)}`)).body
  const input = /title='(.*)'/.exec(job[title].properties.pipeline_integrations[0].resource)![1]!
  const path = `/api/v2/resources?resource_type=integration&title=${encodeURIComponent(input)}`
  const refused = await client.delete(path)
  assert.equal(refused.status, 409)
  assert.equal(refused.body.details, `used by: job "${title}"`)
  assert.equal((await client.delete(`${path}&force=perhaps`)).status, 422)
  const forced = await client.delete(`${path}&force=True`)
  assert.equal(forced.status, 200)
  assert.deepEqual(
    [forced.body.deleted, forced.body.updated].map((refs) => refs[0].title),
    [input, title],
  )
  assert.equal((await client.withKey(key).get(`/api/v1/jobs/${jobId}`)).status, 404)
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).status, 200)
})

test('the answer of GET can be posted back and changes nothing, in short and in full', async () => {
  const monitoring_settings = { throttling: 5, monitors: [{ name: 'm', active: true, interval_check: 60 }] }
  const auto_retrain = { enabled: true, cron: '0 3 * * *', blockers: { outliers: true } }
  const marks = { auto_id: 7, storage_tag: 'tag', storage_tag_display_name: 'Tag' }
  const { title } = await makeJob(client, {
    description: 'about it',
    feedback_columns: ['rule'],
    advanced_settings: { monitoring_settings, auto_retrain },
  })
  const path = `/api/v2/resources?title=${encodeURIComponent(title)}`
  const [job] = (await client.get(path)).body
  job[title].properties.pipeline_integrations[0] = { ...job[title].properties.pipeline_integrations[0], ...marks }
  const marked = await client.post('/api/v2/resources?overwrite=1', { resources: job })
  assert.equal(marked.status, 200, marked.text)
  const full = (await client.get(path)).body
  const { properties } = full[0][title]
  assert.deepEqual(properties.advanced_settings.monitoring_settings, monitoring_settings)
  assert.equal(properties.pipeline_integrations[0].storage_tag_display_name, 'Tag')
  const everything = async () => [(await client.get(path)).body, (await client.get('/api/v2/resources')).body]
  const before = await everything()
  for (const document of [full, { resources: full }, full[0], { resources: full[0] }, before[1], ...before[1]]) {
    const answer = await client.post('/api/v2/resources', document)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body.created, [])
  }
  assert.deepEqual(await everything(), before)
})
