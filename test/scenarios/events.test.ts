/** Events over a real port (CONTRACT.md#events). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client, type JobSetup } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const ISO_MICROS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const rawBody = { rule: 'Impossible travel', source: { ip: '192.0.2.7' } }

let service: TestService
let client: Client
let job: JobSetup

before(async () => {
  service = await startService()
  job = await makeJob(service.client)
  client = service.client.withKey(job.key)
})
after(() => service.close())

test('a posted event is answered 201 with an id, pending, without an error', async () => {
  const answer = await client.post('/api/v1/events/', { job_id: job.jobId, raw_body: rawBody })
  assert.equal(answer.status, 201)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual(Object.keys(answer.body).sort(), [
    'error_message',
    'event_id',
    'ingest_timestamp',
    'job_id',
    'status',
  ])
  assert.equal(typeof answer.body.event_id, 'string')
  assert.equal(answer.body.job_id, job.jobId)
  assert.match(answer.body.ingest_timestamp, ISO_MICROS)
  assert.equal(answer.body.status, 'pending_inference')
  assert.equal(answer.body.error_message, null)
})

test('an id in the path becomes the id of the event', async () => {
  const answer = await client.post('/api/v1/events/mine-1', { job_id: job.jobId, raw_body: rawBody })
  assert.equal(answer.status, 201)
  assert.equal(answer.body.event_id, 'mine-1')
})

test('ids that the service makes are unique and sorted by time', async () => {
  const ids: string[] = []
  for (let i = 0; i < 20; i++) {
    ids.push((await client.post('/api/v1/events/', { job_id: job.jobId, raw_body: rawBody })).body.event_id)
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual([...ids].sort(), ids)
})

test('an event without a model is OK, without a decision', async () => {
  await client.post('/api/v1/events/undecided', { job_id: job.jobId, raw_body: rawBody })
  const answer = await eventually(
    () => client.get(`/api/v1/events/${job.jobId}/undecided`),
    (got) => got.body.status !== 'pending_inference',
  )
  assert.equal(answer.status, 200)
  assert.match(answer.body.ingest_timestamp, ISO_MICROS)
  assert.deepEqual(
    { ...answer.body, ingest_timestamp: '' },
    {
      event_id: 'undecided',
      ingest_timestamp: '',
      status: 'OK',
      result: '',
      result_label: '',
      error_message: null,
      bucket_state: 'new',
      knowledge_base_state: 'new',
      outlier: false,
      confidence_score: 0,
    },
  )
})

test('an export has the body at top level and a section of the service, under both names', async () => {
  await client.post('/api/v1/events/exported', { job_id: job.jobId, raw_body: rawBody, title: 'T', severity: 3 })
  const { status, body } = await client.get(`/api/v1/events/${job.jobId}/exported/export`)
  assert.equal(status, 200)
  assert.equal(body.event_id, 'exported')
  assert.equal(body.service_event.rule, rawBody.rule)
  assert.deepEqual(body.service_event.source, rawBody.source)
  for (const field of ['result', 'result_label', 'bucket_state', 'bucket_id', 'confidence_score', 'log_messages']) {
    assert.ok(field in body.service_event.service, field)
  }
})

test('the same event again is the same event; another body is a new version', async () => {
  const path = '/api/v1/events/again'
  const count = async () => (await client.get(`/api/v1/jobs/${job.jobId}`)).body.processed_documents_count
  const first = await client.post(path, { job_id: job.jobId, raw_body: rawBody })
  const counted = await count()
  const second = await client.post(path, { job_id: job.jobId, raw_body: rawBody })
  assert.equal(second.status, 201)
  assert.equal(second.body.ingest_timestamp, first.body.ingest_timestamp)
  assert.equal(await count(), counted)
  assert.equal((await client.post(path, { job_id: job.jobId, raw_body: { rule: 'Another' } })).status, 201)
  assert.equal(await count(), counted)
  const exported = await client.get(`/api/v1/events/${job.jobId}/again/export`)
  assert.equal(exported.body.service_event.rule, 'Another')
})

test('the same id in two jobs is two events', async () => {
  const other = await makeJob(service.client)
  await client.post('/api/v1/events/None', { job_id: job.jobId, raw_body: { rule: 'here' } })
  await client.withKey(other.key).post('/api/v1/events/None', { job_id: other.jobId, raw_body: { rule: 'there' } })
  const here = await client.get(`/api/v1/events/${job.jobId}/None/export`)
  const there = await service.client.get(`/api/v1/events/${other.jobId}/None/export`)
  assert.equal(here.body.service_event.rule, 'here')
  assert.equal(there.body.service_event.rule, 'there')
})

test('feedback is taken by label name, id and alias, and moves the bucket on', async () => {
  await client.post('/api/v1/events/voted', {
    job_id: job.jobId,
    raw_body: { rule: 'Voted on', source: { ip: '::1' } },
  })
  const path = `/api/v1/events/${job.jobId}/voted/feedback`
  for (const feedback of ['Escalate', 'escalate', 'ESCALATE', 'label_0', 'class_0']) {
    const answer = await client.put(path, {
      cortex_user: 'ann',
      feedback,
      closing_notes: 'n',
      indicators: [{ ip: '::1' }],
    })
    assert.equal(answer.status, 200, `${feedback}: ${answer.text}`)
    assert.equal(answer.body.status, 'updated')
  }
  assert.equal((await client.get(`/api/v1/events/${job.jobId}/voted`)).body.bucket_state, 'pending')
})

test('feedback with the older names of the fields, or without a user, is accepted', async () => {
  await client.post('/api/v1/events/older', { job_id: job.jobId, raw_body: { rule: 'Older names' } })
  const path = `/api/v1/events/${job.jobId}/older/feedback`
  assert.equal((await client.put(path, { username: 'bob', label: 'Drop' })).status, 200)
  assert.equal((await client.put(path, { cortex_user: null, feedback: 'Drop' })).status, 200)
})

test('historic events arrive with their labels, all at once', async () => {
  const historic = await makeJob(service.client)
  const key = service.client.withKey(historic.key)
  const answer = await key.post(`/api/v1/bulk/${historic.jobId}`, {
    count: 3,
    events: [
      {
        job_id: historic.jobId,
        raw_body: { rule: 'a' },
        label: { cortex_user: 'ann', feedback: 'Drop', closing_notes: '' },
      },
      {
        job_id: historic.jobId,
        title: 't',
        severity: 1,
        raw_body: { rule: 'b' },
        label: { cortex_user: 'ann', feedback: null },
      },
      { job_id: historic.jobId, raw_body: { rule: 'c' } },
    ],
  })
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.body, { status: 'ok' })
  const { body } = await key.get(`/api/v1/jobs/${historic.jobId}`)
  assert.equal(body.processed_documents_count, 3)
  assert.equal(body.feedback_documents_count, 1)
})
