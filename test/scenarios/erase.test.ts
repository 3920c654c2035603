/** Erasing events: what goes with them, what stays, and that the store is consistent afterwards. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verifyDataDir } from '../../engine/index.js'
import { eventually, makeJob } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const dataDir = mkdtempSync(join(tmpdir(), 'erasure-'))
let service: TestService
let jobId: number

before(async () => {
  service = await startService({ dataDir })
  jobId = (await makeJob(service.client)).jobId
  for (const [id, rule, person] of [
    ['a1', 'alone', 'ann'],
    ['s1', 'shared', 'ann'],
    ['s2', 'shared', 'ben'],
    ['b1', 'other', 'ben'],
  ]) {
    await service.client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule, person } })
  }
  for (const [id, feedback] of [
    ['a1', 'Escalate'],
    ['s1', 'Escalate'],
    ['b1', 'Drop'],
  ])
    await service.client.put(`/api/v1/events/${jobId}/${id}/feedback`, { feedback })
  await service.client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => service.client.get(`/api/v2/jobs/${jobId}`),
    ({ text }) => text.includes('RETRAIN_FINISHED'),
  )
})
after(() => rmSync(dataDir, { recursive: true }))

const path = () => `/api/v2/events/${jobId}/delete`
const ofAnn = { filters: [{ field: 'person', operator: 'is', value: 'ann' }] }

test('a request that names nothing is refused, and erases nothing', async () => {
  for (const body of [{}, { filters: [] }]) assert.equal((await service.client.post(path(), body)).status, 422)
  assert.equal((await service.client.get(`/api/v1/events/${jobId}/a1`)).status, 200)
})

test('the events go, with their votes and the buckets that only they were in', async () => {
  const { body, text } = await service.client.post(path(), ofAnn)
  assert.deepEqual([body.events_deleted, body.votes_deleted, body.retrain_needed], [2, 2, true], text)
  for (const id of ['a1', 's1'])
    assert.equal((await service.client.get(`/api/v1/events/${jobId}/${id}`)).status, 404, id)
  for (const id of ['s2', 'b1'])
    assert.equal((await service.client.get(`/api/v1/events/${jobId}/${id}`)).status, 200, id)
  const shared = await service.client.get(`/api/v2/events/${jobId}/s2/consensus`)
  assert.deepEqual(shared.body.votes ?? [], [], shared.text)
})

test('the job says that its model must be trained again', async () => {
  const { text } = await service.client.get(`/api/v2/jobs/${jobId}`)
  assert.match(text, /train it again/)
})

test('a second request finds nothing left to erase', async () => {
  const { body } = await service.client.post(path(), ofAnn)
  assert.equal(body.events_deleted, 0)
})

test('the id may be used again, for another event', async () => {
  const answer = await service.client.post('/api/v1/events/a1', {
    job_id: jobId,
    raw_body: { rule: 'alone', person: 'carl' },
  })
  assert.equal(answer.status, 201, answer.text)
  assert.equal((await service.client.get(`/api/v1/events/${jobId}/a1`)).body.bucket_state, 'new')
})

test('the audit log has the author, the number and the fields, and not their values', async () => {
  const { body, text } = await service.client.get('/api/monitoring/api/v1/audit/logs?action=erased,erasure requested')
  assert.equal(body.audit_logs.length, 4)
  assert.deepEqual(
    body.audit_logs
      .map(({ details }: { details: { events?: number } }) => details.events ?? null)
      .filter((events: number | null) => events !== null),
    [0, 2],
  )
  assert.match(text, /person is/)
  assert.doesNotMatch(text, /ann/)
})

test('every record, index and counter is consistent afterwards', async () => {
  await service.close()
  const { problems, events } = await verifyDataDir(dataDir)
  assert.deepEqual(problems, [])
  assert.equal(events, 3)
})
