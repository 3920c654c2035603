/** Queries refuse unknown fields: ignored, they would answer another question than was asked (C1.3). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeJob, type Answer, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client)).jobId
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
})
after(() => service.close())

function unknownIn({ status, body, text }: Answer): string[] {
  assert.equal(status, 422, text)
  return body.detail.map(({ loc, msg, type }: { loc: readonly string[]; msg: string; type: string }) => {
    assert.equal(type, 'unknown_field', text)
    return `${loc.join('.')} ${msg}`
  })
}

test('an unknown field of a query is refused with the nearest known one', async () => {
  const query = { job_ids: [jobId], sort_by: 'rule', limit: 5, filters: [{ field: 'a', operator: 'is', valeu: 1 }] }
  assert.deepEqual(unknownIn(await client.post('/api/v2/events/query', query)).sort(), [
    'body.filters.0.valeu is not known; use value',
    'body.limit is not known; use size',
    'body.sort_by is not known; use sort_by_column',
  ])
  const [strange] = unknownIn(await client.post('/api/v2/events/query', { qqq: 1 }))
  assert.match(strange ?? '', /^body\.qqq is not known; known are: job_ids, job_titles, /)
  const search = { query: { match_all: {} }, size: 0, query_bdy: {} }
  assert.deepEqual(unknownIn(await client.post('/api/v2/events/raw_es_query', search)), [
    'body.query is not known; use query_body.query',
    'body.size is not known; use query_body.size',
    'body.query_bdy is not known; use query_body',
  ])
  for (const path of ['/api/v2/filters/fields', '/api/v2/filters/fields_mapping'])
    assert.deepEqual(unknownIn(await client.post(path, { job_id: 1 })), ['body.job_id is not known; use job_ids'])
})

test('an unknown field changes or deletes no event that was not meant', async () => {
  for (const verb of ['reprocess', 'delete'])
    assert.deepEqual(
      unknownIn(await client.post(`/api/v2/events/${jobId}/${verb}`, { start_date: 'now-1d', filter: [] })),
      ['body.filter is not known; use filters'],
    )
  const [misspelt] = unknownIn(await client.delete('/api/v2/integrations/failed_deliveries?jobid=1'))
  assert.equal(misspelt, 'query.jobid is not known; use job_id')
  assert.equal((await client.get(`/api/v1/events/${jobId}/e`)).status, 200)
})

test('unknown parameters of lists and metrics are refused, too', async () => {
  const metrics = `/api/v2/metrics/job?job_id=${jobId}`
  assert.deepEqual(unknownIn(await client.post(metrics, { filter: [] })), ['body.filter is not known; use filters'])
  for (const [path, wanted] of [
    [`${metrics}&start_date=2026-01-01`, 'query.start_date is not known; use start_datetime'],
    ['/api/v2/resources?resource_typ=job', 'query.resource_typ is not known; use resource_type'],
    ['/api/v2/resources?name=x', 'query.name is not known; use title'],
    [`/api/v2/jobs/${jobId}/disagreements?limit=3`, 'query.limit is not known; use size'],
    ['/api/monitoring/api/v1/audit/logs?actions=voted', 'query.actions is not known; use action'],
  ] as const) {
    const answer = path.startsWith(metrics) ? await client.post(path) : await client.get(path)
    assert.deepEqual(unknownIn(answer), [wanted], path)
  }
})

test('an unknown field that is null or empty is absent, and what existing clients send is known', async () => {
  const query = {
    job_ids: [jobId],
    job_titles: null,
    event_ids: null,
    decision_points_only: false,
    count_results_only: false,
    start_date: null,
    end_date: null,
    date_field: null,
    size: 5,
    page: 0,
    sort_by_column: null,
    sort_order: null,
    filters: [],
    anything: null,
  }
  assert.equal((await client.post('/api/v2/events/query', query)).status, 200)
  assert.equal((await client.post(`/api/v2/metrics/job?job_id=${jobId}&anything=`, {})).status, 200)
})
