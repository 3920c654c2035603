import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClusterMembers } from '../../../../../engine/services/cluster/owners/members.js'
import { Keys } from '../../../../support/cluster/keys.js'

const memberOf = (keys: Keys, node: string): ClusterMembers =>
  new ClusterMembers(keys, 2, { node, process: `${node}-process`, url: `http://${node}` })
const namesOf = ({ table }: ClusterMembers): (string | null)[] => table.map((owner) => owner?.node ?? null)

describe('the members of a cluster', () => {
  it('see what each says of itself', async () => {
    const keys = new Keys()
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b')]
    await a.renew('ready')
    await b.read()
    assert.deepEqual(
      [b.member('a')?.state, b.member('a')?.url, b.member('b')?.state, b.member('c')],
      ['ready', 'http://a', 'joining', null],
    )
    assert.ok(b.silentMs('a') < 1_000)
    assert.equal(b.silentMs('c'), Number.POSITIVE_INFINITY)
  })

  it('are fresh only after a renewal that was stored', async () => {
    const keys = new Keys()
    const a = memberOf(keys, 'a')
    assert.equal(a.isFresh, false)
    keys.isAway = true
    await assert.rejects(a.renew('ready'))
    assert.equal(a.isFresh, false)
    keys.isAway = false
    await a.renew('ready')
    await a.confirm()
    assert.equal(a.isFresh, true)
  })

  it('are not fresh after a late renewal, until nobody can take their shards any more', async () => {
    const keys = new Keys()
    let nowMs = 1_000
    const clocked = (node: string): ClusterMembers =>
      new ClusterMembers(keys, 2, { node, process: `${node}-process`, url: `http://${node}` }, () => nowMs)
    const [a, b] = [clocked('a'), clocked('b')]
    await a.renew('ready')
    await a.confirm()
    await a.assign([0, 1], { node: 'a', process: 'a-process' })
    await b.read()
    for (let i = 0; i < 8; i++) {
      nowMs += 800
      await b.read()
    }
    // B has found that A is silent, and A comes back before B takes its shards.
    assert.ok(b.silentMs('a') > 5_000)
    assert.equal(a.isFresh, false)
    await a.renew('ready')
    assert.equal(a.isFresh, false)
    await a.confirm()
    assert.equal(a.isFresh, true)
    assert.deepEqual(await b.take([0, 1]), [])
    // The other way round: A learns of it before it counts as fresh.
    nowMs += 6_000
    await b.read()
    for (let i = 0; i < 8; i++) {
      nowMs += 800
      await b.read()
    }
    await a.renew('ready')
    assert.deepEqual(await b.take([0]), [0])
    assert.equal(a.isFresh, false)
    await a.confirm()
    assert.deepEqual([a.isFresh, a.table[0]?.node, a.table[1]?.node], [true, 'b', 'a'])
  })

  it('renew again after a renewal whose acknowledgement was lost', async () => {
    const keys = new Keys()
    const a = memberOf(keys, 'a')
    await a.renew('ready')
    keys.loses = true
    await assert.rejects(a.renew('ready'))
    await a.renew('ready')
    await a.confirm()
    assert.equal(a.isFresh, true)
    await a.renew('leaving')
    const b = memberOf(keys, 'b')
    await b.read()
    assert.equal(b.member('a')?.state, 'leaving')
  })

  it('give a shard to one of two that both saw it free', async () => {
    const keys = new Keys()
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b')]
    await a.read()
    await b.read()
    assert.deepEqual(await a.assign([0], { node: 'a', process: 'a-process' }), [0])
    assert.deepEqual(await b.assign([0], { node: 'b', process: 'b-process' }), [])
    assert.deepEqual(namesOf(b), ['a', null])
  })

  it('change the owners of other shards, although another node has written the table meanwhile', async () => {
    const keys = new Keys()
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b')]
    await a.read()
    await b.read()
    const [ofA, ofB] = [
      { node: 'a', process: 'a-process' },
      { node: 'b', process: 'b-process' },
    ]
    assert.deepEqual(await a.assign([0], ofA), [0])
    assert.deepEqual(await b.assign([0, 1], ofB), [1])
    assert.deepEqual(namesOf(b), ['a', 'b'])
    // Changes of one process do not meet each other.
    await a.read()
    assert.deepEqual(await Promise.all([a.assign([0], null), a.assign([1], ofA)]), [[0], [1]])
    await b.read()
    assert.deepEqual(namesOf(b), [null, 'a'])
  })

  it('own a shard for another time where they get it again', async () => {
    const keys = new Keys()
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b')]
    await a.renew('ready')
    await a.confirm()
    const [ofA, ofB] = [
      { node: 'a', process: 'a-process' },
      { node: 'b', process: 'b-process' },
    ]
    await a.assign([0, 1], ofA)
    const times = [a.ownSince(0), a.ownSince(1)]
    await b.read()
    await b.assign([0], ofB)
    await b.assign([0], ofA)
    await a.read()
    assert.notDeepEqual(a.ownSince(0), times[0])
    assert.deepEqual(a.ownSince(1), times[1])
  })

  it('do not speak for a shard that they may have given away', async () => {
    const keys = new Keys()
    const a = memberOf(keys, 'a')
    await a.renew('ready')
    await a.confirm()
    await a.assign([0, 1], { node: 'a', process: 'a-process' })
    const owned = (): boolean[] => [0, 1].map((shard) => a.ownSince(shard) !== null)
    const ofB = { node: 'b', process: 'b-process' }
    assert.deepEqual(owned(), [true, true])
    const given = a.assign([0], ofB)
    assert.deepEqual(owned(), [false, true])
    await given
    assert.deepEqual(owned(), [false, true])
    // It is stored, and nobody says so.
    keys.loses = true
    await assert.rejects(a.assign([1], ofB))
    assert.deepEqual(
      [owned(), namesOf(a)],
      [
        [false, false],
        ['b', 'a'],
      ],
    )
    await a.confirm()
    assert.deepEqual(
      [owned(), namesOf(a)],
      [
        [false, false],
        ['b', 'b'],
      ],
    )
    // It is not stored: then it is its own as before, once the table is written behind it.
    await a.assign([0], { node: 'a', process: 'a-process' })
    keys.isAway = true
    await assert.rejects(a.assign([0], ofB))
    keys.isAway = false
    assert.deepEqual(owned(), [false, false])
    await a.confirm()
    assert.deepEqual(owned(), [true, false])
  })

  it('are gone at once where it is known', async () => {
    const keys = new Keys()
    const [a, b] = [memberOf(keys, 'a'), memberOf(keys, 'b')]
    await a.renew('ready')
    await b.read()
    b.forget('a', 'another process')
    assert.ok(b.silentMs('a') < 1_000)
    b.forget('a', 'a-process')
    assert.equal(b.silentMs('a'), Number.POSITIVE_INFINITY)
    await a.renew('ready')
    await b.read()
    assert.ok(b.silentMs('a') < 1_000)
  })
})
