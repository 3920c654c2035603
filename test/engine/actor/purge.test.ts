import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { orphanSettings } from '../../../engine/actor/purge.js'
import { testAuthor } from '../../support/author.js'
import { everything, jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const other = jobSettings({ id: 2 })
const orphan = orphanSettings(1, 0)

async function filled(): Promise<TestShard> {
  const shard = new TestShard()
  for (const of of [job, other]) {
    for (let i = 0; i < 30; i++) await shard.ingest(of, { host: `h${i % 5}`, i }, i % 2 === 0 ? `id ${i}` : null)
    await shard.feedback(of, 'id 0', 'ann', 'Drop')
    await shard.feedback(of, 'id 2', 'ann', 'Escalate')
    await shard.install(of, shard.train(of, 1))
    await shard.note(of, 'id 0', 'seen')
    await shard.post({ job: of, kind: 'reprocess', eventId: 'id 2' })
    await shard.task(of, { op: 'create', selection: everything, requestedBy: 'x', by: testAuthor })
    await shard.ingest({ ...of, revision: 2, status: 'STOPPED' }, { host: 'held' }, 'held')
  }
  return shard
}

describe('purging a deleted job', () => {
  it('leaves no row of it, and every row of the others', async () => {
    const shard = await filled()
    const others = shard.rows(2)
    assert.ok(shard.rows(1).length > 40)
    await shard.purge(orphan)
    assert.deepEqual(shard.rows(1), [])
    assert.deepEqual(shard.rows(2), others)
    assert.deepEqual(
      [...shard.reader().storedJobs()].map(({ jobId }) => jobId),
      [2],
    )
  })

  it('takes as many messages as it needs', async () => {
    const shard = new TestShard()
    for (let turn = 0; turn < 5; turn++) {
      await Promise.all(Array.from({ length: 1_000 }, (_, i) => shard.ingest(job, { host: `h${i}` }, `${turn} ${i}`)))
    }
    assert.ok((await shard.purge(orphan)) > 3)
    assert.deepEqual(shard.rows(1), [])
  })

  it('also takes what came in just before it', async () => {
    const shard = await filled()
    const late = shard.ingest(job, { host: 'late' }, 'late')
    const vote = shard.feedback(job, 'id 4', 'ann', 'Drop')
    await Promise.allSettled([late, vote])
    await shard.purge(orphan)
    assert.deepEqual(shard.rows(1), [])
    await Promise.allSettled([
      shard.ingest(job, { host: 'late' }, 'id 0'),
      shard.historic(job, { events: [] }),
      shard.purge(orphan),
    ])
    assert.deepEqual(shard.rows(1), [])
  })

  it('also takes a note and a task that came in just before it', async () => {
    const shard = await filled()
    await Promise.all([
      shard.note(job, 'id 4', 'late'),
      shard.task(job, { op: 'create', selection: everything, requestedBy: 'x', by: testAuthor }),
      shard.purge(orphan),
    ])
    assert.deepEqual(shard.rows(1), [])
  })

  it('of a job whose first events came in just before leaves nothing', async () => {
    const shard = new TestShard()
    await Promise.all([shard.ingest(job, { host: 'a' }), shard.ingest(job, { host: 'b' }, 'b'), shard.purge(orphan)])
    assert.deepEqual(shard.rows(1), [])
  })

  it('goes on after a restart where it was cut off', async () => {
    const shard = new TestShard()
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all(Array.from({ length: 1_000 }, (_, i) => shard.ingest(job, { host: `h${i}` }, `${turn} ${i}`)))
    }
    assert.deepEqual(await shard.post({ job: orphan, kind: 'purge' }), { more: true })
    shard.restart()
    assert.deepEqual(
      [...shard.reader().storedJobs()].map(({ jobId }) => jobId),
      [1],
    )
    await shard.purge(orphan)
    assert.deepEqual(shard.rows(1), [])
  })
})
