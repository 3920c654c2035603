/** Queries about stored events, over a real port (C2.7, C2.8, C3.11). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openEngine, type Principal } from '../../engine/index.js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decidesAsItComes, eventually, makeJob, type JobSetup } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const paths = {
  events: '/api/v2/events/query',
  search: '/api/v2/events/raw_es_query',
  fields: '/api/v2/filters/fields',
  types: '/api/v2/filters/fields_mapping',
}

describe('queries', () => {
  let service: TestService
  let first: JobSetup & { readonly title: string }
  let second: JobSetup & { readonly title: string }

  before(async () => {
    service = await startService({ name: 'arcanna', shards: 4 })
    const { client } = service
    first = await makeJob(client, decidesAsItComes)
    second = await makeJob(client, { title: 'Second: "quoted"', decision_points: ['rule'] })
    const lines = Array.from({ length: 60 }, (_, i) =>
      JSON.stringify({
        job_id: i % 3 === 0 ? second.jobId : first.jobId,
        event_id: `e${i}`,
        title: `Alert ${i}`,
        raw_body: {
          rule: `r${i % 4}`,
          source: { ip: `10.0.0.${i % 5}` },
          count: i,
          message: i % 2 === 0 ? 'Failed login for root' : 'all is well',
          '@timestamp': new Date(Date.UTC(2026, 0, 1 + (i % 30), 10)).toISOString(),
        },
      }),
    )
    await client.bulk(lines.join('\n'))
    for (const [id, label] of [
      ['e1', 'Drop'],
      ['e2', 'Escalate'],
      ['e4', 'Drop'],
    ] as const) {
      assert.equal(
        (await client.put(`/api/v1/events/${first.jobId}/${id}/feedback`, { cortex_user: 'ann', feedback: label }))
          .status,
        200,
      )
    }
    assert.equal((await client.post(`/api/v1/jobs/${first.jobId}/train`)).status, 200)
    await eventually(
      () => client.get(`/api/v1/jobs/${first.jobId}`),
      ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    )
    await client.post('/api/v1/events/late', {
      job_id: first.jobId,
      raw_body: { rule: 'r1', source: { ip: '10.0.0.1' }, count: 60 },
      storage_tag: 'cold',
    })
  })
  after(() => service.close())

  it('find a page of the newest events of all jobs, five by default', async () => {
    const { status, body } = await service.client.post(paths.events)
    assert.deepEqual([status, body.events.length, body.total_count], [200, 5, 61])
    const [event] = body.events
    assert.deepEqual(
      [
        event.event_id,
        event.job_id,
        event.job_title,
        event.status,
        event.storage_tag,
        event.raw_event.count,
        event.decision_points,
      ],
      ['late', first.jobId, first.title, 'OK', 'cold', 60, { rule: 'r1', 'source.ip': '10.0.0.1' }],
    )
    assert.equal(event['@timestamp'], event.ingest_timestamp)
    assert.deepEqual(event.raw_body, event.raw_event)
    assert.deepEqual(
      event.arcanna,
      (await service.client.get(`/api/v1/events/${first.jobId}/late/export`)).body.arcanna_event.arcanna,
    )
    assert.deepEqual(
      body.events.map((one: { raw_event: { count: number } }) => one.raw_event.count),
      [60, 59, 58, 57, 56],
    )
  })

  it('take jobs by id, by numeric text, by title, one or several', async () => {
    const counts = await Promise.all(
      [
        { job_ids: second.jobId },
        { job_ids: [String(second.jobId)] },
        { job_titles: second.title },
        { job_titles: [second.title], job_ids: [first.jobId] },
        { job_ids: [], job_titles: null },
      ].map(
        async (jobs) =>
          (await service.client.post(paths.events, { ...jobs, count_results_only: true })).body.total_count,
      ),
    )
    assert.deepEqual(counts, [20, 20, 20, 61, 61])
  })

  it('filter, sort and page, with the fields of the service under both of its names', async () => {
    const { body } = await service.client.post(paths.events, {
      filters: [
        { field: 'source.ip', operator: 'is one of', value: ['10.0.0.1', '10.0.0.2'] },
        { field: 'count', operator: 'gte', value: 10 },
      ],
      sort_by_column: 'count',
      sort_order: 'asc',
      page: 1,
      size: 3,
      decision_points_only: true,
    })
    assert.deepEqual(
      body.events.map((one: { event_id: string }) => one.event_id),
      ['e17', 'e21', 'e22'],
    )
    assert.deepEqual(
      [body.total_count, body.events[0].raw_event, body.events[0].raw_body, body.events[0].arcanna.bucket_state],
      [21, undefined, undefined, 'new'],
    )
    for (const name of ['arcanna', 'service']) {
      const known = await service.client.post(paths.events, {
        filters: [{ field: `${name}.bucket_state`, operator: 'is', value: 'in_knowledge_base' }],
        size: 100,
      })
      assert.ok(
        known.body.events.length > 3 &&
          known.body.events.every((one: { bucket_state: string }) => one.bucket_state === 'in_knowledge_base'),
      )
      const decided = await service.client.post(paths.events, {
        filters: [{ field: `${name}.result_label`, operator: 'exists' }],
      })
      assert.deepEqual([decided.body.total_count, decided.body.events[0].result_label], [1, 'Drop'])
    }
  })

  it('find when the model was trained and the consensus was computed, how far events are, and their tags', async () => {
    const found = async (field: string, operator = 'exists', value?: string) =>
      (await service.client.post(paths.events, { filters: [{ field, operator, value }] })).body
    for (const [field, count] of [
      ['arcanna.model.timestamp', 1],
      ['arcanna.consensus', 7],
      ['arcanna.last_compute_consensus_timestamp', 7],
      ['arcanna.pipeline_status', 61],
      ['arcanna.pipeline_stage', 61],
      ['arcanna.storage_tag', 1],
    ] as const)
      assert.equal((await found(field)).total_count, count, field)
    const [event] = (await found('arcanna.pipeline_stage', 'is', 'finished')).events
    const section = event.arcanna
    assert.deepEqual([event.event_id, section.storage_tag, section.pipeline_status], ['late', 'cold', 'OK'])
    for (const text of [section.model.timestamp, section.last_compute_consensus_timestamp])
      assert.ok(Date.parse(text) <= Date.now() && Date.parse(text) > Date.now() - 600_000, text)
    assert.equal((await found('arcanna.model.timestamp', 'lte', section.model.timestamp)).total_count, 1)
    assert.equal((await found('arcanna.model.timestamp', 'lt', section.model.timestamp)).total_count, 0)
  })

  it('take dates of the alert or of the ingest, and ids', async () => {
    const count = async (query: object): Promise<number> =>
      (await service.client.post(paths.events, { ...query, count_results_only: true })).body.total_count
    assert.equal(await count({ start_date: '2026-01-05', end_date: '2026-01-06' }), 4)
    assert.equal(await count({ start_date: 'now-1h', date_field: 'timestamp_inference' }), 61)
    assert.equal(await count({ end_date: 'now-1h', date_field: 'timestamp_inference' }), 0)
    assert.equal(await count({ event_ids: ['e1', 'e2', 'nobody'] }), 2)
    assert.equal(
      await count({ event_ids: 'late', filters: [{ field: 'arcanna.storage_tag', operator: 'is', value: 'cold' }] }),
      1,
    )
  })

  it('search and aggregate as existing clients do', async () => {
    const { status, body } = await service.client.post(paths.search, {
      job_ids: [first.jobId, second.jobId],
      query_body: {
        size: 1,
        track_total_hits: true,
        query: {
          bool: {
            must: [{ range: { timestamp_inference: { gte: 'now-1d', lte: 'now' } } }, { match: { message: 'login' } }],
          },
        },
        aggs: { rules: { terms: { field: 'rule.keyword', size: 1 }, aggs: { most: { max: { field: 'count' } } } } },
      },
    })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.timed_out, body._shards.failed, body.hits.total, body.hits.max_score],
      [false, 0, { value: 30, relation: 'eq' }, 1],
    )
    const [hit] = body.hits.hits
    assert.deepEqual([hit._id, hit._source.count, hit._source.arcanna.bucket_state], ['e58', 58, 'new'])
    assert.deepEqual(body.aggregations.rules, {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 15,
      buckets: [{ key: 'r0', doc_count: 15, most: { value: 56 } }],
    })
    assert.ok(Number.isInteger(body.took))
  })

  it("understand the words of the management MCP server: class_1, original_id, flags without the service's name", async () => {
    const ids = async (query: object): Promise<string[]> => {
      const { body } = await service.client.post(paths.search, { query_body: { query } })
      return body.hits.hits.map((hit: { _id: string }) => hit._id)
    }
    const decided = await ids({ match: { 'arcanna.result_label.keyword': 'Drop' } })
    assert.equal(decided.length, 1)
    assert.deepEqual(await ids({ bool: { must: [{ match: { 'arcanna.result': 'class_1' } }] } }), decided)
    const [hit] = (
      await service.client.post(paths.search, {
        query_body: { query: { term: { 'arcanna.original_id.keyword': decided[0] } } },
      })
    ).body.hits.hits
    assert.deepEqual([hit._id, hit._source.arcanna.original_id], [decided[0], decided[0]])
    assert.equal(await ids({ exists: { field: 'arcanna.key_hash.keyword' } }).then(({ length }) => length), 10)
    // Every field of the tool is optional.
    assert.equal((await service.client.post(paths.search, { job_ids: second.jobId })).body.hits.total.value, 20)
    const flagged = { field: 'attention.low_confidence_score.attention_required', operator: 'is', value: false }
    assert.ok((await service.client.post(paths.events, { filters: [flagged] })).body.total_count > 0)
  })

  it('list the filterable fields, with types and jobs', async () => {
    const { body } = await service.client.post(paths.fields, {})
    const field = (name: string): { available_operators: string[]; available_in_jobs: number[] } =>
      body.find((one: { field_name: string }) => one.field_name === name)
    assert.deepEqual(field('count'), {
      field_name: 'count',
      available_in_jobs: [first.jobId, second.jobId],
      available_operators: [
        'is',
        'is not',
        'is one of',
        'is not one of',
        'exists',
        'not exists',
        'lt',
        'lte',
        'gt',
        'gte',
      ],
    })
    assert.equal(field('message').available_operators.length, 14)
    assert.deepEqual(field('arcanna.outlier_flag').available_operators, [
      'is',
      'is not',
      'is one of',
      'is not one of',
      'exists',
      'not exists',
    ])
    const types = await service.client.post(paths.types, { job_titles: [second.title] })
    assert.deepEqual(
      [types.body['source.ip'], types.body.count, types.body['@timestamp'], types.body['arcanna.confidence_score']],
      ['keyword', 'long', 'date', 'double'],
    )
    for (const name of Object.keys(types.body)) {
      const query = await service.client.post(paths.events, {
        filters: [{ field: name, operator: 'exists' }],
        count_results_only: true,
      })
      assert.equal(query.status, 200, name)
    }
  })

  it('refuse the parts of a search beside query_body', async () => {
    const parts = { query: { match_all: {} }, size: 0, aggs: {} }
    for (const beside of [parts, { ...parts, query_body: {} }]) {
      const { status, body } = await service.client.post(paths.search, beside)
      assert.equal(status, 422)
      assert.deepEqual(
        body.detail.map((issue: { loc: string[] }) => issue.loc),
        [
          ['body', 'query'],
          ['body', 'size'],
          ['body', 'aggs'],
        ],
      )
    }
    assert.equal((await service.client.post(paths.search, { size: null, unknown: null })).status, 200)
  })

  it('see an event as soon as its sender is answered', async () => {
    for (let i = 0; i < 20; i++) {
      await service.client.post(`/api/v1/events/now-${i}`, { job_id: second.jobId, raw_body: { rule: 'fresh' } })
      const { body } = await service.client.post(paths.events, { event_ids: [`now-${i}`] })
      assert.equal(body.total_count, 1)
    }
  })

  it('answer 400, 401, 403, 404, 413 and 422 for what is wrong', async () => {
    const { client } = service
    for (const path of Object.values(paths)) {
      const body = path === paths.search ? { query_body: {} } : {}
      assert.equal((await client.post(path, '{')).status, 400)
      assert.equal((await client.post(path, body, { key: null })).status, 401)
      assert.equal((await client.withKey(first.key).post(path, body)).status, 403)
      assert.equal((await client.post(path, { ...body, job_ids: [first.jobId, 999] })).status, 404)
      assert.equal((await client.post(path, { ...body, job_titles: ['None'] })).status, 404)
      assert.equal((await client.post(path, { ...body, more: 'x'.repeat(300_000) })).status, 413)
      for (const wrong of [{ job_ids: 'first' }, { job_ids: [1.5] }, { job_titles: 7 }])
        assert.equal((await client.post(path, { ...body, ...wrong })).status, 422)
      assert.equal((await client.post(`${path}/`, body)).status, 200)
    }
  })

  it('name the place of a fault in a query', async () => {
    const wrong: [string, object, string][] = [
      [paths.events, { size: -1 }, 'body.size'],
      [paths.events, { page: 'two' }, 'body.page'],
      [paths.events, { sort_order: 'up' }, 'body.sort_order'],
      [paths.events, { start_date: 'soon' }, 'body.start_date'],
      [paths.events, { filters: [{ field: 'a', operator: 'is' }] }, 'body.filters.0.value'],
      [paths.events, { filters: [{ field: 'a', operator: 'roughly', value: 1 }] }, 'body.filters.0.operator'],
      [paths.events, { size: 10_000, page: 1 }, 'body'],
      [paths.search, { query_body: [] }, 'body.query_body'],
      [paths.search, { query_body: { query: { more_like_this: {} } } }, 'body.query_body.query.more_like_this'],
      [
        paths.search,
        { query_body: { aggs: { a: { significant_terms: {} } } } },
        'body.query_body.aggs.a.significant_terms',
      ],
    ]
    for (const [path, body, place] of wrong) {
      const answer = await service.client.post(path, body)
      assert.equal(answer.status, 422, JSON.stringify(body))
      assert.ok(
        answer.body.detail.some((issue: { loc: string[] }) => issue.loc.join('.') === place),
        `${place} in ${answer.text}`,
      )
    }
    const problem = await service.client.post(
      paths.search,
      { query_body: { query: { nested: {} } } },
      { headers: { accept: 'application/problem+json' } },
    )
    assert.deepEqual([problem.body.status, problem.body.errors[0].type], [422, 'unsupported'])
  })

  it('are refused with 429 if too many run at once, and work again afterwards; clients that leave end theirs', async () => {
    const query = Array.from({ length: 200 }, () =>
      service.client.post(paths.search, { query_body: { aggs: { a: { terms: { field: 'source.ip' } } } } }),
    )
    const gone = new AbortController()
    const left = fetch(service.baseUrl + paths.events, {
      method: 'POST',
      headers: { 'x-service-api-key': service.client.key },
      signal: gone.signal,
    }).catch(() => 'left')
    gone.abort()
    const answers = await Promise.all(query)
    assert.equal(await left, 'left')
    for (const { status, headers } of answers)
      if (status !== 200) assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
    assert.ok(answers.some(({ status }) => status === 200) && answers.some(({ status }) => status === 429))
    assert.equal((await service.client.post(paths.events)).status, 200)
  })
})

describe('queries of an engine', () => {
  it('see the jobs of the key, end if nobody waits (also queries for metrics), and are refused by a closed engine', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'decision-queries-'))
    try {
      const service = await startService({ dataDir })
      const own = await makeJob(service.client)
      const other = await makeJob(service.client)
      for (const { jobId } of [own, other])
        await service.client.post('/api/v1/events/', { job_id: jobId, raw_body: { rule: 'r' } })
      await service.close()
      const engine = await openEngine({ dataDir, name: 'service' })
      const principal = engine.authenticate(own.key) as Principal
      const count = async (query: object): Promise<number> => {
        const text = await engine.queries.events(principal, { countOnly: true, ...query })
        return (JSON.parse(Buffer.from(text).toString()) as { total_count: number }).total_count
      }
      assert.equal(await count({}), 1)
      assert.equal(await count({ jobIds: [own.jobId] }), 1)
      await assert.rejects(count({ jobIds: [other.jobId] }), { code: 'job_not_found' })
      await assert.rejects(count({ jobTitles: [other.title] }), { code: 'job_not_found' })
      const gone = new AbortController()
      const given = engine.queries.events(principal, {}, gone.signal)
      gone.abort()
      await assert.rejects(given)
      const query = {
        obfuscateDecisionPoints: false,
        obfuscateUsernames: true,
        recomputeModels: false,
        latestModels: 0,
        timeoutS: 60,
      }
      const [metrics, left] = [new AbortController(), new AbortController()]
      const answers = [
        engine.metrics.internal(principal, query, metrics.signal),
        engine.metrics.internal(principal, query, left.signal),
      ]
      // The second one waits for the first, and then does not run.
      left.abort()
      assert.equal((await answers[0])?.jobMetrics.size, 1)
      await assert.rejects(answers[1] as Promise<unknown>, { code: 'query_timeout' })
      const late = engine.queries.events(principal, {})
      const [closed] = await Promise.all([
        assert.rejects(late, { code: 'draining' }).catch(() => 'answered before'),
        engine.close(),
      ])
      assert.ok(closed === undefined || closed === 'answered before')
      await assert.rejects(engine.queries.events(principal, {}), { code: 'draining' })
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
