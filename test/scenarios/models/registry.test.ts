/** The model registry over HTTP: what a model was made from, its figures, rolling back, and who may do what. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'
import { asRole, send, trainAgain, trainedJob } from '../../support/http/trained-job.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

describe('the models of a job', () => {
  test('say what each was trained from, how good it is, why it was trained, and when it decided', async () => {
    const jobId = await trainedJob(client)
    await trainAgain(client, jobId)
    const { status, body } = await client.get(`/api/v2/jobs/${jobId}/models`)
    assert.equal(status, 200)
    assert.deepEqual([body.total_count, body.models_kept, body.models.length], [2, 20, 2])
    const [latest, first] = body.models
    assert.deepEqual(
      [latest.model_id, latest.active, first.active, first.kept],
      [`model_${jobId}_2`, true, false, true],
    )
    assert.deepEqual(first.origin.label_counts, { Escalate: 12, Drop: 12, Investigate: 0 })
    assert.deepEqual([first.origin.why, first.origin.user, first.origin.objective], ['requested', 'ann', 'macro_f1'])
    assert.deepEqual(first.origin.decision_points, ['rule'])
    assert.ok(first.origin.log_position > 1.6e15 && first.origin.seed > 0 && first.bytes > 1_000)
    assert.ok(first.held_out.events >= 0 && Object.keys(first.held_out.per_label).length === 3)
    assert.equal(first.held_out.per_label.Drop.reliability.length, 10)
    assert.deepEqual(
      first.active_times.map((one: any) => one.why),
      ['trained'],
    )
    assert.equal(first.active_times[0].to, latest.active_times[0].from)
    const one = await client.get(`/api/v2/jobs/${jobId}/models/${first.model_id}`)
    assert.deepEqual(one.body, first)
    const page = await client.get(`/api/v2/jobs/${jobId}/models?page=1&size=1`)
    assert.deepEqual(page.body.models, [first])
  })

  test('that are not there are 404 with a sentence', async () => {
    const jobId = await trainedJob(client)
    for (const id of [`model_${jobId}_9`, 'model_999_1', 'nonsense']) {
      const { status, body } = await client.get(`/api/v2/jobs/${jobId}/models/${id}`)
      assert.deepEqual([status, body.error], [404, 'model not found'])
    }
    assert.equal((await client.get(`/api/v2/jobs/${jobId}/models?size=0`)).status, 422)
  })
})

describe('a rollback', () => {
  test('takes effect with the next event, is one entry in the audit log, and closes the gate', async () => {
    const jobId = await trainedJob(client)
    await trainAgain(client, jobId)
    const contract = {
      mode: 'open',
      labels: [{ label: 'Drop', epsilon: 0.5, delta: 0.5, thresholds: [50] }],
    }
    assert.equal((await client.put(`/api/v2/jobs/${jobId}/autonomy`, contract)).status, 200)
    const back = await client.post(`/api/v2/jobs/${jobId}/rollback`, {})
    assert.deepEqual([back.status, back.body], [200, { from: `model_${jobId}_2`, to: `model_${jobId}_1` }])
    await send(client, jobId, 'next', 'noise')
    const { body } = await client.get(`/api/v1/events/${jobId}/next/export`)
    assert.equal(body.service_event.service.model.path, `model_${jobId}_1`)
    const gates = (await client.get(`/api/v2/jobs/${jobId}/autonomy`)).body
    assert.deepEqual(
      [gates.gates[0].model, gates.gates[0].state, gates.ended_gates[0].reason],
      [`model_${jobId}_1`, 'shadow', 'new_model'],
    )
    const log = await client.get(
      `/api/monitoring/api/v1/audit/logs?job_id=${jobId}&action=${encodeURIComponent('model rolled back')}`,
    )
    assert.equal(log.body.total_count, 1, log.text)
    assert.deepEqual(log.body.audit_logs[0].changes.model, { before: `model_${jobId}_2`, after: `model_${jobId}_1` })
    const again = await client.post(`/api/v2/jobs/${jobId}/rollback`, { model_id: `model_${jobId}_1` })
    assert.deepEqual([again.status, /is the model in use/.test(again.body.error)], [409, true])
    const unknown = await client.post(`/api/v2/jobs/${jobId}/rollback`, { model: 'model_1_1' })
    assert.equal(unknown.status, 422)
  })

  test('of a job that had one model is refused with a sentence', async () => {
    const jobId = await trainedJob(client)
    const { status, body } = await client.post(`/api/v2/jobs/${jobId}/rollback`, {})
    assert.deepEqual([status, body.error], [404, 'no other model of the job was in use before'])
  })

  test('is for administrators; analysts see the models', async () => {
    const jobId = await trainedJob(client)
    for (const [role, wanted] of [
      ['analyst', 403],
      ['power_user', 403],
      ['administrator', 404],
    ] as const) {
      const user = await asRole(client, role)
      assert.equal((await user.get(`/api/v2/jobs/${jobId}/models`)).status, 200)
      assert.equal((await user.post(`/api/v2/jobs/${jobId}/rollback`, {})).status, wanted, role)
    }
  })
})
