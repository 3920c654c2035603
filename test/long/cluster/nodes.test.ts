/**
 * A whole cluster: three NATS servers and three nodes, as processes. Nodes and servers are killed, stopped and started
 * again under load. After each fault the cluster goes on. In the end every node has what was acknowledged, once.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { built } from '../../../bench/harness/paths.js'
import { newDirectory } from '../../support/engine/files.js'
import { counterpart, isShort, skipUnless } from '../integrations/counterparts.js'
import { jobDocument } from './job-document.js'
import { natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const directory = newDirectory()
const key = 'k'.repeat(32)
/** How often each fault happens. */
const ROUNDS = Number(process.env.CLUSTER_ROUNDS ?? (isShort ? 1 : 3))
/** The program of one of three nodes, of another version: a cluster during an upgrade. */
const lastMain = process.env.CLUSTER_OTHER_MAIN
/** Events that are read on other nodes as soon as they are acknowledged. */
const READS = 20
const CLIENTS = 8
/** Milliseconds that a client waits for a node: one that is stopped does not answer. */
const LIMIT_MS = 4_000
/** Milliseconds until a cluster goes on: the servers' own choice of leaders takes most of them. */
const GOES_ON_MS = 30_000
/** Milliseconds that a node is stopped: longer than the lease. */
const STOPPED_MS = 8_000

const cluster =
  program === null
    ? null
    : await LocalCluster.start({
        program,
        directory,
        nodes: 3,
        key,
        env: { SERVICE_THREADS: '1' },
        mainOf: (name) => (name === 'node-3' ? lastMain : undefined) ?? built('bundle/service/main.js'),
      })

