/**
 * Faults of a whole cluster under load: processes that die or stop, networks that are cut, servers that lose what they
 * did not flush. Three NATS servers and three nodes have an address and a network each.
 *
 * Each client's answers are recorded. In the end they are checked: one service that does one thing at a time could have
 * answered so. Then each node in turn is the owner, and all must say the same of each event.
 *
 * `FAULTS=20` makes each fault twenty times. `FAULTS_KEEP=1` leaves the logs of the processes.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Place, type Process } from '../../../../bench/cluster/local-cluster.js'
import { newDirectory } from '../../../support/engine/files.js'
import { History } from '../../../support/history/history.js'
import { counterpart, skipUnless } from '../../integrations/counterparts.js'
import { natsServer } from '../nats-cluster.js'
import { assertAgreement, assertExplained, GOES_ON_MS, makeJob, ownerOf } from './agreement.js'
import { Clients } from './clients.js'
import { Disk, lacksDisks } from './disk.js'
import { lacksNetworks, Network } from './network.js'

const ROUNDS = Number(process.env.FAULTS ?? 1)
const NODES = ['node-1', 'node-2', 'node-3']
const SERVERS = ['server-1', 'server-2', 'server-3']
const key = 'k'.repeat(32)
/** Milliseconds that something is stopped or cut off: longer than the lease. */
const HELD_MS = 9_000
/** Writes before a fault, while it lasts where it does not stop the cluster, and after it. */
const WRITES = 60

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server') || lacksNetworks()
const directory = newDirectory()
const noDisks = lacksDisks(directory)

describe('a cluster under faults', { skip, timeout: 120_000 + ROUNDS * 900_000 }, () => {
  const network = skip === false ? new Network() : (null as never)
  const disks = new Map<string, Disk>()
  const history = new History()
  let all: LocalCluster
  let clients: Clients

  after(async () => {
    await clients?.end()
    await all?.stop()
    for (const disk of disks.values()) disk.close()
    if (skip === false) network.close()
    if (process.env.FAULTS_KEEP === undefined) rmSync(directory, { recursive: true, force: true })
    else console.log(`logs are in ${directory}`)
  })

  const placeOf = (name: string): Place => {
    const isDisk = noDisks === false && SERVERS.includes(name)
    if (isDisk) disks.set(name, new Disk(join(directory, name)))
    const home = disks.get(name)?.path ?? join(directory, name)
    return { host: network.add(name), within: network.within(name), home }
  }

  const owner = (): Promise<Process> => ownerOf(all)
  const machineOf = (one: Process): string => one.name.replace(' ', '-')
  const serverOf = (round: number): Process => all.servers[round % all.servers.length] as Process

  async function started(...ended: readonly Process[]): Promise<void> {
    for (const one of ended) all.restart(one)
    for (const one of ended) if (all.nodes.includes(one)) await all.untilReady(one)
  }

  async function killed(...ended: readonly Process[]): Promise<void> {
    await Promise.all(ended.map((one) => all.kill(one)))
    await sleep(HELD_MS / 3)
    await started(...ended)
  }

  async function held(begin: () => void, end: () => void): Promise<void> {
    begin()
    try {
      await sleep(HELD_MS)
    } finally {
      end()
    }
  }

  const paused = (one: Process): Promise<void> =>
    held(
      () => one.child.kill('SIGSTOP'),
      () => one.child.kill('SIGCONT'),
    )
  const cut = (begin: () => void): Promise<void> => held(begin, () => network.heal())

  async function powerCut(...ended: readonly Process[]): Promise<void> {
    await Promise.all(ended.map((one) => all.kill(one)))
    for (const one of ended) disks.get(machineOf(one))?.cutPower()
    await started(...ended)
  }

  const faults: readonly (readonly [string, (round: number) => Promise<void>, (string | false)?])[] = [
    ['the owner is killed', async () => await killed(await owner())],
    ['a server is killed', async (round) => await killed(serverOf(round))],
    ['the owner and a server are killed', async (round) => await killed(await owner(), serverOf(round + 1))],
    ['the owner is stopped for longer than its lease', async () => await paused(await owner())],
    ['a server is stopped', async (round) => await paused(serverOf(round + 2))],
    [
      'the owner is cut off from everything',
      async () => {
        const one = machineOf(await owner())
        await cut(() => network.cutOff(one))
      },
    ],
    [
      'the owner is cut off from servers and nodes, but not from clients',
      async () => {
        const one = machineOf(await owner())
        await cut(() =>
          network.cutFrom(
            one,
            [...NODES, ...SERVERS].filter((other) => other !== one),
          ),
        )
      },
    ],
    [
      'what the owner sends to the servers is lost',
      async () => {
        const one = machineOf(await owner())
        await cut(() => network.cutOneWay(one, SERVERS))
      },
    ],
    [
      'a server is cut off from everything',
      async (round) => await cut(() => network.cutOff(machineOf(serverOf(round)))),
    ],
    [
      'a standby is cut off from everything',
      async (round) => {
        const now = await owner()
        const one = all.nodes.filter((node) => node !== now)[round % 2] as Process
        await cut(() => network.cutOff(machineOf(one)))
      },
    ],
    ['the power of a server is cut', async (round) => await powerCut(serverOf(round)), noDisks],
    ['the power of all servers is cut', async () => await powerCut(...all.servers), noDisks],
  ]

  it('starts, each machine in a network of its own', async () => {
    all = await LocalCluster.start({
      program: program as string,
      directory,
      nodes: NODES.length,
      key,
      env: { SERVICE_THREADS: '1' },
      placeOf,
    })
    await makeJob(all)
    clients = new Clients(
      all.nodes.map(({ address }) => ({ address, key })),
      history,
    )
  })

  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, fault, without = false] of faults) {
      it(`goes on after ${name}${ROUNDS > 1 ? `, ${round + 1}` : ''}`, { skip: without }, async () => {
        await clients.more(WRITES, GOES_ON_MS)
        clients.longestMs = 0
        await fault(round)
        await clients.more(WRITES, GOES_ON_MS)
        for (const node of all.nodes) await all.untilReady(node)
        const atMs = Math.round(performance.now())
        console.log(
          `${name}: at most ${Math.round(clients.longestMs)} ms without an acknowledged write; over at ${atMs}`,
        )
      })
    }
  }

  it('has answered as one service that does one thing at a time', async () => {
    await clients.end()
    assert.deepEqual(clients.surprises, [])
    console.log(
      `${history.operations} operations on ${history.keys.length} events, ${clients.writes} acknowledged writes`,
    )
    assertExplained(history)
  })

  it('says the same of each event whichever node is the owner', async () => {
    await assertAgreement(all, history, (node) => killed(node))
  })
})
