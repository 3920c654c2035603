/** Jobs over a real port (CONTRACT.md#jobs, C2.3). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Check } from 'typebox/schema'
import { Job } from '../../server/schemas/jobs.js'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client
let job: Awaited<ReturnType<typeof makeJob>>

before(async () => {
  service = await startService()
  job = await makeJob(service.client)
  client = service.client.withKey(job.key)
})
after(() => service.close())

test('a job is shown with every field that clients read', async () => {
  const { status, body } = await client.get(`/api/v1/jobs/${job.jobId}`)
  assert.equal(status, 200)
  assert.ok(Check(Job, body), JSON.stringify(body))
  assert.equal(body.title, job.title)
  assert.equal(body.status, 'STARTED')
  assert.equal(body.data_type, 'alerts')
  assert.equal(body.retrain_state, 'not_trained')
  assert.deepEqual(body.labels, ['Escalate', 'Drop', 'Investigate'])
  assert.deepEqual(body.features, ['rule', 'source.ip'])
  assert.equal(body.processed_documents_count, 0)
  assert.equal(body.last_processed_timestamp, '')
  assert.equal(body.invalid, false)
})

test('the list holds the jobs that the key may see', async () => {
  const other = await makeJob(service.client)
  const mine = await client.get('/api/v1/jobs/')
  assert.equal(mine.status, 200)
  assert.deepEqual(
    mine.body.map((each: { job_id: number }) => each.job_id),
    [job.jobId],
  )
  const all = await service.client.get('/api/v1/jobs/')
  assert.ok(all.body.some((each: { job_id: number }) => each.job_id === other.jobId))
})

test('the list leaves out jobs that take no events over this API', async () => {
  const answer = await service.client.post('/api/v2/resources', {
    j: { type: 'job', properties: { title: 'Without input', decision_points: ['a'] } },
  })
  assert.equal(answer.status, 200, answer.text)
  const { body } = await service.client.get('/api/v1/jobs/')
  assert.ok(!body.some((each: { title: string }) => each.title === 'Without input'))
})

test('labels are an array of names, by id and by title', async () => {
  assert.deepEqual((await client.get(`/api/v1/jobs/${job.jobId}/labels`)).body, ['Escalate', 'Drop', 'Investigate'])
  const answer = await client.post('/api/v1/jobs/get_by_name/labels', { job_name: job.title })
  assert.deepEqual(answer.body, ['Escalate', 'Drop', 'Investigate'])
})

test('a job is found by its title', async () => {
  const answer = await client.post('/api/v1/jobs/get_by_name', { job_name: job.title })
  assert.equal(answer.status, 200)
  assert.equal(answer.body.job_id, job.jobId)
  assert.equal((await client.post('/api/v1/jobs/get_by_name', { job_name: 'nobody' })).status, 404)
})

test('training without enough feedback is refused with what is missing', async () => {
  const answer = await client.post(`/api/v1/jobs/${job.jobId}/train?username=ann`)
  assert.equal(answer.status, 409)
  assert.match(answer.body.error, /votes for at least two labels/)
})

test('a stopped job holds its events, and decides them when it starts', async () => {
  const held = await makeJob(service.client)
  const stop = await service.client.post(`/api/v2/jobs/${held.jobId}/stop`)
  assert.equal(stop.status, 200)
  assert.deepEqual(stop.body, { status: 'OK', reason: null, reason_details: null })
  assert.equal((await service.client.get(`/api/v1/jobs/${held.jobId}`)).body.status, 'STOPPED')
  const posted = await service.client.post('/api/v1/events/held', { job_id: held.jobId, raw_body: { rule: 'a' } })
  assert.equal(posted.status, 201)
  assert.equal((await service.client.get(`/api/v1/events/${held.jobId}/held`)).body.status, 'pending_inference')
  const [line] = await service.client.bulk(`{"job_id":${held.jobId},"raw_body":{}}`)
  assert.equal(line.status, 'pending_inference')
  assert.equal((await service.client.post(`/api/v2/jobs/${held.jobId}/start`)).status, 200)
  await eventually(
    () => service.client.get(`/api/v1/events/${held.jobId}/held`),
    (answer) => answer.body.status === 'OK',
  )
})

test('an unknown job is 404 in every operation', async () => {
  for (const id of ['999999', 'abc', '-1', '0', '1e3', 'None', '%20']) {
    for (const [method, path] of [
      ['GET', `/api/v1/jobs/${id}`],
      ['GET', `/api/v1/jobs/${id}/labels`],
      ['POST', `/api/v1/jobs/${id}/train`],
      ['POST', `/api/v2/jobs/${id}/start`],
      ['POST', `/api/v2/jobs/${id}/stop`],
      ['POST', `/api/v2/jobs/${id}/train`],
      ['GET', `/api/v1/events/${id}/a`],
      ['GET', `/api/v1/events/${id}/a/export`],
    ] as const) {
      const answer = await service.client.request(method, path)
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`)
      assert.equal(answer.body.error, 'job not found')
    }
  }
})
