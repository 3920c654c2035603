/** Models that go from memory and come back; the shard of tests has room for one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobModel } from '../../../../engine/actor/job-model.js'
import { JobStats } from '../../../../engine/actor/job-stats.js'
import { ModelMemory } from '../../../../engine/actor/models/model-memory.js'
import { decodeModel } from '../../../../engine/store/rows.js'
import { modelKey } from '../../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const jobs = [1, 2, 3].map((id) => jobSettings({ id, title: `job ${id}` }))

async function trained(): Promise<TestShard> {
  const shard = new TestShard()
  for (const job of jobs) {
    for (const [host, label] of [
      ['noisy', 'Drop'],
      ['vault', 'Escalate'],
    ] as const) {
      await shard.ingest(job, { host, user: 'somebody' }, host)
      await shard.feedback(job, host, 'ann', label)
    }
    await shard.install(job, shard.train(job, 1))
  }
  return shard
}

test('jobs decide by their own models, in whatever order their models come and go', async () => {
  const shard = await trained()
  for (let round = 0; round < 4; round++) {
    const answers: unknown[] = []
    for (const job of jobs) {
      // A new user each time: no bucket has the answer.
      const one = await shard.ingest(job, { host: 'noisy', user: `new ${round}` })
      answers.push([one.resultLabel, one.confidenceScore, one.outlier])
      assert.equal(one.resultLabel, 'Drop')
    }
    // The jobs have the same events and votes.
    for (const answer of answers) assert.deepEqual(answer, answers[0])
  }
})

test('a model that is gone is read again, and its job is trained meanwhile', async () => {
  const shard = await trained()
  const [job] = jobs
  assert.ok(job !== undefined)
  const stats = new JobStats(job.id, shard.reader().stats(job))
  const memory = new ModelMemory(1)
  const { fingerprint } = decodeModel(shard.environment.get('models', modelKey(job.id, 1)) as Uint8Array).row
  const model = new JobModel(job, fingerprint, shard.environment, stats)
  model.open(memory)
  const before = model.opinion(['noisy', 'x'])
  const held = memory.bytes
  assert.ok(held > 0)
  model.forgetModel()
  memory.drop(model)
  assert.deepEqual([model.isTrained, memory.bytes], [true, 0])
  assert.deepEqual(model.opinion(['noisy', 'x']), before)
  assert.equal(memory.bytes, held)
})
