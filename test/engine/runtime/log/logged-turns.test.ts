import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Refusal } from '../../../../engine/errors.js'
import { readAppliedLog } from '../../../../engine/actor/log/log-position.js'
import { FileLog } from '../../../../engine/runtime/log/file-log.js'
import { Follower } from '../../../../engine/runtime/log/follower.js'
import { LogMoved, LogUnavailable, type RecordLog } from '../../../../engine/runtime/log/turn-log.js'
import { decodeRecord } from '../../../../engine/runtime/log/turn-record.js'
import type { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings()

/** A log that may fail: `before` and `after` an append. */
interface TroubledLog extends RecordLog {
  before: (() => Promise<void>) | null
  after: (() => Promise<void>) | null
}

function openLog(test: TestContext): TroubledLog {
  const log = new FileLog(join(temporaryDirectory(test), 'log'))
  afterwards(test, () => log.close())
  const troubled: TroubledLog = {
    before: null,
    after: null,
    append: async (bytes, end) => {
      await troubled.before?.()
      const sequence = await log.append(bytes, end)
      await troubled.after?.()
      return sequence
    },
    last: () => log.last(),
    extent: () => log.extent(),
    purge: (through) => log.purge(through),
    read: (after, through) => log.read(after, through),
    follow: (after, signal) => log.follow(after, signal),
    close: () => log.close(),
  }
  return troubled
}

function over(log: RecordLog, environment?: MemoryEnvironment): TestShard {
  return new TestShard<MemoryEnvironment>(environment, undefined, undefined, log)
}

async function copyOf(log: RecordLog): Promise<TestShard> {
  const copy = new TestShard()
  await new Follower(copy.asLogged(), log).catchUp()
  return copy
}

const once = (error: Error): (() => Promise<void>) => {
  let isOver = false
  return async () => {
    if (isOver) return
    isOver = true
    throw error
  }
}

describe('a shard whose turns go through a log', () => {
  it('has each turn in the log before it runs', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    const run = shard.run
    shard.run = (task) => {
      inLog.push(task.sequence)
      return run(task)
    }
    const inLog: unknown[] = []
    await shard.ingest(job, { host: 'a' }, 'one')
    await shard.ingest(job, { host: 'b' }, 'two')
    // The first record is the one with which the writer begins.
    assert.deepEqual(inLog, [2, 3])
    assert.equal(await log.last(), 3)
    assert.deepEqual((await copyOf(log)).rows(), shard.rows())
  })

  it('refuses an event while the log does not answer, and takes the next one', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    await shard.ingest(job, { host: 'a' }, 'one')
    log.before = once(new LogUnavailable('no server'))
    await assert.rejects(shard.ingest(job, { host: 'a' }, 'two'), { code: 'log_unavailable' })
    await shard.ingest(job, { host: 'a' }, 'three')
    assert.throws(() => shard.view(job, 'two'), { code: 'event_not_found' })
    assert.deepEqual((await copyOf(log)).rows(), shard.rows())
  })

  it('appends turns again whose append failed, and those that were under way behind them', async (test) => {
    for (const error of [new LogMoved('not the end'), new LogUnavailable('no server')]) {
      const log = openLog(test)
      const shard = over(log)
      await shard.ingest(job, { host: 'a' }, 'one')
      let appends = 0
      let release = (): void => undefined
      const allPosted = new Promise<void>((resolve) => {
        release = resolve
      })
      log.before = async () => {
        // The first fails when others have begun behind it, and with it all of these.
        const isLost = appends++ < 3
        await allPosted
        if (isLost) throw error
      }
      const posted: Promise<unknown>[] = []
      for (let i = 0; i < 6; i++) {
        posted.push(shard.ingest(job, { host: 'a' }, `e${i}`))
        await new Promise((resolve) => setImmediate(resolve))
      }
      const settled = Promise.allSettled(posted)
      release()
      const ends = await settled
      const copy = await copyOf(log)
      for (const [i, { status }] of ends.entries())
        if (status === 'fulfilled') assert.equal(copy.view(job, `e${i}`).eventId, `e${i}`)
      assert.ok(ends.some(({ status }) => status === 'fulfilled'))
      assert.deepEqual(copy.rows(), shard.rows())
    }
  })

  it('applies an event whose append was unclear, once', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    await shard.ingest(job, { host: 'a' }, 'one')
    log.after = once(new LogUnavailable('the answer was lost'))
    await assert.rejects(shard.ingest(job, { host: 'a' }, 'two'), { code: 'log_unavailable' })
    assert.throws(() => shard.view(job, 'two'), { code: 'event_not_found' })
    await shard.ingest(job, { host: 'a' }, 'three')
    assert.equal(shard.view(job, 'two').eventId, 'two')
    assert.equal(shard.reader().stats(job).events, 3)
    assert.deepEqual((await copyOf(log)).rows(), shard.rows())
  })

  it('applies a turn later that the store did not take, before any other', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    shard.commitRounds = () => -1
    await shard.ingest(job, { host: 'a' }, 'one')
    shard.environment.failNextCommit = new Refusal('store_full', 'full')
    await assert.rejects(shard.ingest(job, { host: 'a' }, 'two'), { code: 'log_unavailable' })
    await shard.ingest(job, { host: 'a' }, 'three')
    const [two, three] = ['two', 'three'].map((id) => shard.view(job, id).ingestMicros) as [number, number]
    assert.ok(two < three)
    assert.deepEqual((await copyOf(log)).rows(), shard.rows())
  })

  it('writes nothing more once another writer has begun', async (test) => {
    const log = openLog(test)
    const old = over(log)
    await old.ingest(job, { host: 'a' }, 'one')
    const next = await copyOf(log)
    const writer = over(log, next.environment)
    writer.restart()
    writer.take(1_000)
    await writer.ingest(job, { host: 'a' }, 'two')
    const records = await log.last()
    for (const id of ['three', 'four'])
      await assert.rejects(old.ingest(job, { host: 'a' }, id), { code: 'log_unavailable' })
    assert.equal(await log.last(), records)
    assert.throws(() => old.view(job, 'two'), { code: 'event_not_found' })
    assert.deepEqual((await copyOf(log)).rows(), writer.rows())
  })

  it('goes on after a restart where the log ends, without a catalog', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    await shard.ingest(job, { host: 'a' }, 'one')
    // Another process has appended what this shard never applied.
    const ahead = await copyOf(log)
    const other = over(log, ahead.environment)
    other.restart()
    other.take(1_000)
    await other.ingest(job, { host: 'b' }, 'two')
    shard.restart()
    shard.take(2_000)
    await shard.ingest(job, { host: 'c' }, 'three')
    assert.equal(shard.reader().stats(job).events, 3)
    assert.deepEqual((await copyOf(log)).rows(), shard.rows())
  })

  it('runs a turn again that a dead thread has committed, and appends it once', async (test) => {
    for (const when of ['before', 'after'] as const) {
      const log = openLog(test)
      const shard = over(log)
      await shard.ingest(job, { host: 'a' }, 'one')
      const records = await log.last()
      const death = shard.dieOnce(when)
      await shard.ingest(job, { host: 'a' }, 'two')
      assert.ok(death.happened)
      assert.equal(await log.last(), records + 1)
      assert.deepEqual((await copyOf(log)).rows(), shard.rows())
    }
  })

  it('keeps what steps are set up with out of the log', async (test) => {
    const log = openLog(test)
    const step = { integrationId: 7, role: 'output', enabled: true, outsideSince: 1 } as const
    const own = { ...step, parameters: { address: 'hooks.internal' }, kept: { note: 'a secret' } }
    await over(log).ingest(jobSettings({ pipeline: [own] }), { host: 'a' }, 'one')
    const kinds: string[] = []
    for await (const { bytes } of log.read(0, await log.last())) {
      assert.ok(!/hooks\.internal|a secret/.test(Buffer.from(bytes).toString('latin1')))
      kinds.push(decodeRecord(bytes).kind)
    }
    assert.deepEqual(kinds, ['begin', 'turn'])
  })

  it('refuses events while the log has a record that it cannot read', async (test) => {
    const log = openLog(test)
    await log.append(Buffer.alloc(24, 9), 0)
    const shard = over(log)
    await assert.rejects(shard.ingest(job, { host: 'a' }, 'one'), { code: 'log_unavailable' })
    assert.match(String((shard.failures[0] as { error: unknown }).error), /a record of the log has format 9/)
    assert.equal(await log.last(), 1)
  })

  it('refuses a record of a newer format with a sentence', () => {
    assert.throws(() => decodeRecord(Buffer.alloc(24, 9)), /a record of the log has format 9, and this version .* 1/)
  })
})

