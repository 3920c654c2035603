/** A cluster on loopback: NATS servers, and nodes of the service, each a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built } from '../harness/paths.js'
import { freePort } from '../harness/free-port.js'

const READY_MS = 120_000
const SERVERS = 3

export interface Process {
  readonly name: string
  readonly address: string
  readonly monitor: string
  readonly log: string
  child: ChildProcess
  readonly start: () => ChildProcess
}

/** Where a process runs. */
export interface Place {
  readonly host: string
  /** A command that runs the program which follows it; empty for none. */
  readonly within: readonly string[]
  /** Where its data is. */
  readonly home: string
}

export interface LocalClusterOptions {
  readonly program: string
  readonly directory: string
  readonly nodes: number
  readonly key: string
  readonly env?: NodeJS.ProcessEnv
  /** The program of a node by its name, `node-1`, each time it starts. Default: this version's. */
  readonly mainOf?: (name: string) => string
  /** Of a process by its name, `server-1` and `node-1`. Default: this machine's loopback, a folder of the directory. */
  readonly placeOf?: (name: string) => Place
}

export class LocalCluster {
  readonly directory: string
  readonly key: string
  readonly servers: Process[] = []
  readonly nodes: Process[] = []
  readonly #program: string
  readonly #env: NodeJS.ProcessEnv
  readonly #sealing = randomBytes(32).toString('hex')
  readonly #placeOf: (name: string) => Place
  readonly #mainOf: (name: string) => string

  private constructor({ program, directory, key, env = {}, placeOf, mainOf }: LocalClusterOptions) {
    this.#program = program
    this.#env = env
    this.directory = directory
    this.key = key
    this.#mainOf = mainOf ?? (() => built('bundle/service/main.js'))
    this.#placeOf = placeOf ?? ((name) => ({ host: '127.0.0.1', within: [], home: join(directory, name) }))
  }

