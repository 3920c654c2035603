/**
 * Figures of a job whose decision points cannot tell its labels apart, over a real port (S26). What is reported must be
 * what is right, counted by somebody who knows the truth.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SeededRandom } from '../../engine/rng.js'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

const VOTES = 300
const EVENTS = 2_000
const labels = ['none', 'minor', 'major']
/** By kind of event: how often each label is right. There is nothing else to tell them by. */
const shares = [
  [0.8, 0.15, 0.05],
  [0.55, 0.35, 0.1],
  [0.45, 0.15, 0.4],
  [0.35, 0.5, 0.15],
]

let service: TestService
let client: Client
let jobId: number
const truths: number[] = []

before(async () => {
  service = await startService()
  client = service.client
  ;({ jobId } = await makeJob(client, {
    decision_points: ['kind'],
    advanced_settings: { custom_labels: labels.map((name) => ({ name, hex_color: '#112233' })) },
  }))
  const random = new SeededRandom(7)
  const lines: string[] = []
  for (let i = 0; i < EVENTS; i++) {
    const kind = random.below(shares.length)
    const [none, minor] = shares[kind] as [number, number]
    const draw = random.nextFloat()
    truths.push(draw < none ? 0 : draw < none + minor ? 1 : 2)
    lines.push(JSON.stringify({ job_id: jobId, event_id: `e${i}`, raw_body: { kind: `kind ${kind}`, at: i } }))
  }
  const sent = await client.post('/api/v1/events/_bulk', lines.join('\n'))
  assert.equal(sent.status, 200, sent.text)
})
after(() => service.close())

async function vote(from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    const body = { cortex_user: 'ann', feedback: labels[truths[i] as number] }
    const answer = await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, body)
    assert.equal(answer.status, 200, answer.text)
  }
}

async function learn(): Promise<void> {
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    60_000,
  )
  const asked = await client.post(`/api/v2/events/${jobId}/reprocess`, { date_field: '@timestamp' })
  assert.equal(asked.status, 200, asked.text)
  await eventually(
    () => client.get(`/api/v1/events/${jobId}/e${EVENTS - 1}`),
    ({ body }) => body.result_label !== '',
    60_000,
  )
}

async function metrics(): Promise<any> {
  const answer = await client.post(`/api/v2/metrics/job_and_latest_model?job_id=${jobId}&timeout_s=60`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

test('nothing is called right that nobody has checked', async () => {
  await vote(0, VOTES)
  await learn()
  const { job_metrics: job, model_metrics: model } = await metrics()
  assert.deepEqual([job.basis, job.overall_accuracy], ['held_out', model.overall_accuracy])
  assert.equal(job.quality.new_buckets.message, 'not enough yet: 0 of 30 events')
  assert.equal(job.time_saved_minutes, 0)
  assert.ok(job.agreement_with_votes.share > 0.9, 'which is what was called accuracy once')
  const best = 0.25 * shares.reduce((sum, each) => sum + Math.max(...each), 0)
  const { accuracy } = model.quality.held_out
  assert.equal(model.overall_accuracy, accuracy.value)
  assert.ok(accuracy.low < best && accuracy.value < best + 0.1, `${accuracy.value} of at most ${best}`)
  const disagreements = await client.get(`/api/v2/jobs/${jobId}/disagreements`)
  assert.equal(disagreements.body.total_count, shares.length, 'one analyst, and votes of more than one label')
})

test('what one hundred more votes find is what is right, and minutes are saved by right answers alone', async () => {
  await vote(VOTES, VOTES + 100)
  const { quality, time_saved_minutes: minutes, agreement_with_votes: agreement } = (await metrics()).job_metrics
  const { accuracy } = quality.known_buckets
  assert.deepEqual([quality.new_buckets.events, accuracy.events], [0, 100])
  let right = 0
  for (let i = VOTES; i < EVENTS; i++) {
    const { body } = await client.get(`/api/v1/events/${jobId}/e${i}`)
    if (body.result_label === labels[truths[i] as number]) right++
  }
  const share = right / (EVENTS - VOTES)
  assert.ok(accuracy.low <= share && share <= accuracy.high, `${share} is not from ${accuracy.low} to ${accuracy.high}`)
  assert.ok(Math.abs(minutes - agreement.events * 10 * accuracy.value) <= 1)
  assert.ok(agreement.share > accuracy.high, 'agreement says more than what is right')
})
