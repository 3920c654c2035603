/** Nodes whose clocks differ, and jump by minutes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock, type Clock } from '../../../../../engine/clock.js'
import { decodeRecord } from '../../../../../engine/runtime/log/turn-record.js'
import type { World } from '../../../../support/cluster/node.js'
import { isSpread, jobs, ownAll, post, start, worldOf } from '../../../../support/cluster/worlds.js'
import { until } from '../../../../support/until.js'

const MINUTE = 60e6

class JumpingClock implements Clock {
  aheadMicros = 0

  nowMicros(): number {
    return systemClock.nowMicros() + this.aheadMicros
  }
}

/** The times of all turns of a log, first and last, in its order. */
async function timesOf(world: World, shard: number): Promise<number[]> {
  const log = world.logs[shard]!
  const times: number[] = []
  for await (const { bytes } of log.read(0, await log.last())) {
    const record = decodeRecord(bytes)
    if (record.kind === 'turn') times.push(record.span.firstMicros, record.span.lastMicros)
  }
  return times
}

describe('nodes whose clocks differ', () => {
  it('keep the order of each log, and lose nothing, while clocks jump and shards move', async (test) => {
    const clocks = new Map(['first', 'second', 'third'].map((name) => [name, new JumpingClock()] as const))
    const world = worldOf(test, { clocks })
    const [first, second] = [await start(test, world, 'first'), await start(test, world, 'second')]
    await until(() => isSpread(first, second))
    let posted = 0
    const postAll = async (...nodes: readonly (typeof first)[]): Promise<void> => {
      for (const node of nodes) {
        for (const job of jobs)
          assert.equal((await post(node, job, `n${posted}`, { host: 'h', user: 'u' })).eventId, `n${posted}`)
        posted++
      }
    }
    await postAll(first, second)
    clocks.get('second')!.aheadMicros = 10 * MINUTE
    await postAll(first, second)
    // Its shards go on at a node whose clock is 10 minutes behind theirs.
    await second.leave()
    await until(() => ownAll(first))
    await postAll(first)
    clocks.get('first')!.aheadMicros = -5 * MINUTE
    await postAll(first)
    const third = await start(test, world, 'third')
    await until(() => isSpread(first, third))
    await postAll(first, third)
    clocks.get('third')!.aheadMicros = 60 * MINUTE
    await postAll(first, third)
    for (const job of jobs) {
      const times = await timesOf(world, job.shard)
      assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
      )
      for (const node of [first, third]) await until(() => node.data.readers[job.shard]!.stats(job).events === posted)
    }
  })

  it('are live for each other whatever their clocks say', async (test) => {
    const clocks = new Map(['first', 'second'].map((name) => [name, new JumpingClock()] as const))
    const world = worldOf(test, { clocks })
    const [first, second] = [await start(test, world, 'first'), await start(test, world, 'second')]
    await until(() => isSpread(first, second))
    const before = [...second.own]
    const now = Date.now
    try {
      // The whole process: what does not use the clock that it is given.
      Date.now = () => now() + 10 * 60_000
      clocks.get('first')!.aheadMicros = 10 * MINUTE
      await second.members.read()
      assert.deepEqual([first.members.others(), second.members.others()], [['second'], ['first']])
      // A process that was held up is fresh again soon, whatever the clocks say.
      await until(() => first.members.isFresh)
      Date.now = () => now() - 10 * 60_000
      clocks.get('first')!.aheadMicros = -10 * MINUTE
      assert.deepEqual([first.members.others(), second.members.others()], [['second'], ['first']])
      assert.deepEqual(second.own, before)
    } finally {
      Date.now = now
    }
  })
})
