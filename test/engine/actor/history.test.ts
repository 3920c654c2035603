/** Requests with historic events that are stored in pieces, in the job's actor. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeHistoryCommand, type HistoryCommand } from '../../../engine/actor/history.js'
import { limits } from '../../../engine/limits.js'
import type { HistoryRow } from '../../../engine/store/history-row.js'
import { testAuthor } from '../../support/author.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const parts = [['a', 'b', 'a'], ['c'], ['a', 'd']].map((hosts, at) =>
  Buffer.from(
    JSON.stringify({
      events: hosts.map((host, i) => ({
        event_id: at === 1 ? undefined : host,
        raw_body: { host, at, i },
        label: { cortex_user: 'ann', feedback: 'Drop' },
      })),
    }),
  ),
)
const bytesOf = (some: readonly Buffer[]): number[] => some.map(({ length }) => length)

class Requests {
  readonly shard = new TestShard()

  async tell(command: HistoryCommand, texts: readonly Buffer[] = []): Promise<HistoryRow | null> {
    const body = encodeHistoryCommand(testAuthor, command, texts)
    const micros = this.shard.take(limits.historicEventsPerPiece)
    return (await this.shard.post({ job, kind: 'history', body, micros })) as HistoryRow | null
  }

  /** The first `count` parts come along. */
  async begin(count: number, hash = 'h'): Promise<HistoryRow> {
    const some = parts.slice(0, count)
    const { labels } = job
    const what = { hash, labels, events: 6, parts: 3, odd: null } as const
    return (await this.tell({ op: 'begin', ...what, bytes: bytesOf(some) }, some)) as HistoryRow
  }

  more(id: number, from: number): Promise<HistoryRow | null> {
    const some = parts.slice(from - 1)
    return this.tell({ op: 'more', id, from, bytes: bytesOf(some) }, some)
  }

  piece(id: number, part: number): Promise<HistoryRow | null> {
    return this.tell({ op: 'piece', id, part })
  }

  counts(): [events: number, votes: number] {
    const { events, feedbackEvents } = this.shard.reader().stats(job)
    return [events, feedbackEvents]
  }
}

describe('a request with historic events in pieces', () => {
  it('counts for nothing before all of it is there, and leaves nothing where it is dropped', async () => {
    const requests = new Requests()
    const rows = requests.shard.rows(1)
    const { id, state } = await requests.begin(1)
    assert.equal(state, 'coming')
    assert.equal((await requests.piece(id, 1))?.state, 'coming')
    assert.deepEqual(requests.counts(), [0, 0])
    assert.equal(await requests.tell({ op: 'end', id }), null)
    assert.equal(await requests.more(id, 2), null)
    assert.deepEqual(
      requests.shard.rows(1).filter((row) => row.startsWith('history')),
      rows,
    )
  })

  it('is stored part by part, each once; ids that it gives twice are two events', async () => {
    const requests = new Requests()
    const { id } = await requests.begin(1)
    assert.equal((await requests.more(id, 2))?.state, 'running')
    assert.equal((await requests.more(id, 2))?.state, 'running', 'parts that come again')
    for (const [part, events] of [
      [2, 0],
      [1, 3],
      [1, 3],
      [2, 4],
    ] as const) {
      await requests.piece(id, part)
      assert.deepEqual(requests.counts(), [events, events], `part ${part}`)
    }
    assert.equal(await requests.tell({ op: 'end', id }).then((row) => row?.state), 'running', 'it is not given up')
    assert.equal((await requests.piece(id, 3))?.state, 'done')
    assert.deepEqual(requests.counts(), [6, 6])
    assert.deepEqual(
      requests.shard
        .reader()
        .findings(job)
        .map(({ kind, count }) => [kind, count]),
      [['repeated_id', 2]],
    )
    assert.deepEqual([requests.shard.reader().historyJobs(), requests.shard.reader().history(1).length], [[1], 1])
    await requests.tell({ op: 'end', id })
    assert.deepEqual(requests.shard.reader().historyJobs(), [])
    assert.deepEqual(requests.shard.failures, [])
  })

  for (const when of ['before', 'after'] as const)
    it(`is stored once where threads die ${when} each commit`, async () => {
      const requests = new Requests()
      requests.shard.dieOnce(when)
      const { id } = await requests.begin(3)
      for (let part = 1; part <= 3; part++) {
        requests.shard.dieOnce(when)
        assert.equal((await requests.piece(id, part))?.next, part + 1)
      }
      assert.deepEqual(requests.counts(), [6, 6])
    })

  it('keeps few of those whose senders went away', async () => {
    const requests = new Requests()
    for (let i = 0; i < limits.historicKnownMax + 3; i++) {
      const { id } = await requests.begin(3, `h${i}`)
      for (let part = 1; part <= 3; part++) await requests.piece(id, part)
    }
    const known = requests.shard.reader().history(1)
    assert.deepEqual([known.length, known.at(-1)?.hash], [limits.historicKnownMax, `h${limits.historicKnownMax + 2}`])
  })

  it('goes with its job', async () => {
    const requests = new Requests()
    await requests.begin(1)
    await requests.shard.purge(job)
    assert.deepEqual(requests.shard.rows(1), [])
  })
})
