/** What is claimed of decisions, and on which votes that rests (S8, S14). */
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

/** A job trained on so many events with each label. */
async function trained(
  votes: Readonly<Record<string, number>>,
  more: object = {},
): Promise<{ jobId: number; title: string }> {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule', 'host'], ...more })
  const events = Object.entries(votes).flatMap(([feedback, count]) =>
    Array.from({ length: count }, (_, i) => ({
      job_id: jobId,
      raw_body: { rule: `${feedback} ${i % 3}`, host: `h${i % 5}` },
      label: { feedback },
    })),
  )
  assert.equal((await client.post(`/api/v1/bulk/${jobId}`, { count: events.length, events })).status, 201)
  await train(jobId)
  return { jobId, title }
}

async function train(jobId: number): Promise<void> {
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    60_000,
  )
}

const jobOf = async (jobId: number): Promise<any> => (await client.get(`/api/v1/jobs/${jobId}`)).body

/** The explanation of an event that nobody voted on. */
async function explained(jobId: number): Promise<any> {
  await client.post('/api/v1/events/new', { job_id: jobId, raw_body: { rule: 'Drop 1', host: 'h2' } })
  return (await client.get(`/api/v2/events/${jobId}/new/explanation`)).body
}

test('38 votes of which none is Escalate are thin, and every answer says that Escalate cannot be said', async () => {
  const { jobId } = await trained({ Drop: 37, Investigate: 1 })
  const { evidence, warnings } = await jobOf(jobId)
  assert.deepEqual(evidence.voted_events, { Escalate: 0, Drop: 37, Investigate: 1 })
  assert.deepEqual([evidence.level, evidence.held_out_votes_needed], ['thin', 30])
  assert.deepEqual([evidence.labels_without_votes, evidence.labels_unknown_to_model], [['Escalate'], ['Escalate']])
  assert.match(evidence.message, /^Nobody has voted Escalate: the model cannot say it\. Confidence is a guess so far: /)
  assert.deepEqual(
    warnings.filter(({ type }: any) => type === 'label_without_votes').map(({ loc, msg }: any) => [loc, msg]),
    [[['advanced_settings', 'custom_labels', '0'], 'Nobody has voted `Escalate`: the model cannot say it.']],
  )
  const { decision, in_words } = await explained(jobId)
  assert.deepEqual([decision.result_label, decision.confidence_basis], ['Drop', 'thin'])
  assert.equal(decision.confidence_note, evidence.message)
  assert.ok(in_words.includes(evidence.message))
})

test('a label that got its first vote after the training is unknown to the model until the next one', async () => {
  const { jobId } = await trained({ Drop: 3, Investigate: 3 })
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'x', host: 'y' } })
  await client.put(`/api/v1/events/${jobId}/e/feedback`, { feedback: 'Escalate' })
  const { evidence } = await jobOf(jobId)
  assert.deepEqual([evidence.labels_without_votes, evidence.labels_unknown_to_model], [[], ['Escalate']])
  assert.match(evidence.message, /^The model was trained before anybody voted Escalate: it cannot say it until/)
  await train(jobId)
  assert.deepEqual((await jobOf(jobId)).evidence.labels_unknown_to_model, [])
})

test('with 30 held-out votes of each label a confidence is a measured share', async () => {
  const { jobId } = await trained({ Escalate: 30, Drop: 60, Investigate: 30 })
  const { evidence, warnings } = await jobOf(jobId)
  assert.deepEqual(evidence.held_out_votes, { Escalate: 30, Drop: 60, Investigate: 30 })
  assert.deepEqual([evidence.level, evidence.message], ['enough', ''])
  assert.ok(!warnings.some(({ type }: any) => type === 'label_without_votes'))
  const { decision } = await explained(jobId)
  assert.deepEqual([decision.confidence_basis, decision.confidence_note], ['enough', ''])
})

test('a label that the job does not use is left out, until somebody votes for it', async () => {
  const labels = [{ name: 'Escalate' }, { name: 'Drop' }, { name: 'Investigate', unused: true }]
  const { jobId, title } = await trained({ Escalate: 30, Drop: 30 }, { advanced_settings: { custom_labels: labels } })
  assert.deepEqual((await jobOf(jobId)).evidence.level, 'enough')
  const { body } = await client.get(`/api/v2/resources?resource_type=job&title=${encodeURIComponent(title)}`)
  assert.equal(body[0][title].properties.advanced_settings.custom_labels[2].unused, true)
  await client.post('/api/v1/events/other', { job_id: jobId, raw_body: { rule: 'other', host: 'h' } })
  await client.put(`/api/v1/events/${jobId}/other/feedback`, { cortex_user: 'ann', feedback: 'Investigate' })
  const { evidence } = await jobOf(jobId)
  assert.deepEqual([evidence.level, evidence.labels_unknown_to_model], ['thin', ['Investigate']])
})

test('accuracy stands beside the share of the commonest label, and each label has its count', async () => {
  const { jobId } = await trained({ Drop: 37, Investigate: 5 })
  const { models } = (await client.get(`/api/v2/jobs/${jobId}/models`)).body
  const { commonest, per_label } = models[0].held_out
  assert.equal(commonest.label, 'Drop')
  assert.equal(Math.round(commonest.share.value * 42), 37)
  assert.deepEqual(
    ['Escalate', 'Drop', 'Investigate'].map((label) => per_label[label].recall.events),
    [0, 37, 5],
  )
  assert.ok(per_label.Drop.right <= 37)
})

test('before the first model nothing is claimed', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  const { evidence, undecided_documents_count } = await jobOf(jobId)
  assert.deepEqual([evidence.level, evidence.message, undecided_documents_count], ['none', '', 1])
})
