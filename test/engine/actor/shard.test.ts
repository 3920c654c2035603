import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TurnOutOfPlace } from '../../../engine/actor/shard.js'
import type { TurnTask } from '../../../engine/actor/turn-task.js'
import { isRefusal, Refusal } from '../../../engine/errors.js'
import { limits } from '../../../engine/limits.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const full = (): Refusal => new Refusal('store_full', 'the disk is full')

function codeOf(result: PromiseSettledResult<unknown>): string {
  return result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code
}

describe('a commit that the store refuses', () => {
  it('refuses every message of its turn and changes nothing', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const rows = shard.rows()
    shard.environment.failNextCommit = full()
    const results = await Promise.allSettled([
      shard.ingest(job, { host: 'b' }, 'new'),
      shard.ingest(job, { host: 'b' }, 'e'),
      shard.feedback(job, 'e', 'ann', 'Drop'),
      shard.ingest(job, { host: 'a' }, 'e'),
      shard.feedback(job, 'e', 'ann', 'Nonsense'),
    ])
    assert.deepEqual(results.map(codeOf), new Array(5).fill('store_full'))
    assert.deepEqual(shard.rows(), rows)
    assert.deepEqual(shard.failures, [])
    assert.equal(shard.view(job, 'e').bucketState, 'new')
  })

  it('is forgotten by the next turn, in memory too', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e1')
    shard.environment.failNextCommit = full()
    await assert.rejects(shard.ingest(job, { host: 'a', more: { shape: 1 } }, 'e2'), (error) =>
      isRefusal(error, 'store_full'),
    )
    await shard.ingest(job, { host: 'a', more: { shape: 1 } }, 'e2')
    await shard.ingest(job, { host: 'a' }, 'e3')
    const { events, buckets } = shard.reader().stats(job)
    assert.deepEqual([events, buckets], [3, 1])
    assert.deepEqual(shard.reader().exportEvent(job, 'e2', 'service').document.more, { shape: 1 })
    const clean = new TestShard()
    await clean.ingest(job, { host: 'a' }, 'e1')
    clean.take()
    await clean.ingest(job, { host: 'a', more: { shape: 1 } }, 'e2')
    await clean.ingest(job, { host: 'a' }, 'e3')
    assert.deepEqual(shard.rows(), clean.rows())
  })

  it('does not stop the turn behind it, which is under way already', async () => {
    const shard = new TestShard()
    shard.environment.failNextCommit = full()
    const results = await Promise.allSettled(
      Array.from({ length: limits.turnMessagesMax + 10 }, (_, i) => shard.ingest(job, { host: 'a' }, `e${i}`)),
    )
    const codes = results.map(codeOf)
    assert.equal(codes.lastIndexOf('store_full'), limits.turnMessagesMax - 1)
    assert.equal(shard.reader().stats(job).events, 10)
  })

  it('is not attempted where a turn has nothing to write', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    shard.environment.failNextCommit = full()
    await shard.ingest(job, { host: 'a' }, 'e')
    await assert.rejects(shard.feedback(job, 'nobody', 'ann', 'Drop'), (error) => isRefusal(error, 'event_not_found'))
    assert.notEqual(shard.environment.failNextCommit, null)
  })
})

