/** Three real NATS servers on loopback, as one cluster that flushes before it acknowledges. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectToCluster } from '../../../engine/runtime/log/jetstream/cluster-connection.js'
import { Child } from '../integrations/child.js'
import { goProgram } from '../integrations/counterparts.js'
import { freePort } from '../../../bench/harness/free-port.js'

const VERSION = 'v2.15.2'

/** The program, built with Go from the module proxy. @throws NotHere where Go is missing. */
export function natsServer(): string {
  return join(goProgram(`nats-server-${VERSION}`, `github.com/nats-io/nats-server/v2@${VERSION}`), 'nats-server')
}

interface Ports {
  readonly clients: number
  readonly monitor: number
  readonly routes: number
}

export class NatsCluster {
  readonly #program: string
  readonly #home: string
  readonly #ports: readonly Ports[]
  readonly #servers: (Child | null)[]

  private constructor(program: string, ports: readonly Ports[]) {
    this.#program = program
    this.#home = mkdtempSync(join(tmpdir(), 'nats-cluster-'))
    this.#ports = ports
    this.#servers = ports.map(() => null)
  }

  /** `sync` is the sync_interval of the servers. */
  static async open(program: string, sync = 'always', servers = 3): Promise<NatsCluster> {
    const ports: Ports[] = []
    for (let i = 0; i < servers; i++)
      ports.push({ clients: await freePort(), monitor: await freePort(), routes: await freePort() })
    const cluster = new NatsCluster(program, ports)
    const routes = ports.map(({ routes }) => `nats://127.0.0.1:${routes}`).join(', ')
    for (const [at, { clients, monitor, routes: own }] of ports.entries())
      writeFileSync(
        join(cluster.#home, `s${at}.conf`),
        `server_name: s${at}
listen: 127.0.0.1:${clients}
http: 127.0.0.1:${monitor}
jetstream { store_dir: "${cluster.#home}/s${at}", sync_interval: ${sync} }
${servers === 1 ? '' : `cluster { name: test, listen: 127.0.0.1:${own}, routes: [${routes}] }`}
`,
      )
    await Promise.all(ports.map((_, at) => cluster.start(at)))
    return cluster
  }

  get addresses(): string[] {
    return this.#ports.map(({ clients }) => `127.0.0.1:${clients}`)
  }

  get monitors(): string[] {
    return this.#ports.map(({ monitor }) => `http://127.0.0.1:${monitor}`)
  }

  async connect(): Promise<NatsConnection> {
    return await connectToCluster({ servers: this.addresses })
  }

  /** Starts a server; resolves when it is in the cluster. */
  async start(at: number): Promise<void> {
    this.#servers[at] = await Child.start(this.#program, ['-c', join(this.#home, `s${at}.conf`)], () => this.#isUp(at))
  }

  async #isUp(at: number): Promise<boolean> {
    try {
      return (await fetch(`${this.monitors[at]}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok
    } catch {
      return false
    }
  }

  /** Ends a server at once. */
  async kill(at: number): Promise<void> {
    await this.#servers[at]?.kill()
  }

  /** The server that leads a stream. */
  async leaderOf(connection: NatsConnection, stream: string): Promise<number> {
    const { cluster } = await (await jetstreamManager(connection)).streams.info(stream)
    return Number((cluster?.leader ?? 's0').slice(1))
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server?.kill()))
    rmSync(this.#home, { recursive: true, force: true })
  }
}
