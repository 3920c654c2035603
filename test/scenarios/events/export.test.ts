/** The export of an event, as a shipped client shows it to its playbooks (C3.4). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { EventSection } from '../../../server/schemas/exported-event.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService({ name: 'arcanna' })
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(() => service.close())

async function exported(eventId: string): Promise<any> {
  return (await client.get(`/api/v1/events/${jobId}/${eventId}/export`)).body
}

test('the section of the service is as its schema says, whatever the event has', async () => {
  const events = {
    'typed-1': { rule: 'a', '@timestamp': 3, metadata: 4, arcanna: { own: 1 }, source: { ip: '192.0.2.7' } },
    'typed-2': {},
  }
  for (const [id, raw_body] of Object.entries(events)) {
    assert.equal((await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body })).status, 201)
    const { arcanna_event } = await exported(id)
    assert.deepEqual(Compile(EventSection).Errors(arcanna_event.arcanna), [true, []])
  }
})

/** Every path that the example of the client's action "Export full event" has, with the type of its value there. */
const example: readonly (readonly [path: string, type: string])[] = [
  ['event_id', 'string'],
  ['ingest_timestamp', 'string'],
  ['status', 'string'],
  ['arcanna_event.metadata.severity', 'number'],
  ['arcanna_event.metadata.ingested_timestamp', 'string'],
  ['arcanna_event.metadata.id', 'string'],
  ['arcanna_event.metadata.description', 'string'],
  ['arcanna_event.arcanna.result', 'string'],
  ['arcanna_event.arcanna.result_label', 'string'],
  ['arcanna_event.arcanna.inference_status', 'string'],
  ['arcanna_event.arcanna.original_id', 'string'],
  ['arcanna_event.arcanna.original_index', 'string'],
  ['arcanna_event.arcanna.artifacts', 'object'],
  ['arcanna_event.arcanna.log_messages.0.component', 'string'],
  ['arcanna_event.arcanna.log_messages.0.level', 'string'],
  ['arcanna_event.arcanna.log_messages.0.component_subcategory', 'string'],
  ['arcanna_event.arcanna.log_messages.0.content', 'string'],
  ['arcanna_event.arcanna.log_messages.0.timestamp', 'string'],
  ['arcanna_event.arcanna.timers.output.per_alert_in_batch_ms', 'number'],
  ['arcanna_event.arcanna.timers.output.total_ms', 'number'],
  ['arcanna_event.arcanna.timers.output.start', 'number'],
  ['arcanna_event.arcanna.timers.output.end', 'number'],
  ['arcanna_event.arcanna.timers.output.kafka_overhead_in_ms', 'number'],
  ['arcanna_event.arcanna.timers.core.end', 'number'],
  ['arcanna_event.arcanna.timers.total_kafka_overhead_in_s', 'number'],
  ['arcanna_event.arcanna.timers.inference.per_alert_in_batch_ms', 'number'],
  ['arcanna_event.arcanna.timers.inference.total_ms', 'number'],
  ['arcanna_event.arcanna.timers.inference.start', 'number'],
  ['arcanna_event.arcanna.timers.inference.end', 'number'],
  ['arcanna_event.arcanna.timers.inference.kafka_overhead_in_ms', 'number'],
  ['arcanna_event.arcanna.timers.total_pipeline_in_s', 'number'],
  ['arcanna_event.arcanna.batch_uuid', 'string'],
  ['arcanna_event.arcanna.inference_result', 'string'],
  ['arcanna_event.arcanna.model.path', 'string'],
  ['arcanna_event.arcanna.model.timestamp', 'string'],
  ['arcanna_event.arcanna.batch_master_uuid', 'string'],
  ['arcanna_event.arcanna.bucket_id', 'string'],
  ['arcanna_event.arcanna.features_hash', 'string'],
  ['arcanna_event.arcanna.key_hash', 'string'],
  ['arcanna_event.arcanna.full_hash', 'string'],
  ['arcanna_event.arcanna.confidence_score', 'number'],
  ['arcanna_event.@timestamp', 'string'],
  ['arcanna_event.timestamp_inference', 'string'],
]

