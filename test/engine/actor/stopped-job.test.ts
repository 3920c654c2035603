import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const started = jobSettings()
const stopped = jobSettings({ revision: 2, status: 'STOPPED' })
const startedAgain = jobSettings({ revision: 3 })

async function trained(): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 4; i++) {
    await shard.ingest(started, { host: 'noisy', n: i }, `noise ${i}`)
    await shard.ingest(started, { host: 'vault', n: i }, `alarm ${i}`)
  }
  await shard.feedback(started, 'noise 0', 'ann', 'Drop')
  await shard.feedback(started, 'alarm 0', 'ann', 'Escalate')
  await shard.install(started, shard.train(started, 1))
  return shard
}

describe('a stopped job (S11)', () => {
  it('holds events as pending, and decides them when it starts', async () => {
    const shard = await trained()
    const held = await shard.ingest(stopped, { host: 'noisy' }, 'e')
    assert.deepEqual([held.status, held.result, held.confidenceScore], ['pending_inference', '', 0])
    assert.equal(shard.view(stopped, 'e').status, 'pending_inference')
    assert.equal(shard.reader().stats(stopped).pending, 1)
    assert.equal(await shard.resume(stopped), 1)
    assert.equal(shard.view(stopped, 'e').status, 'pending_inference')
    await shard.resume(startedAgain)
    const decided = shard.view(startedAgain, 'e')
    assert.deepEqual([decided.status, decided.resultLabel, decided.ingestMicros], ['OK', 'Drop', held.ingestMicros])
    assert.equal(shard.reader().stats(startedAgain).pending, 0)
    assert.deepEqual(
      shard.rows(1).filter((row) => row.startsWith('pending ')),
      [],
    )
  })

  it('takes feedback on what it holds', async () => {
    const shard = await trained()
    await shard.ingest(stopped, { host: 'new' }, 'e')
    await shard.feedback(stopped, 'e', 'ann', 'Investigate')
    assert.deepEqual(
      [shard.view(stopped, 'e').bucketState, shard.view(stopped, 'e').status],
      ['pending', 'pending_inference'],
    )
    await shard.resume(startedAgain)
    assert.equal(shard.view(startedAgain, 'e').status, 'OK')
    assert.equal(shard.reader().stats(startedAgain).feedbackEvents, 3)
  })

  it('answers a repeated post with what it holds, and replaces what it holds by another body', async () => {
    const shard = await trained()
    const held = await shard.ingest(stopped, { host: 'noisy' }, 'e')
    assert.deepEqual(await shard.ingest(stopped, { host: 'noisy' }, 'e'), held)
    const replaced = await shard.ingest(stopped, { host: 'vault' }, 'e')
    assert.equal(replaced.status, 'pending_inference')
    assert.equal(shard.reader().stats(stopped).pending, 1)
    await shard.resume(startedAgain)
    assert.equal(shard.view(startedAgain, 'e').resultLabel, 'Escalate')
  })

  it('leaves an event that lacks the decision points without a decision', async () => {
    const shard = await trained()
    await shard.ingest(stopped, { other: 1 }, 'e')
    await shard.resume(startedAgain)
    assert.deepEqual([shard.view(startedAgain, 'e').status, shard.view(startedAgain, 'e').result], ['OK', ''])
  })

  it('takes up any number of events, in several messages', async () => {
    const shard = await trained()
    const count = 2 * limits.resumeEventsPerTurn + 10
    await Promise.all(
      Array.from({ length: count }, (_, i) => shard.ingest(stopped, { host: i % 2 === 0 ? 'noisy' : 'vault', i })),
    )
    assert.equal(shard.reader().stats(stopped).pending, count)
    assert.equal(await shard.resume(startedAgain), 3)
    const { pending, decidedSinceTraining } = shard.reader().stats(startedAgain)
    assert.deepEqual([pending, decidedSinceTraining], [0, count])
  })

  it('takes up large events a few at a time', async () => {
    const shard = await trained()
    const text = 'x'.repeat(limits.decidedBytesPerMessage / 4)
    for (let i = 0; i < 6; i++) await shard.ingest(stopped, { host: 'noisy', i, text })
    assert.equal(await shard.resume(startedAgain), 2)
    const { pending, decidedSinceTraining } = shard.reader().stats(startedAgain)
    assert.deepEqual([pending, decidedSinceTraining], [0, 6])
  })

  it('that is started twice at once decides each event once', async () => {
    const shard = await trained()
    await shard.ingest(stopped, { host: 'noisy' }, 'e1')
    await shard.ingest(stopped, { host: 'vault' }, 'e2')
    await Promise.all([shard.resume(startedAgain), shard.resume(startedAgain), shard.resume(startedAgain)])
    const { pending, decidedSinceTraining } = shard.reader().stats(startedAgain)
    assert.deepEqual([pending, decidedSinceTraining], [0, 2])
    assert.deepEqual(shard.failures, [])
  })

  it('whose held event is replaced in the turn that takes it up decides the new version once', async () => {
    const shard = await trained()
    await shard.ingest(stopped, { host: 'noisy' }, 'e')
    const [replaced] = await Promise.all([
      shard.ingest(startedAgain, { host: 'vault' }, 'e'),
      shard.resume(startedAgain),
    ])
    assert.equal(replaced.resultLabel, 'Escalate')
    assert.equal(shard.view(startedAgain, 'e').resultLabel, 'Escalate')
    assert.equal(shard.reader().stats(startedAgain).pending, 0)
    assert.deepEqual(shard.failures, [])
  })

  it('keeps what it holds across a restart', async () => {
    const shard = await trained()
    await shard.ingest(stopped, { host: 'noisy' }, 'e')
    shard.restart()
    assert.deepEqual(
      [...shard.reader().storedJobs()].map(({ jobId, stats }) => [jobId, stats.pending]),
      [[1, 1]],
    )
    await shard.resume(startedAgain)
    assert.equal(shard.view(startedAgain, 'e').resultLabel, 'Drop')
  })
})
