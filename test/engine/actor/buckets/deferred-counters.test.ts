import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BucketCounts, readCount, countedThrough } from '../../../../engine/actor/buckets/bucket-counts.js'
import { BucketMemory } from '../../../../engine/actor/buckets/bucket-memory.js'
import { LateRows } from '../../../../engine/actor/buckets/late-rows.js'
import { BucketCache } from '../../../../engine/actor/buckets/bucket-cache.js'
import { JobStats } from '../../../../engine/actor/job-stats.js'
import { DeferredCounters } from '../../../../engine/actor/buckets/deferred-counters.js'
import { TurnStore } from '../../../../engine/actor/turn-store.js'
import { Refusal } from '../../../../engine/errors.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { decodeHeader } from '../../../../engine/store/event-record.js'
import { decodeBucket, type CountRow } from '../../../../engine/store/bucket-row.js'
import { emptyStats } from '../../../../engine/store/rows.js'
import { jobRange, shardTables, timeOfKey } from '../../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['host'] })

interface Counted {
  readonly host: unknown
  /** As it is stored. */
  readonly row: CountRow
  readonly whole: CountRow
  /** Times of the events in the bucket. */
  readonly times: readonly number[]
}

/** All buckets of the job as they are stored now, by their hosts. */
function bucketsOf({ environment }: TestShard): Map<unknown, Counted> {
  const counts = new BucketCounts(environment, job.id)
  const times = new Map<string, number[]>()
  for (const { key, value } of environment.range('events', jobRange(job.id))) {
    const id = Buffer.from(decodeHeader(value).bucketId!).toString('latin1')
    times.set(id, [...(times.get(id) ?? []), timeOfKey(key)])
  }
  const all = [...environment.range('buckets', jobRange(job.id))].map(({ value }) => {
    const { id: bytes, number, values } = decodeBucket(value)
    const id = Buffer.from(bytes).toString('latin1')
    const row = readCount(environment, job.id, number)!
    return { host: values[0], row, whole: counts.of(id, number), times: times.get(id) ?? [] }
  })
  return new Map(all.map((each) => [each.host, each]))
}

async function ingestEach(shard: TestShard, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) await shard.ingest(job, { host })
}

const full = (): Refusal => new Refusal('store_full', 'the disk is full')

describe('the counts of a bucket', () => {
  it('are written with its first event, left as they are by those that come in, and are whole to who reads them', async () => {
    const shard = new TestShard()
    await ingestEach(shard, ['a', 'a', 'a'])
    const { row, whole, times } = bucketsOf(shard).get('a')!
    assert.deepEqual([row.events, row.lastMicros], [1, times[0]])
    assert.deepEqual(whole, { events: 3, lastMicros: times[2], decided: [0, 0, 0] })
  })

  it('have the decisions of events that the row lacks', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'one')
    await shard.ingest(job, { host: 'b' }, 'two')
    await shard.feedback(job, 'one', 'ann', 'Drop')
    await shard.feedback(job, 'two', 'ann', 'Escalate')
    await shard.install(job, shard.train(job, 1))
    await ingestEach(shard, ['a', 'b', 'a'])
    const [drop, escalate] = [
      job.labels.findIndex(({ name }) => name === 'Drop'),
      job.labels.findIndex(({ name }) => name === 'Escalate'),
    ]
    const { a, b } = Object.fromEntries(bucketsOf(shard)) as { a: Counted; b: Counted }
    assert.deepEqual([a.row.events, a.whole.events, a.row.decided, a.whole.decided![drop]], [1, 3, [0, 0, 0], 2])
    assert.deepEqual([b.row.events, b.whole.events, b.whole.decided![escalate]], [1, 2, 1])
  })

  it('are written, whole, with a vote and with an event that leaves', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    await ingestEach(shard, ['a', 'a'])
    await shard.feedback(job, 'e', 'ann', 'Drop')
    assert.equal(bucketsOf(shard).get('a')!.row.events, 3)
    await ingestEach(shard, ['a'])
    await shard.ingest(job, { host: 'b' }, 'e')
    const { row, whole } = bucketsOf(shard).get('a')!
    assert.deepEqual([row.events, whole.events], [3, 3])
  })

  it('lack no events but those of two rounds, whatever buckets these are of', async () => {
    const shard = new TestShard()
    const hosts = Array.from({ length: 200 }, (_, i) => `h${(i * i) % 23}`)
    const taken: number[] = []
    for (const host of hosts) {
      await shard.ingest(job, { host })
      const { environment } = shard
      taken.push(timeOfKey([...environment.range('events', { reverse: true, limit: 1 })][0]!.key))
      const through = countedThrough(environment)
      // Two rounds of eight, and what one that has to wait for its turn to end takes.
      if (taken.length > 17) assert.ok(through >= taken[taken.length - 18]!, `${taken.length} events`)
      for (const { row, whole, times } of bucketsOf(shard).values()) {
        assert.equal(whole.events, times.length)
        assert.ok(row.events >= times.filter((micros) => micros <= through).length)
      }
    }
    assert.ok([...bucketsOf(shard).values()].some(({ row, whole }) => row.events < whole.events))
  })

  it('say how far they are where most events make buckets of their own', async () => {
    const shard = new TestShard()
    await ingestEach(shard, ['a', 'a', ...Array.from({ length: 60 }, (_, i) => `new${i}`)])
    const times = [...shard.environment.range('events', {})].map(({ key }) => timeOfKey(key))
    assert.ok(countedThrough(shard.environment) >= times[times.length - 18]!)
    assert.equal(bucketsOf(shard).get('a')!.row.events, 2)
  })

  it('are written, all of them, by the next turn that writes after a restart', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'known')
    await ingestEach(shard, ['a', 'b', 'b', 'a', 'b'])
    shard.restart()
    // Nothing is written by a turn that only answers.
    const before = [...shard.environment.range('counts', {})]
    await shard.ingest(job, { host: 'a' }, 'known')
    assert.deepEqual([...shard.environment.range('counts', {})], before)
    await ingestEach(shard, ['c'])
    for (const { row, whole, times } of bucketsOf(shard).values())
      assert.deepEqual([row, row.events], [whole, times.length])
  })

  it('are what they were where a commit was refused in the middle of a round', async () => {
    const shard = new TestShard()
    for (let i = 0; i < 40; i++) {
      if (i % 5 === 4) {
        shard.environment.failNextCommit = full()
        await assert.rejects(shard.ingest(job, { host: 'h1' }))
      }
      await shard.ingest(job, { host: `h${i % 3}` })
      for (const { whole, times } of bucketsOf(shard).values()) assert.equal(whole.events, times.length)
    }
  })

  it('are what they were where the job is set up anew', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'voted')
    await ingestEach(shard, ['a', 'a', 'b', 'b'])
    const changed = { ...job, revision: 2, title: 'another' }
    await shard.ingest(changed, { host: 'a' })
    await shard.feedback(changed, 'voted', 'ann', 'Drop')
    const counted = bucketsOf(shard)
    assert.deepEqual(
      ['a', 'b'].map((host) => counted.get(host)!.whole.events),
      [4, 2],
    )
  })

  it('do not come back when their job is deleted', async () => {
    const shard = new TestShard()
    const other = jobSettings({ id: 2, decisionPoints: ['host'] })
    await ingestEach(shard, ['a', 'a', 'b', 'b'])
    await shard.purge(job)
    for (let i = 0; i < 40; i++) await shard.ingest(other, { host: `h${i % 4}` })
    assert.deepEqual([...shard.environment.range('counts', jobRange(job.id))], [])
  })

  it('do not come back when all events of their bucket have left it', async () => {
    const shard = new TestShard()
    for (const id of ['one', 'two']) await shard.ingest(job, { host: 'a' }, id)
    await Promise.all(['one', 'two'].map((id) => shard.ingest(job, { host: 'b' }, id)))
    for (let i = 0; i < 40; i++) await shard.ingest(job, { host: `h${i % 4}` })
    assert.equal(bucketsOf(shard).has('a'), false)
  })
})

