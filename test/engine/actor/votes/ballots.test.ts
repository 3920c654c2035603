import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StatsRow } from '../../../../engine/store/rows.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { recount } from '../../../support/engine/recount.js'

const job = jobSettings()

async function vote(
  shard: TestShard,
  event: string,
  ...votes: readonly (readonly [string, string])[]
): Promise<StatsRow> {
  for (const [analyst, label] of votes) await shard.feedback(job, event, analyst, label)
  return shard.reader().stats(job)
}

async function withEvents(): Promise<TestShard> {
  const shard = new TestShard()
  for (const host of ['a', 'b', 'c']) await shard.ingest(job, { host }, host)
  return shard
}

describe('ballots', () => {
  it('count small majorities while they are small', async () => {
    const shard = await withEvents()
    const low = async (...votes: readonly (readonly [string, string])[]) =>
      (await vote(shard, 'a', ...votes)).lowScoreBallots
    assert.equal(await low(['ann', 'Drop'], ['bob', 'Drop'], ['cid', 'Escalate']), 0)
    assert.equal(await low(['dan', 'Investigate']), 1)
    assert.equal(await low(['eve', 'Escalate']), 0, 'a tie is undecided and of no score')
    assert.equal(await low(['eve', 'Drop']), 0)
    assert.equal(await low(['fay', 'Escalate']), 1)
    assert.equal(await low(['dan', 'Drop']), 0)
    recount(shard.environment, job.id)
  })

  it('count a consensus that goes back to a label it had left, and not one that only waited for a vote', async () => {
    const shard = await withEvents()
    const flips = async (event: string, ...votes: readonly (readonly [string, string])[]) => {
      return (await vote(shard, event, ...votes)).consensusFlipsSinceTraining
    }
    assert.equal(await flips('a', ['ann', 'Drop'], ['bob', 'Escalate'], ['cid', 'Drop']), 0)
    assert.equal(await flips('b', ['ann', 'Drop'], ['ann', 'Escalate']), 0)
    assert.equal(await flips('b', ['ann', 'Investigate']), 0)
    assert.equal(await flips('b', ['ann', 'Drop']), 1)
    assert.equal(await flips('b', ['ann', 'Escalate']), 2)
  })

  it('forget at a training what was before it', async () => {
    const shard = await withEvents()
    await vote(shard, 'c', ['ann', 'Escalate'])
    await vote(shard, 'a', ['ann', 'Drop'], ['ann', 'Escalate'])
    await vote(shard, 'b', ['ann', 'Drop'])
    await shard.install(job, shard.train(job, 1))
    assert.equal((await vote(shard, 'a', ['ann', 'Drop'])).consensusFlipsSinceTraining, 0)
    assert.equal((await vote(shard, 'a', ['ann', 'Escalate'])).consensusFlipsSinceTraining, 1)
    await shard.install(job, shard.train(job, 2))
    assert.equal(shard.reader().stats(job).consensusFlipsSinceTraining, 0)
  })
})
