/** SIGKILL while a contract collects evidence and a challenger decides in shadow: no verdict changes. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { verifyDataDir } from '../../engine/index.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Client } from '../support/client.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { trainAgain, trainedJob } from '../support/http/trained-job.js'
import { spawnService } from '../support/service.js'
import { until } from '../support/until.js'

const ROUNDS = 2
/** In a life, before the kill comes at any moment. */
const EVENTS_MIN = 60
const contract = {
  mode: 'open',
  hold_out_rate: 0.5,
  labels: [{ label: 'Drop', epsilon: 0.5, delta: 0.5, thresholds: [50] }],
}

/** Sends events and votes until the service is gone, and calls `sent` after each. */
async function live(
  client: Client,
  jobId: number,
  round: number,
  { random, sent }: { random: SeededRandom; sent: () => void },
): Promise<void> {
  for (let i = 0; ; i++) {
    const id = `k${round}-${i}`
    const rule = random.pick(['noise', 'threat', `new ${random.below(40)}`])
    await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule } })
    sent()
    const feedback = random.pick(['Drop', 'Drop', 'Escalate', 'Investigate'])
    if (random.below(2) === 0)
      await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback })
  }
}

/** What gates and the challenger say. */
async function verdicts(client: Client, jobId: number): Promise<unknown> {
  const { gates } = (await client.get(`/api/v2/jobs/${jobId}/autonomy`)).body
  const { challenger } = (await client.get(`/api/v2/jobs/${jobId}/challenger`)).body
  const shown = gates.map((one: any) => [one.state, one.audits, one.failures, one.pending, one.settled, one.bound])
  return [shown, challenger]
}

test('a kill at any moment changes no verdict of a gate or a challenger, and no decision', async (context) => {
  const dataDir = `${temporaryDirectory(context)}/data`
  const random = new SeededRandom(17)
  let service = await spawnService({ dataDir })
  const jobId = await trainedJob(service.client)
  await trainAgain(service.client, jobId)
  assert.equal((await service.client.put(`/api/v2/jobs/${jobId}/autonomy`, contract)).status, 200)
  const started = await service.client.post(`/api/v2/jobs/${jobId}/challenger`, { model_id: `model_${jobId}_1` })
  assert.equal(started.status, 200, started.text)
  for (let round = 0; round < ROUNDS; round++) {
    let count = 0
    const how = { random, sent: () => void count++ }
    const writers = [2 * round, 2 * round + 1].map((writer) => live(service.client, jobId, writer, how))
    const ended = Promise.allSettled(writers)
    await until(() => count >= EVENTS_MIN)
    await sleep(random.below(200))
    await service.kill()
    await ended
    // Evidence, counts of disagreements and decisions are computed again from what is stored.
    const report = await verifyDataDir(dataDir, 'all')
    assert.deepEqual(report.problems, [], `round ${round}`)
    assert.equal(report.decisions?.same, report.decisions?.computed)
    service = await spawnService({ dataDir })
    const before = await verdicts(service.client, jobId)
    await service.kill()
    service = await spawnService({ dataDir })
    assert.deepEqual(await verdicts(service.client, jobId), before, `round ${round}`)
  }
  const { challenger } = (await service.client.get(`/api/v2/jobs/${jobId}/challenger`)).body
  assert.ok(challenger.events > 0, JSON.stringify(challenger))
  await service.kill()
})
