/** The second look over HTTP: wrong votes are found, and leave the list when somebody looks at them. */
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

const vote = async (jobId: number, id: string, feedback: string, more: object = {}) => {
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback, ...more })
  assert.equal(answer.status, 200, answer.text)
}

/** A trained job with forty votes, of which those on these events are wrong. */
async function withWrong(wrong: readonly number[]): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule', 'host'] })
  for (let i = 0; i < 40; i++) {
    const rule = i % 2 === 0 ? 'malware found' : 'backup done'
    const body = { job_id: jobId, raw_body: { rule, host: `h${i % 20}` } }
    assert.equal((await client.post(`/api/v1/events/e${i}`, body)).status, 201)
    await vote(jobId, `e${i}`, (i % 2 === 0) === wrong.includes(i) ? 'Drop' : 'Escalate')
  }
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  return jobId
}

const seen = async (jobId: number, query = ''): Promise<any> => {
  const answer = await client.get(`/api/v2/jobs/${jobId}/second-look${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

test('a second look names the votes that the model contradicts, and what it would say', async () => {
  const jobId = await withWrong([6, 13])
  const { votes, model } = await seen(jobId)
  const ids = votes.slice(0, 2).map((one: any) => one.event_id)
  assert.deepEqual(ids.sort(), ['e13', 'e6'])
  const first = votes.find((one: any) => one.event_id === 'e6')
  assert.deepEqual([first.label, first.suggested_label, first.analysts], ['Drop', 'Escalate', ['ann']])
  assert.ok(first.suggested_probability > first.label_probability)
  assert.match(first.expected_gain.message, /^about [\d.]+ events in 7 days would be answered rightly$/)
  assert.equal(first.picked_by, 'second_look')
  assert.notEqual(model, null)
  const byGain = await seen(jobId, '?order=gain&count=1')
  assert.equal(byGain.votes.length, 1)
})

test('a vote leaves the list when it is confirmed, changed, or its event is erased', async () => {
  const jobId = await withWrong([6, 13, 22])
  const listed = async () => (await seen(jobId)).votes.map((one: any) => one.event_id)
  assert.ok((await listed()).includes('e6'))
  await vote(jobId, 'e6', 'Drop', { picked_by: 'second_look' })
  await vote(jobId, 'e13', 'Drop')
  const filters = [{ field: 'service.original_id', operator: 'is', value: 'e22' }]
  const erased = await client.post(`/api/v2/events/${jobId}/delete`, { filters })
  assert.equal(erased.body.events_deleted, 1, erased.text)
  const left = await listed()
  for (const id of ['e6', 'e13', 'e22']) assert.ok(!left.includes(id), id)
})

test('without a model there is nothing to look at', async () => {
  const { jobId } = await makeJob(client)
  assert.deepEqual(await seen(jobId), { votes: [], model: null })
  assert.equal((await client.get(`/api/v2/jobs/${jobId}/second-look?count=0`)).status, 422)
})