describe('a follower', () => {
  it('goes on after a restart where it was, and passes over what it has applied', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    const copy = new TestShard()
    for (const id of ['one', 'two', 'three']) {
      await shard.ingest(job, { host: id }, id)
      copy.replaceThread()
      const follower = new Follower(copy.asLogged(), log)
      await follower.catchUp()
      await follower.catchUp()
      assert.equal(follower.applied, await log.last())
    }
    assert.equal(readAppliedLog(copy.environment).sequence, await log.last())
    assert.deepEqual(copy.rows(), shard.rows())
  })

  it('applies records as they come, until it is told to end', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    const copy = new TestShard()
    const follower = new Follower(copy.asLogged(), log)
    const ending = new AbortController()
    const following = follower.follow(ending.signal)
    for (let i = 0; i < 20; i++) await shard.ingest(job, { host: `h${i % 3}` }, `e${i}`)
    while (follower.applied < (await log.last())) await new Promise((resolve) => setImmediate(resolve))
    ending.abort()
    await following
    assert.deepEqual(copy.rows(), shard.rows())
  })

  it('stops with a sentence where a record is missing, and goes on when it is there', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    for (const id of ['one', 'two']) await shard.ingest(job, { host: 'a' }, id)
    const copy = new TestShard()
    const gap: RecordLog = { ...log, read: (_, through) => log.read(2, through) }
    await assert.rejects(new Follower(copy.asLogged(), gap).catchUp(), /shard 0 needs record 1 of its log; 3 came/)
    await new Follower(copy.asLogged(), log).catchUp()
    assert.deepEqual(copy.rows(), shard.rows())
  })

  it('stops where its store takes nothing, and has lost nothing', async (test) => {
    const log = openLog(test)
    const shard = over(log)
    await shard.ingest(job, { host: 'a' }, 'one')
    const copy = new TestShard()
    const follower = new Follower(copy.asLogged(), log)
    copy.commitRounds = () => -1
    copy.environment.failNextCommit = new Refusal('store_full', 'the disk is full')
    await assert.rejects(follower.catchUp(), /could not be applied: the disk is full/)
    copy.environment.failNextCommit = null
    await follower.catchUp()
    assert.deepEqual(copy.rows(), shard.rows())
  })
})
