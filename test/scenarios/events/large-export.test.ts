/** Exports of large events are made on a reader thread: the main thread decodes none of their bodies. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

/** Bodies that this thread has decoded. Other threads load the class anew. */
let decoded = 0
const { decode } = BodyCodec.prototype

before(async () => {
  BodyCodec.prototype.decode = function counting(bytes) {
    decoded++
    return decode.call(this, bytes)
  }
  service = await startService({ name: 'acme' })
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(async () => {
  BodyCodec.prototype.decode = decode
  await service.close()
})

async function post(eventId: string, rawBody: object): Promise<void> {
  const answer = await client.post(`/api/v1/events/${eventId}`, { job_id: jobId, raw_body: rawBody })
  assert.equal(answer.status, 201, answer.text)
}

/** The export, and the number of bodies that the main thread decoded for it. */
async function exported(eventId: string): Promise<{ body: any; decodedHere: number }> {
  const before = decoded
  const answer = await client.get(`/api/v1/events/${jobId}/${eventId}/export`)
  assert.equal(answer.status, 200, answer.text)
  return { body: answer.body, decodedHere: decoded - before }
}

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, at]))
const shapes = (count: number) => {
  return Array.from({ length: count }, (_, one) =>
    Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`f${one}_${at}`, 1])),
  )
}

test('a small event is exported on the main thread', async () => {
  await post('small', { rule: { name: 'a' } })
  const { body, decodedHere } = await exported('small')
  assert.equal(decodedHere, 1)
  assert.deepEqual(Object.keys(body), [
    'event_id',
    'ingest_timestamp',
    'status',
    'error_message',
    'acme_event',
    'service_event',
  ])
  assert.deepEqual(body.acme_event, body.service_event)
})

for (const [name, rawBody] of [
  ['many distinct names', { rule: { name: 'b' }, ...names(9_000) }],
  ['many shapes', { rule: { name: 'c' }, items: shapes(150) }],
  ['few bytes with long names', { rule: { name: 'd' }, items: Array.from({ length: 300 }, () => shapes(1)[0]) }],
] as const) {
  test(`an event of ${name} is exported whole, and the main thread decodes nothing`, async () => {
    const id = name.replaceAll(' ', '-')
    await post(id, rawBody)
    const { body, decodedHere } = await exported(id)
    assert.equal(decodedHere, 0)
    assert.equal(body.event_id, id)
    for (const [field, value] of Object.entries(rawBody)) assert.deepEqual(body.acme_event[field], value)
    assert.equal(body.acme_event.acme.original_id, id)
    assert.deepEqual(body.acme_event, body.service_event)
  })
}

test('notes count as a part of the event', async () => {
  await post('noted', { rule: { name: 'e' } })
  const note = { agent_notes: 'x'.repeat(limits.exportedHereBytesMax), workflow_name: 'Triage' }
  const path = `/api/v2/events/${jobId}/noted/add_agentic_notes`
  assert.equal((await client.post(path, note)).status, 200)
  const { body, decodedHere } = await exported('noted')
  assert.equal(decodedHere, 0)
  assert.equal(body.acme_event.acme.agentic_notes[0].agent_notes, note.agent_notes)
})

test('an event that was never there is 404', async () => {
  assert.equal((await client.get(`/api/v1/events/${jobId}/never/export`)).status, 404)
})

test('the votes of a bucket of large events are shown without reading their bodies', async () => {
  for (const id of ['v1', 'v2']) {
    await post(id, { rule: { name: 'voted' }, id, ...names(9_000) })
    await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  }
  const before = decoded
  const { body } = await client.get(`/api/v2/events/${jobId}/v1/consensus`)
  assert.deepEqual(body.votes.map((vote: any) => vote.event_id).sort(), ['v1', 'v2'], JSON.stringify(body))
  assert.equal(decoded, before)
})

test('an explanation of a large event, similar events and a large body decode nothing on the main thread', async () => {
  const rawBody = { rule: { name: 'explained' }, ...names(9_000) }
  await post('explained', rawBody)
  const before = decoded
  for (const path of ['explanation', 'similar']) {
    const answer = await client.get(`/api/v2/events/${jobId}/explained/${path}`)
    assert.equal(answer.status, 200, answer.text)
  }
  const { body } = await client.post(`/api/v2/jobs/${jobId}/decide`, { raw_body: rawBody })
  assert.deepEqual([body.status, body.source, body.known_bucket], ['OK', 'none', true])
  assert.equal(decoded, before)
})
