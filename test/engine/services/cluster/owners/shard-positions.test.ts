import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../../../../engine/errors.js'
import { LogUnavailable, type RecordLog } from '../../../../../engine/runtime/log/turn-log.js'
import type { ClusterLogs } from '../../../../../engine/services/cluster/cluster-logs.js'
import { ClusterMembers } from '../../../../../engine/services/cluster/owners/members.js'
import { ShardPositions } from '../../../../../engine/services/cluster/owners/shard-positions.js'
import { Keys } from '../../../../support/cluster/keys.js'
import { isSpread, jobs, ownAll, post, start, worldOf } from '../../../../support/cluster/worlds.js'
import { until } from '../../../../support/until.js'

/** A log whose servers tell these ends, one after the other. Null: they do not answer. */
function logOf(...ends: (number | null)[]): RecordLog {
  const last = async (): Promise<number> => {
    const end = ends.length > 1 ? ends.shift() : ends[0]
    if (end === null || end === undefined) throw new LogUnavailable('no answer')
    return end
  }
  return { last } as unknown as RecordLog
}

function positionsOf(catalog: RecordLog, ...shards: RecordLog[]): ShardPositions {
  const logs = { name: 'service', catalog, shards } as unknown as ClusterLogs
  const members = new ClusterMembers(new Keys(), shards.length, { node: 'a', process: 'a-process', url: 'http://a' })
  return new ShardPositions({ logs, members, lease: { owner: null }, data: () => null, catalog: () => null })
}

describe('a node that gets a shard again', () => {
  it('does not speak for it before it has what was written meanwhile', async (test) => {
    const world = worldOf(test)
    const first = await start(test, world, 'first')
    await until(() => ownAll(first))
    const second = await start(test, world, 'second')
    await until(() => isSpread(first, second))
    const job = jobs.find(({ shard }) => first.own.includes(shard))!
    const [{ shard }, { positions }] = [job, first]
    await post(first, job, 'before', { host: 'a', user: 'b' })
    await until(() => positions.isOwn(shard))
    const before = first.members.table[shard]

    // It is cut off while a turn is on its way to the log, so its mailbox cannot be held.
    first.isAway = first.isLogAway = true
    const unclear = post(first, job, 'unclear', { host: 'a', user: 'b' }).catch(() => null)
    world.nodes.delete(first.members.own.process)
    await until(() => second.own.includes(shard))
    await post(second, job, 'meanwhile', { host: 'a', user: 'b' })

    world.nodes.set(first.members.own.process, first)
    first.isAway = false
    const { process } = first.members.own
    await until(() => {
      const now = first.members.table[shard]
      return now?.process === process && now.since !== before?.since && first.members.isFresh
    })
    assert.equal(first.data.seats.of(shard).isOwn, true, 'its seat is that of the time before')
    assert.throws(() => first.data.readers[shard]!.event(job, 'meanwhile'), { code: 'event_not_found' })
    assert.equal(positions.isOwn(shard), false)
    assert.equal(positions.own()?.shards[shard], -1)

    first.isLogAway = false
    await unclear
    await until(() => positions.isOwn(shard))
    assert.equal(first.data.readers[shard]!.event(job, 'meanwhile').eventId, 'meanwhile')
  })
})

describe('a node that begins as the writer behind another one', () => {
  it("takes nothing where the shard may be the other one's", async (test) => {
    const world = worldOf(test)
    const first = await start(test, world, 'first')
    await until(() => ownAll(first))
    const second = await start(test, world, 'second')
    // It is named as the owner of shards, and does not reach their logs.
    second.isLogAway = true
    const isNamed = (shard: number): boolean => second.members.table[shard]?.node === 'second'
    await until(() => jobs.some((job) => isNamed(job.shard)))
    const job = jobs.find((one) => isNamed(one.shard))!
    let isAnswered = false
    const late = post(second, job, 'late', { host: 'a', user: 'b' }).then(
      () => (isAnswered = true),
      // The first one takes it, and finds then that the second one has begun: it has to begin again.
      (error) => assert.ok(isRefusal(error, 'log_unavailable')),
    )

    // It is cut off for longer than its lease.
    second.isAway = true
    await until(() => first.positions.isOwn(job.shard))
    const log = world.logs[job.shard]!
    const before = await log.last()
    second.isLogAway = false
    let last = before
    await until(() => {
      void log.last().then((end) => (last = end))
      return last > before
    })
    for (let look = 0; look < 20; look++) {
      await sleep(10)
      assert.equal(second.data.seats.of(job.shard).isOwn, false)
      assert.equal(isAnswered, false, 'it answers what the first one does not know of')
    }

    second.isAway = false
    await late
    await until(() => first.positions.isOwn(job.shard) || second.positions.isOwn(job.shard))
    const owner = first.positions.isOwn(job.shard) ? first : second
    await post(owner, job, 'later', { host: 'a', user: 'b' })
    if (isAnswered) assert.equal(owner.data.readers[job.shard]!.event(job, 'late').eventId, 'late')
  })
})

describe('the ends of logs', () => {
  it('are not those that a server tells which was cut off', async () => {
    const positions = positionsOf(logOf(7), logOf(5, 9), logOf(3))
    assert.deepEqual(await positions.ofLogs(), { catalog: 7, shards: [9, 3] })
  })

  it('are not known where a log does not answer', async () => {
    assert.equal(await positionsOf(logOf(7), logOf(null)).ofLogs(), null)
    assert.equal(await positionsOf(logOf(7, null), logOf(3)).ofLogs(), null)
  })

  it('are asked for where a shard has no owner', async () => {
    const positions = positionsOf(logOf(7), logOf(5))
    assert.equal(await positions.ofOwner(), null)
    assert.equal(positions.own(), null)
  })
})
