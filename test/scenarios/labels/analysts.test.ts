/** Analysts over HTTP: how far they agree, how reliable each is, and a consensus that is weighted by it. */
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

const vote = async (jobId: number, id: string, user: string, feedback: string): Promise<any> => {
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: user, feedback })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const send = (jobId: number, id: string, rule: string) =>
  client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule } })
const figures = async (jobId: number): Promise<any> => {
  const answer = await client.get(`/api/v2/jobs/${jobId}/analysts`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Events that ann, bob and cat answer; cat is wrong on every second one. */
async function answered(events: number, settings: object = {}): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule'], advanced_settings: settings })
  for (let i = 0; i < events; i++) {
    const [right, wrong] = i % 2 === 0 ? ['Drop', 'Escalate'] : ['Escalate', 'Drop']
    await send(jobId, `e${i}`, i % 2 === 0 ? 'noise' : 'threat')
    await vote(jobId, `e${i}`, 'ann', right as string)
    await vote(jobId, `e${i}`, 'bob', right as string)
    await vote(jobId, `e${i}`, 'cat', (i % 4 < 2 ? wrong : right) as string)
  }
  return jobId
}

test('agreement is told from the first event on that two answered, reliability from thirty on', async () => {
  const jobId = await answered(4)
  const { shared_events, pairs, analysts, fleiss_kappa, message } = await figures(jobId)
  assert.equal(shared_events, 4)
  assert.deepEqual([pairs[0].analysts, pairs[0].events, pairs[0].cohen_kappa], [['ann', 'bob'], 4, 1])
  assert.ok(fleiss_kappa < 1)
  assert.equal(analysts[0].labels[0].reliability, null)
  assert.match(message, /^4 events were answered by two analysts or more; from 30 on/)
})

test('an analyst who is often wrong is less reliable, and a weighted consensus follows the others', async () => {
  const jobId = await answered(40, { weighted_consensus: true })
  const { analysts, krippendorff_alpha } = await figures(jobId)
  const labelOf = (name: string) => analysts.find((one: any) => one.analyst === name).labels[1]
  assert.ok(labelOf('ann').reliability > 0.9 && labelOf('cat').reliability < 0.7)
  assert.ok(labelOf('ann').weight > labelOf('cat').weight)
  assert.ok(krippendorff_alpha > 0 && krippendorff_alpha < 0.7)
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  await send(jobId, 'new', 'something new')
  await vote(jobId, 'new', 'cat', 'Escalate')
  assert.equal((await vote(jobId, 'new', 'ann', 'Drop')).consensus, 'Drop')
})

test('without the setting two votes that differ are a tie, whoever cast them', async () => {
  const jobId = await answered(40)
  await send(jobId, 'new', 'something new')
  await vote(jobId, 'new', 'cat', 'Escalate')
  assert.equal((await vote(jobId, 'new', 'ann', 'Drop')).consensus, 'Undecided')
})
