import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { recount } from '../../support/engine/recount.js'
import { refusedWith } from '../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const centric = jobSettings({ category: 'Event centric decision intelligence' })

function reprocess(shard: TestShard, of: JobSettings, eventId: string): Promise<unknown> {
  return shard.post({ job: of, kind: 'reprocess', eventId })
}

function section(shard: TestShard, of: JobSettings, eventId: string): Record<string, unknown> {
  return shard.reader().exportEvent(of, eventId, 'service').document.service as Record<string, unknown>
}

/** Events of two hosts before there is a model, votes on one of each, and then the model. */
async function taught(of: JobSettings): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 4; i++) {
    await shard.ingest(of, { host: 'noisy', n: i }, `noise ${i}`)
    await shard.ingest(of, { host: 'vault', n: i }, `alarm ${i}`)
  }
  await shard.feedback(of, 'noise 0', 'ann', 'Drop')
  await shard.feedback(of, 'alarm 0', 'ann', 'Escalate')
  await shard.install(of, shard.train(of, 1))
  return shard
}

describe('an event that is decided again', () => {
  it('keeps the decision that stood until then, and has both afterwards', async () => {
    const shard = await taught(job)
    assert.equal(shard.view(job, 'noise 1').result, '')
    assert.equal(section(shard, job, 'noise 1').previous_result, null)
    await reprocess(shard, job, 'noise 1')
    const view = shard.view(job, 'noise 1')
    assert.deepEqual([view.resultLabel, view.status], ['Drop', 'OK'])
    assert.deepEqual(
      [section(shard, job, 'noise 1').previous_result, section(shard, job, 'noise 1').result],
      ['', 'label_1'],
    )
    await shard.feedback(job, 'noise 0', 'ann', 'Investigate')
    assert.equal(shard.view(job, 'noise 1').resultLabel, 'Drop')
    await reprocess(shard, job, 'noise 1')
    const again = section(shard, job, 'noise 1')
    assert.deepEqual([again.previous_result_label, again.result_label], ['Drop', 'Investigate'])
    const [message] = again.log_messages as { content: string; timestamp: string }[]
    assert.match(
      message?.content ?? '',
      /^reprocessed; before: Drop, confidence \d+\.\d\d; now: decided by the consensus/,
    )
    assert.equal(message?.timestamp, (again.timers as Record<string, string>).reprocess_timestamp)
  })

  it('is counted once among the decisions since the training, however often that is done', async () => {
    const shard = await taught(job)
    await shard.ingest(job, { host: 'noisy' }, 'new')
    assert.equal(shard.reader().stats(job).decidedSinceTraining, 1)
    for (const id of ['new', 'new', 'noise 1', 'noise 1', 'noise 2']) await reprocess(shard, job, id)
    assert.equal(shard.reader().stats(job).decidedSinceTraining, 3)
    await shard.install(job, shard.train(job, 2))
    await reprocess(shard, job, 'new')
    assert.equal(shard.reader().stats(job).decidedSinceTraining, 1)
    recount(shard.environment, job.id)
  })

  it('by its own id of the service, and by none that is unknown', async () => {
    const shard = await taught(job)
    const { eventId } = await shard.ingest(job, { host: 'noisy' })
    await reprocess(shard, job, eventId)
    await assert.rejects(reprocess(shard, job, 'nobody'), refusedWith('event_not_found'))
  })

  it('moves to the bucket that it is in by the decision points of now, with the votes on it', async () => {
    const shard = await taught(job)
    const moved = jobSettings({ revision: 2, decisionPoints: ['n'] })
    await reprocess(shard, moved, 'noise 0')
    await reprocess(shard, moved, 'alarm 0')
    const { ballots, stats } = recount(shard.environment, job.id)
    assert.deepEqual([ballots.size, stats.buckets, stats.events], [1, 3, 8])
    assert.equal(section(shard, moved, 'noise 0').bucket_id, section(shard, moved, 'alarm 0').bucket_id)
    assert.equal(shard.view(moved, 'noise 0').bucketState, 'pending')
    for (const id of [1, 2, 3].flatMap((i) => [`noise ${i}`, `alarm ${i}`])) await reprocess(shard, moved, id)
    assert.deepEqual([recount(shard.environment, job.id).stats.buckets, shard.reader().stats(job).events], [4, 8])
  })

  it('moves back and forth between having a bucket and having none', async () => {
    const shard = await taught(job)
    const alone = { ...centric, revision: 2 }
    await reprocess(shard, alone, 'noise 1')
    assert.equal(section(shard, alone, 'noise 1').bucket_id, null)
    await reprocess(shard, { ...job, revision: 3 }, 'noise 1')
    assert.equal(section(shard, job, 'noise 1').bucket_id, section(shard, job, 'noise 0').bucket_id)
    recount(shard.environment, job.id)
  })

  it('stays by itself where it has votes of its own, and answers with their consensus', async () => {
    const shard = await taught(centric)
    assert.equal(shard.view(centric, 'noise 0').result, '')
    await reprocess(shard, centric, 'noise 0')
    const view = shard.view(centric, 'noise 0')
    assert.deepEqual([view.resultLabel, view.bucketState], ['Drop', 'in_knowledge_base'])
    assert.match(JSON.stringify(section(shard, centric, 'noise 0').log_messages), /knowledge base/)
    await reprocess(shard, { ...job, revision: 2 }, 'noise 0')
    assert.equal(section(shard, job, 'noise 0').bucket_id, null)
    recount(shard.environment, job.id)
  })

  it('finds out anew whether it has any decision point', async () => {
    const shard = await taught(job)
    await shard.ingest(job, { n: 7 }, 'lacking')
    const wider = jobSettings({ revision: 2, decisionPoints: ['n'] })
    await reprocess(shard, wider, 'lacking')
    assert.doesNotMatch(JSON.stringify(section(shard, wider, 'lacking').log_messages), /none of the decision points/)
    await reprocess(shard, { ...job, revision: 3 }, 'lacking')
    assert.match(JSON.stringify(section(shard, job, 'lacking').log_messages), /none of the decision points/)
  })

  it('is refused while its job is stopped', async () => {
    const shard = await taught(job)
    await assert.rejects(
      reprocess(shard, { ...job, revision: 2, status: 'STOPPED' }, 'noise 1'),
      refusedWith('job_stopped'),
    )
    assert.equal(section(shard, job, 'noise 1').previous_result, null)
  })

  it('and was waiting for its job to start is decided for the first time', async () => {
    const shard = await taught(job)
    await shard.ingest({ ...job, revision: 2, status: 'STOPPED' }, { host: 'noisy' }, 'held')
    const started = { ...job, revision: 3 }
    await reprocess(shard, started, 'held')
    assert.deepEqual(
      [shard.view(started, 'held').resultLabel, section(shard, started, 'held').previous_result],
      ['Drop', null],
    )
    assert.equal(recount(shard.environment, job.id).stats.pending, 0)
    await shard.resume(started)
    assert.equal(shard.reader().stats(started).decidedSinceTraining, 1)
  })

  it('loses what stood before with the version of it that it stood for', async () => {
    const shard = await taught(job)
    await reprocess(shard, job, 'noise 1')
    await shard.ingest(job, { host: 'vault', n: 1 }, 'noise 1')
    assert.equal(section(shard, job, 'noise 1').previous_result, null)
  })

  it('does not bring its old result along when its export is posted', async () => {
    const shard = await taught(job)
    await reprocess(shard, job, 'noise 1')
    await shard.note(job, 'noise 1', 'seen')
    const { document } = shard.reader().exportEvent(job, 'noise 1', 'service')
    await shard.ingest(job, document, 'copy')
    const copy = shard.reader().exportEvent(job, 'copy', 'service').document
    assert.deepEqual([copy.host, copy.n], ['noisy', 1])
    assert.deepEqual(
      [section(shard, job, 'copy').previous_result, section(shard, job, 'copy').agentic_notes],
      [null, []],
    )
  })
})
