/** Challengers over HTTP: started, compared, promoted, dropped; who may; and champion_challenger. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, type Client } from '../../support/client.js'
import { asRole, send, trainAgain, trainedJob, trainingEnded, vote } from '../../support/http/trained-job.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const see = async (jobId: number): Promise<any> => (await client.get(`/api/v2/jobs/${jobId}/challenger`)).body

describe('a challenger', () => {
  test('of the registry decides in shadow; one call promotes it, and one drops it', async () => {
    const jobId = await trainedJob(client)
    assert.deepEqual(await see(jobId), { challenger: null, message: 'the job has no challenger' })
    await trainAgain(client, jobId)
    const path = `/api/v2/jobs/${jobId}/challenger`
    const started = await client.post(path, { model_id: `model_${jobId}_1` })
    assert.equal(started.status, 200, started.text)
    for (let i = 0; i < 5; i++) await send(client, jobId, `n${i}`, 'noise')
    const { challenger } = await see(jobId)
    assert.deepEqual(
      [challenger.model_id, challenger.champion, challenger.events, challenger.verdict, challenger.automatic],
      [`model_${jobId}_1`, `model_${jobId}_2`, 5, 'undecided', false],
    )
    assert.match(challenger.message, /differ on \d+ of 5 events/)
    const promoted = await client.post(`${path}/promote`)
    assert.deepEqual([promoted.status, promoted.body], [200, { from: `model_${jobId}_2`, to: `model_${jobId}_1` }])
    await send(client, jobId, 'after', 'noise')
    const { body } = await client.get(`/api/v1/events/${jobId}/after/export`)
    assert.equal(body.service_event.service.model.path, `model_${jobId}_1`)
    assert.equal((await client.post(path, { model_id: `model_${jobId}_2` })).status, 200)
    assert.equal((await client.delete(path)).status, 200)
    const again = await client.delete(path)
    assert.deepEqual([again.status, again.body.error], [404, 'the job has no challenger'])
    assert.equal((await client.post(`${path}/promote`)).status, 404)
    const log = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&object_type=model`)
    assert.deepEqual(
      log.body.audit_logs.map((one: any) => one.action),
      ['challenger dropped', 'challenger started', 'challenger promoted', 'challenger started'],
    )
  })

  test('can be trained for another objective, and does not decide', async () => {
    const jobId = await trainedJob(client)
    const asked = await client.post(`/api/v2/jobs/${jobId}/challenger`, { objective: 'accuracy', seed: 9 })
    assert.deepEqual([asked.status, asked.body.challenger], [200, null])
    assert.match(asked.body.message, /is being trained/)
    await trainingEnded(client, jobId)
    const { challenger } = await see(jobId)
    assert.deepEqual([challenger.model_id, challenger.champion], [`model_${jobId}_2`, `model_${jobId}_1`])
    const { body } = await client.get(`/api/v2/jobs/${jobId}/models`)
    assert.deepEqual(
      body.models.map((one: any) => [one.version, one.active, one.origin.why, one.origin.objective]),
      [
        [2, false, 'challenger', 'accuracy'],
        [1, true, 'requested', 'macro_f1'],
      ],
    )
  })

  test('is refused with a sentence where there is nothing to compare with', async () => {
    const jobId = await trainedJob(client)
    const { body: made } = await client.post('/api/v2/resources', {
      resources: {
        job: { type: 'job', properties: { title: `none ${jobId}`, decision_points: ['a'] } },
        cause: { type: 'job', properties: { title: `cause ${jobId}`, category: 'Automated root cause analysis' } },
      },
    })
    const [none, cause] = made.created.map((one: any) => one.internal_id)
    for (const [id, request, status, sentence] of [
      [none, {}, 409, /no model in use/],
      [cause, {}, 409, /root cause/],
      [jobId, { model_id: `model_${jobId}_1` }, 409, /is the model in use/],
      [jobId, { model_id: `model_${jobId}_7` }, 404, /model not found/],
      [jobId, { model_id: `model_${jobId}_1`, seed: 3 }, 422, /either the model/],
      [jobId, { seed: -1 }, 422, /seed/],
      [jobId, { objective: { costs: [[1]] } }, 422, /"costs"/],
      [jobId, { objective: { costs: [0, 1, 2].map(() => [0, 1, 1e300]) } }, 422, /1000000/],
      [jobId, { without_analysts: ['an'] }, 422, /nobody of that name has voted/],
      [jobId, { threshold: 3 }, 422, /threshold/],
    ] as const) {
      const answer = await client.post(`/api/v2/jobs/${id}/challenger`, request)
      assert.equal(answer.status, status, `${JSON.stringify(request)}: ${answer.text}`)
      assert.match(answer.text, sentence)
    }
  })

  test('that could not be trained is not there, and the answer says why', async () => {
    const jobId = await trainedJob(client)
    const asked = await client.post(`/api/v2/jobs/${jobId}/challenger`, { without_analysts: ['ann'] })
    assert.equal(asked.status, 200, asked.text)
    const { body } = await eventually(
      () => client.get(`/api/v2/jobs/${jobId}/challenger`),
      ({ body: answer }) => /failed/.test(answer.message),
      60_000,
    )
    assert.match(
      body.message,
      /^the job has no challenger, and its last training failed: .* no event has a vote yet; the model before/,
    )
  })

  test('power users start and drop it, administrators promote it, analysts see it', async () => {
    const jobId = await trainedJob(client)
    await trainAgain(client, jobId)
    const path = `/api/v2/jobs/${jobId}/challenger`
    const [analyst, power] = [await asRole(client, 'analyst'), await asRole(client, 'power_user')]
    assert.equal((await analyst.post(path, { model_id: `model_${jobId}_1` })).status, 403)
    assert.equal((await power.post(path, { model_id: `model_${jobId}_1` })).status, 200)
    assert.equal((await analyst.get(path)).body.challenger.champion, `model_${jobId}_2`)
    assert.equal((await power.post(`${path}/promote`)).status, 403)
    assert.equal((await power.delete(path)).status, 200)
  })
})

test('with champion_challenger a job takes the setting, and a requested training still decides', async () => {
  const jobId = await trainedJob(client, { advanced_settings: { champion_challenger: true, models_kept: 5 } })
  await send(client, jobId, 'x', 'other')
  await vote(client, jobId, 'x', 'Escalate')
  await trainAgain(client, jobId)
  const models = await eventually(
    () => client.get(`/api/v2/jobs/${jobId}/models`),
    ({ body }) => body.total_count === 2,
  )
  assert.deepEqual([models.body.models_kept, models.body.models[0].active], [5, true])
  assert.equal((await see(jobId)).challenger, null)
})
