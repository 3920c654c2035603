/** A node's name has one process at a time: directories that were copied, and processes that come back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { LogUnavailable } from '../../../../engine/runtime/log/turn-log.js'
import { claimNode, type Presence } from '../../../../engine/services/cluster/node-claim.js'
import { ClusterMembers } from '../../../../engine/services/cluster/owners/members.js'
import { Keys } from '../../../support/cluster/keys.js'

const limits = { silentMs: 200, lookMs: 10 }

/** Takes the name of node a. `found`: what is known of the process before. */
async function claim(keys: Keys, process: string, found: Presence): Promise<number> {
  const own = { node: 'a', process, url: `http://${process}` }
  return await claimNode({ keys, limits, presence: async () => found }, own)
}

async function membersOf(keys: Keys, process: string, found: Presence = 'gone'): Promise<ClusterMembers> {
  const revision = await claim(keys, process, found)
  return new ClusterMembers(keys, 2, { node: 'a', process, url: `http://${process}`, revision })
}

async function processIn(keys: Keys): Promise<unknown> {
  return ((await keys.get('node.a')) as { value: { process: string } }).value.process
}

const isTaken = (by: string) => (error: unknown) =>
  isRefusal(error, 'data_dir_in_use') && error.message.includes(`runs as node a of the cluster, at http://${by}:`)

describe('the name of a node', () => {
  it('is free where nobody has it, and where its process is gone', async () => {
    const keys = new Keys()
    await (await membersOf(keys, 'first')).renew('ready')
    const second = await membersOf(keys, 'second')
    await second.renew('ready')
    assert.equal(await processIn(keys), 'second')
  })

  it('is refused to a second process while the first one answers, and the first one goes on', async () => {
    const keys = new Keys()
    const first = await membersOf(keys, 'first')
    await assert.rejects(claim(keys, 'second', 'here'), isTaken('first'))
    await first.renew('ready')
    assert.equal(await processIn(keys), 'first')
  })

  it('is refused while the first process does not answer, but writes', async () => {
    const keys = new Keys()
    const first = await membersOf(keys, 'first')
    const writing = setInterval(() => void first.renew('ready'), 20)
    // The first may write at the moment at which the second does: then a start looks again.
    const claimed = async (): Promise<unknown> =>
      await claim(keys, 'second', 'unknown').catch((error: unknown) => {
        if (error instanceof LogUnavailable) return claimed()
        throw error
      })
    await assert.rejects(claimed(), isTaken('first'))
    clearInterval(writing)
  })

  it('is taken from a process of which nothing is heard; it is told so when it comes back', async () => {
    const keys = new Keys()
    const first = await membersOf(keys, 'first')
    await first.renew('ready')
    const second = await membersOf(keys, 'second', 'unknown')
    await second.renew('ready')
    await assert.rejects(first.renew('ready'), isTaken('second'))
    await second.renew('ready')
  })

  it('goes to one of two processes that start together', async () => {
    const keys = new Keys()
    const tries = await Promise.allSettled([claim(keys, 'first', 'gone'), claim(keys, 'second', 'gone')])
    assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const lost = tries.find((one) => one.status === 'rejected')
    assert.ok(lost?.reason instanceof LogUnavailable, 'it looks again, and finds the other one')
  })

  it('is refused to a node with the address of another one that is there', async () => {
    const keys = new Keys()
    await claim(keys, 'first', 'gone')
    const own = { node: 'b', process: 'other', url: 'http://first' }
    await assert.rejects(claimNode({ keys, limits, presence: async () => 'here' }, own), (error) => {
      return isRefusal(error, 'data_dir_invalid') && /node a .* has the address http:\/\/first, too/.test(error.message)
    })
    await claimNode({ keys, limits, presence: async () => 'gone' }, own)
  })

  it('is not refused to the process that has it, where its first write was stored without an answer', async () => {
    const keys = new Keys()
    keys.loses = true
    await assert.rejects(claim(keys, 'first', 'gone'), LogUnavailable)
    const first = new ClusterMembers(keys, 2, {
      node: 'a',
      process: 'first',
      url: 'http://first',
      revision: await claim(keys, 'first', 'here'),
    })
    keys.loses = true
    await assert.rejects(first.renew('ready'), LogUnavailable)
    await first.renew('ready')
  })
})
