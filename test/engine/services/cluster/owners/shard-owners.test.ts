import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EventView, VoteEffect } from '../../../../../engine/api/decision-service.js'
import { encodeFeedback } from '../../../../../engine/actor/votes/feedback.js'
import { isRefusal } from '../../../../../engine/errors.js'
import { recordedAuthor } from '../../../../support/author.js'
import type { TestNode } from '../../../../support/cluster/node.js'
import { isSpread, jobs, ownAll, post, share, start, worldOf } from '../../../../support/cluster/worlds.js'
import { until } from '../../../../support/until.js'

describe('the owners of shards', () => {
  it('are one node while there is one, and share when another comes', async (test) => {
    const world = worldOf(test)
    const first = await start(test, world, 'first')
    await until(() => ownAll(first))
    const second = await start(test, world, 'second')
    await until(() => isSpread(first, second))
    assert.deepEqual(share([first, second]).flat().sort(), [0, 1, 2, 3])
  })

  it('answer what is posted on any node, and every node has it', async (test) => {
    const world = worldOf(test)
    const nodes = [await start(test, world, 'first'), await start(test, world, 'second')]
    await until(() => isSpread(...nodes))
    for (const node of nodes)
      for (const job of jobs) {
        const id = `${node.name}-${job.id}`
        assert.equal((await post(node, job, id, { host: 'a', user: 'b' })).eventId, id)
        const made = await post(node, job, null, { host: 'a', user: 'b' })
        const vote = encodeFeedback({ analyst: 'ann', label: job.labels[0]!.name }, recordedAuthor)
        const effect = (await node.data.shards.ask(job, 'feedback', id, vote)) as VoteEffect
        assert.equal(effect.appliesToEvents > 0, true)
        // The answer to a vote comes when the copy here has it, and so all before it.
        assert.equal(node.data.shards.event(job, made.eventId).eventId, made.eventId)
        assert.equal(node.data.readers[job.shard]!.stats(job).feedbackEvents, nodes.indexOf(node) + 1)
      }
    for (const job of jobs)
      await until(() => nodes.every((node) => node.data.readers[job.shard]!.stats(job).events === 4))
  })

  it('refuse what an actor refuses, with its code', async (test) => {
    const world = worldOf(test)
    const nodes = [await start(test, world, 'first'), await start(test, world, 'second')]
    await until(() => isSpread(...nodes))
    const vote = encodeFeedback({ analyst: 'ann', label: 'nothing' }, recordedAuthor)
    for (const node of nodes)
      for (const job of jobs)
        await assert.rejects(node.data.shards.ask(job, 'feedback', 'no such event', vote), (error) => {
          return isRefusal(error, 'event_not_found')
        })
  })

  it('move under load: nothing is refused, lost, doubled or put in another order', async (test) => {
    const world = worldOf(test)
    const first = await start(test, world, 'first')
    await until(() => ownAll(first))
    const posted: Promise<EventView>[] = []
    let at = 0
    const load = setInterval(() => {
      for (const job of jobs) posted.push(post(first, job, `n${at}`, { host: `h${at % 5}`, user: 'u', at }))
      // The same id again: the last body counts.
      for (const job of jobs) posted.push(post(first, job, 'same', { host: 'h', user: 'u', at }))
      at++
    }, 2)
    const second = await start(test, world, 'second')
    await until(() => isSpread(first, second))
    const third = await start(test, world, 'third')
    await until(() => isSpread(first, second, third))
    await second.leave()
    await until(() => isSpread(first, third))
    clearInterval(load)
    await Promise.all(posted)
    for (const node of [first, third])
      for (const job of jobs) {
        const reader = node.data.readers[job.shard]!
        // A new version of an event is the same event.
        await until(() => reader.stats(job).events === at + 1)
        const { document } = reader.exportEvent(job, 'same', 'service')
        assert.equal(document.at, at - 1)
      }
  })

  it('are replaced where their process is gone, and their last turns are there', async (test) => {
    const world = worldOf(test)
    const nodes = [await start(test, world, 'first'), await start(test, world, 'second')]
    const [first, second] = nodes as [TestNode, TestNode]
    await until(() => isSpread(first, second))
    for (const job of jobs) await post(first, job, `before-${job.id}`, { host: 'a', user: 'b' })
    await second.kill()
    // Messages wait meanwhile.
    await Promise.all(jobs.map((job) => post(first, job, `after-${job.id}`, { host: 'a', user: 'b' })))
    assert.equal(ownAll(first), true)
    assert.equal(first.members.silentMs('second'), Number.POSITIVE_INFINITY, 'it was asked about, not waited for')
    for (const job of jobs) assert.equal(first.data.readers[job.shard]!.stats(job).events, 2)
  })

  it('stop being it where another node has begun to write, though they believe otherwise', async (test) => {
    const world = worldOf(test)
    const first = await start(test, world, 'first')
    await until(() => ownAll(first))
    await post(first, jobs[0]!, 'one', { host: 'a', user: 'b' })
    const second = await start(test, world, 'second')
    // It takes what is not its own: as a node does that has slept.
    await second.owners.suspend()
    await second.data.host.changeRunner(0, async () => {
      await second.data.seats.of(0).take('0123456789abcdef', async () => true)
      return second.data.seats.of(0).lastMicros
    })
    // What waits meanwhile is not refused, although nobody can look at the table.
    world.keys.isAway = true
    const two = post(first, jobs[0]!, 'two', { host: 'a', user: 'b' })
    await until(() => first.data.seats.of(0).isFenced)
    const others = Array.from({ length: 20 }, (_, at) => post(first, jobs[0]!, null, { host: `h${at}`, user: 'b' }))
    world.keys.isAway = false
    // The table says that it is the first one's, so that one begins again.
    assert.equal((await two).eventId, 'two')
    const ids = new Set((await Promise.all(others)).map(({ eventId }) => eventId))
    assert.equal(ids.size, others.length)
    await until(() => first.own.includes(0) && !first.data.seats.of(0).isFenced)
    assert.equal(first.data.readers[0]!.stats(jobs[0]!).events, others.length + 2)
  })
})
