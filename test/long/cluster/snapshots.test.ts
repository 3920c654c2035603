/**
 * Snapshots of a whole cluster: streams are cut, a new node and one that lost its disk get the rest from snapshots, and
 * nodes that are killed meanwhile lose nothing.
 */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { connectToCluster, type NatsConnection } from '../../../engine/runtime/log/jetstream/cluster-connection.js'
import { newDirectory } from '../../support/engine/files.js'
import { jobOf } from '../../support/cluster-job.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const directory = newDirectory()
const key = 'k'.repeat(32)
const LIMIT_MS = 60_000
const env = { SERVICE_THREADS: '1', SERVICE_SHARDS: '2', SERVICE_CLUSTER_SNAPSHOT_RECORDS: '100' }
const cluster = program === null ? null : await LocalCluster.start({ program, directory, nodes: 2, key, env })

after(async () => {
  await cluster?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const all = cluster as LocalCluster
const acknowledged = new Set<string>()

async function send(node: Process, method: string, path: string, body?: unknown): Promise<Response> {
  return await fetch(node.address + path, {
    method,
    headers: { 'x-service-api-key': key },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

let sent = 0

/** Posts so many events, one after the other, each until it is acknowledged. */
async function post(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = `e${sent++}`
    const event = { job_id: 1, raw_body: { rule: `r${i % 5}`, host: `h${i % 7}` } }
    for (let turn = 0; ; turn++) {
      const node = all.nodes[turn % all.nodes.length] as Process
      const status = await send(node, 'POST', `/api/v1/events/${id}`, event).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 201) break
      assert.ok(turn < 1_000, `the cluster does not go on: ${status}`)
      await sleep(50)
    }
    acknowledged.add(id)
  }
}

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await isSo()); await sleep(200))
    assert.ok(performance.now() < end, what)
}

const textOf = (node: Process): string => readFileSync(node.log, 'utf8')

describe('snapshots of a cluster', { skip, timeout: 600_000 }, () => {
  let manager: JetStreamManager
  let connection: NatsConnection

  before(async () => {
    connection = await connectToCluster({ servers: all.servers.map(({ address }) => address) })
    manager = await jetstreamManager(connection)
  })

  after(() => connection.close())

  /** The last record of each shard's stream. */
  async function lasts(): Promise<number[]> {
    return await Promise.all(
      [0, 1].map(async (at) => (await manager.streams.info(`service_turns_${at}`)).state.last_seq),
    )
  }

  async function firstOf(stream: string): Promise<number> {
    return (await manager.streams.info(stream)).state.first_seq
  }

  it('are made while it works, and cut the streams', async () => {
    assert.equal((await send(all.nodes[0] as Process, 'POST', '/api/v2/resources', jobOf('one'))).status, 200)
    // The job is in the first shard that has room: which one does not matter.
    await until('no stream was cut', async () => {
      await post(60)
      return (await firstOf('service_turns_0')) > 1 || (await firstOf('service_turns_1')) > 1
    })
    assert.ok(
      textOf(all.nodes[0] as Process).includes('a snapshot was made') ||
        textOf(all.nodes[1] as Process).includes('a snapshot was made'),
    )
  })

  it('make a new node, which then is the owner with all there is', async () => {
    const third = await all.addNode()
    await until('the third node does not restore', () => textOf(third).includes('a copy was restored from a snapshot'))
    await post(20)
    for (const node of all.nodes) if (node !== third) await all.kill(node)
    await until('the third node is not the owner', async () => (await all.owner()) === third)
    await all.untilReady(third)
    for (const id of acknowledged) assert.equal((await send(third, 'GET', `/api/v1/events/1/${id}`)).status, 200, id)
    const job = (await (await send(third, 'GET', '/api/v1/jobs/1')).json()) as { processed_documents_count: number }
    assert.equal(job.processed_documents_count, acknowledged.size)
  })

  it('restore a node that lost its disk, and one that was away for long', async () => {
    const [first, second] = all.nodes as [Process, Process, Process]
    rmSync(join(directory, 'node-1', 'data'), { recursive: true, force: true })
    all.restart(first)
    await all.untilReady(first)
    const missed = await lasts()
    await until('no stream was cut again', async () => {
      await post(60)
      const cut = missed.map(async (last, at) => last > 10 && (await firstOf(`service_turns_${at}`)) > last + 1)
      return (await Promise.all(cut)).includes(true)
    })
    all.restart(second)
    await until('the second node does not restore', () =>
      textOf(second).includes('a copy was restored from a snapshot'),
    )
    await all.untilReady(second)
    for (const node of all.nodes.slice(1)) await all.kill(node)
    await until('the first node is not the owner', async () => (await all.owner()) === first)
    for (const id of acknowledged) assert.equal((await send(first, 'GET', `/api/v1/events/1/${id}`)).status, 200, id)
  })
})