after(async () => {
  await cluster?.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function send(
  node: Process,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: never }> {
  const answer = await fetch(node.address + path, {
    method,
    headers: { 'x-service-api-key': key },
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as never }
}

/** Clients that post events with ids of their own to all nodes, each again until it is acknowledged. */
class Load {
  readonly acknowledged = new Set<string>()
  readonly jobs: readonly number[]
  /** The longest time without an acknowledgement, since it was set to 0. */
  longestMs = 0
  #lastMs = performance.now()
  #isOver = false
  readonly #clients: Promise<void>[]

  constructor(jobs: readonly number[]) {
    this.jobs = jobs
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(client))
  }

  async #run(client: number): Promise<void> {
    const nodes = (cluster as LocalCluster).nodes
    for (let i = 0; !this.#isOver; i++) {
      const job = this.jobs[i % this.jobs.length] as number
      const id = `c${client}-${i}`
      for (let turn = i; !this.#isOver; turn++) {
        const body = { job_id: job, raw_body: { rule: `r${i % 5}`, host: `h${i % 7}`, client, i } }
        const node = nodes[(client + turn) % nodes.length] as Process
        const status = await send(node, 'POST', `/api/v1/events/${id}`, body).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 201) {
          this.acknowledged.add(`${job}/${id}`)
          this.longestMs = Math.max(this.longestMs, performance.now() - this.#lastMs)
          this.#lastMs = performance.now()
          break
        }
        // 503 asks to try again; 0 is a node that is away.
        assert.ok(status === 0 || status === 503, `an event was answered with ${status}`)
        await sleep(50)
      }
    }
  }

  async more(count: number): Promise<void> {
    const goal = this.acknowledged.size + count
    for (const end = performance.now() + GOES_ON_MS; this.acknowledged.size < goal; await sleep(20))
      assert.ok(performance.now() < end, 'the cluster does not go on')
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }
}

async function ownerOf(all: LocalCluster): Promise<Process> {
  for (const end = performance.now() + GOES_ON_MS; performance.now() < end; await sleep(50)) {
    const found = await all.owner()
    if (found !== null) return found
  }
  throw new Error('no node is the owner')
}

describe('a cluster of nodes', { skip, timeout: 900_000 }, () => {
  const all = cluster as LocalCluster
  /** Nodes of this version. */
  const ours = all === null ? [] : all.nodes.slice(0, lastMain === undefined ? 3 : 2)
  const [first, second, third] = (cluster?.nodes ?? []) as [Process, Process, Process]
  let load: Load

  it('takes events of a job on every node as soon as the job is made on one', async () => {
    for (const name of ['one', 'two', 'three'])
      assert.equal((await send(first, 'POST', '/api/v2/resources', jobDocument(name))).status, 200)
    for (const [at, node] of all.nodes.entries()) {
      const event = { job_id: at + 1, raw_body: { rule: 'r', host: 'h' } }
      assert.equal((await send(node, 'POST', '/api/v1/events/first', event)).status, 201)
    }
    for (const node of all.nodes) assert.equal((await send(node, 'GET', '/api/v1/events/1/first')).status, 200)
  })

  it('answers on every node what was acknowledged on another, from its own copy', async () => {
    const owner = await ownerOf(all)
    const others = all.nodes.filter((node) => node !== owner)
    for (let i = 0; i < READS; i++) {
      const event = { job_id: 1, raw_body: { rule: `r${i}`, host: 'h' } }
      assert.equal((await send(owner, 'POST', `/api/v1/events/read-${i}`, event)).status, 201)
      for (const node of others) assert.equal((await send(node, 'GET', `/api/v1/events/1/read-${i}`)).status, 200)
    }
    // The owner cannot answer now, and its lease is not over.
    owner.child.kill('SIGSTOP')
    try {
      const beganMs = performance.now()
      for (const node of others.filter((one) => ours.includes(one))) {
        const answer = await fetch(`${node.address}/api/v1/events/1/read-7`, {
          headers: { 'x-service-api-key': key },
          signal: AbortSignal.timeout(LIMIT_MS),
        })
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('x-lag-ms'), null)
      }
      console.log(`reads while the owner is stopped: ${Math.round(performance.now() - beganMs)} ms for both nodes`)
    } finally {
      owner.child.kill('SIGCONT')
    }
  })

  it('refuses a deleted key on every node', async () => {
    const made = await send(second, 'POST', '/api/v2/resources', {
      resources: { gone: { type: 'api_key', properties: { name: 'gone' } } },
    })
    assert.equal(made.status, 200)
    const { created } = made.body as { created: readonly { readonly api_key?: string; readonly value?: string }[] }
    const value = JSON.stringify(created).match(/"(?:api_key|value|key)":"([^"]{20,})"/)?.[1] as string
    const health = async (node: Process): Promise<number> =>
      (await fetch(`${node.address}/api/v1/health`, { headers: { 'x-service-api-key': value } })).status
    for (const node of all.nodes) assert.equal(await health(node), 200)
    assert.equal((await send(third, 'DELETE', '/api/v2/resources?resource_type=api_key&title=gone')).status, 200)
    for (const node of all.nodes) assert.equal(await health(node), 401)
  })

  it('goes on after a node, a server or both were killed, and after a node was stopped', async () => {
    const cookie = await signIn(first)
    load = new Load([1, 2, 3])
    await load.more(50)
    const gaps: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const faults: readonly (readonly [string, () => Promise<void>])[] = [
        ['the owner is killed', async () => await killed(await ownerOf(all))],
        ['a server is killed', async () => await killed(all.servers[round % 3] as Process)],
        [
          'the owner and a server are killed',
          async () => {
            const [owner, server] = [await ownerOf(all), all.servers[(round + 1) % 3] as Process]
            await Promise.all([killed(owner), killed(server)])
          },
        ],
        ['the owner is stopped for longer than its lease', async () => await stopped(await ownerOf(all))],
        [
          'the owner hands over and ends',
          async () => {
            const owner = await ownerOf(all)
            owner.child.kill('SIGTERM')
            await load.more(30)
            await new Promise((resolve) =>
              owner.child.exitCode === null ? owner.child.once('exit', resolve) : resolve(0),
            )
            all.restart(owner)
            await all.untilReady(owner)
          },
        ],
      ]
      for (const [name, fault] of faults) {
        load.longestMs = 0
        await fault()
        await load.more(30)
        gaps.push(`${name}: ${Math.round(load.longestMs)} ms`)
      }
    }
    await load.end()
    const owner = await ownerOf(all)
    if (ours.includes(owner))
      for (const node of all.nodes) {
        const who = await fetch(`${node.address}/api/v2/session`, { headers: { cookie } })
        assert.equal(who.status, 200, `the session has ended on ${node.name}`)
      }
    console.log(`longest time without an acknowledgement, after each fault:\n${gaps.join('\n')}`)
  })

  it('serves reads and refuses changes while no server answers, and then goes on by itself', async () => {
    const owner = await ownerOf(all)
    const event = { job_id: 1, raw_body: { rule: 'r', host: 'h' } }
    for (const server of all.servers) server.child.kill('SIGSTOP')
    await sleep(7_000)
    for (const node of ours) {
      const read = await fetch(`${node.address}/api/v1/events/1/first`, {
        headers: { 'x-service-api-key': key },
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      assert.equal(read.status, 200)
      assert.ok(Number(read.headers.get('x-lag-ms')) >= 1, `${node.name} states no lag`)
    }
    const refused = await fetch(`${owner.address}/api/v1/events/later`, {
      method: 'POST',
      headers: { 'x-service-api-key': key },
      signal: AbortSignal.timeout(20_000),
      body: JSON.stringify(event),
    })
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    for (const server of all.servers) server.child.kill('SIGCONT')
    for (const end = performance.now() + GOES_ON_MS; ; await sleep(100)) {
      const status = await send(owner, 'POST', '/api/v1/events/later', event).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 201) break
      assert.ok(performance.now() < end, 'the cluster does not go on')
    }
  })

  it('has every acknowledged event on every node, once', async () => {
    for (let turn = 0; turn < all.nodes.length; turn++) {
      const owner = await ownerOf(all)
      const missing: string[] = []
      for (const id of load.acknowledged) {
        const [job, event] = id.split('/') as [string, string]
        if ((await send(owner, 'GET', `/api/v1/events/${job}/${event}`)).status !== 200) missing.push(id)
      }
      assert.deepEqual(missing, [], owner.name)
      const counts: number[] = []
      for (const job of load.jobs)
        counts.push(
          ((await send(owner, 'GET', `/api/v1/jobs/${job}`)).body as { processed_documents_count: number })
            .processed_documents_count,
        )
      const sum = counts.reduce((all, one) => all + one, 0)
      // Some were stored whose answer was lost: at most one for each client. The tests sent some themselves.
      assert.ok(sum >= load.acknowledged.size && sum <= load.acknowledged.size + CLIENTS + READS + 4, `${sum} events`)
      console.log(`${owner.name}: ${load.acknowledged.size} acknowledged events, ${sum} stored`)
      await killed(owner)
    }
  })

  /** The cookie of a new session of the console. */
  async function signIn(node: Process): Promise<string> {
    const answer = await fetch(`${node.address}/api/v2/session`, {
      method: 'POST',
      headers: { 'x-requested-with': 'test' },
      body: JSON.stringify({ key }),
    })
    assert.equal(answer.status, 200)
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
  }

  /** Kills a process, waits until the cluster goes on, and starts it again. */
  async function killed(one: Process): Promise<void> {
    await all.kill(one)
    if (load !== undefined && all.nodes.includes(one)) await sleep(3_000)
    all.restart(one)
    if (all.nodes.includes(one)) await all.untilReady(one)
    else await sleep(8_000)
  }

  async function stopped(one: Process): Promise<void> {
    one.child.kill('SIGSTOP')
    await sleep(STOPPED_MS)
    one.child.kill('SIGCONT')
    await sleep(2_000)
  }
})
