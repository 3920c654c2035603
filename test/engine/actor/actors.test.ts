import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countedThrough, readCount } from '../../../engine/actor/buckets/bucket-counts.js'
import { lastTime } from '../../../engine/actor/event-table.js'
import { Shard } from '../../../engine/actor/shard.js'
import { Refusal } from '../../../engine/errors.js'
import type { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { bucketNumberOf, jobRange } from '../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const jobs = Array.from({ length: 5 }, (_, at) => jobSettings({ id: at + 1 }))

/** By job: the events that the stored counts of its only bucket have. */
function stored({ environment }: TestShard): number[] {
  return jobs.flatMap(({ id }) =>
    [...environment.range('buckets', jobRange(id))].map(
      ({ key }) => readCount(environment, id, bucketNumberOf(key))!.events,
    ),
  )
}

async function ingestEach(shard: TestShard, count: number): Promise<void> {
  for (let i = 0; i < count; i++) for (const job of jobs) await shard.ingest(job, { host: 'a' })
}

describe('the actors of a shard', () => {
  it('go when it rests, and their buckets come back with all that happened to them', async () => {
    const shard = new TestShard<MemoryEnvironment>(undefined, 1_000)
    await ingestEach(shard, 3)
    assert.deepEqual(stored(shard), [1, 1, 1, 1, 1])
    shard.rest()
    assert.deepEqual(stored(shard), [3, 3, 3, 3, 3])
    assert.equal(countedThrough(shard.environment), lastTime(shard.environment))
    await ingestEach(shard, 2)
    shard.rest()
    assert.deepEqual(stored(shard), [5, 5, 5, 5, 5])
  })

  it('stay, with what they know, where the store refuses what is behind', async () => {
    const shard = new TestShard<MemoryEnvironment>(undefined, 1_000)
    await ingestEach(shard, 3)
    shard.environment.failNextCommit = new Refusal('store_full', 'full')
    shard.rest()
    assert.deepEqual(stored(shard), [1, 1, 1, 1, 1])
    await ingestEach(shard, 1)
    shard.rest()
    assert.deepEqual(stored(shard), [4, 4, 4, 4, 4])
  })

  it('are as good as new where the store fails', async () => {
    const shard = new TestShard<MemoryEnvironment>(undefined, 1_000)
    await ingestEach(shard, 3)
    shard.environment.failNextCommit = new Error('a bug')
    assert.throws(() => shard.rest(), /a bug/)
    await ingestEach(shard, 1)
    shard.rest()
    assert.deepEqual(stored(shard), [4, 4, 4, 4, 4])
  })

  it('write nothing where nothing is behind', async () => {
    const shard = new TestShard<MemoryEnvironment>(undefined, 1_000)
    await ingestEach(shard, 2)
    shard.rest()
    shard.environment.failNextCommit = new Error('there is no commit')
    shard.rest()
    new Shard(shard.environment, []).rest()
  })
})
