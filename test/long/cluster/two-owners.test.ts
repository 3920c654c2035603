/**
 * Two nodes believe for a minute that they own the same: three NATS servers and three nodes, under load. Each client's
 * answers are recorded, and checked in the end.
 *
 * 1. Nodes are stopped for longer than their lease, one after the other. A node that goes on again believes what it
 *    believed before.
 * 2. One node has shared values of its own: in them it is the only node, so that it takes all shards and the catalog.
 *    The other two do the same in theirs. Only the logs say who may write. What a node answers to reads rests on the
 *    values, so reads of this minute may be old; writes, and all reads after it, are checked.
 */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { connectToCluster, type NatsConnection } from '../../../engine/runtime/log/jetstream/cluster-connection.js'
import { ClusterKeys } from '../../../engine/runtime/log/jetstream/cluster-keys.js'
import { newDirectory } from '../../support/engine/files.js'
import { History } from '../../support/history/history.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { assertAgreement, GOES_ON_MS, makeJob } from './faults/agreement.js'
import { Clients } from './faults/clients.js'
import { KeysProxy } from './faults/keys-proxy.js'
import { ValuesOfOne } from './faults/values-of-one.js'
import { natsServer } from './nats-cluster.js'

/** The bucket of the cluster, and that of the node which has values of its own. */
const [BUCKET, OTHER] = ['service', 'another'] as const
const SHARDS = 8
const FORCED_MS = Number(process.env.FORCED_SECONDS ?? 60) * 1_000
/** Milliseconds that a node is stopped: longer than the lease; between two stops. */
const [STOPPED_MS, BETWEEN_MS] = [6_000, 500]
/** Milliseconds between two looks; looks without a change after which nothing moves any more. */
const [LOOK_MS, QUIET_LOOKS] = [200, 15]
/** Writes before and after. */
const WRITES = 60

const program = counterpart('nats-server', natsServer)
const directory = newDirectory()
const key = 'k'.repeat(32)

describe('two owners', { skip: skipUnless(program, 'nats-server'), timeout: 900_000 }, () => {
  const history = new History()
  const proxies: KeysProxy[] = []
  let all: LocalCluster
  let clients: Clients
  let connection: NatsConnection

  after(async () => {
    await clients?.end()
    await connection?.close()
    await all?.stop()
    for (const proxy of proxies) proxy.close()
    rmSync(directory, { recursive: true, force: true })
  })

  /** The node that each shard belongs to, by the shared values. */
  const ownersIn = async (bucket: string): Promise<readonly (string | undefined)[]> => {
    const keys = await ClusterKeys.open(connection, bucket, all.servers.length)
    const table = ((await keys.get('shards'))?.value ?? []) as readonly ({ readonly node: string } | null)[]
    return table.map((owner) => owner?.node)
  }

  /** How often a node has begun to run a shard. */
  const takings = (): number =>
    all.nodes.reduce(
      (sum, { log }) => sum + readFileSync(log, 'utf8').split('this node runs a shard now').length - 1,
      0,
    )

  /** Waits until all nodes share the shards, and none moves any more. */
  async function settled(): Promise<void> {
    const end = performance.now() + GOES_ON_MS
    for (let [before, quiet] = [takings(), 0]; quiet < QUIET_LOOKS; quiet++) {
      await sleep(LOOK_MS)
      const now = takings()
      if (now !== before || new Set(await ownersIn(BUCKET)).size < all.nodes.length) [before, quiet] = [now, -1]
      assert.ok(performance.now() < end, 'shards go on moving')
    }
  }

  it('starts, one node behind proxies', async () => {
    const env = { SERVICE_THREADS: '1', SERVICE_SHARDS: String(SHARDS) }
    all = await LocalCluster.start({ program: program as string, directory, nodes: 2, key, env })
    for (const { address } of all.servers) proxies.push(await KeysProxy.open(address))
    await all.addNode({ SERVICE_CLUSTER: proxies.map(({ address }) => address).join(',') })
    const nodes = all.nodes.map(({ address }) => ({ address, key }))
    await makeJob(all)
    connection = await connectToCluster({ servers: all.servers.map(({ address }) => address) })
    clients = new Clients(nodes, history)
    await clients.more(WRITES, GOES_ON_MS)
    await settled()
  })

  it('are harmless where nodes are stopped for longer than their lease, one after the other', async () => {
    let stops = 0
    for (const end = performance.now() + FORCED_MS; performance.now() < end; await sleep(BETWEEN_MS)) {
      const { child } = all.nodes[stops++ % all.nodes.length] as Process
      child.kill('SIGSTOP')
      await sleep(STOPPED_MS)
      child.kill('SIGCONT')
    }
    await clients.more(WRITES, GOES_ON_MS)
    await settled()
    console.log(`${stops} stops, ${history.operations} operations`)
  })

  it('are harmless where a node has shared values of its own', async () => {
    const values = new ValuesOfOne(connection, BUCKET, OTHER)
    await values.copy()
    clients.areReadsChecked = false
    clients.longestMs = 0
    const [writesBefore, takingsBefore] = [clients.writes, takings()]
    let [looks, bothLooks] = [0, 0]
    for (const proxy of proxies) proxy.divert(BUCKET, OTHER)
    for (const end = performance.now() + FORCED_MS; performance.now() < end; await sleep(LOOK_MS)) {
      const [shared, own] = [await ownersIn(BUCKET), await ownersIn(OTHER)]
      looks++
      if (own.every((node, shard) => node !== undefined && node !== shared[shard])) bothLooks++
    }
    const writes = clients.writes - writesBefore
    await values.overtake()
    for (const proxy of proxies) proxy.restore()
    await clients.more(WRITES, GOES_ON_MS)
    await settled()
    clients.areReadsChecked = true
    await clients.more(WRITES, GOES_ON_MS)
    const taken = takings() - takingsBefore
    console.log(
      `each shard had two owners at ${bothLooks} of ${looks} looks; shards were taken ${taken} times; ` +
        `${writes} writes, at most ${Math.round(clients.longestMs)} ms without one`,
    )
    assert.ok(bothLooks > looks / 2, 'most of the time the values name two owners')
    assert.deepEqual(clients.surprises, [])
  })

  it('says the same of each event whichever node is the owner', async () => {
    await clients.end()
    await assertAgreement(all, history, async (node) => {
      await all.kill(node)
      await sleep(3_000)
      all.restart(node)
      await all.untilReady(node)
    })
  })
})
