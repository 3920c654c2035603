import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { isOver, type ReprocessRow } from '../../../engine/store/reprocess-row.js'
import { testAuthor } from '../../support/author.js'
import { everything, jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const stopped = jobSettings({ revision: 2, status: 'STOPPED' })

interface Begun {
  readonly shard: TestShard
  readonly id: number
  readonly times: readonly number[]
}

/** Ten events, and a task that was asked for and counted. */
async function begun(): Promise<Begun> {
  const shard = new TestShard()
  const times: number[] = []
  for (let i = 0; i < 10; i++) times.push((await shard.ingest(job, { host: `h${i}` }, `e${i}`)).ingestMicros)
  const { id } = (await shard.task(job, {
    op: 'create',
    selection: everything,
    requestedBy: 'ann',
    by: testAuthor,
  })) as ReprocessRow
  assert.equal((await shard.task(job, { op: 'count', id, matched: 10 }))?.matched, 10)
  return { shard, id, times }
}

function decided(shard: TestShard, eventId: string): boolean {
  const section = shard.reader().exportEvent(job, eventId, 'service').document.service as Record<string, unknown>
  return section.previous_result !== null
}

describe('a reprocessing task', () => {
  it('says after each piece how far it is, in the commit of that piece', async () => {
    const { shard, id, times } = await begun()
    const [, , third] = times
    const first = await shard.task(job, {
      op: 'piece',
      id,
      from: 0,
      through: third as number,
      times: times.slice(0, 3),
      last: false,
    })
    assert.deepEqual([first?.state, first?.updated, first?.changed, first?.cursor], ['running', 3, 0, third])
    assert.deepEqual(
      ['e2', 'e3'].map((eventId) => decided(shard, eventId)),
      [true, false],
    )
    assert.deepEqual(shard.reader().task(job.id, id), first)
    const end = await shard.task(job, {
      op: 'piece',
      id,
      from: third as number,
      through: id,
      times: times.slice(3),
      last: true,
    })
    assert.deepEqual([end?.state, end?.updated], ['finished', 10])
    assert.ok((end?.finishedMicros ?? 0) > id)
  })

  it('stops within a piece of large events, and goes on from there', async () => {
    const shard = new TestShard()
    const text = 'x'.repeat(limits.decidedBytesPerMessage / 4)
    const times: number[] = []
    for (let i = 0; i < 6; i++) times.push((await shard.ingest(job, { host: `h${i}`, text }, `e${i}`)).ingestMicros)
    const by = { requestedBy: 'ann', by: testAuthor }
    const { id } = (await shard.task(job, { op: 'create', selection: everything, ...by })) as ReprocessRow
    await shard.task(job, { op: 'count', id, matched: 6 })
    const first = await shard.task(job, { op: 'piece', id, from: 0, through: id, times, last: true })
    assert.deepEqual([first?.state, first?.updated, first?.cursor], ['running', 4, times[3]])
    const rest = { from: times[3] as number, through: id, times: times.slice(4), last: true }
    const end = await shard.task(job, { op: 'piece', id, ...rest })
    assert.deepEqual([end?.state, end?.updated], ['finished', 6])
  })

  it('leaves out a piece that begins where it is not, or comes after its end, or finds the job stopped', async () => {
    const { shard, id, times } = await begun()
    const piece = { op: 'piece', id, from: 0, through: id, times, last: true } as const
    for (const wrong of [
      { ...piece, from: 5 },
      { ...piece, id: id + 1 },
    ])
      await shard.task(job, wrong)
    await shard.task(stopped, piece)
    assert.ok(!decided(shard, 'e0'))
    assert.equal(shard.reader().task(job.id, id)?.updated, 0)
    assert.equal(await shard.task(job, { ...piece, id: id + 1 }), null)
    await shard.task({ ...job, revision: 3 }, piece)
    assert.equal((await shard.task({ ...job, revision: 3 }, { ...piece, from: id }))?.updated, 10)
  })

  it('does not count what was replaced since it was found', async () => {
    const { shard, id, times } = await begun()
    await shard.ingest(job, { host: 'other' }, 'e4')
    const end = await shard.task(job, { op: 'piece', id, from: 0, through: id, times, last: true })
    assert.equal(end?.updated, 9)
    assert.ok(!decided(shard, 'e4'))
  })

  it('that is cancelled does no more, and stays cancelled', async () => {
    const { shard, id, times } = await begun()
    await shard.task(job, { op: 'end', id, state: 'cancelled', message: '', by: testAuthor })
    const row = await shard.task(job, { op: 'piece', id, from: 0, through: id, times, last: true })
    assert.deepEqual([row?.state, row?.updated], ['cancelled', 0])
    assert.equal((await shard.task(job, { op: 'end', id, state: 'failed', message: 'x' }))?.state, 'cancelled')
  })

  it('is listed after it is over, up to a bound', async () => {
    const shard = new TestShard()
    for (let i = 0; i < limits.reprocessTasksKeptMax + 10; i++) {
      const { id } = (await shard.task(job, {
        op: 'create',
        selection: everything,
        requestedBy: `${i}`,
        by: testAuthor,
      })) as ReprocessRow
      await shard.task(job, { op: 'piece', id, from: 0, through: id, times: [], last: true })
    }
    const rows = shard.reader().tasks(job.id)
    assert.equal(rows.length, limits.reprocessTasksKeptMax)
    assert.equal(rows.at(-1)?.requestedBy, `${limits.reprocessTasksKeptMax + 9}`)
    assert.ok(rows.every(isOver))
  })

  for (const when of ['before', 'after'] as const) {
    it(`whose thread dies in the middle of a piece, ${when} its commit, counts each event once`, async () => {
      const { shard, id, times } = await begun()
      shard.dieOnce(when)
      const half = times[4] as number
      const first = await shard.task(job, {
        op: 'piece',
        id,
        from: 0,
        through: half,
        times: times.slice(0, 5),
        last: false,
      })
      assert.deepEqual([first?.updated, first?.cursor, shard.failures.length], [5, half, 1])
      const end = await shard.task(job, { op: 'piece', id, from: half, through: id, times: times.slice(5), last: true })
      assert.deepEqual([end?.updated, end?.state], [10, 'finished'])
    })
  }
})
