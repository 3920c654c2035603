import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal, type RefusalCode } from '../../../engine/errors.js'
import { limits } from '../../../engine/limits.js'
import { metaKey, timeOfValue } from '../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const centric = jobSettings({ category: 'Event centric decision intelligence' })

function event(host: string, feedback: unknown = undefined, more: object = {}): object {
  return {
    job_id: 1,
    raw_body: { host },
    ...(feedback === undefined ? {} : { label: { cortex_user: 'ann', feedback } }),
    ...more,
  }
}

describe('historic events', () => {
  for (const of of [job, centric]) {
    it(`are stored with their votes: ${of.category}`, async () => {
      const shard = new TestShard()
      const events = [
        event('a', 'Drop'),
        event('a', 'drop'),
        event('b', 'label_0'),
        event('c', null),
        event('d'),
        event('e', 'class_2', { title: 'T' }),
      ]
      assert.equal(await shard.historic(of, { count: events.length, events }), 6)
      const { events: stored, feedbackEvents, buckets, consensusCounts } = shard.reader().stats(of)
      assert.deepEqual([stored, feedbackEvents, buckets], [6, 4, of === job ? 5 : 0])
      assert.deepEqual(consensusCounts, of === job ? [1, 1, 1] : [1, 2, 1])
    })
  }

  it('come without a vote where the client had no choice to tell, and with one under the older names of its fields', async () => {
    const shard = new TestShard()
    const older = event('e', undefined, {
      label: { username: 'bob', label: 'drop', feedback: null, cortex_user: null },
    })
    assert.equal(
      await shard.historic(job, {
        events: [event('a', ''), event('b', '<empty>'), event('c', null), event('d', undefined, { label: {} }), older],
      }),
      5,
    )
    const { feedbackEvents, consensusCounts } = shard.reader().stats(job)
    assert.deepEqual([feedbackEvents, consensusCounts], [1, [0, 1, 0]])
  })

  it('are enough to train from', async () => {
    const shard = new TestShard()
    await shard.historic(job, { events: [event('a', 'Drop'), event('b', 'Escalate')] })
    await shard.install(job, shard.train(job, 1))
    assert.equal((await shard.ingest(job, { host: 'a' })).resultLabel, 'Drop')
  })

  it('are all refused where one of them is wrong, and nothing is stored', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const rows = shard.rows()
    const wrong: [RefusalCode, unknown][] = [
      ['invalid_body', { raw_body: 1 }],
      ['invalid_body', 7],
      ['invalid_body', null],
      ['invalid_body', { label: {} }],
      ['unknown_label', event('x', 'Nonsense')],
      ['invalid_body', event('x', 7)],
      ['invalid_body', { raw_body: {}, label: 'Drop' }],
      ['forbidden_field', { raw_body: JSON.parse('{"__proto__":1}') as unknown }],
      ['event_too_wide', { raw_body: { list: new Array(limits.eventFieldsMax + 1).fill(0) } }],
    ]
    for (const [code, one] of wrong) {
      await assert.rejects(
        shard.historic(job, { events: [event('a', 'Drop'), one, event('b', 'Drop')] }),
        (error) => isRefusal(error, code),
        code,
      )
    }
    for (const document of [{}, { events: {} }, [], null]) {
      await assert.rejects(shard.historic(job, document), (error) => isRefusal(error, 'invalid_body'))
    }
    const unpacked = `{"events":[${'[],'.repeat(1_000_000)}no JSON`
    await assert.rejects(
      shard.post({ job, kind: 'historic', body: unpacked }),
      (error) => isRefusal(error, 'body_too_large'),
      'too much to parse',
    )
    await assert.rejects(shard.post({ job, kind: 'historic', body: '{' }), (error) => isRefusal(error, 'invalid_json'))
    await assert.rejects(
      shard.historic(job, { events: new Array(limits.historicEventsMax + 1).fill(event('a')) }),
      (error) => isRefusal(error, 'body_too_large'),
    )
    assert.deepEqual(shard.rows(), rows)
    assert.deepEqual(shard.failures, [])
  })

  it('say in which place the wrong one stands', async () => {
    const shard = new TestShard()
    await assert.rejects(shard.historic(job, { events: [event('a'), { raw_body: [] }] }), (error) => {
      return isRefusal(error) && JSON.stringify(error.context.issues?.[0]?.loc) === '["body","events",1,"raw_body"]'
    })
  })

  it('take times of their own, which no later start gives away again', async () => {
    const shard = new TestShard()
    const first = shard.take(0)
    await shard.historic(job, { events: new Array(500).fill(event('a')) })
    const last = timeOfValue(shard.environment.get('meta', metaKey('last_time')) as Uint8Array)
    assert.ok(last >= first + 499)
    assert.equal(shard.reader().lastMicros(), last)
  })

  it('that run again after their thread died are stored and counted once', async () => {
    const shard = new TestShard()
    shard.dieOnce('after')
    const events = [event('a', 'Drop'), event('a', 'Escalate'), event('b', 'Drop'), event('a', 'Drop')]
    assert.equal(await shard.historic(job, { events }), 4)
    const { events: stored, feedbackEvents, buckets, consensusCounts } = shard.reader().stats(job)
    assert.deepEqual([stored, feedbackEvents, buckets, consensusCounts], [4, 4, 2, [0, 2, 0]])
  })

  it('of none are none', async () => {
    const shard = new TestShard()
    assert.equal(await shard.historic(job, { events: [] }), 0)
    assert.deepEqual(shard.rows(1), [])
  })
})
