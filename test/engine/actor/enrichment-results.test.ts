import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeEnriched, type EnrichedEvent, type EnrichedCommand } from '../../../engine/actor/enrichment-results.js'
import { ShardCheck } from '../../../engine/services/verify/verify-shard.js'
import { limits } from '../../../engine/limits.js'
import { recount } from '../../support/engine/recount.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'
import { checkJobs } from '../../../engine/services/verify/verify-job.js'

const step = { integrationId: 9, role: 'enrichment', enabled: true, parameters: {}, outsideSince: 1 } as const
const job = jobSettings({ decisionPoints: ['host', 'enrichment.ti.level'], pipeline: [step] })
const stopped = { ...job, revision: 2, status: 'STOPPED' as const }
const note = { name: 'ti', title: 'Threats', outcome: 'found' as const, reason: '', ms: 3 }

function found(micros: number, fields: Record<string, unknown>): EnrichedEvent {
  return { micros, steps: [{ ...note, fields: { ...fields, found: true } }] }
}

function order(shard: TestShard, given: EnrichedCommand, settings = job): Promise<{ more: boolean }> {
  return shard.post({ job: settings, kind: 'enriched', body: encodeEnriched(given) }) as Promise<{ more: boolean }>
}

/** Everything that is stored belongs together. */
function sound(shard: TestShard, jobId = job.id): void {
  recount(shard.environment, jobId)
  const check = new ShardCheck(shard.environment, 'shard')
  checkJobs(check)
  assert.deepEqual(check.problems, [])
}

function document(shard: TestShard, eventId: string): any {
  return shard.reader().exportEvent(job, eventId, 'service').document
}