function newCache(counters: DeferredCounters): BucketCache {
  const stats = new JobStats(1, emptyStats(3))
  const { index } = new LateRows({})
  const late = { counters, index }
  const memory = new BucketMemory()
  return new BucketCache({ settings: jobSettings(), fingerprint: 7, stats, late, memory })
}

describe('buckets with long values', () => {
  const make = (): { cache: BucketCache; store: TurnStore } => {
    const store = new TurnStore(new MemoryEnvironment(shardTables))
    return { store, cache: newCache(new DeferredCounters(1_000)) }
  }

  it('take no more memory than others, since their values are in the store', () => {
    const [short, long] = [1, 1_000].map((chars) => {
      const { cache, store } = make()
      const buckets = ['a', 'b', 'c', 'd'].map((value) => cache.of(store, [value.repeat(chars)]))
      for (const bucket of buckets) cache.add(bucket, 1, -1)
      cache.write(store)
      return { bytes: cache.bytes, values: buckets.map(({ values }) => values) }
    })
    assert.deepEqual(long, short)
    assert.deepEqual(long!.values, [null, null, null, null])
  })

  it('are forgotten as others are: the oldest first', () => {
    const { cache, store } = make()
    const buckets = ['a', 'b', 'c', 'd'].map((value) => cache.of(store, [value.repeat(1_000)]))
    for (const [i, bucket] of buckets.entries()) cache.add(bucket, 1 + i, -1)
    cache.write(store)
    cache.shrink(cache.bytes / 2)
    assert.deepEqual(
      buckets.map(({ kept }) => kept),
      [false, false, true, true],
    )
    cache.shrink(0)
    assert.deepEqual([cache.size, cache.bytes], [0, 0])
  })
})

describe('a bucket whose row is behind', () => {
  it('stays at hand when others are forgotten', () => {
    const late = new DeferredCounters(1_000)
    const store = new TurnStore(new MemoryEnvironment(shardTables))
    const cache = newCache(late)
    const [whole, behind] = ['whole', 'behind'].map((value) => cache.of(store, [value]))
    for (const bucket of [whole!, behind!]) cache.add(bucket, 1, -1)
    cache.write(store)
    cache.add(behind!, 2, -1)
    cache.shrink(0)
    assert.deepEqual([cache.size, whole!.kept, behind!.kept], [1, false, true])
    assert.equal(cache.of(store, ['behind']), behind)
  })
})
