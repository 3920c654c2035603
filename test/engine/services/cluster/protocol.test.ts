/** Versions of the service in one cluster. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { ClusterMembers } from '../../../../engine/services/cluster/owners/members.js'
import { joinProtocol, PROTOCOL } from '../../../../engine/services/cluster/protocol.js'
import { Keys } from '../../../support/cluster/keys.js'

/** Milliseconds in which a live node of these tests writes. */
const LIVE_MS = 30

const nodeOf = (keys: Keys, protocol: number): ClusterMembers =>
  new ClusterMembers(keys, 2, { node: 'a', process: 'a-process', url: 'http://a', protocol })

/** Writes again and again, until the returned function is called. */
function lives(write: () => Promise<unknown>): () => void {
  const timer = setInterval(() => void write(), 5)
  return () => clearInterval(timer)
}

describe('the protocol of a cluster', () => {
  it('is that of its first node, and versions with the same one may be mixed', async () => {
    const keys = new Keys()
    await joinProtocol(keys)
    await nodeOf(keys, PROTOCOL).renew('ready')
    await joinProtocol(keys, PROTOCOL, 60_000)
    assert.equal((await keys.get('protocol'))?.value, PROTOCOL)
  })

  it('keeps a node out that is too old, with a sentence', async () => {
    const keys = new Keys()
    await joinProtocol(keys, 3)
    await assert.rejects(joinProtocol(keys, 2), (error) => {
      return isRefusal(error, 'data_dir_newer') && /protocol 3; this one has 2\): update it/.test(error.message)
    })
  })

  it('is raised only when no older node is live: a sentence names one', async () => {
    const keys = new Keys()
    await joinProtocol(keys, 2)
    const old = nodeOf(keys, 2)
    await old.renew('ready')
    const end = lives(() => old.renew('ready'))
    await assert.rejects(joinProtocol(keys, 3, LIVE_MS), (error) => {
      return isRefusal(error, 'data_dir_invalid') && /http:\/\/a .* \(protocol 2; .* 3\): stop all/.test(error.message)
    })
    end()
    await joinProtocol(keys, 3, LIVE_MS)
    assert.equal((await keys.get('protocol'))?.value, 3)
  })

  it('is not raised beside an owner of a version that says nothing of itself', async () => {
    const keys = new Keys()
    const owner = { node: 'old', term: 't', url: 'http://old', state: 'serving' }
    let revision = (await keys.put('owner', owner, 0)) as number
    const end = lives(async () => (revision = (await keys.put('owner', owner, revision)) as number))
    await assert.rejects(joinProtocol(keys, PROTOCOL, LIVE_MS), /http:\/\/old .* \(protocol 1;/)
    end()
    await joinProtocol(keys, PROTOCOL, LIVE_MS)
  })

  it('ends a node that was cut off while the others were replaced by newer ones', async () => {
    const keys = new Keys()
    const old = new ClusterMembers(keys, 2, { node: 'b', process: 'b-process', url: 'http://b', protocol: 2 })
    await old.read()
    await nodeOf(keys, 3).renew('ready')
    await assert.rejects(old.read(), (error) => isRefusal(error, 'data_dir_newer'))
  })
})