function at(document: unknown, path: string): unknown {
  return path.split('.').reduce<any>((inside, name) => inside?.[name], document)
}

test('everything that a playbook can pick from the example of a shipped client is there', async () => {
  const event = { rule: { name: 'New user by command line' } }
  await client.post('/api/v1/events/early', { job_id: jobId, raw_body: event, title: 'NEW_USER', severity: 3 })
  const early = (await exported('early')).arcanna_event
  assert.deepEqual(early.arcanna.model, { path: null, timestamp: null })
  assert.equal(early.arcanna.inference_result, 'no_decision')

  await client.post('/api/v1/events/other', { job_id: jobId, raw_body: { rule: 'other' } })
  await client.put(`/api/v1/events/${jobId}/early/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  await client.put(`/api/v1/events/${jobId}/other/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    async () => (await client.get(`/api/v1/jobs/${jobId}`)).body.retrain_state,
    (state) => state === 'RETRAIN_FINISHED',
  )
  await client.post('/api/v1/events/32072928741742', {
    job_id: jobId,
    raw_body: event,
    title: 'NEW_USER',
    severity: 3,
  })
  const answer = await exported('32072928741742')
  for (const [path, type] of example) assert.equal(typeof at(answer, path), type, path)
  const { metadata, arcanna, timestamp_inference } = answer.arcanna_event
  assert.deepEqual(metadata, {
    severity: 3,
    ingested_timestamp: answer.ingest_timestamp,
    id: '32072928741742',
    description: 'NEW_USER',
  })
  assert.equal(timestamp_inference, answer.ingest_timestamp)
  assert.deepEqual([arcanna.inference_status, arcanna.inference_result], ['finished', arcanna.result])
  assert.match(arcanna.batch_uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(await exported('32072928741742'), answer, 'the same each time')
})

test('the title and the severity of the request are kept where the event has fields of these names', async () => {
  const rawBody = { title: 'its own', severity: 'high', metadata: { id: 7, product: 'EDR' }, '@timestamp': 'then' }
  await client.post('/api/v1/events/named', { job_id: jobId, raw_body: rawBody, title: 'Asked', severity: 4 })
  const { arcanna_event: event } = await exported('named')
  assert.deepEqual([event.title, event.severity, event['@timestamp']], ['its own', 'high', 'then'])
  assert.deepEqual([event.arcanna.title, event.arcanna.severity], ['Asked', 4])
  const { ingested_timestamp: _, ...metadata } = event.metadata
  assert.deepEqual(metadata, { severity: 4, description: 'Asked', id: 7, product: 'EDR' })
  await client.post('/api/v1/events/plain', { job_id: jobId, raw_body: { metadata: 'a text' } })
  assert.equal((await exported('plain')).arcanna_event.metadata, 'a text')
})

test('an export that is sent again loses what the service had put beside its section', async () => {
  await client.post('/api/v1/events/once', { job_id: jobId, raw_body: { rule: 'r' }, title: 'Once', severity: 2 })
  const { arcanna_event: event } = await exported('once')
  await client.post('/api/v1/events/again', { job_id: jobId, raw_body: event, title: 'Again', severity: 5 })
  const answer = await exported('again')
  const { metadata, timestamp_inference } = answer.arcanna_event
  assert.deepEqual([metadata.id, metadata.description, metadata.severity], ['again', 'Again', 5])
  assert.equal(timestamp_inference, answer.ingest_timestamp)
})

test('filters find decided events by the word of exports and by the one before', async () => {
  const count = async (value: string): Promise<number> => {
    const filters = [{ field: 'arcanna.inference_status', operator: 'is', value }]
    const body = { job_ids: [jobId], filters, count_results_only: true }
    return (await client.post('/api/v2/events/query', body)).body.total_count
  }
  const all = await count('finished')
  assert.ok(all > 0)
  assert.equal(await count('OK'), all)
  assert.equal(await count('pending_inference'), 0)
  const { body } = await client.post('/api/v2/events/query', { job_ids: [jobId], size: 1 })
  assert.equal(body.events[0].status, 'OK')
})
