/**
 * The program as a node of a cluster: its port is open all the time, and there is an engine while it is the owner.
 *
 * Owns: joining, serving, forwarding and leaving, in this order. Leaves out: when the node is the owner (the engine's
 * cluster node), the port (door.ts), reads from copies (standby-reads.ts).
 */
import { ClusterNode, openEngine, type Engine, type EngineOptions, type NodeDeps } from '../../engine/index.js'
import type { Exchange } from '../http/exchange.js'
import type { HttpRequest } from '../http/native.js'
import { OpenConnections, opsConnections } from '../http/open-connections.js'
import { replyJson } from '../http/reply.js'
import { Server, type ServerOptions } from '../server.js'
import { connectionsMaxOf } from '../start/open-files.js'
import { socketPaths } from '../routes/stream/stream.js'
import { Door } from './door.js'
import { Forwarder } from './forwarder.js'
import { clusterOptionsOf, type GivenCluster } from './given-cluster.js'
import { standbyLog, tell } from './node-log.js'
import { isOfAnyNode, LAG_HEADER, StandbyReads } from './standby-reads.js'

export interface NodeOptions {
  readonly engine: EngineOptions
  readonly server: Omit<ServerOptions, 'listen'>
  readonly cluster: GivenCluster
  readonly drainMs: number
  /** What is traced, of an engine. */
  traced(engine: Engine): Promise<ServerOptions['tracer']>
  /** This node has become the owner. */
  owns(engine: Engine): void
  /** This node cannot go on. */
  fatal(why: string): void
}

interface Doors {
  readonly main: Door
  /** The port for operators; null where there is none. */
  readonly ops: Door | null
}

export class RunningNode {
  readonly #options: NodeOptions
  readonly #doors: Doors
  readonly #forwarder: Forwarder
  #node: ClusterNode<Engine> | null = null
  #server: Server | null = null
  #reads: StandbyReads | null = null

  /** Rejects with an error whose message says what to do. */
  static async start(options: NodeOptions): Promise<RunningNode> {
    const { host, port, tls, opsHost = '127.0.0.1', opsPort } = options.server
    let node: ClusterNode<Engine> | null = null
    let running: RunningNode | null = null
    const forwarder = new Forwarder({ owner: () => node?.ownerUrl ?? null, ready: () => node?.shards.otherUrls ?? [] })
    const readsNow = (): StandbyReads | null => (running === null ? null : running.#reads)
    const failed = (error: unknown): void => tell('error', 'a request failed', { error: String(error) })
    const probe = (exchange: Exchange): boolean => answerProbe(exchange, node, readsNow())
    const connections = new OpenConnections({
      // A request that is forwarded takes a second connection.
      max: options.server.connectionsMax ?? Math.ceil(connectionsMaxOf(options.engine) / 2),
      refused: (open) => tell('warn', 'connections are refused', { open }),
    })
    const main = await Door.open({
      host,
      port,
      tls,
      socketPaths,
      connections,
      failed,
      elsewhere: (exchange, waited) => {
        if (probe(exchange)) return
        const reads = readsNow()
        if (reads?.takes(exchange) === true) return reads.served.take(exchange)
        if (reads === null || waited === undefined || waited === null)
          return forwarder.forward(exchange, isOfAnyNode(exchange, options.engine.name))
        noteLag(exchange, waited)
        reads.served.take(exchange)
      },
      waitsFor: (request, method) => readsNow()?.waitsFor(request, method) ?? null,
      ownerWaitsFor: (request, method) => (isIntake(request, method) ? null : (node?.shards.readLagMs() ?? null)),
      serving: (exchange, waited) => noteLag(exchange, Math.max(node?.lagMs ?? 0, waited ?? 0)),
    })
    const elsewhere = (exchange: Exchange): void => {
      if (!probe(exchange)) replyJson(exchange, 503, { error: 'this node is a standby: ask the owner' })
    }
    const ops =
      opsPort === undefined
        ? null
        : await Door.open({ host: opsHost, port: opsPort, failed, elsewhere, connections: opsConnections() })
    running = new RunningNode({ ...options, server: { ...options.server, connections } }, { main, ops }, forwarder)
    try {
      node = running.#node = await ClusterNode.join(running.#deps())
      return running
    } catch (error) {
      main.close()
      ops?.close()
      throw error
    }
  }

  private constructor(options: NodeOptions, doors: Doors, forwarder: Forwarder) {
    this.#options = options
    this.#doors = doors
    this.#forwarder = forwarder
  }

  get doors(): Doors {
    return this.#doors
  }

  /** Hands over, answers what has come, and ends. */
  async stop(): Promise<void> {
    await this.#node?.leave()
    await this.#doors.main.drain(this.#options.drainMs)
    await this.#node?.close()
    this.#forwarder.close()
    this.#doors.main.close()
    this.#doors.ops?.close()
  }

  #deps(): NodeDeps<Engine> {
    const { engine: options, server, traced, owns, fatal, drainMs, cluster: given } = this.#options
    const scheme = server.tls === undefined ? 'http' : 'https'
    const host = server.host.includes(':') ? `[${server.host}]` : server.host
    return {
      options,
      cluster: clusterOptionsOf(given, `${scheme}://${host}:${this.#doors.main.port}`),
      open: (logs) => openEngine(options, logs),
      serve: async (engine) => {
        const { main, ops } = this.#doors
        const listen: ServerOptions['listen'] = async (one) =>
          (one.port === server.port ? main : (ops as Door)).serve(one)
        const node: ServerOptions['node'] = () => ({ node: 'serving', shards: this.#node?.shards.own ?? [] })
        this.#server = await Server.start(engine, { ...server, tracer: await traced(engine), listen, node })
        owns(engine)
      },
      standBy: async (following) => {
        this.#reads = await StandbyReads.open(this.#doors.main, following, { server, log: standbyLog })
      },
      standDown: async () => {
        const reads = this.#reads
        this.#reads = null
        await reads?.close()
      },
      release: async () => {
        await this.#server?.drain(drainMs)
        await this.#server?.close()
        this.#server = null
      },
      told: (what, details) => tell('info', what, details),
      failed: (what, error) => tell('error', what, { error: String(error) }),
      fatal,
    }
  }
}

/** Events on their way in: nothing that they need is in a copy. */
function isIntake(request: HttpRequest, method: string): boolean {
  return (method || request.getMethod()) === 'post' && request.getUrl().startsWith('/api/v1/events')
}

/** Says how old the answer may be, where that is not known to be 0. */
function noteLag(exchange: Exchange, lagMs: number): void {
  if (lagMs === 0) return
  exchange.notes = [[LAG_HEADER, String(lagMs)]]
  exchange.mayLackNewest = true
}

/** Probes are about this node: it is ready where it can serve a request or forward it. False for other requests. */
function answerProbe(exchange: Exchange, node: ClusterNode<Engine> | null, reads: StandbyReads | null): boolean {
  const path = exchange.path.replace(/\/+$/, '')
  if (path !== '/livez' && path !== '/readyz') return false
  const isReady = path === '/livez' || node?.ownerUrl != null
  replyJson(exchange, isReady ? 200 : 503, {
    status: isReady ? 'OK' : 'not ready',
    node: node?.state ?? 'joining',
    ...(reads === null ? {} : { lag_ms: reads.knownLagMs }),
    ...(node === null ? {} : { shards: node.shards.own }),
  })
  return true
}
