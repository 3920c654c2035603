/** The lease of a cluster's owner, and what all its nodes must have equal. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { LogUnavailable } from '../../../../engine/runtime/log/turn-log.js'
import { joinDirectory, mustBeNoNode, placeSealingKey } from '../../../../engine/services/cluster/cluster-facts.js'
import { Lease, type Owner } from '../../../../engine/services/cluster/lease.js'
import { Tenure } from '../../../../engine/services/cluster/tenure.js'
import { Keys } from '../../../support/cluster/keys.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

const ownerOf = (node: string, state: Owner['state'] = 'taking'): Owner => ({
  node,
  term: `${node}-term`,
  url: `http://${node}`,
  state,
})

const noImport = (): Promise<void> => assert.fail('nothing is imported')
const key = 'ab'.repeat(32)

function directoryOf(test: TestContext, sealingKey = key): string {
  const directory = temporaryDirectory(test)
  placeSealingKey(directory, sealingKey)
  return directory
}

describe('the lease', () => {
  it('goes to one of two nodes that both saw it free', async () => {
    const keys = new Keys()
    const [first, second] = [new Lease(keys), new Lease(keys)]
    assert.equal(await first.read(), null)
    assert.equal(await second.read(), null)
    assert.equal(await first.write(ownerOf('a')), true)
    assert.equal(await second.write(ownerOf('b')), false)
    assert.equal(second.owner?.node, 'a')
  })

  it('is known by its holder after a write without an answer', async () => {
    const keys = new Keys()
    const lease = new Lease(keys)
    keys.loses = true
    await assert.rejects(lease.write(ownerOf('a')), LogUnavailable)
    assert.equal(await lease.write(ownerOf('a')), true)
    assert.equal(lease.owner?.node, 'a')
  })

  it('does not go back to what was before, where a server tells that', async () => {
    const keys = new Keys()
    const [first, second] = [new Lease(keys), new Lease(keys)]
    await first.write(ownerOf('a'))
    const before = await keys.get('owner')
    await second.read()
    await second.write(ownerOf('b'))
    await first.read()
    const behind = { get: async (key: string) => (isBehind ? before : await keys.get(key)), put: async () => null }
    let isBehind = false
    const lease = new Lease(behind)
    await lease.read()
    isBehind = true
    assert.equal((await lease.read())?.node, 'b')
    // Nobody but the holder knows how long it surely has it.
    assert.equal(lease.heldAgeMs, Number.POSITIVE_INFINITY)
    assert.ok(first.heldAgeMs < 60_000)
  })

  it('ends a term where another node has written it', async () => {
    const keys = new Keys()
    const [mine, others] = [new Lease(keys), new Lease(keys)]
    await mine.write(ownerOf('a'))
    const tenure = new Tenure(mine, ownerOf('a'))
    await others.read()
    await others.write(ownerOf('b'))
    await tenure.become('serving')
    assert.equal(await tenure.over, 'deposed')
    tenure.end()
  })

  it('suspends a term whose log is lost, with the reason', async () => {
    const keys = new Keys()
    const lease = new Lease(keys)
    await lease.write(ownerOf('a'))
    const tenure = new Tenure(lease, ownerOf('a'))
    tenure.suspend('no answer')
    assert.equal(await tenure.over, 'suspended')
    assert.equal(tenure.reason, 'no answer')
    await tenure.answered()
    tenure.end()
  })
})

describe('the nodes of a cluster', () => {
  it('join where all is equal, and keep their directory', async (t) => {
    const keys = new Keys()
    const [one, two] = [directoryOf(t), directoryOf(t)]
    const own = { shards: 2, name: 'service' }
    const first = await joinDirectory(keys, one, own, noImport)
    const second = await joinDirectory(keys, two, own, noImport)
    assert.equal(first.cluster, second.cluster)
    assert.notEqual(first.node, second.node)
    assert.deepEqual(await joinDirectory(keys, one, own, noImport), first)
    assert.throws(() => mustBeNoNode(one), { code: 'data_dir_invalid', message: /SERVICE_CLUSTER/ })
  })

  it('do not join with another number of shards, another name or another sealing key', async (t) => {
    const keys = new Keys()
    await joinDirectory(keys, directoryOf(t), { shards: 2, name: 'service' }, noImport)
    const refused = (directory: string, own: { shards: number; name: string }, message: RegExp): Promise<void> =>
      assert.rejects(joinDirectory(keys, directory, own, noImport), { code: 'data_dir_invalid', message })
    await refused(directoryOf(t), { shards: 4, name: 'service' }, /SERVICE_SHARDS/)
    await refused(directoryOf(t), { shards: 2, name: 'acme' }, /SERVICE_NAME/)
    await refused(directoryOf(t, 'cd'.repeat(32)), { shards: 2, name: 'service' }, /sealing\.key/)
  })

  it('do not join with the directory of another cluster, or with data of one process', async (t) => {
    const own = { shards: 2, name: 'service' }
    const directory = directoryOf(t)
    await joinDirectory(new Keys(), directory, own, noImport)
    const others = new Keys()
    await assert.rejects(joinDirectory(others, directory, own, noImport), /streams are gone/)
    await joinDirectory(others, directoryOf(t), own, noImport)
    await assert.rejects(joinDirectory(others, directory, own, noImport), /another cluster/)
    const used = directoryOf(t)
    writeFileSync(join(used, 'catalog.mdb'), '')
    await assert.rejects(joinDirectory(others, used, own, noImport), /empty directory/)
  })

  it('begin a cluster with the data of one process, and go on where that was cut off', async (t) => {
    const [own, keys, directory] = [{ shards: 2, name: 'service' }, new Keys(), directoryOf(t)]
    writeFileSync(join(directory, 'catalog.mdb'), '')
    const imported: string[] = []
    const died = async (): Promise<void> => assert.fail('the process died')
    await assert.rejects(joinDirectory(keys, directory, own, died), /died/)
    // Nobody joins before it is done: the cluster has not begun.
    assert.equal(await keys.get('facts'), null)
    const node = await joinDirectory(keys, directory, own, async ({ cluster }) => void imported.push(cluster))
    assert.deepEqual(imported, [node.cluster])
    assert.deepEqual(await joinDirectory(keys, directory, own, noImport), node)
    assert.equal((await joinDirectory(keys, directoryOf(t), own, noImport)).cluster, node.cluster)
  })

  it('with data are refused where another has begun meanwhile, and their data can be used as before', async (t) => {
    const [own, keys, directory] = [{ shards: 2, name: 'service' }, new Keys(), directoryOf(t)]
    writeFileSync(join(directory, 'catalog.mdb'), '')
    const late = async (): Promise<void> => void (await joinDirectory(keys, directoryOf(t), own, noImport))
    await assert.rejects(joinDirectory(keys, directory, own, late), /begun without it/)
    mustBeNoNode(directory)
    await assert.rejects(joinDirectory(keys, directory, own, noImport), /begun without it; begin a new cluster/)
  })

  it('need one sealing key, and say so', (t) => {
    const empty = temporaryDirectory(t)
    assert.throws(() => placeSealingKey(empty, undefined), /SERVICE_CLUSTER_SEALING_KEY/)
    placeSealingKey(empty, key)
    assert.equal(readFileSync(join(empty, 'sealing.key'), 'utf8'), key)
    assert.throws(() => placeSealingKey(empty, 'cd'.repeat(32)), /must be equal/)
  })
})
