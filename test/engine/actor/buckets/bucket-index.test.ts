import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BucketIndex } from '../../../../engine/actor/buckets/bucket-index.js'
import { TurnStore } from '../../../../engine/actor/turn-store.js'
import { Refusal } from '../../../../engine/errors.js'
import { collectGarbage } from '../../../../engine/runtime/threads/collect-garbage.js'
import { decodeBucket } from '../../../../engine/store/bucket-row.js'
import { BucketTable, decodeBucketNumber, visitTail } from '../../../../engine/store/bucket-table.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { JOB_BYTES, jobRange, shardTables } from '../../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { until } from '../../../support/until.js'

const job = jobSettings({ decisionPoints: ['host'] })

/** The buckets of the job that lie in the index, and those that lie in its tail, by the numbers of both. */
function listed({ environment }: TestShard): { index: number[]; tail: number[] } {
  const tail: number[] = []
  for (const { value } of environment.range('bucket_tail', jobRange(job.id)))
    visitTail(value, (_, number) => tail.push(number))
  const index = [...environment.range('bucket_ids', jobRange(job.id))].map(({ value }) => decodeBucketNumber(value))
  return { index: index.sort((a, b) => a - b), tail: tail.sort((a, b) => a - b) }
}

/** The hosts of the job's buckets, each found by its id. */
function hostsOf({ environment }: TestShard): unknown[] {
  const table = new BucketTable(environment, job.id)
  return [...environment.range('buckets', jobRange(job.id))].map(({ value }) => {
    const { id, number, values } = decodeBucket(value)
    assert.equal(table.numberOf(id), number)
    assert.deepEqual(decodeBucket(table.row(id)!).values, values)
    return values[0]
  })
}

async function ingestEach(shard: TestShard, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) await shard.ingest(job, { host: `h${i}` })
}

const hosts = (count: number): string[] => Array.from({ length: count }, (_, i) => `h${i}`)

describe('the index of buckets', () => {
  it('has a new bucket in its tail, and takes it in with the rounds that follow', async () => {
    const shard = new TestShard()
    await ingestEach(shard, 0, 3)
    assert.deepEqual(listed(shard), { index: [], tail: [0, 1, 2] })
    await ingestEach(shard, 3, 60)
    const { index, tail } = listed(shard)
    assert.ok(index.length >= 45 && tail.length <= 15, `${index.length} in the index, ${tail.length} in the tail`)
    assert.deepEqual([...new Set([...index, ...tail])].length, 60)
    assert.deepEqual(hostsOf(shard), hosts(60))
  })

  it('leads events to the buckets that they had before a restart', async () => {
    const shard = new TestShard()
    await ingestEach(shard, 0, 23)
    shard.restart()
    await ingestEach(shard, 0, 30)
    assert.deepEqual(hostsOf(shard), hosts(30))
  })

  it('is whole where a commit was refused in the middle of a round', async () => {
    const shard = new TestShard()
    for (let i = 0; i < 40; i++) {
      if (i % 4 === 3) {
        shard.environment.failNextCommit = new Refusal('store_full', 'the disk is full')
        await assert.rejects(shard.ingest(job, { host: `h${i}` }))
      }
      await shard.ingest(job, { host: `h${i}` })
    }
    assert.deepEqual(hostsOf(shard), hosts(40))
  })

  it('forgets a bucket that all events have left, and has it once where it comes again', async () => {
    for (const between of [0, 3, 30]) {
      const shard = new TestShard()
      await shard.ingest(job, { host: 'a' }, 'one')
      await ingestEach(shard, 0, between)
      await shard.ingest(job, { host: 'b' }, 'one')
      assert.equal(hostsOf(shard).includes('a'), false)
      await ingestEach(shard, between, between + 3)
      await shard.ingest(job, { host: 'a' }, 'two')
      await ingestEach(shard, between + 3, between + 30)
      assert.deepEqual(hostsOf(shard).sort(), ['a', 'b', ...hosts(between + 30)].sort())
    }
  })

  it('has nothing of a job that was deleted in the middle of a round', async () => {
    const shard = new TestShard()
    const other = jobSettings({ id: 2, decisionPoints: ['host'] })
    await ingestEach(shard, 0, 8)
    await shard.purge(job)
    for (let i = 0; i < 20; i++) await shard.ingest(other, { host: `h${i}` })
    assert.deepEqual(listed(shard), { index: [], tail: [] })
    const table = new BucketTable(shard.environment, other.id)
    for (const { key } of shard.environment.range('bucket_ids', {}))
      assert.ok(table.row(key.subarray(JOB_BYTES)) !== undefined)
  })

  it('keeps nothing but numbers of its rows: no blocks of memory that its keys lay in', async () => {
    const store = new TurnStore(new MemoryEnvironment(shardTables))
    const index = new BucketIndex(100_000)
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    for (let turn = 0; turn < 2_000; turn++) {
      index.add(store, job.id, [{ id: Buffer.alloc(16, turn), number: turn }])
      store.batch.clear()
      // As other code takes pieces of the same blocks.
      Buffer.allocUnsafe(4_000)
    }
    // With its blocks it would keep 8 MiB. Blocks that nobody has are freed by a thread, some time after a collection.
    await until(() => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers - before < 4 * 2 ** 20
    })
    index.write(store)
  })

  it('says nothing of a bucket without an entry', async () => {
    const shard = new TestShard()
    await ingestEach(shard, 0, 3)
    assert.equal(new BucketTable(shard.environment, job.id).row(Buffer.alloc(16, 7)), undefined)
  })
})
