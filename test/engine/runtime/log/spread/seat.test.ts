import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { FileLog } from '../../../../../engine/runtime/log/file-log.js'
import { Seat } from '../../../../../engine/runtime/log/spread/seat.js'
import { LogUnavailable, type RecordLog } from '../../../../../engine/runtime/log/turn-log.js'
import { afterwards } from '../../../../support/afterwards.js'
import { temporaryDirectory } from '../../../../support/engine/files.js'
import { jobSettings, TestShard } from '../../../../support/engine/shard.js'

const job = jobSettings()
const isMine = async (): Promise<boolean> => true

describe('a seat that could not be taken', () => {
  it('tells what was applied meanwhile, and later messages come behind it', async (test) => {
    const log = new FileLog(join(temporaryDirectory(test), 'log'))
    afterwards(test, () => log.close())
    const writer = new TestShard(undefined, undefined, undefined, log)
    await writer.ingest(job, { host: 'a' }, 'one')
    let isAway = true
    const troubled: RecordLog = {
      append: async (...given) => {
        if (isAway) throw new LogUnavailable('no server')
        return await log.append(given[0], given[1])
      },
      last: () => log.last(),
      read: (after, through) => log.read(after, through),
      follow: (after, signal) => log.follow(after, signal),
      extent: () => log.extent(),
      purge: (through) => log.purge(through),
      close: () => log.close(),
    }
    const copy = new TestShard()
    const told: [jobs: readonly number[], micros: number][] = []
    const seat = new Seat(
      { ...copy.asLogged(), ranElsewhere: ({ changed }, micros) => told.push([changed, micros]) },
      { log: troubled, send: () => assert.fail('nothing is sent'), took: () => {}, stopped: () => {} },
    )
    afterwards(test, () => seat.close())

    await assert.rejects(seat.take('00000000000000a1', isMine), { code: 'log_unavailable' })
    assert.equal(copy.view(job, 'one').eventId, 'one')
    const { lastMicros } = seat
    assert.ok(lastMicros > 0)
    assert.deepEqual(told, [[[job.id], lastMicros]])
    assert.deepEqual([seat.isOwn, seat.since], [false, undefined])

    isAway = false
    await seat.take('00000000000000a2', isMine, 7)
    assert.deepEqual([seat.isOwn, seat.since, seat.lastMicros], [true, 7, lastMicros])
    seat.leave()
    assert.deepEqual([seat.isOwn, seat.lastMicros], [false, lastMicros])
  })

  it("is not taken where it is another node's by the time at which this one has begun", async (test) => {
    const log = new FileLog(join(temporaryDirectory(test), 'log'))
    afterwards(test, () => log.close())
    const seat = new Seat(new TestShard().asLogged(), {
      log,
      send: () => assert.fail('nothing is sent'),
      took: () => {},
      stopped: () => {},
    })
    afterwards(test, () => seat.close())
    const begun: number[] = []
    const isNotMine = async (): Promise<boolean> => {
      begun.push(await log.last())
      return false
    }
    await assert.rejects(seat.take('00000000000000a1', isNotMine, 7), LogUnavailable)
    assert.deepEqual(begun, [1], 'it is asked behind the beginning')
    assert.deepEqual([seat.isOwn, seat.since], [false, undefined])
  })
})
