import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal, type RefusalCode } from '../../../../engine/errors.js'
import { untold } from '../../../../engine/actor/audit-outbox.js'
import { testAuthor } from '../../../support/author.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings()

async function assertRefused(answer: Promise<unknown>, code: RefusalCode): Promise<void> {
  await assert.rejects(answer, (error) => isRefusal(error, code))
}

/** Two buckets that a model was trained on. */
async function trained(): Promise<TestShard> {
  const shard = new TestShard()
  for (const host of ['a', 'b']) await shard.ingest(job, { host }, host)
  await shard.feedback(job, 'a', 'ann', 'Drop')
  await shard.feedback(job, 'b', 'ann', 'Escalate')
  await shard.install(job, shard.train(job, 1))
  return shard
}

describe('an override', () => {
  it('changes what the knowledge base answers at once, surely, and a withdrawal changes it back', async () => {
    const shard = await trained()
    const before = await shard.ingest(job, { host: 'a' })
    assert.equal(before.resultLabel, 'Drop')
    await shard.override(job, { eventId: 'a' }, 'Investigate')
    const overridden = await shard.ingest(job, { host: 'a' })
    assert.deepEqual([overridden.resultLabel, overridden.bucketState], ['Investigate', 'retrain'])
    await shard.override(job, { eventId: 'a' }, null)
    const after = await shard.ingest(job, { host: 'a' })
    assert.deepEqual(
      [after.resultLabel, after.bucketState, after.confidenceScore],
      ['Drop', 'in_knowledge_base', before.confidenceScore],
    )
  })

  it('is one change of the consensus, numbered like those of votes', async () => {
    const shard = await trained()
    const seq = (): number => shard.reader().stats(job).feedbackSeq
    assert.equal(seq(), 2)
    await shard.override(job, { eventId: 'a' }, 'Escalate')
    assert.equal(seq(), 3)
    await shard.override(job, { eventId: 'a' }, 'label_0')
    await shard.feedback(job, 'a', 'bob', 'Drop')
    assert.deepEqual([seq(), shard.reader().stats(job).consensusCounts], [3, [2, 0, 0]])
    await shard.override(job, { eventId: 'a' }, null)
    assert.deepEqual([seq(), shard.reader().stats(job).consensusCounts], [4, [1, 1, 0]])
  })

  it('of a bucket is found by its id, of a bucket without votes too', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const { bucketId } = shard.reader().consensusOnEvent(job, 'e')
    await shard.override(job, { bucketId: bucketId! }, 'Drop')
    const view = shard.reader().consensusOnBucket(job, Buffer.from(bucketId!, 'hex'))
    assert.deepEqual([view.consensus, view.votes, view.override?.by], ['Drop', [], testAuthor.name])
    const { feedbackEvents, lastFeedbackMicros } = shard.reader().stats(job)
    assert.deepEqual([feedbackEvents, lastFeedbackMicros === view.override?.atMicros], [0, true])
  })

  it('of what is not there, by a label that is none, or withdrawn where there is none, is refused and writes nothing', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const rows = shard.rows(job.id)
    await assertRefused(shard.override(job, { eventId: 'nobody' }, 'Drop'), 'event_not_found')
    await assertRefused(shard.override(job, { bucketId: '0'.repeat(32) }, 'Drop'), 'bucket_not_found')
    await assertRefused(shard.override(job, { eventId: 'e' }, 'Nonsense'), 'unknown_label')
    await assertRefused(shard.override(job, { eventId: 'e' }, null), 'override_not_found')
    assert.deepEqual(shard.rows(job.id), rows)
    assert.deepEqual([...untold(shard.environment, 0, 10)], [])
  })
})
