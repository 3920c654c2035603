/** Turns on their way between nodes: their order, and what becomes of those that do not arrive. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventView } from '../../../../../engine/api/decision-service.js'
import { isRefusal } from '../../../../../engine/errors.js'
import { limits } from '../../../../../engine/limits.js'
import type { Carry, TestNode, World } from '../../../../support/cluster/node.js'
import { isSpread, jobs, ownAll, post, start, vote, worldOf } from '../../../../support/cluster/worlds.js'
import { until } from '../../../../support/until.js'

/** As many as the turns hold that a mailbox has under way. */
const MANY = limits.turnMessagesMax * (limits.turnsUnderWayMax + 1)

/** Two nodes, and a job whose shard the second one owns. */
async function two(test: TestContext, world: World) {
  const [first, second] = [await start(test, world, 'first'), await start(test, world, 'second')]
  await until(() => isSpread(first, second))
  const job = jobs.find(({ shard }) => second.own.includes(shard)) as (typeof jobs)[number]
  return { first, second, job }
}

type Two = Awaited<ReturnType<typeof two>>

/** Posts versions of one event at the first node, of which the last one counts. */
function versions({ first, job }: Two, count: number, from = 0): Promise<EventView>[] {
  return Array.from({ length: count }, (_, at) => post(first, job, 'same', { host: 'h', user: 'u', at: from + at }))
}

/** The second node runs turns, and dies before it answers. */
async function withLostAnswers(test: TestContext): Promise<Two & { lost(): number }> {
  const world = worldOf(test)
  const there = await two(test, world)
  const { first, second, job } = there
  let lost = 0
  let dying: Promise<void> | null = null
  world.carry = async (deliver, to) => {
    const sent = await deliver()
    if (to !== second.members.own.process || sent === 'gone') return sent
    lost++
    dying ??= second.kill()
    await dying
    await until(() => first.own.includes(job.shard) || first.members.table[job.shard]?.node === 'first')
    return 'unclear'
  }
  return { ...there, lost: () => lost }
}

const versionOn = (node: TestNode, job: Two['job']): unknown =>
  node.data.readers[job.shard]!.exportEvent(job, 'same', 'service').document.at

