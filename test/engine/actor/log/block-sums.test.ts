/** Sums of what the records of a log made a shard write. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { BLOCK_RECORDS, BlockSums, readBlockSums } from '../../../../engine/actor/log/block-sums.js'
import { FileLog } from '../../../../engine/runtime/log/file-log.js'
import { Follower } from '../../../../engine/runtime/log/follower.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { shardTables } from '../../../../engine/store/tables.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

type Rows = readonly (readonly [table: string, key: string, value: string])[]

/** Commits each list of rows under the next sequence, and then what closes the block. */
function sumsOf(commits: readonly Rows[]): unknown {
  const environment = new MemoryEnvironment(shardTables)
  const sums = new BlockSums()
  for (const [at, rows] of [...commits, []].entries()) {
    const batch = new WriteBatch()
    for (const [table, key, value] of rows) batch.put(table, Buffer.from(key), Buffer.from(value))
    sums.write(batch, at === commits.length ? BLOCK_RECORDS : 1 + at, environment)
    environment.commit(batch)
  }
  return readBlockSums(environment)
}

function newLog(test: TestContext): FileLog {
  const log = new FileLog(join(temporaryDirectory(test), 'log'))
  afterwards(test, () => log.close())
  return log
}

describe('sums of blocks', () => {
  it('are the same however rows are committed, and differ with any of them', () => {
    const [a, b, c] = [['ids', 'a', '1'] as const, ['votes', 'b', '2'] as const, ['ids', 'c', '3'] as const]
    const whole = sumsOf([[a, b, c]])
    assert.deepEqual(sumsOf([[c], [a, b]]), whole)
    for (const other of [
      [a, b],
      [a, b, ['ids', 'c', '4'] as const],
      [a, b, ['ids', 'd', '3'] as const],
      [a, b, c, c],
    ])
      assert.notDeepEqual(sumsOf([other]), whole)
    assert.deepEqual(sumsOf([[a, b, c, ['words', 'w', 'x']]]), whole)
  })

  it('are equal on the writer and on every follower, although they restart', async (test) => {
    const log = newLog(test)
    const job = jobSettings()
    const writer = new TestShard(undefined, undefined, undefined, log)
    const early = new TestShard()
    for (let i = 0; i < 2 * BLOCK_RECORDS + 20; i++) {
      await writer.ingest(job, { host: `h${i % 9}` }, `e${i}`)
      if (i % 50 === 0) await writer.feedback(job, `e${i}`, 'ann', 'Escalate')
      if (i % 200 === 100) writer.replaceThread()
      if (i % 150 === 0) await new Follower(early.asLogged(), log).catchUp()
    }
    await new Follower(early.asLogged(), log).catchUp()
    const late = new TestShard()
    await new Follower(late.asLogged(), log).catchUp()
    const sums = readBlockSums(writer.environment)
    assert.equal(sums.length, 2)
    for (const copy of [early, late]) assert.deepEqual(readBlockSums(copy.environment), sums)
  })

  it('are void where nothing was committed', () => {
    const environment = new MemoryEnvironment(shardTables)
    const sums = new BlockSums()
    const write = (sequence: number, commits: boolean): void => {
      const batch = new WriteBatch()
      batch.put('ids', Buffer.from(`k${sequence}`), Buffer.from('v'))
      sums.write(batch, sequence, environment)
      if (commits) environment.commit(batch)
      else sums.forget()
    }
    write(1, false)
    write(1, true)
    write(BLOCK_RECORDS, true)
    assert.deepEqual(readBlockSums(environment), sumsOf([[['ids', 'k1', 'v']]]))
  })
})
