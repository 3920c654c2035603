/** The main job: events in, feedback, training, decisions out. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

/** Events of two kinds that their rule tells apart, and votes on them. */
async function teach(jobId: number, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const bad = i % 2 === 0
    const rawBody = { rule: bad ? 'Ransomware note' : 'Password changed', source: { ip: `192.0.2.${i}` } }
    await client.post(`/api/v1/events/e${i}`, { job_id: jobId, raw_body: rawBody })
    const answer = await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, {
      cortex_user: 'ann',
      feedback: bad ? 'Escalate' : 'Drop',
    })
    assert.equal(answer.status, 200, answer.text)
  }
}

async function train(jobId: number): Promise<void> {
  const answer = await client.post(`/api/v1/jobs/${jobId}/train?username=ann`, { username: 'ann' })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, { status: 'OK', error_message: '' })
  const job = await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state.startsWith('RETRAIN_'),
    30_000,
  )
  assert.equal(job.body.retrain_state, 'RETRAIN_FINISHED', job.body.retrain_msg)
  assert.equal(job.body.retrain_msg, 'Retraining finished successfully')
  assert.ok(job.body.last_train_finished_timestamp >= job.body.last_train_start_timestamp)
}

for (const category of ['Decision intelligence', 'Event centric decision intelligence']) {
  test(`${category}: after training new events are decided, by every way they arrive`, async () => {
    const { jobId } = await makeJob(client, { category })
    await teach(jobId, 40)
    await train(jobId)
    const rawBody = { rule: 'Ransomware note', source: { ip: '198.51.100.1' } }
    await client.post('/api/v1/events/new', { job_id: jobId, raw_body: rawBody })
    const { body } = await eventually(
      () => client.get(`/api/v1/events/${jobId}/new`),
      (answer) => answer.body.status !== 'pending_inference',
    )
    assert.equal(body.result, 'label_0')
    assert.equal(body.result_label, 'Escalate')
    assert.ok(body.confidence_score > 50 && body.confidence_score <= 100, String(body.confidence_score))
    const [line] = await client.bulk(
      JSON.stringify({ job_id: jobId, raw_body: { rule: 'Password changed', source: { ip: '198.51.100.2' } } }),
    )
    assert.equal(line.status, 'OK')
    assert.equal(line.result_label, 'Drop')
  })
}

for (const [category, points] of [
  ['Decision intelligence', 2],
  ['Event centric decision intelligence', 2],
  ['Decision intelligence', 1],
] as const) {
  test(`${category}, decision points: ${points}: an event of which no value was seen is an outlier`, async () => {
    const decision_points = ['rule', 'source.ip'].slice(0, points)
    const { jobId } = await makeJob(client, { category, decision_points })
    await teach(jobId, 10)
    await train(jobId)
    const outlierOf = async (rule: string, ip: string): Promise<boolean> => {
      const [line] = await client.bulk(JSON.stringify({ job_id: jobId, raw_body: { rule, source: { ip } } }))
      assert.equal(line.status, 'OK', JSON.stringify(line))
      return line.outlier
    }
    for (let i = 0; i < 50; i++) assert.equal(await outlierOf(`Rule ${i}`, `198.51.100.${i}`), true, `event ${i}`)
    // A second event of the same bucket is one, too: nobody has voted on it, and no training has seen it.
    assert.equal(await outlierOf('Rule 1', '198.51.100.1'), true)
    assert.equal(await outlierOf('Ransomware note', '192.0.2.0'), false)
  })
}

test('a label of its own id is the result', async () => {
  const custom_labels = [
    { name: 'Drop', hex_color: '#1264fe', id: 'drop_alert' },
    { name: 'Raise', hex_color: '#ed0a2c' },
    { name: 'Ask', hex_color: '#9a00ff' },
  ]
  const { jobId } = await makeJob(client, { advanced_settings: { custom_labels } })
  await client.post('/api/v1/events/a', { job_id: jobId, raw_body: { rule: 'noise' } })
  await client.post('/api/v1/events/b', { job_id: jobId, raw_body: { rule: 'alarm' } })
  for (const feedback of ['Drop', 'drop_alert', 'label_0', 'class_0']) {
    const answer = await client.put(`/api/v1/events/${jobId}/a/feedback`, { cortex_user: 'ann', feedback })
    assert.equal(answer.status, 200, `${feedback}: ${answer.text}`)
  }
  await client.put(`/api/v1/events/${jobId}/b/feedback`, { cortex_user: 'ann', feedback: 'raise' })
  await train(jobId)
  const [line] = await client.bulk(JSON.stringify({ job_id: jobId, raw_body: { rule: 'noise' } }))
  assert.equal(line.result, 'drop_alert')
  assert.equal(line.bucket_state, 'in_knowledge_base')
})

test('two trainings at once: the second is refused', async () => {
  const { jobId } = await makeJob(client)
  await teach(jobId, 20)
  const path = `/api/v2/jobs/${jobId}/train`
  const answers = await Promise.all([client.post(path), client.post(path)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
})

test('a model that feedback contradicts is ageing: it says so, and is less confident, until the next training', async () => {
  const { jobId } = await makeJob(client, { advanced_settings: { outlier_false_alarm_rate: 0.05 } })
  const stateOf = async (): Promise<string> => (await client.get(`/api/v1/jobs/${jobId}`)).body.model_state
  const decide = async (id: string): Promise<any> => {
    await client.post(`/api/v1/events/${id}`, {
      job_id: jobId,
      raw_body: { rule: 'Ransomware note', source: { ip: `203.0.113.${id.slice(1)}` } },
    })
    const { body } = await eventually(
      () => client.get(`/api/v1/events/${jobId}/${id}`),
      (answer) => answer.body.status !== 'pending_inference',
    )
    return body
  }
  assert.equal(await stateOf(), 'none')
  await teach(jobId, 40)
  await train(jobId)
  assert.equal(await stateOf(), 'current')
  const before = await decide('x0')
  for (let i = 1; i <= 40; i++) {
    await decide(`x${i}`)
    await client.put(`/api/v1/events/${jobId}/x${i}/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  }
  const job = await client.get(`/api/v1/jobs/${jobId}`)
  assert.equal(job.body.model_state, 'ageing')
  assert.match(job.body.model_msg, /recent votes/)
  const after = await decide('x41')
  assert.ok(
    after.confidence_score < before.confidence_score - 10,
    `${before.confidence_score}, then ${after.confidence_score}`,
  )
  const exported = await client.get(`/api/v1/events/${jobId}/x41/export`)
  const section = Object.values(exported.body.service_event).find(
    (value: any) => value?.log_messages !== undefined,
  ) as any
  assert.match(section.log_messages[0].content, /ageing/)
  await train(jobId)
  assert.equal(await stateOf(), 'current')
})