describe('turns that another node runs', () => {
  it('run in the order of their mailbox, although several are under way', async (test) => {
    const there = await two(test, worldOf(test))
    await Promise.all(versions(there, MANY))
    assert.equal(versionOn(there.second, there.job), MANY - 1)
  })

  it('keep their order where one of them is lost on the way', async (test) => {
    let [parcels, lost] = [0, 0]
    const world = worldOf(test)
    const there = await two(test, world)
    world.carry = async (deliver) => {
      if (++parcels % 2 === 1 || lost === 2) return await deliver()
      lost++
      return 'gone'
    }
    await Promise.all(versions(there, MANY))
    assert.equal(lost, 2)
    assert.equal(versionOn(there.second, there.job), MANY - 1)
    assert.equal(there.second.data.readers[there.job.shard]!.stats(there.job).events, 1)
  })

  it('keep their order where their shard moves while they are under way', async (test) => {
    const world = worldOf(test)
    const there = await two(test, world)
    const { second, job } = there
    const third = await start(test, world, 'third')
    await until(() => isSpread(there.first, second, third))
    // Parcels are slow, so that the next ones leave when the shard has another owner.
    const slow: Carry = async (deliver) => {
      await sleep(20)
      return await deliver()
    }
    world.carry = slow
    const posted: Promise<EventView>[] = []
    let [at, isOver] = [0, false]
    const load = (async () => {
      for (; !isOver; at += MANY) {
        const some = versions(there, MANY, at)
        posted.push(...some)
        await some[limits.turnMessagesMax]
      }
    })()
    await second.leave()
    await third.leave()
    await until(() => ownAll(there.first))
    isOver = true
    await load
    await Promise.all(posted)
    assert.equal(versionOn(there.first, job), at - 1)
    assert.equal(there.first.data.readers[job.shard]!.stats(job).events, 1)
  })

  it('are run once, without ids, where their shard moves again and again while they are under way', async (test) => {
    const world = worldOf(test)
    const { first, second, job } = await two(test, world)
    const third = await start(test, world, 'third')
    await until(() => isSpread(first, second, third))
    const posted: Promise<EventView>[] = []
    let isOver = false
    const load = (async () => {
      while (!isOver) {
        for (let i = 0; i < limits.turnMessagesMax; i++)
          posted.push(post(first, job, null, { host: 'h', user: 'u', at: posted.length }))
        await posted[posted.length - limits.turnMessagesMax / 2]
      }
    })()
    await second.leave()
    await third.leave()
    await until(() => ownAll(first))
    isOver = true
    await load
    const ids = (await Promise.all(posted)).map(({ eventId }) => eventId)
    const reader = first.data.readers[job.shard]!
    assert.equal(reader.stats(job).events, posted.length)
    for (const at of [0, Math.floor(ids.length / 2), ids.length - 1])
      assert.equal(reader.exportEvent(job, ids[at] as string, 'service').document.at, at)
  })

  it('are refused, and do not keep the process busy, where their node ends', async (test) => {
    const world = worldOf(test)
    const { first, second, job } = await two(test, world)
    second.isCut = true
    const waiting = assert.rejects(post(first, job, 'one', { host: 'h', user: 'u' }), (error) =>
      isRefusal(error, 'log_unavailable'),
    )
    await sleep(30)
    await first.kill()
    await waiting
    await second.kill()
  })

  it('go to the next owner where they were run and their owner died: events with ids are stored once', async (test) => {
    const there = await withLostAnswers(test)
    await Promise.all(versions(there, MANY))
    assert.ok(there.lost() > 0)
    assert.equal(versionOn(there.first, there.job), MANY - 1)
    assert.equal(there.first.data.readers[there.job.shard]!.stats(there.job).events, 1)
  })

  it('are answered from the log where they were run and their owner died: nothing is stored twice', async (test) => {
    const { first, job, lost } = await withLostAnswers(test)
    const many = Array.from({ length: MANY }, (_, at) => post(first, job, null, { host: 'h', user: 'u', at }))
    const ids = (await Promise.all(many)).map(({ eventId }) => eventId)
    assert.ok(lost() > 0)
    assert.equal(new Set(ids).size, MANY)
    const reader = first.data.readers[job.shard]!
    assert.equal(reader.stats(job).events, MANY)
    for (const [at, id] of ids.entries())
      assert.equal(reader.exportEvent(job, id, 'service').document.at, at, 'each has the id of its own event')
  })

  it('are answered so also where they are votes: none takes effect a second time, behind a later one', async (test) => {
    const { first, job, lost } = await withLostAnswers(test)
    const [one, two] = job.labels.map(({ name }) => name) as [string, string]
    const posted = post(first, job, 'one', { host: 'h', user: 'u' })
    // They are in one turn.
    const votes = [vote(first, job, 'one', one), vote(first, job, 'one', two)]
    await Promise.all([posted, ...votes])
    assert.ok(lost() > 0)
    const { events, feedbackSeq } = first.data.readers[job.shard]!.stats(job)
    assert.deepEqual([events, feedbackSeq], [1, 2])
  })

  it('are run by the next owner where they were not run, and their owner died', async (test) => {
    const world = worldOf(test)
    const { first, second, job } = await two(test, world)
    await post(first, job, 'one', { host: 'h', user: 'u' })
    let lost = 0
    world.carry = async (deliver, to) => {
      if (to !== second.members.own.process) return await deliver()
      if (lost++ === 0) await second.kill()
      await until(() => first.own.includes(job.shard) || first.members.table[job.shard]?.node === 'first')
      return 'unclear'
    }
    await Promise.all([vote(first, job, 'one', job.labels[0]!.name), post(first, job, null, { host: 'h', user: 'u' })])
    assert.ok(lost > 0)
    const { events, feedbackSeq } = first.data.readers[job.shard]!.stats(job)
    assert.deepEqual([events, feedbackSeq], [2, 1])
  })

  it('go on where a job is gone at their owner: its messages are refused, and the others are not', async (test) => {
    const { first, second, job } = await two(test, worldOf(test))
    const another = { ...job, id: 77, name: 'another' }
    const known = new Map([...first.jobs, [another.id, another]])
    Object.assign(first, { jobs: known, catalog: 5 })
    Object.assign(second, { jobs: new Map([[another.id, another]]), catalog: 5 })
    const gone = assert.rejects(post(first, job, 'one', { host: 'h', user: 'u' }), (error) =>
      isRefusal(error, 'job_not_found'),
    )
    assert.equal((await post(first, another, 'two', { host: 'h', user: 'u' })).eventId, 'two')
    await gone
  })

  it('wait until their owner has the settings of a job that was just made', async (test) => {
    const { first, second, job } = await two(test, worldOf(test))
    Object.assign(first, { catalog: 5 })
    Object.assign(second, { jobs: new Map(), catalog: 4 })
    const posted = post(first, job, 'one', { host: 'h', user: 'u' })
    await sleep(30)
    Object.assign(second, { jobs: first.jobs, catalog: 5 })
    assert.equal((await posted).eventId, 'one')
  })
})
