/** Turns whose appends are unclear at the moment at which their shard goes to another node. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { EventView } from '../../../../../engine/api/decision-service.js'
import { isRefusal } from '../../../../../engine/errors.js'
import { limits } from '../../../../../engine/limits.js'
import { LogUnavailable, type RecordLog } from '../../../../../engine/runtime/log/turn-log.js'
import { isSpread, jobs, post, start, worldOf } from '../../../../support/cluster/worlds.js'
import { until } from '../../../../support/until.js'

/** As many as the turns hold that a mailbox has under way. */
const MANY = limits.turnMessagesMax * (limits.turnsUnderWayMax + 1)

/** A log that stores what is appended while it is troubled, and never says so. */
class TroubledLog {
  readonly log: RecordLog
  /** Records that it has stored and not acknowledged. */
  stored = 0
  #trouble: Promise<void> | null = null
  #end = (): void => {}

  constructor(log: RecordLog) {
    const append: RecordLog['append'] = async (...given) => {
      const sequence = await log.append(...given)
      if (this.#trouble === null) return sequence
      this.stored++
      await this.#trouble
      throw new LogUnavailable('no server')
    }
    const others = ['last', 'read', 'follow', 'extent', 'purge', 'close'] as const
    this.log = Object.assign({ append }, ...others.map((name) => ({ [name]: log[name].bind(log) }))) as RecordLog
  }

  begin(): void {
    this.#trouble = new Promise((resolve) => (this.#end = resolve))
  }

  end(): void {
    this.#trouble = null
    this.#end()
  }
}

/** Posts many events to a node, whose shard goes to the other node while all appends are unclear. */
async function moveUnderWay(test: TestContext, idOf: (at: number) => string | null) {
  const world = worldOf(test)
  const troubled = world.logs.map((log) => new TroubledLog(log))
  const given = { ...world, logs: troubled.map(({ log }) => log) }
  const [first, second] = [await start(test, given, 'first'), await start(test, given, 'second')]
  await until(() => isSpread(first, second))
  const job = jobs.find(({ shard }) => first.own.includes(shard)) as (typeof jobs)[number]
  const log = troubled[job.shard] as TroubledLog
  await post(first, job, 'before', { host: 'h', user: 'u' })

  log.begin()
  const posted: Promise<EventView>[] = []
  for (let at = 0; at < MANY; at++) posted.push(post(first, job, idOf(at), { host: 'h', user: 'u', at }))
  const settled = Promise.allSettled(posted)
  await until(() => log.stored > 1)
  const { shards } = first.data
  const held = new Promise<void>((resolve) => {
    const changeRunner = shards.changeRunner.bind(shards)
    shards.changeRunner = async (shard, work) => {
      const changed = changeRunner(shard, work)
      // Its mailbox is held after this: what comes back unclear does not run again before the shard is left.
      if (shard === job.shard) setImmediate(resolve)
      await changed
    }
  })
  const left = first.owners.leave(30_000)
  await held
  log.end()
  await left
  const results = await settled
  await until(() => second.own.includes(job.shard))
  await post(second, job, 'after', { host: 'h', user: 'u' })
  // Beside the first and the last one.
  const stored = second.data.readers[job.shard]!.stats(job).events - 2
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return { stored, refused, turns: log.stored }
}

describe('turns that the log may have, when their shard goes to another node', () => {
  for (const [what, idOf] of [
    ['without ids', () => null],
    ['with ids of their sender', (at: number) => `e${at}`],
  ] as const)
    it(`are looked for in the log: events ${what} are stored once, and answered`, async (test) => {
      const { stored, refused, turns } = await moveUnderWay(test, idOf)
      assert.ok(turns > 1, 'the first fails, and those behind it are turned away')
      assert.equal(stored, MANY)
      // Those of the turn whose append failed.
      assert.equal(refused.length, limits.turnMessagesMax)
      for (const error of refused) assert.ok(isRefusal(error, 'log_unavailable'), String(error))
    })
})
