/** The contract of engine/runtime/log/turn-log.ts for logs of records, as tests for every implementation. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { LogMoved, LogPurged, type LogRecord, type RecordLog } from '../../engine/runtime/log/turn-log.js'

export interface LogUnderTest {
  /** An empty log. */
  readonly log: RecordLog
  /** The same log, as another process opens it; `log` is closed. */
  reopen(): Promise<RecordLog>
}

const text = (value: string): Buffer => Buffer.from(value, 'latin1')

async function all(records: AsyncIterable<LogRecord>): Promise<string[]> {
  const found: string[] = []
  for await (const { sequence, bytes } of records) found.push(`${sequence} ${Buffer.from(bytes).toString('latin1')}`)
  return found
}

async function fill(log: RecordLog, ...values: readonly string[]): Promise<void> {
  for (const value of values) await log.append(text(value), await log.last())
}

export function recordLogContract(name: string, open: (test: TestContext) => Promise<LogUnderTest>): void {
  describe(`${name}, a log of records`, () => {
    it('gives sequences from 1 on, without gaps', async (test) => {
      const { log } = await open(test)
      assert.equal(await log.last(), 0)
      assert.deepEqual([await log.append(text('a'), 0), await log.append(text('b'), 1), await log.last()], [1, 2, 2])
    })

    it('appends only behind the sequence that is named', async (test) => {
      const { log } = await open(test)
      await fill(log, 'a', 'b')
      for (const after of [0, 1, 3]) await assert.rejects(log.append(text('x'), after), LogMoved)
      assert.deepEqual(await all(log.read(0, 2)), ['1 a', '2 b'])
    })

    it('keeps the order of records that are appended without waiting', async (test) => {
      const { log } = await open(test)
      const values = Array.from({ length: 40 }, (_, i) => `record ${i}`)
      assert.deepEqual(
        await Promise.all(values.map((value, after) => log.append(text(value), after))),
        values.map((_, i) => i + 1),
      )
      assert.deepEqual(
        await all(log.read(0, 40)),
        values.map((value, i) => `${i + 1} ${value}`),
      )
    })

    it('takes one of two records for the same place', async (test) => {
      const { log } = await open(test)
      const ends = await Promise.allSettled([log.append(text('a'), 0), log.append(text('b'), 0)])
      assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      assert.equal(await log.last(), 1)
    })

    it('reads what is behind one sequence, up to another', async (test) => {
      const { log } = await open(test)
      await fill(log, 'a', 'b', 'c', 'd')
      assert.deepEqual(await all(log.read(1, 3)), ['2 b', '3 c'])
      assert.deepEqual(await all(log.read(4, 4)), [])
      assert.deepEqual(await all(log.read(0, 0)), [])
    })

    it('follows: first what is there, then what comes', async (test) => {
      const { log } = await open(test)
      await fill(log, 'a', 'b')
      const ending = new AbortController()
      const seen: string[] = []
      const following = (async () => {
        for await (const { sequence, bytes } of log.follow(1, ending.signal)) {
          seen.push(`${sequence} ${Buffer.from(bytes).toString('latin1')}`)
          if (sequence === 2) await fill(log, 'c')
          if (sequence === 3) ending.abort()
        }
      })()
      await following
      assert.deepEqual(seen, ['2 b', '3 c'])
    })

    it('ends following that waits', async (test) => {
      const { log } = await open(test)
      const ending = new AbortController()
      const following = all(log.follow(0, ending.signal))
      await new Promise((resolve) => setTimeout(resolve, 20))
      ending.abort()
      assert.deepEqual(await following, [])
    })

    it('purges the oldest records, large ones too, and goes on behind the last', async (test) => {
      const { log, reopen } = await open(test)
      const large = 'large '.repeat(500_000)
      await fill(log, 'a', large, 'c', 'd')
      assert.equal((await log.extent()).first, 1)
      await log.purge(2)
      await log.purge(1)
      const { first, last, bytes } = await log.extent()
      assert.deepEqual([first, last], [3, 4])
      assert.ok(bytes > 0 && bytes < large.length)
      await assert.rejects(all(log.read(1, 4)), LogPurged)
      await assert.rejects(all(log.follow(0, AbortSignal.timeout(5_000))), LogPurged)
      assert.deepEqual(await all(log.read(2, 4)), ['3 c', '4 d'])
      await log.purge(4)
      await log.close()
      const again = await reopen()
      assert.deepEqual([await again.last(), (await again.extent()).first], [4, 5])
      assert.equal(await again.append(text('e'), 4), 5)
      assert.deepEqual(await all(again.read(4, 5)), ['5 e'])
    })

    it('has every acknowledged record when it is opened again, large ones too', async (test) => {
      const { log, reopen } = await open(test)
      const large = Buffer.alloc(3_000_000, 'large ')
      await fill(log, 'a', large.toString('latin1'), 'c')
      await log.close()
      const again = await reopen()
      assert.equal(await again.last(), 3)
      assert.deepEqual(await all(again.read(0, 3)), ['1 a', `2 ${large.toString('latin1')}`, '3 c'])
      assert.equal(await again.append(text('d'), 3), 4)
    })
  })
}
