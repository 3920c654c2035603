/** Metrics over a real port (CONTRACT.md#metrics, C3.10). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { decidesAsItComes, eventually, makeJob, type Answer, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const metrics = '/api/v2/metrics'
const directory = mkdtempSync(join(tmpdir(), 'decision-service-'))
let service: TestService
let client: Client
let jobId: number
let title: string

const start = (): Promise<TestService> => startService({ name: 'arcanna', dataDir: directory })

async function ask(path: string, body?: unknown): Promise<any> {
  const answer = await client.post(`${metrics}/${path}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function refused(requested: Promise<Answer>, status: number): Promise<any> {
  const answer = await requested
  assert.equal(answer.status, status, answer.text)
  return answer.body
}

/** Events with votes by two analysts who disagree once, a model of them, and as many events that it decides. */
before(async () => {
  service = await start()
  client = service.client
  ;({ jobId, title } = await makeJob(client, decidesAsItComes))
  const bodyOf = (i: number): object => ({
    rule: i % 2 === 0 ? 'Ransomware' : 'Sign-in',
    source: { ip: `192.0.2.${i % 6}` },
  })
  const label = (i: number): string => (i % 2 === 0 ? 'Escalate' : 'Drop')
  const events = Array.from({ length: 12 }, (_, i) => {
    return {
      job_id: jobId,
      raw_body: bodyOf(i),
      label: { cortex_user: i < 6 ? 'ann' : 'bob', feedback: i === 7 ? 'Investigate' : label(i) },
    }
  })
  const posted = await client.post(`/api/v1/bulk/${jobId}`, { count: events.length, events })
  assert.equal(posted.status, 201, posted.text)
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  for (let i = 0; i < 12; i++) await client.post(`/api/v1/events/new-${i}`, { job_id: jobId, raw_body: bodyOf(i) })
})
after(async () => {
  await service.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('a job', () => {
  test('is shown by id and by title', async () => {
    const body = await ask(`job?job_id=${jobId}`)
    assert.deepEqual([body.basis, body.basis_events], ['held_out', 11])
    assert.deepEqual(body.confusion_matrix, [
      [6, 0, 0],
      [0, 4, 1],
      [0, 0, 0],
    ])
    assert.deepEqual(body.agreement_with_votes, {
      matrix: [
        [6, 0, 0],
        [0, 4, 0],
        [0, 0, 0],
      ],
      events: 10,
      share: 1,
    })
    assert.equal(body.quality.new_buckets.message, 'not enough yet: 0 of 30 events')
    assert.deepEqual(Object.keys(body.metrics_per_decision), ['Escalate', 'Drop', 'Investigate'])
    assert.deepEqual(body.metrics_per_decision.Escalate, {
      precision: 1,
      recall: 1,
      f1_score: 1,
      true_positives: 6,
      true_negatives: 5,
      false_positives: 0,
      false_negatives: 0,
    })
    assert.deepEqual(
      [body.overall_accuracy, body.total_events, body.total_events_with_consensus, body.total_events_in_knowledge_base],
      [0.909091, 24, 20, 20],
    )
    assert.deepEqual(
      [body.time_saved_minutes, body.active_model_id, body.all_model_ids],
      [0, `model_${jobId}_1`, [`model_${jobId}_1`]],
    )
    assert.deepEqual(body.changed_consensus_after_training, {
      total_events: 0,
      top_events_ids: [],
      top_buckets_ids: [],
    })
    assert.match(body.start_time, /Z$/)
    const byTitle = await ask(`job?job_id=${encodeURIComponent(title)}`, {})
    assert.deepEqual({ ...byTitle, end_time: '' }, { ...body, end_time: '' })
  })

  test('is shown for a period, and by filters under both names of the service', async () => {
    const { ingest_timestamp: from } = (await client.get(`/api/v1/events/${jobId}/new-6`)).body
    assert.equal((await ask(`job?job_id=${jobId}&start_datetime=${from}`)).total_events, 6)
    const zero = '0001-01-01T00:00:00.0000000Z'
    assert.equal(
      (await ask(`job?job_id=${jobId}&start_datetime=${zero}&end_datetime=${zero}`)).total_events,
      24,
      'a time never set is not given',
    )
    assert.equal((await ask(`job?job_id=${jobId}&end_datetime=${from}`)).total_events, 18)
    for (const name of ['arcanna', 'service']) {
      const body = await ask(`job?job_id=${jobId}`, {
        filters: [{ field: `${name}.result_label`, operator: 'is', value: 'Escalate' }],
      })
      assert.deepEqual([body.total_events, body.agreement_with_votes.matrix[0]], [6, [6, 0, 0]])
    }
  })

  test('and its model are shown together, nested and flat', async () => {
    const body = await ask(`job_and_latest_model?job_id=${jobId}&timeout_s=30`)
    assert.deepEqual([body.job_id, body.model_id], [jobId, `model_${jobId}_1`])
    for (const [name, value] of Object.entries(body.job_metrics)) assert.deepEqual(body[name], value, name)
    assert.deepEqual(body.active_model_metrics, body.model_metrics)
    assert.equal(body.model_metrics.is_recomputing_metrics, false)
    const { quality, agreement_with_votes: agreement, overall_accuracy: accuracy } = body.model_metrics
    assert.deepEqual([agreement.events, agreement.share], [20, 1])
    assert.deepEqual([typeof accuracy, quality.held_out.enough], ['number', false])
    assert.match(quality.held_out.message, /^not enough yet: \d+ of 30 events$/)
    for (const { reliability } of Object.values<any>(quality.held_out.per_label)) assert.equal(reliability.length, 10)
    assert.equal(quality.since_training.new_buckets.events, 0)
    assert.deepEqual(body.model_metrics.kb_count_per_decision, {
      Escalate: { alerts_count: 12, buckets_count: 3 },
      Drop: { alerts_count: 8, buckets_count: 2 },
      Investigate: { alerts_count: 0, buckets_count: 0 },
    })
    assert.deepEqual([body.model_metrics.buckets_in_kb, body.model_metrics.events_in_kb], [5, 20])
  })

  test('without a model has nulls for existing clients, and numbers where they are specified', async () => {
    const { jobId: empty } = await makeJob(client)
    const body = await ask(`job_and_latest_model?job_id=${empty}`, {})
    assert.deepEqual(
      [body.model_id, body.overall_accuracy, body.active_model_id, body.total_events],
      [null, null, null, 0],
    )
    assert.deepEqual([body.job_metrics.overall_accuracy, body.job_metrics.basis], [0, 'none'])
    assert.deepEqual([body.model_metrics.overall_accuracy, body.model_metrics.basis], [0, 'none'])
    assert.deepEqual(body.active_model_metrics.metrics_per_decision, {})
    for (const name of [
      'model_id',
      'confusion_matrix',
      'overall_f1_score',
      'last_recomputed_timestamp',
      'events_in_kb',
    ]) {
      assert.equal(body.active_model_metrics[name], null, name)
    }
    assert.deepEqual((await ask(`internal_metrics?job_ids=${empty}`)).job_metrics[empty].model_metrics, {})
  })
})

describe('a model', () => {
  test('is computed again on request, and shown by both methods', async () => {
    const query = `job_id=${encodeURIComponent(title)}&model_id=model_${jobId}_1`
    const before = await ask(`model?${query}`)
    const requested = await ask(`model/request_recompute_metrics?${query}`)
    assert.deepEqual([requested.job_id, requested.model_id, requested.status], [jobId, `model_${jobId}_1`, 'queued'])
    assert.match(requested.requested_at, /Z$/)
    assert.equal(typeof requested.message, 'string')
    const done = await eventually(
      () => client.get(`${metrics}/model?${query}`),
      ({ body }) => body.is_recomputing_metrics === false,
    )
    assert.ok(done.body.last_recomputed_timestamp > before.last_recomputed_timestamp)
    assert.equal(done.body.recompute_status, 'completed')
    assert.deepEqual(await ask(`model?${query}`), done.body)
  })

  test('that does not exist is 404, with details where a recomputation is requested', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await client.request(method, `${metrics}/model?job_id=${jobId}&model_id=model_9_1`)
      assert.deepEqual([answer.status, answer.body], [404, { error: 'model not found' }])
    }
    const body = await refused(
      client.post(`${metrics}/model/request_recompute_metrics?job_id=${jobId}&model_id=model_9_1`),
      404,
    )
    assert.equal(body.error, 'model not found')
    assert.equal(typeof body.details, 'string')
    const {
      detail: [missing],
    } = await refused(client.get(`${metrics}/model?job_id=${jobId}`), 422)
    assert.deepEqual(missing.loc, ['query', 'model_id'])
  })
})

