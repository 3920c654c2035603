/**
 * A rolling upgrade under load: three NATS servers and three nodes. `CLUSTER_OTHER_MAIN` names the program of the
 * version before; without it, this version takes the place of itself.
 *
 * Nodes are stopped and started with this version one after the other, the owner of the catalog last. After each, the
 * owner of the catalog is killed, so that shards and the catalog pass between versions. Each client's answers are
 * recorded, and checked in the end.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { built } from '../../../bench/harness/paths.js'
import { newDirectory } from '../../support/engine/files.js'
import { History } from '../../support/history/history.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { assertAgreement, assertExplained, GOES_ON_MS, makeJob, ownerOf } from './faults/agreement.js'
import { Clients } from './faults/clients.js'
import { natsServer } from './nats-cluster.js'

const thisMain = built('bundle/service/main.js')
const otherMain = process.env.CLUSTER_OTHER_MAIN ?? thisMain
/** Writes before and after each step. */
const WRITES = 100
/** Milliseconds that a killed node is away. */
const AWAY_MS = 2_000

const program = counterpart('nats-server', natsServer)
const directory = newDirectory()
const key = 'k'.repeat(32)

describe('a rolling upgrade', { skip: skipUnless(program, 'nats-server'), timeout: 900_000 }, () => {
  const history = new History()
  /** Nodes that have this version, by name. */
  const upgraded = new Set<string>()
  let all: LocalCluster
  let clients: Clients

  after(async () => {
    await clients?.end()
    await all?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  async function restarted(node: Process): Promise<void> {
    all.restart(node)
    await all.untilReady(node)
  }

  async function killed(node: Process): Promise<void> {
    await all.kill(node)
    await sleep(AWAY_MS)
    await restarted(node)
  }

  async function upgrade(node: Process): Promise<void> {
    node.child.kill('SIGTERM')
    if (node.child.exitCode === null) await once(node.child, 'exit')
    assert.equal(node.child.exitCode, 0)
    upgraded.add(node.name.replace(' ', '-'))
    await restarted(node)
  }

  /** Does something under load. Returns the longest time without an acknowledged write, milliseconds. */
  async function underLoad(work: () => Promise<void>): Promise<number> {
    await clients.more(WRITES, GOES_ON_MS)
    clients.longestMs = 0
    await work()
    await clients.more(WRITES, GOES_ON_MS)
    return Math.round(clients.longestMs)
  }

  it('begins with nodes of the other version', async () => {
    const mainOf = (name: string): string => (upgraded.has(name) ? thisMain : otherMain)
    all = await LocalCluster.start({
      program: program as string,
      directory,
      nodes: 3,
      key,
      env: { SERVICE_THREADS: '1' },
      mainOf,
    })
    await makeJob(all)
    clients = new Clients(
      all.nodes.map(({ address }) => ({ address, key })),
      history,
    )
  })

  it('goes on while nodes of both versions are in the cluster, also where one dies', async () => {
    const last = await ownerOf(all)
    const order = [...all.nodes.filter((node) => node !== last), last]
    for (const node of order) {
      const stoppedMs = await underLoad(() => upgrade(node))
      const killedMs = await underLoad(async () => killed(await ownerOf(all)))
      console.log(
        `${upgraded.size} of ${all.nodes.length} nodes have this version: at most ${stoppedMs} ms without an ` +
          `acknowledged write while a node was replaced, ${killedMs} ms while the owner of the catalog was killed`,
      )
    }
  })

  it('has answered as one service, and says the same of each event whichever node is the owner', async () => {
    await clients.end()
    assert.deepEqual(clients.surprises, [])
    console.log(`${history.operations} operations, ${clients.writes} acknowledged writes`)
    assertExplained(history)
    await assertAgreement(all, history, killed)
  })
})
