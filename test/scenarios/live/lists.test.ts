/** Lists by cursor and facets over HTTP, compared with queries that read every event. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number
const EVENTS = 3_000

const hosts = ['web-1', 'web-2', 'dc-1', 'db-9', 'mail']

function line(n: number, job = jobId): string {
  return JSON.stringify({
    job_id: job,
    event_id: `e${n}`,
    ...(n % 10 === 0 ? { title: `Title ${n}` } : {}),
    raw_body: { rule: `r${n % 7}`, host: { name: hosts[n % 5] }, bytes: n, tags: n % 3 === 0 ? ['a', 'b'] : ['c'] },
  })
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client, { decision_points: ['rule', 'host.name'] })).jobId
  await client.bulk(
    range(0, 200)
      .map((n) => line(n))
      .join('\n'),
  )
  for (const [n, label] of [
    [0, 'Drop'],
    [1, 'Escalate'],
    [2, 'Drop'],
    [3, 'Investigate'],
  ] as const)
    await client.put(`/api/v1/events/${jobId}/e${n}/feedback`, { cortex_user: 'ann', feedback: label })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  await client.bulk(
    range(200, EVENTS)
      .map((n) => line(n))
      .join('\n'),
  )
})
after(() => service.close())

/** All pages of a list, as ids. */
async function listed(body: object, size = 70): Promise<string[]> {
  const ids: string[] = []
  let next: string | null | undefined
  for (let pages = 0; next !== null; pages++) {
    // Each page makes some way.
    assert.ok(pages <= EVENTS)
    const page = await client.post('/api/v2/events/list', {
      job_ids: jobId,
      size,
      ...body,
      ...(next ? { after: next } : {}),
    })
    assert.equal(page.status, 200, page.text)
    ids.push(...page.body.events.map(({ event_id }: any) => event_id))
    next = page.body.next
  }
  return ids
}

/** The same by a query that reads every event. */
async function queried(body: object): Promise<string[]> {
  const page = await client.post('/api/v2/events/query', {
    job_ids: jobId,
    size: 5_000,
    decision_points_only: true,
    ...body,
  })
  assert.equal(page.status, 200, page.text)
  return page.body.events.map(({ event_id }: any) => event_id)
}

const filterSets: readonly (readonly { field: string; operator: string; value?: unknown }[])[] = [
  [],
  [{ field: 'service.result_label', operator: 'is', value: 'Drop' }],
  [{ field: 'service.result', operator: 'is one of', value: ['class_0', 'label_2'] }],
  [{ field: 'service.result_label', operator: 'not exists' }],
  [{ field: 'service.confidence_score', operator: 'lt', value: 60 }],
  [{ field: 'service.outlier', operator: 'is', value: true }],
  [{ field: 'service.bucket_state', operator: 'is', value: 'in_knowledge_base' }],
  [{ field: 'service.bucket_state', operator: 'is not', value: 'in_knowledge_base' }],
  [{ field: 'service.consensus', operator: 'exists' }],
  [{ field: 'rule', operator: 'is', value: 'r3' }],
  [
    { field: 'host.name', operator: 'starts with', value: 'web' },
    { field: 'rule', operator: 'is not', value: 'r1' },
  ],
  [{ field: 'bytes', operator: 'gte', value: 2_900 }],
  [
    { field: 'tags', operator: 'is', value: 'b' },
    { field: 'rule', operator: 'is', value: 'r0' },
  ],
  [
    { field: 'title', operator: 'exists' },
    { field: 'service.result_label', operator: 'is', value: 'Drop' },
  ],
  [{ field: 'rule', operator: 'is', value: 'none such' }],
]

test('a list has the events that a query has, in the same order, whatever the filters', async () => {
  for (const filters of filterSets) {
    assert.deepEqual(await listed({ filters }), await queried({ filters }), JSON.stringify(filters))
  }
})

test('little time gives less on a page, and the pages have all of it', async () => {
  const filters = [{ field: 'bytes', operator: 'contains', value: '99' }]
  assert.deepEqual(await listed({ filters, within_ms: 10 }, 500), await queried({ filters }))
})

