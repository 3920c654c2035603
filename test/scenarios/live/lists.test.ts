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

test('values of one field are either, fields are both, and the other values of a field stay in sight', async () => {
  const facets = async (asked: object): Promise<any> => {
    const body = { job_ids: jobId, within_ms: 2_000, fields: ['rule', 'host.name', 'tags'], size: 2, ...asked }
    return eventually(
      async () => (await client.post('/api/v2/events/facets', body)).body,
      (found) => !found.partial,
    )
  }
  const counts = (answer: any, at: number): Record<string, number> =>
    Object.fromEntries(answer.facets[at].values.map(({ value, count }: any) => [value, count]))
  const among = range(0, EVENTS)
  const ruleIs = (n: number, ...rules: number[]): boolean => rules.includes(n % 7)
  const isWeb = (n: number): boolean => n % 5 < 2
  const of = (test: (n: number) => boolean): number => among.filter(test).length
  for (const asked of [
    { query: 'rule:r5,r6 host.name:(web-1 OR web-2)' },
    {
      filters: [
        { field: 'rule', operator: 'is one of', value: ['r5', 'r6'] },
        { field: 'host.name', operator: 'is one of', value: ['web-1', 'web-2'] },
      ],
    },
  ]) {
    const answer = await facets(asked)
    assert.equal(
      answer.counted,
      of((n) => ruleIs(n, 5, 6) && isWeb(n)),
    )
    // The two most frequent rules, and those that are chosen.
    const rules = [0, 1, 2, 3, 4, 5, 6].map((rule) => [`r${rule}`, of((n) => ruleIs(n, rule) && isWeb(n))] as const)
    const first = [...rules].sort(([a, one], [b, two]) => two - one || (a < b ? -1 : 1)).slice(0, 2)
    const chosen = rules.filter(([rule]) => rule === 'r5' || rule === 'r6')
    assert.deepEqual(counts(answer, 0), Object.fromEntries([...first, ...chosen]))
    assert.equal(answer.facets[0].different_values, 7)
    assert.deepEqual(
      answer.facets[0].values
        .filter(({ is_chosen }: any) => is_chosen)
        .map(({ value }: any) => value)
        .sort(),
      ['r5', 'r6'],
    )
    for (const [at, host] of hosts.entries()) {
      const count = counts(answer, 1)[host]
      if (host.startsWith('web') || count !== undefined)
        assert.equal(
          count,
          of((n) => ruleIs(n, 5, 6) && n % 5 === at),
          host,
        )
    }
    assert.equal(answer.facets[1].different_values, 5)
    assert.equal(
      counts(answer, 2).a,
      of((n) => ruleIs(n, 5, 6) && isWeb(n) && n % 3 === 0),
    )
  }
  // What is excluded or searched by a part of the value holds for the field, too.
  const [rule] = (await facets({ query: '-rule:r0 rule:r*', fields: ['rule'], size: 10 })).facets
  assert.deepEqual(rule.values.map(({ value }: any) => value).sort(), ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
  const [tags] = (await facets({ query: '(tags:b OR -tags:*)', fields: ['tags'], size: 10 })).facets
  assert.deepEqual(tags.values.map(({ value }: any) => value).sort(), ['a', 'b', 'c'])
})

test('any field of the event and of the service is a column of lists, queries and files', async () => {
  const { jobId: own } = await makeJob(client, { decision_points: ['rule'] })
  const body = { rule: 'r', 'a,b': 'comma', host: { ip: ['10.0.0.1', '10.0.0.2'], name: '=web' }, n: 7, voter: null }
  for (const [id, raw_body] of [
    ['one', body],
    ['two', { ...body, voter: 'the field of the event' }],
  ] as const)
    await client.post(`/api/v1/events/${id}`, { job_id: own, raw_body })
  await client.put(`/api/v2/events/${own}/one/assignment`, { assignee: 'ann' })
  await client.put(`/api/v1/events/${own}/one/feedback`, { cortex_user: 'bob', feedback: 'Drop' })
  const columns = ['host.ip', 'host.name', 'a,b', 'n', 'none', 'host', 'assigned', 'service.voter', 'voter', 'voted']
  const expected = {
    'host.ip': body.host.ip,
    'host.name': '=web',
    'a,b': 'comma',
    n: 7,
    none: null,
    host: JSON.stringify(body.host),
    assigned: 'ann',
    'service.voter': 'bob',
    voter: 'bob',
    voted: 'Drop',
  }
  const other = { ...expected, assigned: null, 'service.voter': null, voter: 'the field of the event', voted: null }
  for (const path of ['/api/v2/events/list', '/api/v2/events/query']) {
    const { body: page, text } = await client.post(path, { job_ids: own, columns, size: 10 })
    assert.deepEqual(
      page.events.map((event: any) => [event.event_id, event.columns]),
      [
        ['two', other],
        ['one', expected],
      ],
      text,
    ) // prettier-ignore
    const plain = await client.post(path, { job_ids: own, size: 1 })
    assert.equal('columns' in plain.body.events[0], false)
  }
  const file = (format: string, named: string): Promise<any> =>
    client.get(
      `/api/v2/jobs/${own}/events-file?format=${format}&query=assigned:ann&columns=${encodeURIComponent(named)}`,
    )
  const { text: lines } = await file('ndjson', JSON.stringify(columns))
  assert.deepEqual(JSON.parse(lines).columns, expected)
  const { text: table } = await file('csv', 'host.name,n,assigned,none')
  assert.equal(
    table
      .slice(1)
      .split('\r\n')
      .slice(0, 2)
      .map((line: string) => line.split(',').slice(-4).join())
      .join('|'),
    "host.name,n,assigned,none|'=web,7,ann,",
  ) // prettier-ignore
  const { status, body: refused } = await client.post('/api/v2/events/list', { job_ids: own, columns: [''] })
  assert.deepEqual([status, refused.detail[0].loc], [422, ['body', 'columns', '0']])
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
