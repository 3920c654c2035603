/** Forgetting reaches the model: an erasure is complete when the model was trained without what was erased. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

/** A trained job with votes of two persons' events. */
async function trained(settings: object): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule'], advanced_settings: settings })
  for (const [id, rule, person, feedback] of [
    ['a', 'threat', 'ann', 'Escalate'],
    ['b', 'noise', 'ben', 'Drop'],
    ['c', 'other threat', 'ann', 'Escalate'],
    ['d', 'last threat', 'ben', 'Escalate'],
  ] as const) {
    await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule, person } })
    await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { feedback })
  }
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  return jobId
}

const erase = async (jobId: number, field: string, value: string): Promise<any> => {
  const answer = await client.post(`/api/v2/events/${jobId}/delete`, { filters: [{ field, operator: 'is', value }] })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

test('with the setting, the model is trained before the erasure is reported, and the audit log says so', async () => {
  const jobId = await trained({ retrain_after_erase: true })
  const { events_deleted, retrain_needed, forgetting } = await erase(jobId, 'person', 'ann')
  assert.deepEqual([events_deleted, retrain_needed, forgetting.state], [2, false, 'trained'])
  assert.equal(forgetting.gone_from_model, `model_${jobId}_2`)
  assert.match(forgetting.message, /^nothing of what was erased is in the model/)
  const { body } = await client.get(`/api/v1/jobs/${jobId}`)
  assert.equal(body.retrain_state, 'RETRAIN_FINISHED')
  const log = await eventually(
    () => client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}`),
    ({ text }) => text.includes('gone_from_model'),
  )
  assert.match(log.text, new RegExp(`"gone_from_model":"model_${jobId}_2"`))
  assert.equal((await erase(jobId, 'person', 'ann')).forgetting.state, 'not_needed')
})

test('nobody goes back to a model that was trained with what was erased', async () => {
  const jobId = await trained({ retrain_after_erase: true })
  await erase(jobId, 'person', 'ann')
  const { models } = (await client.get(`/api/v2/jobs/${jobId}/models`)).body
  assert.deepEqual(
    models.map((one: any) => [one.model_id, one.kept]),
    [
      [`model_${jobId}_2`, true],
      [`model_${jobId}_1`, false],
    ],
  )
  const wanted = { model_id: `model_${jobId}_1` }
  for (const path of ['rollback', 'challenger', 'replays']) {
    const { status, text } = await client.post(`/api/v2/jobs/${jobId}/${path}`, wanted)
    assert.deepEqual([status, /trained with events that were erased since/.test(text)], [409, true], `${path} ${text}`)
  }
  const log = await eventually(
    () => client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&action=models%20erased`),
    ({ body }) => body.total_count === 1,
  )
  assert.deepEqual(log.body.audit_logs[0].details.models, [`model_${jobId}_1`])
})

test('a model that cannot be trained again is named, and the erasure says what is missing', async () => {
  const jobId = await trained({ retrain_after_erase: true })
  const { retrain_needed, forgetting } = await erase(jobId, 'rule', 'noise')
  assert.deepEqual([retrain_needed, forgetting.state, forgetting.gone_from_model], [true, 'failed', null])
  assert.match(forgetting.message, /votes for at least two labels/)
})

test('without the setting the model is not trained, and the erasure says that it has to be', async () => {
  const jobId = await trained({})
  const { retrain_needed, forgetting } = await erase(jobId, 'person', 'ann')
  assert.deepEqual([retrain_needed, forgetting.state], [true, 'pending'])
})

test('without a model there is nothing to forget', async () => {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/one', { job_id: jobId, raw_body: { rule: 'a' } })
  const { forgetting } = await erase(jobId, 'rule', 'a')
  assert.deepEqual([forgetting.state, forgetting.gone_from_model], ['not_needed', null])
})
