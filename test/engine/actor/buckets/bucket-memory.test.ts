import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LateRows } from '../../../../engine/actor/buckets/late-rows.js'
import { BucketCache } from '../../../../engine/actor/buckets/bucket-cache.js'
import { BucketMemory, equalShare } from '../../../../engine/actor/buckets/bucket-memory.js'
import { JobStats } from '../../../../engine/actor/job-stats.js'
import { TurnStore } from '../../../../engine/actor/turn-store.js'
import { hashBytes, viewOfBytes } from '../../../../engine/domain/event/byte-table.js'
import type { PointKey } from '../../../../engine/domain/event/point-tree.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { emptyStats } from '../../../../engine/store/rows.js'
import { shardTables } from '../../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

function keyOf(text: string): PointKey {
  const view = viewOfBytes(Buffer.from(text))
  return { view, length: view.byteLength, hash: hashBytes(view, 0, view.byteLength) }
}

/** Caches of as many jobs, of different shards, in the memory of one thread. */
function cachesOf(memory: BucketMemory, jobs: number): { cache: BucketCache; add(count: number): void }[] {
  return Array.from({ length: jobs }, (_, at) => {
    const store = new TurnStore(new MemoryEnvironment(shardTables))
    const stats = new JobStats(at + 1, emptyStats(3))
    const settings = jobSettings({ id: at + 1 })
    const late = new LateRows({ uncountedEventsMax: 8 })
    const cache = new BucketCache({ settings, fingerprint: 7, stats, late, memory })
    let added = 0
    const add = (count: number): void => {
      for (let i = 0; i < count; i++) {
        const value = `bucket ${added++}`
        const bucket = cache.of(store, [value])
        cache.remember(keyOf(`${at} ${value}`), bucket)
        cache.add(bucket, added, -1)
        cache.write(store)
        store.batch.clear()
      }
    }
    return { cache, add }
  })
}

describe('the memory of a thread for buckets', () => {
  it('is one bound for the jobs of all its shards, however many new buckets come', () => {
    const max = 100_000
    const memory = new BucketMemory(max)
    const caches = cachesOf(memory, 30)
    for (let turn = 0; turn < 200; turn++) {
      for (const { add } of caches) {
        add(1)
        memory.shrink()
        assert.ok(memory.bytes <= max, `${memory.bytes}`)
      }
    }
    assert.equal(
      memory.bytes,
      caches.reduce((sum, { cache }) => sum + cache.bytes, memory.keys.bytes),
    )
    assert.ok(memory.bytes > max / 4)
  })

  it('is taken from those that have most: a job with few buckets keeps them', () => {
    const memory = new BucketMemory(100_000)
    const [few, many] = cachesOf(memory, 2)
    few!.add(10)
    for (let i = 0; i < 2_000; i++) {
      many!.add(1)
      memory.shrink()
    }
    assert.equal(few!.cache.size, 10)
  })

  it('keeps the buckets that had an event lately, however old they are', () => {
    const memory = new BucketMemory(100_000)
    const { cache } = cachesOf(memory, 1)[0]!
    const store = new TurnStore(new MemoryEnvironment(shardTables))
    const buckets = Array.from({ length: 100 }, (_, at) => {
      const bucket = cache.of(store, [`bucket ${at}`])
      cache.add(bucket, at + 1, -1)
      return bucket
    })
    cache.add(buckets[0]!, 200, -1)
    cache.write(store)
    cache.shrink(cache.bytes / 2)
    assert.ok(buckets[0]!.kept && buckets[99]!.kept)
    assert.ok(!buckets[1]!.kept && !buckets[40]!.kept)
  })

  it('counts other spellings of known values, and is free again when a job is dropped', () => {
    const memory = new BucketMemory()
    const [one, other] = cachesOf(memory, 2)
    one!.add(1)
    const before = memory.bytes
    const bucket = one!.cache.of(new TurnStore(new MemoryEnvironment(shardTables)), ['bucket 0'])
    for (let i = 0; i < 100; i++) one!.cache.remember(keyOf(`spelling ${i}`), bucket)
    assert.ok(memory.bytes >= before + 100 * 'spelling 0'.length)
    other!.add(5)
    other!.cache.drop()
    assert.equal(memory.bytes, one!.cache.bytes)
    one!.cache.drop()
    assert.equal(memory.bytes, 0)
  })

  it('is not asked for again and again where everything in it has to stay', () => {
    const memory = new BucketMemory(10)
    let asked = 0
    const holder = { bytes: 100, shrink: () => void asked++ }
    memory.count(holder, 100)
    for (let i = 0; i < 10; i++) memory.shrink()
    assert.equal(asked, 1)
  })

  it('changes no count and no decision when buckets are forgotten and come again', async () => {
    const shard = new TestShard(undefined, undefined, 1_500)
    const job = jobSettings({ decisionPoints: ['host'] })
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < 20; i++) await shard.ingest(job, { host: `h${i}` }, `${round}-${i}`)
    await shard.feedback(job, '0-3', 'ann', 'Drop')
    await shard.feedback(job, '1-4', 'ann', 'Escalate')
    await shard.install(job, shard.train(job, 1))
    assert.equal((await shard.ingest(job, { host: 'h3' }, 'last')).resultLabel, 'Drop')
    shard.restart()
    assert.equal((await shard.ingest(job, { host: 'h3' }, 'after')).resultLabel, 'Drop')
  })
})

describe('an equal share', () => {
  it('leaves to others what some do not need', () => {
    assert.equal(equalShare([10, 10, 10], 15), 5)
    assert.equal(equalShare([1, 100, 100], 21), 10)
    assert.equal(equalShare([1, 2], 3), Number.POSITIVE_INFINITY)
  })
})