describe('a turn that fails', () => {
  it('is run again, and leaves what one run would have left', async () => {
    const [shard, clean] = [new TestShard(), new TestShard()]
    for (const one of [shard, clean]) await one.ingest(job, { host: 'a' }, 'e')
    shard.environment.failNextCommit = new Error('a bug in the commit')
    for (const one of [shard, clean]) {
      await Promise.all([
        one.ingest(job, { host: 'b' }, 'e'),
        one.ingest(job, { host: 'c' }),
        one.feedback(job, 'e', 'ann', 'Drop'),
      ])
    }
    assert.equal(shard.failures.length, 1)
    assert.deepEqual(shard.rows(), clean.rows())
  })

  it('whose thread died after the commit is applied once', async () => {
    const [shard, clean] = [new TestShard(), new TestShard()]
    for (const one of [shard, clean]) await one.ingest(job, { host: 'a' }, 'e')
    shard.dieOnce('after')
    const answers = await Promise.all(
      [shard, clean].map((one) =>
        Promise.all([
          one.ingest(job, { host: 'b' }, 'e'),
          one.ingest(job, { host: 'c' }),
          one.ingest(job, { host: 'd', zero: -0 }),
          one.feedback(job, 'e', 'ann', 'Drop'),
          one.feedback(job, 'e', 'bob', 'Escalate'),
          one.feedback(job, 'e', 'ann', 'Escalate'),
        ]),
      ),
    )
    assert.deepEqual(shard.rows(), clean.rows())
    const times = answers.map((views) => views.map((view) => (view as { ingestMicros?: number } | null)?.ingestMicros))
    assert.deepEqual(times[0], times[1])
  })

  it('because of one message refuses that one alone', async () => {
    const shard = new TestShard()
    const get = shard.environment.get.bind(shard.environment)
    shard.environment.get = (table, key) => {
      if (table === 'ids' && Buffer.from(key).includes('poison')) throw new Error('a bug')
      return get(table, key)
    }
    const ids = ['e1', 'e2', 'poison', 'e3']
    const results = await Promise.allSettled(ids.map((id) => shard.ingest(job, { host: id }, id)))
    assert.deepEqual(results.map(codeOf), ['ok', 'ok', 'turn_failed', 'ok'])
    const { events, buckets } = shard.reader().stats(job)
    assert.deepEqual([events, buckets], [3, 3])
  })
})

describe('a shard', () => {
  function turns(shard: TestShard, count: number): Promise<TurnTask[]> {
    const tasks: TurnTask[] = []
    const run = shard.run
    shard.commitRounds = () => -1
    shard.run = (task) => {
      // The mailbox uses the memory of a turn again.
      tasks.push({ ...task, memory: task.memory.slice(0), replies: task.replies.slice(0) })
      return run(task)
    }
    return (async () => {
      for (let i = 0; i < count; i++) await shard.ingest(job, { host: 'a' }, `e${i}`)
      shard.run = run
      return tasks
    })()
  }

  it('runs no turn out of its place', async () => {
    const shard = new TestShard()
    const tasks = await turns(shard, 3)
    const again = new TestShard()
    assert.throws(() => again.runTurn(tasks[1] as TurnTask), TurnOutOfPlace)
    again.runTurn(tasks[0] as TurnTask)
    assert.throws(() => again.runTurn(tasks[2] as TurnTask), TurnOutOfPlace)
    again.runTurn(tasks[1] as TurnTask)
    again.runTurn(tasks[2] as TurnTask)
    assert.deepEqual(again.rows(), shard.rows())
  })

  it('keeps the same rows however its turns are cut', async () => {
    const events = Array.from({ length: 200 }, (_, i) => ({
      host: `h${i % 9}`,
      user: i % 4 === 0 ? null : `u${i % 3}`,
      i,
    }))
    const post = (shard: TestShard, event: { i: number }) =>
      shard.ingest(job, event, event.i % 5 === 0 ? `id ${event.i % 40}` : null)
    const [together, apart, restarted] = [new TestShard(), new TestShard(), new TestShard()]
    await Promise.all(events.map((event) => post(together, event)))
    for (const event of events) await post(apart, event)
    for (const event of events) {
      await post(restarted, event)
      restarted.restart()
    }
    assert.deepEqual(apart.rows(), restarted.rows())
    const kept = (shard: TestShard) =>
      shard
        .rows(1)
        .filter((row) => !/^(buckets|counts|stats) /.test(row))
        .map((row) => row.split(' ').slice(0, 2))
    assert.deepEqual(kept(together), kept(apart))
    assert.deepEqual(together.reader().stats(job).buckets, apart.reader().stats(job).buckets)
  })
})
