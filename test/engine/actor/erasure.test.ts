import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManualClock } from '../../../engine/clock.js'
import { openEngine, type EventView } from '../../../engine/index.js'
import { temporaryDirectory } from '../../support/engine-files.js'

const KEY = 'management-key-of-the-erasure-test'

test('what came in before the request goes, also where the clock was set back since', async (context) => {
  const clock = new ManualClock()
  const dataDir = join(temporaryDirectory(context), 'data')
  const engine = await openEngine({ dataDir, name: 'service', shards: 1, threads: 1, bootstrapKey: KEY, adminPassword: 'administrator', passwordCost: 10, clock })
  const document = { job: { type: 'job', properties: { title: 'a job', category: 'Decision intelligence', decision_points: ['a'], pipeline_integrations: [] } } }
  await engine.applyResources({ resources: document }, false)
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  const job = engine.jobByTitle(principal, 'a job')
  const post = (id: string): Promise<EventView> => new Promise((resolve, reject) => {
    engine.ingest(job, id, false, Buffer.from(JSON.stringify({ raw_body: { a: 'x' } })), { ingested: resolve, refused: reject })
  })
  await post('before')
  clock.advanceMs(-3_600_000)
  await post('after')
  const erased = await engine.erasure.events(job, { filters: [{ field: 'a', operator: 'is', value: 'x' }] }, { kind: 'user', name: 'ann' })
  assert.equal(erased.events, 2)
  await engine.close()
})
