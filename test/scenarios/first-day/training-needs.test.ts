/** A training needs votes on events for two labels, whatever their buckets agree on (S14, S16). */
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

const labels = ['Escalate', 'Drop', 'Investigate'] as const

async function vote(jobId: number, votes: readonly { readonly rule: string; readonly label: string }[]): Promise<void> {
  const lines = votes.map(({ rule }, i) => JSON.stringify({ job_id: jobId, event_id: `e${i}`, raw_body: { rule, i } }))
  await client.bulk(lines.join('\n'))
  for (const [i, { label }] of votes.entries())
    assert.equal((await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { feedback: label })).status, 200)
}

async function trained(jobId: number): Promise<void> {
  const answer = await client.post(`/api/v1/jobs/${jobId}/train`)
  assert.equal(answer.status, 200, answer.text)
  const { body } = await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    (one) => one.body.retrain_state.startsWith('RETRAIN'),
    30_000,
  )
  assert.deepEqual([body.retrain_state, body.retrain_msg], ['RETRAIN_FINISHED', 'Retraining finished successfully'])
}

/** Events of three coarse buckets: of ten in each, six are Drop, three Investigate, one is Escalate. */
const coarse = Array.from({ length: 300 }, (_, i) => ({
  rule: `r${i % 3}`,
  label: Math.floor(i / 3) % 10 === 0 ? labels[0] : Math.floor(i / 3) % 10 < 4 ? labels[2] : labels[1],
}))

test('300 votes of three labels train although all buckets agree on one label', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await vote(jobId, coarse)
  const { body } = await client.get(`/api/v1/events/${jobId}/e0/export`)
  assert.equal(body.service_event.service.consensus, 'Drop')
  await trained(jobId)
  const { body: model } = await client.get(`/api/v2/jobs/${jobId}/models`)
  assert.deepEqual(model.models[0].origin.label_counts ?? model.models[0].origin.examples, {
    Escalate: 30,
    Drop: 180,
    Investigate: 90,
  })
})

test('a mixed bucket answers with the share of its voted events', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await vote(jobId, coarse)
  await trained(jobId)
  await client.post('/api/v1/events/new', { job_id: jobId, raw_body: { rule: 'r1' } })
  const { body } = await client.get(`/api/v1/events/${jobId}/new`)
  assert.equal(body.result_label, 'Drop')
  assert.ok(
    Math.abs(body.confidence_score - 60) < 5,
    `60 of 100 are Drop, and the confidence is ${body.confidence_score}`,
  )
})

test('one vote of another label in a bucket is enough to train', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await vote(
    jobId,
    [...new Array<string>(9).fill('Drop'), 'Escalate'].map((label) => ({ rule: 'r', label })),
  )
  await trained(jobId)
})

for (const { what, votes, says } of [
  { what: 'no votes', votes: [], says: /needs votes for at least two labels; no event has a vote yet/ },
  { what: 'one vote', votes: ['Drop'], says: /so far the only voted event is Drop/ },
  { what: 'votes of one label', votes: ['Drop', 'Drop', 'Drop'], says: /so far all 3 voted events are Drop/ },
  { what: 'a vote that was withdrawn', votes: ['Drop', 'Escalate', ''], says: /the only voted event is Drop/ },
]) {
  test(`with ${what} a training is refused, and the answer says what there is`, async () => {
    const { jobId } = await makeJob(client, { decision_points: ['rule'] })
    await vote(
      jobId,
      votes.filter((label) => label !== '').map((label, i) => ({ rule: `r${i}`, label })),
    )
    if (votes.includes('')) await client.delete(`/api/v1/events/${jobId}/e1/feedback`)
    const answer = await client.post(`/api/v1/jobs/${jobId}/train`)
    assert.equal(answer.status, 409)
    assert.match(answer.body.error, says)
  })
}

test('an override counts as a label to train on', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await vote(jobId, [
    { rule: 'a', label: 'Drop' },
    { rule: 'b', label: 'Drop' },
  ])
  assert.equal((await client.put(`/api/v2/events/${jobId}/e1/consensus`, { consensus: 'Escalate' })).status, 200)
  await trained(jobId)
})
