/** A rollback while events stream in: it takes effect with the next event, once, and closes the gate. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'
import { send, trainAgain, trainedJob, vote } from '../../support/http/trained-job.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const [REQUESTS, LINES, LANES] = [16, 250, 4]

interface Seen {
  readonly at: string
  readonly model: string
  readonly autonomy: string
}

/** A job with two models, and an open gate of the second. */
async function gated(): Promise<number> {
  const jobId = await trainedJob(client)
  await trainAgain(client, jobId)
  const contract = { mode: 'open', labels: [{ label: 'Drop', epsilon: 0.5, delta: 0.5, thresholds: [50] }] }
  const all = { ...contract, hold_out_rate: 1 }
  assert.equal((await client.put(`/api/v2/jobs/${jobId}/autonomy`, all)).status, 200)
  for (let i = 0; i < 12; i++) {
    await send(client, jobId, `proof-${i}`, 'noise')
    await vote(client, jobId, `proof-${i}`, 'Drop')
  }
  const { body } = await client.put(`/api/v2/jobs/${jobId}/autonomy`, { ...contract, hold_out_rate: 0.05 })
  assert.equal(body.gates[0].state, 'open')
  return jobId
}

async function seen(jobId: number, id: string): Promise<Seen> {
  const { service_event: event } = (await client.get(`/api/v1/events/${jobId}/${id}/export`)).body
  const { model, autonomy, ingest_timestamp: at } = event.service
  return { at: at ?? event['@timestamp'], model: model.path, autonomy }
}

test('a rollback under bulk load takes effect with the next event, is one entry, and closes the gate', async () => {
  const jobId = await gated()
  let answered = 0
  let rolledBack: Promise<unknown> | null = null
  const lane = async (first: number): Promise<void> => {
    for (let request = first; request < REQUESTS; request += LANES) {
      const lines = Array.from({ length: LINES }, (_, i) => {
        return JSON.stringify({ job_id: jobId, event_id: `r${request}-${i}`, raw_body: { rule: 'noise' } })
      })
      const answers = await client.bulk(`${lines.join('\n')}\n`)
      assert.equal(answers.length, LINES)
      if (++answered === LANES) rolledBack = client.post(`/api/v2/jobs/${jobId}/rollback`, {})
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)))
  const answer = (await rolledBack) as unknown as { status: number; body: object }
  assert.deepEqual([answer.status, answer.body], [200, { from: `model_${jobId}_2`, to: `model_${jobId}_1` }])
  const all: Seen[] = []
  for (let request = 0; request < REQUESTS; request++)
    all.push(...(await Promise.all(Array.from({ length: LINES }, (_, i) => seen(jobId, `r${request}-${i}`)))))
  all.sort((a, b) => (a.at < b.at ? -1 : 1))
  const change = all.findIndex(({ model }) => model === `model_${jobId}_1`)
  assert.ok(change > 0, 'events came before and after the rollback')
  const [earlier, later] = [all.slice(0, change), all.slice(change)]
  assert.ok(earlier.every(({ model }) => model === `model_${jobId}_2`))
  assert.ok(later.every(({ model }) => model === `model_${jobId}_1`))
  assert.ok(earlier.some(({ autonomy }) => autonomy === 'settled'))
  assert.ok(later.every(({ autonomy }) => autonomy === 'review'))
  const { gates, ended_gates: ended } = (await client.get(`/api/v2/jobs/${jobId}/autonomy`)).body
  assert.deepEqual([gates[0].state, ended[0].state, ended[0].reason], ['shadow', 'revoked', 'new_model'])
  const log = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&action=model%20rolled%20back`)
  assert.equal(log.body.total_count, 1)
})
