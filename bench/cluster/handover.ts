/**
 * `npm run cluster -- --handover`: how long writes pause where a node is stopped by plan, and how long a read takes
 * while no NATS server answers.
 *
 * Clients post events with ids of their own to all nodes in turn, each again until it is acknowledged. The pause is the
 * longest time without an acknowledgement. A stop and the return of the node are timed apart: both move shards.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../harness/client.js'
import { quantile } from '../harness/result.js'
import { newKey, removeDirectory, temporaryDirectory } from '../harness/service.js'
import { LocalCluster, type Process } from './local-cluster.js'

const [STOPS, JOBS, CLIENTS] = [10, 3, 6]
/** Milliseconds before a client tries another node, and of load around each change. */
const [AGAIN_MS, AROUND_MS] = [20, 1_500]
/** Milliseconds that no server answers, and between two reads of a node. */
const [AWAY_MS, READ_AGAIN_MS] = [8_000, 100]
const RESUMES_MS = 60_000

const jobOf = (title: string): unknown => ({
  type: 'job',
  properties: { title, category: 'Decision intelligence', decision_points: ['rule'] },
})

const clientsOf = ({ nodes }: LocalCluster, key: string): Client[] =>
  nodes.map(({ address }) => new Client(Number(new URL(address).port), key))

class Load {
  /** The longest time without an acknowledgement since it was set to 0, milliseconds. */
  longestMs = 0
  /** What was asked last, and not acknowledged at once: for who looks into a long pause. */
  readonly refused = new Map<string, number>()
  #lastMs = performance.now()
  #isOver = false
  readonly #running: Promise<void>[]

  constructor(cluster: LocalCluster, key: string, jobs: readonly number[]) {
    this.#running = Array.from({ length: CLIENTS }, (_, client) => this.#run(client, clientsOf(cluster, key), jobs))
  }

  async #run(client: number, nodes: readonly Client[], jobs: readonly number[]): Promise<void> {
    for (let event = 0; !this.#isOver; event++) {
      const body = { job_id: jobs[event % jobs.length], raw_body: { rule: `r${event % 5}`, client } }
      for (let node = event; !this.#isOver; node++) {
        const one = nodes[node % nodes.length] as Client
        const status = await one.send('POST', `/api/v1/events/c${client}-${event}`, body).then(
          (answer) => answer.status,
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        )
        if (status === 201) break
        this.refused.set(String(status), (this.refused.get(String(status)) ?? 0) + 1)
        await sleep(AGAIN_MS)
      }
      const nowMs = performance.now()
      this.longestMs = Math.max(this.longestMs, nowMs - this.#lastMs)
      this.#lastMs = nowMs
    }
    for (const node of nodes) node.close()
  }

  /** The pause so far; a new one begins. */
  taken(): number {
    const ms = Math.max(this.longestMs, performance.now() - this.#lastMs)
    this.longestMs = 0
    return ms
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }
}

async function ownerOf(cluster: LocalCluster): Promise<Process> {
  for (const end = performance.now() + RESUMES_MS; performance.now() < end; await sleep(50)) {
    const owner = await cluster.owner()
    if (owner !== null) return owner
  }
  throw new Error('no node is the owner')
}

const line = (ms: readonly number[]): string =>
  `p50 ${quantile(ms, 0.5).toFixed(0)} ms, slowest ${Math.max(...ms).toFixed(0)} ms, of ${ms.length}`

/** Stops the owner of the catalog, and starts it again, again and again. */
async function stopByPlan(cluster: LocalCluster, load: Load): Promise<void> {
  const [stops, returns]: [number[], number[]] = [[], []]
  for (let stop = 0; stop < STOPS; stop++) {
    const owner = await ownerOf(cluster)
    await sleep(AROUND_MS)
    load.taken()
    const ended = once(owner.child, 'exit')
    owner.child.kill('SIGTERM')
    await ended
    await sleep(AROUND_MS)
    stops.push(load.taken())
    cluster.restart(owner)
    await cluster.untilReady(owner)
    await sleep(AROUND_MS)
    returns.push(load.taken())
    const counts = [...load.refused].map(([status, count]) => `${count} of ${status}`).join(', ')
    load.refused.clear()
    console.log(
      `stop ${stop + 1}: ${stops.at(-1)?.toFixed(0)} ms; its return: ${returns.at(-1)?.toFixed(0)} ms` +
        (counts === '' ? '' : `; tried again: ${counts}`),
    )
  }
  console.log(`writes pause where the owner of the catalog is stopped by plan: ${line(stops)}`)
  console.log(`and where it comes back: ${line(returns)}`)
}

/** Reads of each node while no server answers, and changes of the catalog beside them. */
async function readWhileAway(cluster: LocalCluster, key: string, jobId: number): Promise<void> {
  const owner = await ownerOf(cluster)
  const nodes = clientsOf(cluster, key)
  await nodes[0]?.ask('POST', '/api/v1/events/read', { job_id: jobId, raw_body: { rule: 'r' } })
  await sleep(AROUND_MS)
  const path = `/api/v1/events/${jobId}/read`
  const catalog = nodes[cluster.nodes.indexOf(owner)] as Client
  for (const server of cluster.servers) server.child.kill('SIGSTOP')
  const end = performance.now() + AWAY_MS
  const reading = nodes.map(async (node, at) => {
    const times: number[] = []
    for (; performance.now() < end; await sleep(READ_AGAIN_MS)) {
      const beganMs = performance.now()
      await node.ask('GET', path)
      times.push(performance.now() - beganMs)
    }
    const role = cluster.nodes[at] === owner ? 'the owner of the catalog' : 'a standby'
    return `a read while no server answers, at ${role}: ${line(times)}`
  })
  const changing = (async () => {
    const times: number[] = []
    const resources = { job: jobOf('made meanwhile') }
    for (; performance.now() < end; await sleep(READ_AGAIN_MS)) {
      const beganMs = performance.now()
      const { status } = await catalog.send('POST', '/api/v2/resources', { resources })
      if (status !== 503) throw new Error(`a change of the catalog was answered with ${status}`)
      times.push(performance.now() - beganMs)
    }
    return `a change of the catalog is refused meanwhile: ${line(times)}`
  })()
  try {
    for (const said of await Promise.all([...reading, changing])) console.log(said)
  } finally {
    for (const server of cluster.servers) server.child.kill('SIGCONT')
    for (const node of nodes) node.close()
  }
}

/** Prints a line for each stop and each node. */
export async function measureHandover(program: string): Promise<void> {
  const directory = temporaryDirectory()
  const key = newKey()
  const cluster = await LocalCluster.start({ program, directory, nodes: 3, key, env: { SERVICE_THREADS: '1' } })
  try {
    const [client] = clientsOf(cluster, key) as [Client]
    const titles = Array.from({ length: JOBS }, (_, at) => `job-${at}`)
    const resources = Object.fromEntries(titles.map((title) => [title, jobOf(title)]))
    const { created } = (await client.ask('POST', '/api/v2/resources', { resources })) as {
      created: readonly { internal_id: string }[]
    }
    client.close()
    const jobs = created.map(({ internal_id }) => Number(internal_id))
    const load = new Load(cluster, key, jobs)
    await stopByPlan(cluster, load)
    await load.end()
    await readWhileAway(cluster, key, jobs[0] as number)
  } finally {
    await cluster.stop()
    removeDirectory(directory)
  }
}
