import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { readFirstAnswer } from '../../../../engine/actor/votes/first-answers.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import type { FirstAnswerRow } from '../../../../engine/store/first-answer-row.js'
import { recount } from '../../../support/engine/recount.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['kind'] })
const [escalate, drop] = [0, 1]

function firstOf(shard: TestShard, id: string, of = job): FirstAnswerRow | null {
  return readFirstAnswer(shard.environment, of.id, shard.view(of, id).ingestMicros)
}

function again(shard: TestShard, of: JobSettings, eventId: string): Promise<unknown> {
  return shard.post({ job: of, kind: 'reprocess', eventId })
}

/** Kinds a and b are voted on and trained; of c nobody has said anything. */
async function trained(of = job): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 8; i++) {
    await shard.ingest(of, { kind: i % 2 === 0 ? 'a' : 'b', at: i }, `old ${i}`)
    await shard.feedback(of, `old ${i}`, 'ann', i % 2 === 0 ? 'Escalate' : 'Drop')
  }
  await shard.install(of, shard.train(of, 1))
  for (const [id, kind] of Object.entries({ known: 'a', new: 'c', later: 'c' })) await shard.ingest(of, { kind }, id)
  return shard
}

describe('the first answer to an event', () => {
  it('is none where it was voted on before any decision, whatever is decided later', async () => {
    const shard = await trained()
    await again(shard, job, 'old 0')
    await shard.feedback(job, 'old 0', 'bob', 'Escalate')
    assert.deepEqual([firstOf(shard, 'old 0')?.label, firstOf(shard, 'old 0')?.truth], [-1, escalate])
  })

  it('is the decision at the first vote, and neither later decisions nor votes change it', async () => {
    const shard = await trained()
    const { confidenceScore } = shard.view(job, 'new')
    const label = Number(shard.view(job, 'new').result.slice('label_'.length))
    await shard.feedback(job, 'new', 'ann', 'Investigate')
    await shard.install(job, shard.train(job, 2))
    await again(shard, job, 'new')
    await shard.feedback(job, 'new', 'bob', 'Investigate')
    const wanted = {
      label,
      confidence: Math.round(confidenceScore * 100),
      modelVersion: 1,
      knownBucket: false,
      truth: 2,
    }
    assert.deepEqual(firstOf(shard, 'new'), wanted)
    recount(shard.environment, job.id)
  })

  it('is of a known bucket where the knowledge base answered, or a model that had seen votes on it', async () => {
    const shard = await trained()
    await shard.feedback(job, 'known', 'ann', 'Escalate')
    assert.equal(firstOf(shard, 'known')?.knownBucket, true)
    await shard.feedback(job, 'new', 'ann', 'Drop')
    await shard.feedback(job, 'later', 'ann', 'Drop')
    assert.equal(firstOf(shard, 'later')?.knownBucket, false, 'the model had not been told of either')
    await shard.install(job, shard.train(job, 2))
    await shard.ingest(job, { kind: 'c' }, 'told')
    await shard.feedback(job, 'told', 'ann', 'Drop')
    assert.equal(firstOf(shard, 'told')?.knownBucket, true)
    recount(shard.environment, job.id)
  })

  it('counts by what most analysts say now: not in a tie, and not after the last withdrawal', async () => {
    const shard = await trained()
    await shard.feedback(job, 'new', 'ann', 'Drop')
    assert.equal(firstOf(shard, 'new')?.truth, drop)
    await shard.feedback(job, 'new', 'bob', 'Escalate')
    assert.equal(firstOf(shard, 'new')?.truth, -1)
    await shard.vote(job, 'new', { analyst: 'ann', label: null })
    assert.equal(firstOf(shard, 'new')?.truth, escalate)
    await shard.vote(job, 'new', { analyst: 'bob', label: null })
    assert.equal(firstOf(shard, 'new')?.truth, -1)
    await shard.install(job, shard.train(job, 2))
    await again(shard, job, 'new')
    await shard.feedback(job, 'new', 'ann', 'Drop')
    assert.deepEqual([firstOf(shard, 'new')?.modelVersion, firstOf(shard, 'new')?.truth], [1, drop])
    recount(shard.environment, job.id)
  })

  it('follows a vote on the whole bucket, which replaces the votes on other events', async () => {
    const shard = await trained()
    await shard.feedback(job, 'later', 'ann', 'Drop')
    await shard.vote(job, 'new', { analyst: 'ann', label: 'Escalate', scope: 'bucket' })
    assert.deepEqual([firstOf(shard, 'new')?.truth, firstOf(shard, 'later')?.truth], [escalate, -1])
    recount(shard.environment, job.id)
  })

  it('goes with its event', async () => {
    const shard = await trained()
    await shard.feedback(job, 'new', 'ann', 'Drop')
    const { ingestMicros } = shard.view(job, 'new')
    await shard.post({ job, kind: 'erase', body: encodeErase([ingestMicros], false) })
    assert.equal(readFirstAnswer(shard.environment, job.id, ingestMicros), null)
    recount(shard.environment, job.id)
  })

  it('moves with its event to another bucket, and stays of one that nobody had voted on', async () => {
    const shard = await trained()
    await shard.feedback(job, 'new', 'ann', 'Drop')
    const split = { ...job, revision: 2, decisionPoints: ['kind', 'at'] }
    await again(shard, split, 'new')
    assert.deepEqual([firstOf(shard, 'new', split)?.knownBucket, firstOf(shard, 'new', split)?.truth], [false, drop])
    recount(shard.environment, job.id)
  })
})
