/** Scheduled training and its blockers (CONTRACT.md#jobs, C3.7). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Answer, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const blockers = {
  outliers: true,
  consensus_flipping: true,
  low_confidence_score: true,
  undecided_consensus: true,
  consensus_low_score: true,
  consensus_changes: true,
}
const EVERY_SECOND = '* * * * * *'

async function vote(jobId: number, event: string, ...votes: readonly (readonly [string, string])[]): Promise<void> {
  for (const [cortex_user, feedback] of votes) {
    const answer = await client.put(`/api/v1/events/${jobId}/${event}/feedback`, { cortex_user, feedback })
    assert.equal(answer.status, 200, answer.text)
  }
}

function schedule(title: string, set: Record<string, boolean>): Promise<Answer> {
  const auto_retrain = { enabled: true, cron: EVERY_SECOND, blockers: set }
  return client.post('/api/v2/resources', {
    j: { type: 'job', properties: { title, advanced_settings: { auto_retrain } } },
  })
}

test('every blocker keeps a scheduled training waiting, and is named; without blockers it runs', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule', 'source.ip', 'bytes'] })
  const post = async (id: string, raw_body: object) => {
    await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body })
    return (await client.get(`/api/v1/events/${jobId}/${id}`)).body
  }
  for (let i = 0; i < 12; i++) {
    await post(`known-${i}`, { rule: i % 2 === 0 ? 'noise' : 'alarm', source: { ip: `10.0.0.${i % 4}` }, bytes: i })
    await vote(jobId, `known-${i}`, ['ann', i % 2 === 0 ? 'Drop' : 'Escalate'])
  }
  const job = async () => (await client.get(`/api/v1/jobs/${jobId}`)).body
  await client.post(`/api/v1/jobs/${jobId}/train`)
  const trained = await eventually(job, (each) => each.retrain_state === 'RETRAIN_FINISHED')

  let [outliers, unsure] = [0, 0]
  for (let i = 0; i < 40 && (outliers < 4 || unsure < 11); i++) {
    const event = await post(`strange-${i}`, {
      rule: `never seen ${i}`,
      source: { ip: `${i}.9.9.9` },
      bytes: 10 ** (i % 12),
    })
    if (event.outlier) outliers++
    if (event.confidence_score < 60) unsure++
  }
  assert.ok(outliers >= 3 && unsure >= 11, `${outliers} outliers, ${unsure} of low confidence`)
  await vote(jobId, 'strange-0', ['ann', 'Drop'], ['bob', 'Escalate'])
  await vote(jobId, 'strange-1', ['ann', 'Drop'], ['ann', 'Escalate'], ['ann', 'Drop'])
  for (const [i, label] of ['Drop', 'Drop', 'Escalate', 'Investigate'].entries()) {
    await post(`mixed-${i}`, { rule: 'mixed', source: { ip: '10.0.0.9' }, bytes: 9 })
    await vote(jobId, `mixed-${i}`, ['ann', label])
  }

  assert.equal((await schedule(title, blockers)).status, 200)
  const blocked = await eventually(job, (each) => each.retrain_msg.includes('waits'))
  for (const what of [
    /outliers: \d+ of \d+ since/,
    /decisions of low confidence: \d+ of \d+ since/,
    /undecided: 1;/,
    /less than 60 % of the voted events: 1;/,
    /went back and forth since the last training: 1;/,
    /changes of a consensus since the last training: \d+\./,
  ])
    assert.match(blocked.retrain_msg, what)
  assert.equal(blocked.retrain_state, 'RETRAIN_FINISHED')
  assert.equal(blocked.last_train_finished_timestamp, trained.last_train_finished_timestamp)

  const off = Object.fromEntries(Object.keys(blockers).map((name) => [name, false]))
  assert.equal((await schedule(title, off)).status, 200)
  await eventually(job, (each) => each.last_train_finished_timestamp > trained.last_train_finished_timestamp)
})

test('a scheduled training with nothing new makes no model and says so; a vote makes one again', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  for (const label of ['Drop', 'Escalate']) {
    await client.post(`/api/v1/events/${label}`, { job_id: jobId, raw_body: { rule: label } })
    await vote(jobId, label, ['ann', label])
  }
  const job = async () => (await client.get(`/api/v1/jobs/${jobId}`)).body
  const models = async () => (await client.post(`/api/v2/metrics/job?job_id=${jobId}`)).body.all_model_ids.length
  await schedule(title, {})
  const idle = await eventually(job, ({ retrain_msg }) => retrain_msg.includes('made no model'))
  assert.equal(idle.retrain_state, 'RETRAIN_FINISHED')
  const made = await models()
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  assert.equal(await models(), made)
  assert.equal((await job()).last_train_finished_timestamp, idle.last_train_finished_timestamp)
  await vote(jobId, 'Drop', ['bob', 'Drop'])
  await eventually(job, (each) => each.last_train_finished_timestamp > idle.last_train_finished_timestamp)
})
