import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CommitSlot } from '../../../engine/actor/commit-slot.js'
import { CommitFailed } from '../../../engine/actor/turn-store.js'
import { limits } from '../../../engine/limits.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { jobKey, shardTables } from '../../../engine/store/tables.js'

function batchOf(...values: string[]): WriteBatch {
  const batch = new WriteBatch()
  values.forEach((value, at) => batch.put(at % 2 === 0 ? 'events' : 'stats', jobKey(at), Buffer.from(value)))
  batch.delete('meta', jobKey(9))
  return batch
}

/** A slot as its two threads see it. */
function slots(): { decides: CommitSlot; commits: CommitSlot } {
  const memory = CommitSlot.memory()
  return { decides: new CommitSlot(memory), commits: new CommitSlot(memory) }
}

describe('the slot between a thread that decides and one that commits', () => {
  it('takes nothing while nobody commits, nor what it has no room for', () => {
    const { decides, commits } = slots()
    assert.equal(decides.offer(1, 1, batchOf('a')), null)
    assert.equal(decides.unmap(1), true)
    commits.serve()
    assert.equal(decides.offer(1, 1, batchOf('a'.repeat(limits.handedOverBytesMax))), null)
  })

  it('shows a batch as it was laid down, of which shard and turn', () => {
    const { decides, commits } = slots()
    commits.serve()
    const batch = batchOf('a', 'bcd', '', 'e')
    decides.offer(3, 17, batch)
    const { shard, place, batch: laid } = commits.take() ?? assert.fail()
    assert.deepEqual([shard, place], [3, 17])
    const copy = new WriteBatch()
    copy.put('ids', jobKey(1), Buffer.from('of before'))
    copy.unpack(laid?.packed as Uint8Array, laid?.entries as number, shardTables)
    const entries = (of: WriteBatch): unknown[] =>
      of.tables.map((table, at) => [table, Buffer.from(of.key(at)), of.value(at)?.toString()])
    assert.deepEqual(entries(copy), entries(batch))
  })

  it('says of each turn whether it is committed, also when others of its thread came behind it', () => {
    const { decides, commits } = slots()
    commits.serve()
    const first = decides.offer(0, 1, batchOf('a'))
    assert.equal(first?.isOver(), false)
    commits.take()
    commits.answer(false)
    const second = decides.offer(1, 1, batchOf('b'))
    commits.take()
    commits.answer(true)
    assert.deepEqual([first?.isOver(), second?.isOver()], [true, true])
    second?.settle()
    assert.throws(() => first?.settle(), CommitFailed)
  })

  it('says that nothing is committed when the thread that commits is gone', () => {
    const { decides, commits } = slots()
    commits.serve()
    const laid = decides.offer(0, 1, batchOf('a'))
    commits.take()
    new CommitSlot(decides.memory).abandon()
    assert.throws(() => laid?.settle(), CommitFailed)
    assert.equal(decides.offer(0, 2, batchOf('a')), null)
  })

  it('tells the thread that commits to end', () => {
    const { decides, commits } = slots()
    commits.serve()
    decides.end()
    assert.equal(commits.take(), null)
  })
})