test('a list follows new events, versions, votes, deletions and decisions that were made again', async () => {
  const own = await makeJob(client, { decision_points: ['rule', 'host.name'] })
  const list = async (filters: object[] = []): Promise<string[]> => {
    // On a busy machine the time of a page may run out before its end.
    const page = await eventually(
      () => client.post('/api/v2/events/list', { job_ids: own.jobId, size: 500, filters, count: true }),
      ({ body }) => body.total_count_is_exact && body.next === null,
    )
    assert.equal(page.body.total_count, page.body.events.length)
    return page.body.events.map(({ event_id }: any) => event_id)
  }
  const query = async (filters: object[] = []): Promise<string[]> => {
    const page = await client.post('/api/v2/events/query', { job_ids: own.jobId, size: 500, filters })
    return page.body.events.map(({ event_id }: any) => event_id)
  }
  const drop = [{ field: 'service.result_label', operator: 'is', value: 'Drop' }]
  const state = [{ field: 'service.bucket_state', operator: 'is', value: 'pending' }]
  const same = async (): Promise<void> => {
    for (const filters of [[], drop, state, [{ field: 'rule', operator: 'is', value: 'r1' }]])
      assert.deepEqual(await list(filters), await query(filters))
  }
  await client.bulk(
    range(0, 60)
      .map((n) => line(n, own.jobId))
      .join('\n'),
  )
  await same()
  await client.bulk(
    range(60, 90)
      .map((n) => line(n, own.jobId))
      .join('\n'),
  )
  await same()
  await client.post('/api/v1/events/e5', { job_id: own.jobId, raw_body: { rule: 'r1', host: { name: 'new' } } })
  await same()
  await client.put(`/api/v1/events/${own.jobId}/e0/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.put(`/api/v1/events/${own.jobId}/e1/feedback`, { cortex_user: 'bob', feedback: 'Escalate' })
  await same()
  await client.post(`/api/v1/jobs/${own.jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${own.jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  const again = await client.post(`/api/v2/events/${own.jobId}/reprocess?timeout_s=60`, {})
  assert.equal(again.body.events_updated, 90)
  await same()
  assert.ok((await list(drop)).length > 0)
  await client.post(`/api/v2/events/${own.jobId}/delete`, {
    filters: [{ field: 'host.name', operator: 'is', value: 'dc-1' }],
  })
  await same()
})

test('facets count the values of fields as aggregations of a search do', async () => {
  const fields = ['service.result_label', 'rule', 'host.name', 'tags', 'service.bucket_state']
  const filters = [{ field: 'host.name', operator: 'starts with', value: 'web' }]
  const facets = (asked: object): Promise<any> =>
    eventually(
      async () => (await client.post('/api/v2/events/facets', { job_ids: jobId, within_ms: 2_000, ...asked })).body,
      (found) => !found.partial,
    )
  const body = await facets({ fields, filters })
  const aggs = Object.fromEntries(fields.map((field) => [field, { terms: { field, size: 10 } }]))
  const search = await client.post('/api/v2/events/raw_es_query', {
    job_ids: jobId,
    query_body: { size: 0, query: { prefix: { 'host.name': 'web' } }, aggs },
  })
  assert.equal(search.status, 200, search.text)
  for (const facet of body.facets) {
    const expected = search.body.aggregations[facet.field].buckets.filter(({ key }: any) => key !== '')
    const sorted = (each: { value: unknown; count: number }[]) =>
      each.map(({ value, count }) => `${value} ${count}`).sort()
    const wanted = expected.map(({ key, doc_count }: any) => ({ value: key, count: doc_count }))
    assert.deepEqual(sorted(facet.values), sorted(wanted), facet.field)
  }
  assert.equal(body.counted, search.body.hits.total.value)
  const [bands] = (await facets({ fields: ['service.confidence_score'] })).facets
  assert.equal(
    bands.values.reduce((sum: number, { count }: any) => sum + count, bands.missing),
    EVENTS,
  )
})

test('a wrong cursor, field or size is refused with its place', async () => {
  const refused = async (body: object): Promise<string> => {
    const answer = await client.post('/api/v2/events/list', body)
    assert.equal(answer.status, 422, answer.text)
    return answer.body.detail[0].loc.join('.')
  }
  await refused({ job_ids: jobId, after: 'no cursor' })
  assert.equal(await refused({ job_ids: jobId, page: 1 }), 'body.page')
  assert.equal(await refused({ job_ids: jobId, size: 0 }), 'body.size')
  assert.equal(
    await refused({ job_ids: jobId, filters: [{ field: 'a', operator: 'like', value: 1 }] }),
    'body.filters.0.operator',
  )
  assert.equal((await client.post('/api/v2/events/list', { job_ids: 99_999 })).status, 404)
})