describe('an event of a job that is enriched', () => {
  it('waits, and is decided once by what was found', async () => {
    const shard = new TestShard()
    const held = await shard.ingest(job, { host: 'a' }, 'e')
    assert.deepEqual([held.status, held.result], ['pending_inference', ''])
    assert.match(document(shard, 'e').service.log_messages[0].content, /waits for enrichment/)
    assert.equal(shard.reader().oldestIn('awaited', job.id), held.ingestMicros)
    sound(shard)
    await order(shard, { op: 'bring', events: [found(held.ingestMicros, { level: 'high' })] })
    assert.equal(shard.view(job, 'e').status, 'OK')
    const rows = shard.rows(job.id)
    await order(shard, { op: 'bring', events: [found(held.ingestMicros, { level: 'low' })] })
    await order(shard, { op: 'give_up', through: held.ingestMicros + 1e9, steps: [] })
    assert.deepEqual(shard.rows(job.id), rows)
    assert.deepEqual(document(shard, 'e').enrichment, { ti: { level: 'high', found: true } })
    assert.equal(shard.reader().oldestIn('awaited', job.id), null)
    sound(shard)
  })

  it('goes into the bucket of what was found, and leaves none behind', async () => {
    const shard = new TestShard()
    for (const [id, level] of [
      ['a', 'high'],
      ['b', 'low'],
      ['c', 'high'],
    ] as const) {
      const { ingestMicros } = await shard.ingest(job, { host: 'x' }, id)
      await order(shard, { op: 'bring', events: [found(ingestMicros, { level })] })
    }
    assert.equal(shard.reader().stats(job).buckets, 2)
    assert.equal(document(shard, 'a').service.bucket_id, document(shard, 'c').service.bucket_id)
    assert.notEqual(document(shard, 'a').service.bucket_id, document(shard, 'b').service.bucket_id)
    sound(shard)
  })

  it('is decided by a model of what was found', async () => {
    const shard = new TestShard()
    for (let i = 0; i < 8; i++) {
      const { ingestMicros } = await shard.ingest(job, { host: 'x', i }, `e${i}`)
      await order(shard, { op: 'bring', events: [found(ingestMicros, { level: i % 2 === 0 ? 'high' : 'low' })] })
    }
    await shard.feedback(job, 'e0', 'ann', 'Escalate')
    await shard.feedback(job, 'e1', 'ann', 'Drop')
    await shard.install(job, shard.train(job, 1))
    const { ingestMicros } = await shard.ingest(job, { host: 'x' }, 'new')
    await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'low' })] })
    assert.equal(shard.view(job, 'new').resultLabel, 'Drop')
    assert.equal(shard.reader().stats(job).decidedSinceTraining, 1)
    sound(shard)
  })

  it('is decided without when its time is over; those that came later wait on', async () => {
    const shard = new TestShard()
    const first = await shard.ingest(job, { host: 'a', enrichment: { ti: { level: 'of the client' } } }, 'first')
    await shard.ingest(job, { host: 'b' }, 'second')
    const late = { ...note, outcome: 'late' as const, reason: 'nobody could ask in time' }
    assert.deepEqual(await order(shard, { op: 'give_up', through: first.ingestMicros, steps: [late] }), { more: false })
    assert.deepEqual([shard.view(job, 'first').status, shard.view(job, 'second').status], ['OK', 'pending_inference'])
    assert.deepEqual(document(shard, 'first').enrichment, {})
    assert.match(
      document(shard, 'first').service.log_messages[0].content,
      /"Threats" \(ti\) was late .*: nobody could ask in time; the event was decided without it/,
    )
    sound(shard)
  })

  it('is the same event when its client sends it again, whatever was found; another body is looked up anew', async () => {
    const shard = new TestShard()
    for (const body of [
      { host: 'a' },
      { host: 'b', enrichment: { ti: 7, own: 1 } },
      { host: 'c', enrichment: 'text' },
    ]) {
      const { ingestMicros, eventId } = await shard.ingest(job, body, `e-${body.host}`)
      assert.equal((await shard.ingest(job, body, eventId)).ingestMicros, ingestMicros)
      await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'high' })] })
      const again = await shard.ingest(job, body, eventId)
      assert.deepEqual([again.ingestMicros, again.status], [ingestMicros, 'OK'])
      const other = await shard.ingest(job, { ...body, more: 1 }, eventId)
      assert.equal(other.status, 'pending_inference')
      await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'low' })] })
      assert.equal(shard.view(job, eventId).status, 'pending_inference')
    }
    assert.equal(shard.reader().stats(job).events, 3)
    sound(shard)
  })

  it('is held while its job is stopped, and reprocessed with what was found', async () => {
    const shard = new TestShard()
    const { ingestMicros } = await shard.ingest(stopped, { host: 'a' }, 'e')
    await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'high' })] }, stopped)
    await shard.resume(stopped)
    assert.equal(shard.view(stopped, 'e').status, 'pending_inference')
    const startedAgain = { ...job, revision: 3 }
    await shard.resume(startedAgain)
    await shard.post({ job: startedAgain, kind: 'reprocess', eventId: 'e' })
    assert.equal(shard.view(startedAgain, 'e').status, 'pending_inference')
    await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'high' })] }, startedAgain)
    const bucket = document(shard, 'e').service.bucket_id
    await shard.post({ job: startedAgain, kind: 'reprocess', eventId: 'e' })
    assert.deepEqual(
      [document(shard, 'e').service.bucket_id, document(shard, 'e').enrichment.ti.level],
      [bucket, 'high'],
    )
    sound(shard)
  })

  it('is decided without what a step found that the job has no longer; what a stopped job is brought waits', async () => {
    const shard = new TestShard()
    const { ingestMicros } = await shard.ingest(job, { host: 'a' }, 'e')
    const [ours] = found(ingestMicros, { level: 'high' }).steps as [EnrichedEvent['steps'][number]]
    const brought: EnrichedCommand = {
      op: 'bring',
      events: [
        {
          micros: ingestMicros,
          steps: [
            { ...ours, integrationId: 9 },
            { ...ours, name: 'gone', integrationId: 8 },
          ],
        },
      ],
    }
    assert.deepEqual(await order(shard, brought, stopped), { more: true })
    assert.equal(shard.view(stopped, 'e').status, 'pending_inference')
    const started = { ...job, revision: 3 }
    assert.deepEqual(await order(shard, brought, started), { more: false })
    assert.deepEqual(document(shard, 'e').enrichment, { ti: { level: 'high', found: true } })
    const second = await shard.ingest(started, { host: 'a' }, 'second')
    const without = { ...job, revision: 4, pipeline: [{ ...step, enabled: false }] }
    assert.deepEqual(
      await order(
        shard,
        { op: 'bring', events: [{ micros: second.ingestMicros, steps: [{ ...ours, integrationId: 9 }] }] },
        without,
      ),
      { more: false },
    )
    assert.deepEqual([shard.view(without, 'second').status, document(shard, 'second').enrichment], ['OK', undefined])
    sound(shard)
  })

  it('takes votes that were given on it while it waited into its bucket; those on others stay', async () => {
    const shard = new TestShard()
    const first = await shard.ingest(job, { host: 'a' }, 'first')
    const second = await shard.ingest(job, { host: 'a', n: 2 }, 'second')
    await shard.feedback(job, 'first', 'ann', 'Drop')
    await shard.feedback(job, 'second', 'bob', 'Escalate')
    await order(shard, { op: 'bring', events: [found(first.ingestMicros, { level: 'high' })] })
    sound(shard)
    assert.deepEqual(
      ['first', 'second'].map((id) => document(shard, id).service.consensus),
      ['Drop', 'Escalate'],
    )
    await order(shard, { op: 'bring', events: [found(second.ingestMicros, { level: 'high' })] })
    sound(shard)
    assert.equal(document(shard, 'first').service.consensus, 'Undecided')
    assert.deepEqual([shard.reader().stats(job).buckets, shard.reader().stats(job).feedbackEvents], [1, 2])
  })

  it('is decided at once, and says so, where too many wait', async () => {
    const shard = new TestShard()
    await Promise.all(
      Array.from({ length: limits.enrichmentsPendingMax }, (_, i) => shard.ingest(job, { host: `h${i % 7}` })),
    )
    const over = await shard.ingest(job, { host: 'a' }, 'over')
    assert.equal(over.status, 'OK')
    assert.match(document(shard, 'over').service.log_messages[0].content, /too many events of the job were waiting/)
    assert.equal(shard.reader().stats(job).pending, limits.enrichmentsPendingMax)
    let messages = 0
    while ((await order(shard, { op: 'give_up', through: over.ingestMicros, steps: [] })).more) messages++
    assert.equal(messages, Math.ceil(limits.enrichmentsPendingMax / limits.resumeEventsPerTurn) - 1)
    assert.equal((await shard.ingest(job, { host: 'a' }, 'next')).status, 'pending_inference')
    sound(shard)
  })

  it('is decided with few others at a time where they are large', async () => {
    const shard = new TestShard()
    const text = 'x'.repeat(limits.decidedBytesPerMessage / 4)
    const events: EnrichedEvent[] = []
    for (let i = 0; i < 10; i++)
      events.push(found((await shard.ingest(job, { host: 'a', i, text }, `e${i}`)).ingestMicros, { level: 'high' }))
    const early = events.slice(0, 5)
    assert.equal((await order(shard, { op: 'bring', events: early })).more, true)
    assert.equal(shard.reader().stats(job).pending, 6)
    assert.equal((await order(shard, { op: 'bring', events: early })).more, false)
    const through = events.at(-1)?.micros as number
    assert.equal((await order(shard, { op: 'give_up', through, steps: [] })).more, true)
    assert.equal((await order(shard, { op: 'give_up', through, steps: [] })).more, false)
    assert.equal(shard.reader().stats(job).pending, 0)
    sound(shard)
  })

  it('is decided with what was found left out where it has no room for it', async () => {
    const shard = new TestShard()
    const wide = { list: new Array(limits.eventFieldsMax - 3).fill(0) }
    const { ingestMicros } = await shard.ingest(job, { host: 'a', ...wide }, 'e')
    await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'high', more: [1, 2, 3, 4] })] })
    assert.equal(shard.view(job, 'e').status, 'OK')
    assert.equal(document(shard, 'e').enrichment, undefined)
    assert.match(document(shard, 'e').service.log_messages[1].content, /could not be stored with the event/)
    assert.equal((await shard.ingest(job, { host: 'a', ...wide }, 'e')).ingestMicros, ingestMicros)
    sound(shard)
  })

  it('takes its marks and look-ups with it when it is replaced, or its job goes', async () => {
    const shard = new TestShard()
    const first = await shard.ingest(job, { host: 'a' }, 'e')
    await order(shard, { op: 'bring', events: [found(first.ingestMicros, { level: 'high' })] })
    await shard.ingest(job, { host: 'b' }, 'e')
    await shard.ingest(job, { host: 'c' }, 'e')
    assert.deepEqual(
      ['awaited ', 'lookups '].map((table) => shard.rows(job.id).filter((row) => row.startsWith(table)).length),
      [1, 0],
    )
    sound(shard)
    await shard.purge(job)
    assert.deepEqual(shard.rows(job.id), [])
  })

  it('brought in by history keeps what it carries, and waits for nothing', async () => {
    const shard = new TestShard()
    const events = [
      {
        raw_body: { host: 'a', enrichment: { ti: { level: 'high' } } },
        label: { cortex_user: 'ann', feedback: 'Drop' },
      },
    ]
    await shard.historic(job, { count: 1, events })
    assert.deepEqual([shard.reader().stats(job).pending, shard.reader().stats(job).feedbackEvents], [0, 1])
    sound(shard)
  })

  it('survives a thread that dies behind the commit: the message only answers', async () => {
    const shard = new TestShard()
    const { ingestMicros } = await shard.ingest(job, { host: 'a' }, 'e')
    const death = shard.dieOnce('after')
    await order(shard, { op: 'bring', events: [found(ingestMicros, { level: 'high' })] })
    assert.equal(death.happened, true)
    assert.equal(document(shard, 'e').enrichment.ti.level, 'high')
    assert.equal(shard.reader().stats(job).pending, 0)
    sound(shard)
  })
})
