/** `wait=true` on the POST of an event (CONTRACT.md#events). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client)).jobId
  await client.post('/api/v1/events/one', { job_id: jobId, raw_body: { rule: 'one' } })
  await client.post('/api/v1/events/two', { job_id: jobId, raw_body: { rule: 'two' } })
  await client.put(`/api/v1/events/${jobId}/one/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  await client.put(`/api/v1/events/${jobId}/two/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    async () => (await client.get(`/api/v1/jobs/${jobId}`)).body.retrain_state,
    (state) => state === 'RETRAIN_FINISHED',
  )
})
after(() => service.close())

const event = (): unknown => ({ job_id: jobId, raw_body: { rule: 'one' } })

test('the answer has the decision, with and without an id', async () => {
  for (const path of ['/api/v1/events/', '/api/v1/events', '/api/v1/events/mine']) {
    for (const wait of ['true', 'True', '1']) {
      const { status, body } = await client.post(`${path}?wait=${wait}`, event())
      assert.equal(status, 201)
      const { job_id: job, ...shown } = body
      assert.equal(job, jobId)
      assert.deepEqual([shown.status, shown.result_label, shown.error_message], ['OK', 'Escalate', null])
      assert.deepEqual(shown, (await client.get(`/api/v1/events/${jobId}/${body.event_id}`)).body)
    }
  }
})

test('without it, and where it is false, the answer is the usual one', async () => {
  for (const query of ['', '?wait=false', '?wait=']) {
    const { body } = await client.post(`/api/v1/events/${query}`, event())
    assert.deepEqual([body.status, body.result], ['pending_inference', undefined])
  }
  const wrong = await client.post('/api/v1/events/?wait=soon', event())
  assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['query', 'wait']])
  assert.equal((await client.post('/api/v1/events/?wait=true', { job_id: 10_000, raw_body: {} })).status, 404)
})

test('an event that is not decided in time has the usual answer, one that is has its decision', async () => {
  await client.post(`/api/v1/jobs/${jobId}/stop`)
  const late = await client.post('/api/v1/events/late?wait=true', event())
  assert.deepEqual([late.status, late.body.status, late.body.result], [201, 'pending_inference', undefined])
  // It waits for two seconds: on a busy machine the start may come too late for the first one.
  const label = async (id: string): Promise<string> => {
    await client.post(`/api/v1/jobs/${jobId}/stop`)
    const waiting = client.post(`/api/v1/events/${id}?wait=true`, event())
    await eventually(
      () => client.get(`/api/v1/events/${jobId}/${id}`),
      ({ status }) => status === 200,
    )
    await client.post(`/api/v1/jobs/${jobId}/start`)
    return (await waiting).body.result_label
  }
  let made = 0
  await eventually(
    () => label(`soon-${made++}`),
    (one) => one === 'Escalate',
  )
})
