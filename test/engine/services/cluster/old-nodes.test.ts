/** Values of nodes that do not come back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClusterMembers } from '../../../../engine/services/cluster/owners/members.js'
import { removeOldNodes } from '../../../../engine/services/cluster/old-nodes.js'
import { Keys } from '../../../support/cluster/keys.js'

const DAY_MS = 24 * 3_600_000

function memberOf(keys: Keys, node: string, nowMs = () => performance.now()): ClusterMembers {
  return new ClusterMembers(keys, 2, { node, process: `${node}-process`, url: `http://${node}` }, nowMs)
}

const namesIn = async (keys: Keys): Promise<string[]> => [...(await keys.all('node.*')).keys()].sort()

describe('the value of a node that does not come back', () => {
  it('goes a day after its last one, by the clock of the servers', async () => {
    const keys = new Keys()
    await memberOf(keys, 'a').renew('ready')
    keys.nowMs = DAY_MS
    await memberOf(keys, 'b').renew('ready')
    assert.deepEqual(await removeOldNodes(keys), [])
    keys.nowMs = DAY_MS + 1
    await memberOf(keys, 'b').renew('ready')
    assert.deepEqual(
      (await removeOldNodes(keys)).map(({ node }) => node),
      ['a'],
    )
    assert.deepEqual(await namesIn(keys), ['node.b'])
  })

  it('stays where the node has written since it was seen', async () => {
    const keys = new Keys()
    const a = memberOf(keys, 'a')
    await a.renew('ready')
    const seen = (await keys.get('node.a'))!.revision
    await a.renew('ready')
    await keys.remove('node.a', seen)
    assert.deepEqual(await namesIn(keys), ['node.a'])
  })

  it('is written again by a node that comes back', async () => {
    const keys = new Keys()
    const a = memberOf(keys, 'a')
    await a.renew('ready')
    await keys.remove('node.a', (await keys.get('node.a'))!.revision)
    await a.renew('ready')
    assert.deepEqual(await namesIn(keys), ['node.a'])
  })

  it('is no member to the others any more, when that node was silent for as long as a lease', async () => {
    const keys = new Keys()
    let nowMs = 1_000
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b', () => nowMs)]
    await a.renew('ready')
    await b.read()
    await keys.remove('node.a', (await keys.get('node.a'))!.revision)
    await b.read()
    // A server may have told what was before the value was there.
    assert.equal(b.member('a')?.node, 'a')
    for (let i = 0; i < 8; i++) {
      nowMs += 800
      await b.read()
    }
    assert.equal(b.member('a'), null)
  })
})
