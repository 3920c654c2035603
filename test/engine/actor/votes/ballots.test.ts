import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { VoteEffect } from '../../../../engine/api/decision-service.js'
import { isRefusal } from '../../../../engine/errors.js'
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
    const low = async (...votes: readonly (readonly [string, string])[]) => {
      for (const [analyst, label] of votes) await shard.vote(job, 'a', { analyst, label, scope: 'bucket' })
      return shard.reader().stats(job).lowScoreBallots
    }
    assert.equal(await low(['ann', 'Drop'], ['bob', 'Drop'], ['cid', 'Escalate']), 0)
    assert.equal(await low(['dan', 'Investigate']), 1)
    assert.equal(await low(['eve', 'Escalate']), 0, 'a tie is undecided and of no score')
    assert.equal(await low(['eve', 'Drop']), 0)
    assert.equal(await low(['fay', 'Escalate']), 1)
    assert.equal(await low(['dan', 'Drop']), 0)
    recount(shard.environment, job.id)
  })

  it('keep every vote on every event, and one bucket is what most of them are', async () => {
    const shard = new TestShard()
    for (let i = 0; i < 10; i++) await shard.ingest(job, { host: 'a', i }, `e${i}`)
    for (let i = 0; i < 10; i++) await shard.feedback(job, `e${i}`, 'ann', i < 6 ? 'Drop' : 'Escalate')
    const view = shard.reader().consensusOnEvent(job, 'e9')
    assert.deepEqual([view.consensus, view.votesCount, view.mixed], ['Drop', 10, true])
    assert.deepEqual(view.split, { Escalate: 4, Drop: 6, Investigate: 0 })
    assert.equal(shard.reader().stats(job).mixedBallots, 1)
    recount(shard.environment, job.id)
  })

  it('take an event for what most of its analysts say', async () => {
    const shard = new TestShard()
    for (const id of ['e', 'f']) await shard.ingest(job, { host: 'a', id }, id)
    await vote(shard, 'e', ['ann', 'Drop'], ['bob', 'Escalate'])
    assert.equal(shard.reader().consensusOnEvent(job, 'e').consensus, 'Undecided')
    await vote(shard, 'e', ['cid', 'Drop'])
    await vote(shard, 'f', ['ann', 'Drop'], ['bob', 'Escalate'])
    const view = shard.reader().consensusOnEvent(job, 'e')
    assert.deepEqual([view.consensus, view.split.Drop, view.tiedEvents, view.votesCount], ['Drop', 1, 1, 5])
  })

  it('count a vote on the whole bucket for the votes that it replaces', async () => {
    const shard = new TestShard()
    for (const id of ['e', 'f', 'g']) await shard.ingest(job, { host: 'a', id }, id)
    for (const id of ['e', 'f']) await vote(shard, id, ['ann', 'Drop'], ['bob', 'Escalate'])
    await shard.vote(job, 'g', { analyst: 'ann', label: 'Investigate', scope: 'bucket' })
    let view = shard.reader().consensusOnEvent(job, 'e')
    assert.deepEqual(view.split, { Escalate: 2, Drop: 0, Investigate: 2 })
    assert.equal(view.votes.find(({ analyst }) => analyst === 'ann')?.countsForEvents, 2)
    await shard.vote(job, 'g', { analyst: 'ann', label: 'Drop', scope: 'bucket' })
    view = shard.reader().consensusOnEvent(job, 'e')
    assert.deepEqual(view.split, { Escalate: 2, Drop: 2, Investigate: 0 })
    assert.equal(shard.reader().stats(job).feedbackEvents, 3, 'bob on two events, ann on one')
    recount(shard.environment, job.id)
  })

  it('lose the votes that are withdrawn, and the bucket is as before', async () => {
    const shard = new TestShard()
    for (const id of ['e', 'f']) await shard.ingest(job, { host: 'a', id }, id)
    await vote(shard, 'e', ['ann', 'Drop'])
    await vote(shard, 'f', ['ann', 'Escalate'], ['bob', 'Escalate'])
    await shard.vote(job, 'f', { analyst: 'bob', label: null })
    await shard.vote(job, 'f', { analyst: 'ann', label: null })
    const view = shard.reader().consensusOnEvent(job, 'e')
    assert.deepEqual([view.consensus, view.votesCount, view.mixed], ['Drop', 1, false])
    assert.equal(shard.reader().stats(job).feedbackEvents, 1)
    await assert.rejects(shard.vote(job, 'f', { analyst: 'ann', label: null }), (error) =>
      isRefusal(error, 'vote_not_found'),
    )
    await shard.vote(job, 'f', { analyst: 'ann', label: null, scope: 'bucket' })
    assert.equal(shard.reader().consensusOnEvent(job, 'e').consensus, null)
    assert.equal(shard.view(job, 'e').bucketState, 'new')
    recount(shard.environment, job.id)
  })

  it('that were trained on and withdrawn ask for a training', async () => {
    const shard = await withEvents()
    await vote(shard, 'a', ['ann', 'Escalate'])
    await vote(shard, 'b', ['ann', 'Drop'])
    await shard.install(job, shard.train(job, 1))
    await shard.vote(job, 'a', { analyst: 'ann', label: null })
    assert.equal(shard.view(job, 'a').bucketState, 'retrain')
    recount(shard.environment, job.id)
  })

  it('tell what a vote changed', async () => {
    const shard = new TestShard()
    for (const id of ['e', 'f', 'g']) await shard.ingest(job, { host: 'a', id }, id)
    await vote(shard, 'e', ['ann', 'Drop'])
    const effect = (await shard.feedback(job, 'f', 'ann', 'Escalate')) as VoteEffect
    assert.deepEqual(
      [effect.appliesToEvents, effect.consensusBefore, effect.consensus, effect.mixed, effect.answer],
      [3, 'Drop', 'Undecided', true, null],
    )
    assert.deepEqual(effect.split, { Escalate: 1, Drop: 1, Investigate: 0 })
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