  /** Starts all, and resolves when every node answers. */
  static async start(options: LocalClusterOptions): Promise<LocalCluster> {
    const { nodes } = options
    const cluster = new LocalCluster(options)
    try {
      await cluster.#startServers()
      for (let at = 0; at < nodes; at++) await cluster.#startNode()
      await Promise.all(cluster.nodes.map((node) => cluster.untilReady(node)))
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Starts another node, with an empty data directory. */
  async addNode(env: NodeJS.ProcessEnv = {}): Promise<Process> {
    const node = await this.#startNode(env)
    await this.untilReady(node)
    return node
  }

  /** Ends a process at once, as a power cut would. */
  async kill(process: Process): Promise<void> {
    if (hasEnded(process.child)) return
    process.child.kill('SIGKILL')
    await once(process.child, 'exit')
  }

  /** Starts a process again that has ended. */
  restart(process: Process): void {
    process.child = process.start()
  }

  /** The node that has the lease, by its own answer; null while there is none. */
  async owner(): Promise<Process | null> {
    for (const node of this.nodes) {
      const answer = await probe(node.monitor).catch(() => null)
      if (answer?.node === 'serving' || (answer !== null && answer.node === undefined)) return node
    }
    return null
  }

  /** Ends the nodes in order, then the servers. */
  async stop(): Promise<void> {
    for (const node of [...this.nodes]) await end(node.child, 'SIGTERM')
    for (const server of this.servers) await end(server.child, 'SIGTERM')
  }

  async untilReady(node: Process): Promise<void> {
    for (const until = performance.now() + READY_MS; performance.now() < until; await sleep(50)) {
      if (hasEnded(node.child)) throw new Error(`${node.name} ended: ${tailOf(node.log)}`)
      const answer = await fetch(`${node.address}/api/v1/health`, {
        headers: { 'x-service-api-key': this.key },
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null)
      if (answer?.status === 200) return
    }
    throw new Error(`${node.name} was not ready in ${READY_MS / 1000} s; see ${node.log}`)
  }

  async #startServers(): Promise<void> {
    const ports: { clients: number; monitor: number; routes: number; place: Place }[] = []
    for (let at = 0; at < SERVERS; at++) {
      const place = this.#placeOf(`server-${at + 1}`)
      ports.push({ clients: await freePort(), monitor: await freePort(), routes: await freePort(), place })
    }
    const routes = ports.map(({ routes: port, place }) => `nats://${place.host}:${port}`).join(', ')
    for (const [at, { clients, monitor, routes: own, place }] of ports.entries()) {
      const { home, host, within } = place
      mkdirSync(home, { recursive: true })
      const config = join(home, 'server.conf')
      writeFileSync(
        config,
        `server_name: server-${at + 1}
listen: ${host}:${clients}
http: ${host}:${monitor}
jetstream { store_dir: "${home}/data", sync_interval: always }
cluster { name: decisions, listen: ${host}:${own}, routes: [${routes}] }
`,
      )
      const log = join(home, 'log')
      const start = (): ChildProcess => begin([...within, this.#program, '-c', config], {}, log)
      const [address, monitoring] = [`nats://${host}:${clients}`, `http://${host}:${monitor}`]
      this.servers.push({ name: `server ${at + 1}`, address, monitor: monitoring, log, start, child: start() })
    }
    const isUp = async ({ monitor }: Process): Promise<boolean> =>
      (await fetch(`${monitor}/healthz`, { signal: AbortSignal.timeout(1_000) }).catch(() => null))?.ok === true
    for (const until = performance.now() + READY_MS; ; await sleep(100)) {
      if ((await Promise.all(this.servers.map(isUp))).every(Boolean)) return
      const ended = this.servers.find(({ child }) => hasEnded(child))
      if (ended !== undefined) throw new Error(`NATS ${ended.name} ended: ${tailOf(ended.log)}`)
      if (performance.now() > until)
        throw new Error(`the NATS servers did not start; see ${this.directory}/server-*/log`)
    }
  }

  async #startNode(more: NodeJS.ProcessEnv = {}): Promise<Process> {
    const number = this.nodes.length + 1
    const machine = `node-${number}`
    const { home, host, within } = this.#placeOf(machine)
    mkdirSync(home, { recursive: true })
    const [port, opsPort] = [await freePort(), await freePort()]
    const log = join(home, 'log')
    const settings = {
      SERVICE_HOST: host,
      SERVICE_PORT: String(port),
      SERVICE_OPS_HOST: host,
      SERVICE_OPS_PORT: String(opsPort),
      SERVICE_DATA_DIR: join(home, 'data'),
      SERVICE_BOOTSTRAP_KEY: this.key,
      SERVICE_CLUSTER: this.servers.map(({ address }) => address).join(','),
      SERVICE_CLUSTER_MONITORS: this.servers.map(({ monitor }) => monitor).join(','),
      SERVICE_CLUSTER_SEALING_KEY: this.#sealing,
      ...this.#env,
      ...more,
    }
    const start = (): ChildProcess =>
      begin([...within, process.execPath, '--enable-source-maps', this.#mainOf(machine)], settings, log)
    const [address, monitor] = [`http://${host}:${port}`, `http://${host}:${opsPort}`]
    const node = { name: `node ${number}`, address, monitor, log, start, child: start() }
    this.nodes.push(node)
    return node
  }
}

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

function begin([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv, log: string): ChildProcess {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const file = createWriteStream(log, { flags: 'a' })
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  children.add(child)
  child.once('exit', () => {
    children.delete(child)
    file.end()
  })
  return child
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return
  child.kill(signal)
  await once(child, 'exit')
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ')
}

/** What a node says of itself at its port for operators. The owner's engine answers in its own form. */
async function probe(monitor: string): Promise<{ readonly node?: string } | null> {
  const answer = await fetch(`${monitor}/readyz`, { signal: AbortSignal.timeout(1_000) })
  return answer.ok ? ((await answer.json()) as { node?: string }) : null
}
