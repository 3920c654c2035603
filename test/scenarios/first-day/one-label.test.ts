/** Answers of one label alone: the next that is asked is what is least like them. */
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

const nextOf = async (jobId: number): Promise<any> =>
  (await client.get(`/api/v2/jobs/${jobId}/next?count=20`)).body.next

async function vote(jobId: number, id: string, feedback: string): Promise<void> {
  assert.equal((await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { feedback })).status, 200)
}

/** Forty kinds that are alike in two of three fields, and one that is like none of them. */
async function routine(): Promise<number> {
  const { jobId } = await makeJob(client, { decision_points: ['rule', 'source', 'kind'] })
  const bodies = Array.from({ length: 40 }, (_, n) => ({ rule: `rule ${n}`, source: 'net', kind: 'routine' }))
  const lines = [...bodies, ...bodies, { rule: 'odd', source: 'lab', kind: 'other' }].map((raw_body, n) =>
    JSON.stringify({ job_id: jobId, event_id: `e-${n}`, raw_body }),
  )
  await client.bulk(lines.join('\n'))
  return jobId
}

test('after five answers of one label what is least like them is asked first, and the reason says so', async () => {
  const jobId = await routine()
  for (let n = 0; n < 4; n++) await vote(jobId, `e-${n}`, 'Drop')
  assert.ok((await nextOf(jobId)).some(({ picked_by }: any) => picked_by === 'rule'))
  await vote(jobId, 'e-4', 'Drop')
  const [first, ...others] = await nextOf(jobId)
  assert.equal(first.event_id, 'e-80')
  assert.equal(first.reason, 'it is the least like anything voted on, which was all Drop')
  const slots = others.map(({ picked_by }: any) => picked_by)
  assert.deepEqual([...new Set(slots)].sort(), ['hunt', 'uniform'])
  assert.equal(slots.filter((slot: string) => slot === 'uniform').length, 2)
})

test('with an answer of a second label the usual order is back, and so it is with a model', async () => {
  const jobId = await routine()
  for (let n = 0; n < 6; n++) await vote(jobId, `e-${n}`, 'Drop')
  await vote(jobId, 'e-80', 'Escalate')
  assert.ok((await nextOf(jobId)).some(({ picked_by }: any) => picked_by === 'rule'))
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  assert.ok((await nextOf(jobId)).some(({ picked_by }: any) => picked_by === 'rule'))
})
