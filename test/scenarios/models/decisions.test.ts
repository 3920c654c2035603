/** Decisions computed again: over HTTP, and by `npm run verify -- --decisions` on a directory. */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { verifyDataDir } from '../../../engine/index.js'
import type { Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'
import { send, trainAgain, trainedJob, vote } from '../../support/http/trained-job.js'
import { temporaryDirectory } from '../../support/engine/files.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

test('a decision is computed again, and the same after votes and another training', async () => {
  const jobId = await trainedJob(client)
  await send(client, jobId, 'new', 'never seen')
  await send(client, jobId, 'known', 'noise')
  await vote(client, jobId, 'known', 'Escalate')
  await trainAgain(client, jobId)
  for (const [id, source] of [
    ['new', 'model'],
    ['known', 'knowledge_base'],
  ] as const) {
    const { status, body } = await client.get(`/api/v2/events/${jobId}/${id}/decision`)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.decision.source, body.computed_again],
      [source, { same: true, reason: null, differences: [] }],
    )
    assert.deepEqual([body.model.id, body.model.active, body.parts.members.length], [`model_${jobId}_1`, false, 4])
    assert.deepEqual(body.parts.features[0].field, 'rule')
  }
  const { body: known } = await client.get(`/api/v2/events/${jobId}/known/decision`)
  assert.deepEqual(
    [known.parts.votes.consensus, known.parts.votes.split, known.parts.votes.counted],
    ['Drop', { Escalate: 0, Drop: 12, Investigate: 0 }, true],
  )
  const early = await client.get(`/api/v2/events/${jobId}/t0/decision`)
  assert.deepEqual(
    [early.body.computed_again.same, early.body.computed_again.reason, early.body.model, early.body.parts],
    [null, 'no model had a part in it', null, null],
  )
  assert.equal((await client.get(`/api/v2/events/${jobId}/nothing/decision`)).status, 404)
})

test('all decisions of a directory, or a sample, are computed again', async (context) => {
  const own = await startService({ dataDir: `${temporaryDirectory(context)}/data` })
  const jobId = await trainedJob(own.client)
  for (let i = 0; i < 30; i++) await send(own.client, jobId, `n${i}`, `rule ${i % 7}`)
  await own.close()
  const copy = `${temporaryDirectory(context)}/copy`
  await cp(own.dataDir, copy, { recursive: true })
  const all = await verifyDataDir(copy, 'all')
  assert.deepEqual(all.problems, [])
  assert.deepEqual([all.decisions?.computed, all.decisions?.same], [30, 30])
  assert.deepEqual([...(all.decisions?.others ?? [])], [['no model had a part in it', 24]])
  const some = await verifyDataDir(copy, 10)
  const seen = [...(some.decisions?.others.values() ?? [])].reduce((sum, count) => sum + count, 0)
  assert.ok((some.decisions?.computed ?? 0) > 0 && (some.decisions?.computed ?? 0) + seen <= 10)
  assert.equal((await verifyDataDir(copy)).decisions, null)
})
