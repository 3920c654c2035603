/** What clients in production need (C1). */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { after, before, test } from 'node:test'
import { eventually, makeJob, openSocket, type Answer, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService({ emptyErrorMessage: true })
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(() => service.close())

/** Sends bytes as they are and returns the whole answer. */
async function raw(text: string): Promise<string> {
  const socket = await openSocket(service.port)
  let answer = ''
  return new Promise((resolve) => {
    socket.on('data', (bytes) => {
      answer += bytes.toString()
      if (/\r\n\r\n[[{]/.test(answer)) socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.write(text)
  })
}

test('paths work with and without a trailing slash, and with repeated slashes, without a redirect', async () => {
  for (const path of ['/api/v1/events', '/api/v1/events/', '//api/v1/events/', '/api//v1///events//']) {
    assert.equal((await client.post(path, { job_id: jobId, raw_body: {} })).status, 201, path)
  }
  for (const path of ['/api/v1/jobs', '/api/v1/jobs/', `//api/v1/jobs/${jobId}`, `/api/v1/jobs/${jobId}//labels/`]) {
    assert.equal((await client.get(path)).status, 200, path)
  }
})

test('a path id is decoded once and may be any string', async () => {
  for (const [inPath, id] of [
    ['X%201', 'X 1'],
    ['None', 'None'],
    ['a%2Fb', 'a/b'],
    ['%2541', '%41'],
    ['7c9e6679-7425-40de-944b-e07fc1f90ae7', null],
    ['%E2%82%AC%F0%9F%98%80', '€😀'],
    ['100%', '100%'],
    ['a+b', 'a+b'],
    ['%22quote%22', '"quote"'],
    ['..%2F..', '../..'],
    ['__proto__', null],
    ['constructor', null],
    ['export', null],
  ] as const) {
    const posted = await raw(
      `POST /api/v1/events/${inPath} HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
        `Content-Length: ${`{"job_id":${jobId},"raw_body":{}}`.length}\r\n\r\n{"job_id":${jobId},"raw_body":{}}`,
    )
    assert.match(posted, /^HTTP\/1.1 201 /, inPath)
    assert.equal(JSON.parse(posted.slice(posted.indexOf('{'))).event_id, id ?? inPath)
    const got = await raw(
      `GET /api/v1/events/${jobId}/${inPath} HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n\r\n`,
    )
    assert.match(got, /^HTTP\/1.1 200 /, inPath)
    assert.equal(JSON.parse(got.slice(got.indexOf('{'))).event_id, id ?? inPath)
  }
})

test('unknown fields are ignored and null means absent', async () => {
  const posted = await client.post('/api/v1/events/lenient', {
    extra: [1],
    job_id: jobId,
    event_id: 'not this one',
    raw_body: { a: null },
    title: null,
    severity: null,
    storage_tag: null,
  })
  assert.equal(posted.status, 201)
  assert.equal(posted.body.event_id, 'lenient')
  const vote = {
    cortex_user: null,
    username: 'ann',
    feedback: null,
    label: 'Drop',
    closing_notes: null,
    indicators: null,
    x: 1,
  }
  assert.equal((await client.put(`/api/v1/events/${jobId}/lenient/feedback`, vote)).status, 200)
})

test('job_id may be a numeric string, first or last in the body', async () => {
  assert.equal((await client.post('/api/v1/events/', `{"job_id":"${jobId}","raw_body":{}}`)).status, 201)
  assert.equal((await client.post('/api/v1/events/', `{"raw_body":{"job_id":77},"job_id":"${jobId}"}`)).status, 201)
  assert.equal((await client.post('/api/v1/events/', `{"raw_body":{},"job_\\u0069d": ${jobId}.0}`)).status, 201)
})

test('GET with a body works', async () => {
  const body = '{}'
  for (const path of [`/api/v1/jobs/${jobId}`, '/api/v1/health', '/api/v1/jobs/']) {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    assert.match(answer, /^HTTP\/1.1 200 /, path)
  }
})

test('train, start and stop work with no body, an empty object, null fields', async () => {
  for (const body of [undefined, '', '{}', '{"username":null}']) {
    assert.equal((await client.post(`/api/v2/jobs/${jobId}/stop`, body)).status, 200)
    assert.equal((await client.post(`/api/v2/jobs/${jobId}/start`, body)).status, 200)
    assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`, body)).status, 409)
    assert.equal((await client.post(`/api/v1/jobs/${jobId}/train?username=ann`, body)).status, 409)
  }
})

test('FortiSOAR starts and stops a job under /api/v1, with a user name in the query', async () => {
  for (const [verb, status] of [
    ['stop', 'STOPPED'],
    ['start', 'STARTED'],
  ] as const) {
    assert.deepEqual((await client.post(`/api/v1/jobs/${jobId}/${verb}?username=ann`, {})).body, {
      status: 'OK',
      error_message: '',
    })
    assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.status, status)
  }
})

test('metrics of a job are answered to GET, too', async () => {
  const query = `/api/v2/metrics/job?job_id=${jobId}&end_datetime=2026-01-01T00:00:00Z`
  assert.deepEqual((await client.get(query)).body, (await client.post(query, {})).body)
  assert.equal(
    (await client.get(`/api/v2/metrics/job_and_latest_model?job_id=${jobId}&timeout_s=120`)).body.job_id,
    jobId,
  )
})

test('an integration is found and shown under the name that it was set up with', async () => {
  const parameters = { hosts: 'search.example', port: 9200, user: 'u', password: 'p', schema: 'https' }
  const put = (type: string): Promise<Answer> => {
    const properties = { title: 'Alert store', integration_type: type, parameters }
    return client.post('/api/v2/resources', { resources: { search: { type: 'integration', properties } } })
  }
  const metadata = '/api/v2/resources/integration/metadata'
  const ids = (await client.get(metadata)).body.integration_types.map(({ id }: { id: string }) => id)
  assert.equal(new Set(ids).size, ids.length, 'one id each')
  for (const [name, id] of [
    ['OpenSearch', 'opensearch'],
    ['Elasticsearch', 'elasticsearch'],
    ['Search engine', 'search_engine'],
  ] as const) {
    assert.equal((await put(name)).status, 200, 'from one name of the same to another')
    const [shown] = (await client.get('/api/v2/resources?resource_type=integration&title=Alert store')).body
    assert.deepEqual([shown.integration_type, shown.subcategory_id], [name, id])
    assert.equal((await client.get(`${metadata}?type=${shown.subcategory_id}`)).body.name, name)
  }
  assert.equal((await put('Wazuh')).status, 422)
})

test('the category Automation is refused with what to take instead', async () => {
  const job = { type: 'job', properties: { title: 'Automated', category: 'Automation' } }
  const posted = await client.post('/api/v2/resources', { resources: { job } })
  assert.equal(posted.status, 422)
  assert.deepEqual(posted.body.detail[0].loc, ['body', 'resources', 'job', 'properties', 'category'])
  assert.match(posted.body.detail[0].msg, /take Decision intelligence, and let steps with the role post_decision/)
  const asked = await client.get('/api/v2/resources/job/metadata?category=automation')
  assert.equal(asked.status, 422)
  assert.match(asked.body.detail[0].msg, /take Decision intelligence/)
})

test('older words are understood: Elasticsearch for the search engine, features for the decision points', async () => {
  const parameters = { hosts: 'search.example', port: 9200, user: 'u', password: 'p', schema: 'https' }
  const answer = await client.post('/api/v2/resources?overwrite=False', {
    resources: {
      search: { type: 'integration', properties: { title: 'Elastic', integration_type: 'Elasticsearch', parameters } },
      job: {
        type: 'job',
        properties: { title: 'Older', category: 'Decision intelligence', features: ['event.outcome'] },
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const [shown] = (await client.get('/api/v2/resources?resource_type=job&title=Older')).body as [
    { Older: { properties: { decision_points: string[] } } },
  ]
  assert.deepEqual(shown.Older.properties.decision_points, ['event.outcome'])
  assert.equal(
    (await client.get('/api/v2/resources?resource_type=integration&title=Elastic')).body[0].subcategory_id,
    'elasticsearch',
  )
  const schema = '/api/v2/resources/integration/parameters/schema'
  assert.deepEqual(Object.keys((await client.get(`${schema}?integration_type=elasticsearch`)).body.properties), [
    'Elasticsearch',
  ])
  const { created } = answer.body as { created: { url: string; internal_id: number }[] }
  assert.equal(created[1]!.url, `http://127.0.0.1:${service.port}/use-cases/overview/${created[1]!.internal_id}`)
  // The management MCP server knows an integration's type by the last entry with its subcategory_id, and searches its
  // name for words.
  const { integration_types: types } = (await client.get('/api/v2/resources/integration/metadata')).body as {
    integration_types: { id: string; name: string }[]
  }
  assert.equal(new Map(types.map(({ id, name }) => [id, name])).get('elasticsearch'), 'Elasticsearch')
  const accepted = Object.keys((await client.get(schema)).body.properties)
  assert.deepEqual(
    types.map(({ name }) => name),
    accepted,
  )
  for (const name of accepted)
    assert.equal(
      (await client.get(`/api/v2/resources/integration/metadata?type=${encodeURIComponent(name)}`)).body.name,
      name,
    )
})

test('links in answers have the address that the client used, behind a proxy too', async () => {
  const url = async (headers: Record<string, string>): Promise<string> => {
    const document = { resources: { key: { type: 'api_key', properties: { name: 'linked' } } } }
    return (await client.post('/api/v2/resources', document, { headers })).body.updated[0]?.url
  }
  await url({})
  for (const [headers, expected] of [
    [{ host: 'soc.example:8443' }, 'http://soc.example:8443/api-keys'],
    [{ host: '[::1]:80', 'x-forwarded-proto': 'HTTPS, http' }, 'https://[::1]:80/api-keys'],
    [{ 'x-forwarded-host': 'soc.example, inner:1', 'x-forwarded-proto': 'https' }, 'https://soc.example/api-keys'],
    [{ host: 'a/b', 'x-forwarded-proto': 'javascript' }, '/api-keys'],
  ] as const)
    assert.equal(await url(headers), expected)
  const answer = await client.delete('/api/v2/resources?resource_type=api_key&title=linked', {
    headers: { host: 'soc.example' },
  })
  assert.equal(answer.body.deleted[0].url, 'http://soc.example/api-keys')
})

test('a set of resources may have null for every field that a client has no value for', async () => {
  const labels = ['Yes', 'No', 'Perhaps'].map((name) => ({ name, hex_color: null }))
  const step = {
    resource: 'Internal storage',
    integration_type: 'output',
    enabled: true,
    auto_id: null,
    storage_tag: null,
    storage_tag_display_name: null,
    parameters: {},
  }
  const advanced = {
    custom_labels: labels,
    auto_retrain: { enabled: false, cron: '0 0 * * *', blockers: null },
    monitoring_settings: null,
  }
  const properties = {
    title: 'Nulls',
    description: null,
    category: 'Decision intelligence',
    decision_points: ['a'],
    feedback_columns: null,
    advanced_settings: advanced,
    pipeline_integrations: [step],
    remove_missing_pipeline_integrations: null,
  }
  const answer = await client.post('/api/v2/resources?overwrite=True', {
    resources: { job: { type: 'job', depends_on: [], properties } },
  })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual((await client.get(`/api/v1/jobs/${answer.body.created[0].internal_id}/labels`)).body, [
    'Yes',
    'No',
    'Perhaps',
  ])
})

test('the content type may be missing or misspelt', async () => {
  for (const type of ['', 'text/plain', 'application/jsno', 'application/x-www-form-urlencoded', 'applicationjson']) {
    const body = JSON.stringify({ job_name: 'nobody' })
    assert.equal(
      (await client.post('/api/v1/jobs/get_by_name', body, { headers: { 'content-type': type } })).status,
      404,
      type,
    )
  }
})

test('a body may be gzip', async () => {
  const event = gzipSync(JSON.stringify({ job_id: jobId, raw_body: { a: 1 } }))
  const headers = { 'content-encoding': 'gzip' }
  assert.equal((await client.post('/api/v1/events/', event, { headers })).status, 201)
  const query = gzipSync(JSON.stringify({ job_name: 'nobody' }))
  assert.equal((await client.post('/api/v1/jobs/get_by_name', query, { headers })).status, 404)
})

test('an exported event that is sent again loses its old result', async () => {
  await client.post('/api/v1/events/first', { job_id: jobId, raw_body: { rule: 'r' } })
  const exported = (await client.get(`/api/v1/events/${jobId}/first/export`)).body.service_event
  await client.post('/api/v1/events/second', { job_id: jobId, raw_body: exported })
  const again = (await client.get(`/api/v1/events/${jobId}/second/export`)).body.service_event
  assert.equal(again.rule, 'r')
  assert.notEqual(again.service.timers.ingest_timestamp, exported.service.timers.ingest_timestamp)
})

test('a successful POST answers an empty error message for the client that cannot take null', async () => {
  assert.equal((await client.post('/api/v1/events/', { job_id: jobId, raw_body: {} })).body.error_message, '')
})

test('HEAD is answered as GET without a body', async () => {
  const answer = await client.request('HEAD', `/api/v1/jobs/${jobId}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '')
})

test('HEAD of a streamed answer has no body, so the connection stays usable', async () => {
  const socket = await openSocket(service.port)
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  for (const path of ['logs/export-all', 'logs/export-zip/api/main']) {
    text = ''
    socket.write(`HEAD /api/monitoring/api/v1/${path} HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: ${client.key}\r\n\r\n`)
    await eventually(
      async () => text,
      (head) => head.endsWith('\r\n\r\n'),
    )
    assert.match(text, /^HTTP\/1.1 200 OK\r\nContent-Type: application\/zip\r\n/)
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(
      async () => text,
      (both) => both.endsWith('{"status":"alive"}'),
    )
    assert.match(text, /^[^{]*\r\n\r\nHTTP\/1.1 200 OK\r\n[^{]*\{"status":"alive"\}$/)
  }
  socket.destroy()
})

test('an unknown path is 404 and a wrong method 405, as JSON', async () => {
  for (const path of ['/api/v1/nope', '/api', '/api/v1/events/1/2/3', '/docs/assets/../../package.json', '/%00']) {
    const answer = await client.get(path)
    assert.equal(answer.status, 404, path)
    assert.equal(typeof answer.body.error, 'string')
  }
  const answer = await client.request('PATCH', '/api/v1/events/1/2')
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.get('allow'), 'GET')
  assert.equal(typeof answer.body.error, 'string')
})

test('errors are RFC 9457 where the client asks for it', async () => {
  const headers = { accept: 'application/json, application/problem+json' }
  const notFound = await client.get('/api/v1/jobs/99999', { headers })
  assert.match(notFound.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.deepEqual(notFound.body, {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'job not found',
    code: 'job_not_found',
  })
  const invalid = await client.post('/api/v1/jobs/get_by_name', {}, { headers })
  assert.equal(invalid.status, 422)
  assert.deepEqual(invalid.body.errors, [{ loc: ['body', 'job_name'], msg: 'Field required', type: 'missing' }])
  const late = await client.post('/api/v1/events/', { job_id: jobId, raw_body: 1 }, { headers })
  assert.equal(late.body.errors[0].loc.at(-1), 'raw_body')
})