describe('internal metrics', () => {
  test('echo the query as it was understood, and fill every part', async () => {
    const body = await ask('internal_metrics')
    assert.deepEqual(
      { ...body.endpoint_request_parameters, current_timestamp: '', job_ids: [] },
      {
        job_ids: [],
        aggregation_time_interval: null,
        obfuscate_decision_points_names: false,
        obfuscate_usernames: true,
        start_datetime: null,
        end_datetime: null,
        filters: [],
        recompute_model_metrics: true,
        latest_n_models_to_recompute: 2,
        timeout_s: 120,
        current_timestamp: '',
      },
    )
    assert.ok(body.endpoint_request_parameters.job_ids.includes(jobId))
    assert.deepEqual(body.endpoint_warnings, [])
    const one = body.job_metrics[jobId]
    assert.deepEqual(
      [one.job_id, one.job_settings.title, one.job_metrics.total_events, one.job_metrics.model_state],
      [jobId, title, 24, 'current'],
    )
    const { decided_by_knowledge_base: known, decided_by_model: unknown } = one.job_metrics.agreement_with_votes
    assert.deepEqual([known.events, known.share, unknown.events, unknown.share], [10, 1, 0, null])
    assert.deepEqual([one.job_metrics.error_rate, typeof one.job_metrics.overall_accuracy], [null, 'number'])
    const model = one.model_metrics[`model_${jobId}_1`]
    assert.deepEqual(
      model.decision_points.map(({ name }: { name: string }) => name),
      ['rule', 'source.ip'],
    )
    assert.equal(model.evaluation.agreement_with_votes.knowledge_base.share, 1)
    assert.equal(model.scores.held_out.per_label.Drop.reliability.length, 10)
    assert.equal(one.feedback_metrics.votes, 12)
    assert.deepEqual(one.feedback_metrics.agreement.subjects, 6)
    assert.equal(body.overall_feedback_metrics.votes, 12)
  })

  test('are split by intervals whose sum is the whole', async () => {
    const from = new Date(Date.now() - 3 * 86_400_000).toISOString()
    const { job_metrics: jobs } = await ask(
      `internal_metrics?job_ids=${jobId}&aggregation_time_interval=1d&start_datetime=${from}`,
      { filters: null },
    )
    const { intervals, total_events: total } = jobs[jobId].job_metrics
    assert.ok(intervals.length === 4 || intervals.length === 5)
    assert.equal(
      intervals.reduce((all: number, one: any) => all + one.total_events, 0),
      total,
    )
    assert.equal(jobs[jobId].feedback_metrics.intervals.length, intervals.length)
    for (let i = 1; i < intervals.length; i++) assert.equal(intervals[i].start_time, intervals[i - 1].end_time)
  })

  test('have names that cannot be read: the same within an answer, others in the next', async () => {
    const [plain, one, two] = await Promise.all(
      ['obfuscate_usernames=False', 'obfuscate_decision_points_names=True', 'obfuscate_decision_points_names=true'].map(
        (how) => {
          return client.post(`${metrics}/internal_metrics?job_ids=${jobId}&${how}`, {
            filters: [{ field: 'rule', operator: 'exists' }],
          })
        },
      ),
    )
    assert.deepEqual(Object.keys(plain?.body.job_metrics[jobId].feedback_metrics.analysts), ['ann', 'bob'])
    const namesOf = ({ body }: Answer): string[] => Object.keys(body.overall_feedback_metrics.analysts)
    assert.deepEqual(namesOf(one!), Object.keys(one?.body.job_metrics[jobId].feedback_metrics.analysts))
    assert.equal(new Set([...namesOf(one!), ...namesOf(two!), 'ann', 'bob']).size, 6)
    for (const answer of [one, two]) assert.doesNotMatch(answer!.text, /"ann"|"bob"|source\.ip|"rule"/)
    const { job_settings: settings, model_metrics: models } = one!.body.job_metrics[jobId]
    assert.deepEqual(
      models[`model_${jobId}_1`].decision_points.map(({ name }: { name: string }) => name),
      settings.decision_points,
    )
    assert.equal(one?.body.endpoint_request_parameters.filters[0].field, settings.decision_points[0])
  })

  test('take several jobs by repeated parameter and by commas', async () => {
    const { jobId: other } = await makeJob(client)
    for (const query of [`job_ids=${jobId}&job_ids=${other}`, `job_ids=${jobId},${other}`]) {
      assert.deepEqual(Object.keys((await ask(`internal_metrics?${query}`)).job_metrics), [
        String(jobId),
        String(other),
      ])
    }
  })

  test('say what is missing for a period without data', async () => {
    await client.put(`/api/v1/events/${jobId}/new-0/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
    const { endpoint_warnings: warnings, job_metrics: jobs } = await ask(
      `internal_metrics?job_ids=${jobId}&timeout_s=0`,
    )
    assert.ok(warnings.length > 0 && warnings.every((one: unknown) => typeof one === 'string'))
    assert.equal(jobs[jobId].job_id, jobId)
  })
})

test('a model of a job without buckets has none in its knowledge base', async () => {
  const { jobId: centric } = await makeJob(client, { category: 'Event centric decision intelligence' })
  for (const [at, feedback] of ['Escalate', 'Drop', 'Escalate', 'Drop'].entries()) {
    await client.post(`/api/v1/events/e${at}`, { job_id: centric, raw_body: { rule: `r${at % 2}` } })
    await client.put(`/api/v1/events/${centric}/e${at}/feedback`, { feedback })
  }
  await client.post(`/api/v1/jobs/${centric}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${centric}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  const body = await ask(`model?job_id=${centric}&model_id=model_${centric}_1`)
  assert.deepEqual([body.buckets_in_kb, body.events_in_kb], [0, 4])
  assert.deepEqual(body.kb_count_per_decision.Drop, { alerts_count: 2, buckets_count: 0 })
})

test('the platform shows what is stored under the service’s own name and the neutral one', async () => {
  const body = await ask(`platform_metrics?job_ids=${jobId}`)
  assert.equal(body.es_cluster_metrics.cluster_name, 'arcanna')
  assert.deepEqual(body.arcanna, body.service)
  const {
    overall,
    per_job_metrics: [one],
  } = body.service
  assert.deepEqual([overall.events_count, overall.buckets_count], [24, 6])
  assert.ok(overall.storage_mb > 0)
  assert.deepEqual([one.job_id, one.title, one.events_count, one.buckets_count], [jobId, title, 24, 6])
  assert.equal(
    one.intervals.reduce((all: number, { events_count: count }: { events_count: number }) => all + count, 0),
    24,
  )
})

describe('refusals', () => {
  test('name the parameter or the filter', async () => {
    const filter = (operator: string, value?: unknown): Promise<Answer> => {
      return client.post(`${metrics}/job?job_id=${jobId}`, { filters: [{ field: 'rule', operator, value }] })
    }
    const rows: readonly [Promise<Answer>, string[]][] = [
      [client.post(`${metrics}/job`), ['query', 'job_id']],
      [client.post(`${metrics}/job?job_id=${jobId}&start_datetime=soon`), ['query', 'start_datetime']],
      [
        client.post(`${metrics}/job?job_id=${jobId}&start_datetime=2026-01-02&end_datetime=2026-01-02`),
        ['query', 'end_datetime'],
      ],
      [client.post(`${metrics}/job_and_latest_model?job_id=${jobId}&timeout_s=-1`), ['query', 'timeout_s']],
      [client.post(`${metrics}/internal_metrics?aggregation_time_interval=0d`), ['query', 'aggregation_time_interval']],
      [
        client.post(
          `${metrics}/internal_metrics?job_ids=${jobId}&aggregation_time_interval=1m&start_datetime=2020-01-01`,
        ),
        ['query', 'aggregation_time_interval'],
      ],
      [client.put(`${metrics}/production_date?job_id=${jobId}&production_date=x`), ['query', 'production_date']],
      [
        client.put(
          `${metrics}/production_date?job_id=${jobId}&production_date=${new Date(Date.now() + 60_000).toISOString()}`,
        ),
        ['query', 'production_date'],
      ],
      [filter('like', 'x'), ['body', 'filters', '0', 'operator']],
      [filter('is'), ['body', 'filters', '0', 'value']],
      [filter('is one of', {}), ['body', 'filters', '0', 'value']],
    ]
    for (const [requested, loc] of rows) assert.deepEqual((await refused(requested, 422)).detail[0].loc, loc)
  })

  test('of unknown jobs, and for keys without permission', async () => {
    assert.deepEqual(await refused(client.post(`${metrics}/job?job_id=none`), 404), { error: 'job not found' })
    assert.deepEqual(await refused(client.put(`${metrics}/production_date?job_id=0&production_date=2026-01-01`), 404), {
      request: { status: 'NOK', reason: 'job not found', reason_details: null },
    })
    const { key } = await makeJob(client)
    await refused(client.withKey(key).post(`${metrics}/job?job_id=${jobId}`), 403)
  })
})

test('a production date is where metrics begin; it survives a restart, with the figures of models', async () => {
  const { ingest_timestamp: from } = (await client.get(`/api/v1/events/${jobId}/new-0`)).body
  const answer = await client.put(
    `${metrics}/production_date?job_id=${jobId}&production_date=${encodeURIComponent(from.replace('Z', '+00:00'))}`,
  )
  assert.deepEqual(
    [answer.status, answer.body],
    [200, { request: { status: 'OK', reason: null, reason_details: null } }],
  )
  const query = `job_id=${jobId}&model_id=model_${jobId}_1`
  const { body: known } = await eventually(
    () => client.get(`${metrics}/model?${query}`),
    ({ body }) => body.is_recomputing_metrics === false,
  )
  await service.close()
  service = await start()
  client = service.client
  const body = await ask(`job?job_id=${jobId}`)
  assert.deepEqual([body.start_time, body.production_date, body.total_events], [from, from, 12])
  assert.equal((await ask(`job?job_id=${jobId}&start_datetime=2020-01-01`)).total_events, 24)
  assert.deepEqual((await client.get(`${metrics}/model?${query}`)).body, known)
})
