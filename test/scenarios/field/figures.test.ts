/** Figures: a number where the specification says number, and what it is of (S41). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

const overall = ['overall_accuracy', 'overall_f1_score', 'overall_recall', 'overall_precision'] as const

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService()
  ;({ client } = service)
  ;({ jobId } = await makeJob(client, { decision_points: ['rule', 'host'] }))
})
after(() => service.close())

async function ask(path: string): Promise<any> {
  const { body, status, text } = await client.post(`/api/v2/metrics/${path}`)
  assert.equal(status, 200, text)
  return body
}

async function figures(): Promise<Record<'job' | 'both' | 'nested' | 'internal' | 'interval' | 'model', any>> {
  const both = await ask(`job_and_latest_model?job_id=${jobId}&timeout_s=30`)
  const internal = (await ask(`internal_metrics?job_ids=${jobId}&aggregation_time_interval=1d`)).job_metrics[jobId]
  return {
    job: await ask(`job?job_id=${jobId}`),
    both: both.job_metrics,
    nested: both.model_metrics,
    model: both,
    internal: internal.job_metrics,
    interval: internal.job_metrics.intervals[0],
  }
}

async function send(from: number, to: number): Promise<void> {
  const lines = []
  for (let i = from; i < to; i++) {
    const isBad = i % 3 === 0
    const raw_body = { rule: isBad ? `bad-${i % 5}` : `good-${i % 7}`, host: `h${i}` }
    lines.push(JSON.stringify({ job_id: jobId, event_id: `e${i}`, raw_body }))
  }
  await client.bulk(lines.join('\n'))
}

async function vote(from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    const feedback = { cortex_user: 'ann', feedback: i % 3 === 0 ? 'Escalate' : 'Drop' }
    assert.equal((await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, feedback)).status, 200)
  }
}

test('of a new job is 0, and says that nothing was measured', async () => {
  const all = await figures()
  for (const [place, one] of Object.entries(all)) {
    if (place === 'model' || one === undefined) continue
    assert.deepEqual([place, one.basis, one.basis_events], [place, 'none', 0])
    for (const name of overall) assert.equal(one[name], 0, `${place} ${name}`)
  }
  assert.deepEqual([all.nested.buckets_in_kb, all.nested.events_in_kb, all.nested.model_id], [0, 0, null])
  for (const name of overall) {
    assert.equal(all.model[name], null, 'clients of the flat answer know null for no model')
    assert.equal(all.model.active_model_metrics[name], null)
  }
})

test('after a training is that of the model on events that were held out', async () => {
  await send(0, 60)
  await vote(0, 60)
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  const { job, both, nested, model, internal } = await figures()
  for (const one of [job, both, nested, internal]) {
    assert.equal(one.basis, 'held_out')
    assert.ok(one.basis_events > 0)
    for (const name of overall) assert.ok(one[name] >= 0 && one[name] <= 1, name)
  }
  assert.equal(job.overall_accuracy, nested.overall_accuracy)
  assert.equal(model.active_model_metrics.overall_accuracy, nested.overall_accuracy)
  const counts = job.confusion_matrix.flat() as number[]
  assert.equal(
    counts.reduce((sum, one) => sum + one, 0),
    job.basis_events,
    'the matrix is of the same events',
  )
})

test('from thirty decisions on that were voted on later is what was measured', async () => {
  await send(60, 95)
  await vote(60, 95)
  const { job, both, nested, internal } = await figures()
  for (const one of [job, both, nested, internal]) {
    assert.deepEqual([one.basis, one.basis_events], ['before_votes', 35])
    assert.equal(one.overall_accuracy, job.quality.new_buckets.accuracy.value)
  }
})
