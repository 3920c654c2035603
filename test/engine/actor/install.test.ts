import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal, isRefusal } from '../../../engine/errors.js'
import { decodeModel } from '../../../engine/store/rows.js'
import { modelKey } from '../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()

async function labelled(): Promise<TestShard> {
  const shard = new TestShard()
  await shard.ingest(job, { host: 'noisy' }, 'noise')
  await shard.ingest(job, { host: 'vault' }, 'alarm')
  await shard.feedback(job, 'noise', 'ann', 'Drop')
  await shard.feedback(job, 'alarm', 'ann', 'Escalate')
  return shard
}

describe('installing a model', () => {
  it('makes it active in one commit, and keeps every version', async () => {
    const shard = await labelled()
    for (const version of [1, 2, 3]) await shard.install(job, shard.train(job, version))
    const { modelVersion, modelVersions, trainedThroughSeq } = shard.reader().stats(job)
    assert.deepEqual([modelVersion, modelVersions, trainedThroughSeq], [3, [1, 2, 3], 2])
    for (const version of [1, 2, 3]) {
      assert.equal(
        decodeModel(shard.environment.get('models', modelKey(1, version)) as Uint8Array).row.version,
        version,
      )
    }
  })

  it('decides the events behind it in the same turn', async () => {
    const shard = await labelled()
    const model = shard.train(job, 1)
    const [before, , after] = await Promise.all([
      shard.ingest(job, { host: 'noisy' }),
      shard.install(job, model),
      shard.ingest(job, { host: 'noisy' }),
    ])
    assert.deepEqual([before.resultLabel, after.resultLabel], ['', 'Drop'])
  })

  it('starts the counts since the training anew', async () => {
    const shard = await labelled()
    await shard.install(job, shard.train(job, 1))
    await shard.ingest(job, { host: 'noisy' })
    await shard.feedback(job, 'noise', 'ann', 'Investigate')
    const before = shard.reader().stats(job)
    assert.deepEqual([before.decidedSinceTraining, before.consensusChangesSinceTraining], [1, 1])
    await shard.install(job, shard.train(job, 2))
    const after = shard.reader().stats(job)
    assert.deepEqual(
      [after.decidedSinceTraining, after.consensusChangesSinceTraining, after.outliersSinceTraining],
      [0, 0, 0],
    )
  })

  it('that the store refuses leaves the model before in use, in memory too', async () => {
    const shard = await labelled()
    await shard.install(job, shard.train(job, 1))
    await shard.ingest(job, { host: 'noisy' }, 'before')
    await shard.feedback(job, 'noise', 'bob', 'Drop')
    const rows = shard.rows()
    shard.environment.failNextCommit = new Refusal('store_full', 'full')
    await assert.rejects(shard.install(job, shard.train(job, 2)), (error) => isRefusal(error, 'store_full'))
    assert.deepEqual(shard.rows(), rows)
    await shard.ingest(job, { host: 'noisy' }, 'after')
    const model = ({ document }: { document: Readonly<Record<string, unknown>> }) =>
      (document.service as { model: { path: string } }).model.path
    assert.equal(model(shard.reader().exportEvent(job, 'after', 'service')), 'model_1_1')
    assert.equal(shard.view(job, 'after').bucketState, 'in_knowledge_base')
  })

  it('twice is the same as once', async () => {
    const shard = await labelled()
    const model = shard.train(job, 1)
    await shard.install(job, model)
    const rows = shard.rows(1)
    await shard.install(job, model)
    assert.deepEqual(shard.rows(1), rows)
  })

  it('from the same state and seed gives the same bytes', async () => {
    const [one, two] = [await labelled(), await labelled()]
    assert.deepEqual(one.train(job, 1), two.train(job, 1))
    await one.install(job, one.train(job, 1))
    await two.install(job, two.train(job, 1))
    assert.deepEqual(one.rows(), two.rows())
  })
})
