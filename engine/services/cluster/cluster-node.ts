/**
 * A node of a cluster: a standby, or the owner of all shards and of the catalog.
 *
 * Owns: when this node becomes the owner, and when it stops being it. Leaves out: the lease (lease.ts), copies
 * (standby.ts), the engine, and requests, which whoever has made this node serves or forwards.
 *
 * | state     | what it does                                   | next state                                     |
 * |-----------|------------------------------------------------|------------------------------------------------|
 * | standby   | follows all logs                               | taking: the lease is free, or too old          |
 * | taking    | begins as the writer of all logs, opens the    | serving; standby where the log does not answer |
 * |           | engine                                         |                                                |
 * | serving   | renews the lease                               | standby: another has the lease; suspended      |
 * | suspended | refuses changes, reaches nothing outside;      | standby, when the servers answer again         |
 * |           | reads go on                                    |                                                |
 *
 * 1. A node reaches outside, by integrations and alerts, only while it has renewed its lease in time.
 * 2. Whatever this node believes, only the writer that began last can append (runtime/log/).
 * 3. After it was suspended, the copies here are read from the log again: an append may have been stored or not.
 */
import { randomBytes } from 'node:crypto'
import type { EngineOptions } from '../../options.js'
import { CatalogWriter } from '../../runtime/log/catalog/catalog-writer.js'
import { clusteredLog } from '../../runtime/log/clustered-log.js'
import { answerPings } from '../../runtime/log/jetstream/owner-ping.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import type { EngineLogs } from '../start/engine-logs.js'
import { LOOK_MS, mayTake } from './candidacy.js'
import { isFatal } from './fatal.js'
import { openClusterLogs, type ClusterLogs, type ClusterOptions } from './cluster-logs.js'
import { Lease } from './lease.js'
import { NodeCopies } from './node-copies.js'
import { Standby } from './standby.js'
import { Tenure } from './tenure.js'

/** What a node needs of an engine. */
export interface OwnedEngine {
  /** Refuses changes, and stops what reaches outside. Reads go on. */
  suspend(): Promise<void>
  close(): Promise<void>
}

export interface NodeDeps<Engine extends OwnedEngine> {
  readonly options: EngineOptions
  readonly cluster: ClusterOptions
  open(logs: EngineLogs): Promise<Engine>
  /** Serves requests with this engine from now on. */
  serve(engine: Engine): Promise<void>
  /** Serves no more requests with it. Resolves when those under way are answered, or cannot be. */
  release(engine: Engine): Promise<void>
  /** For operators. */
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
  /** This node cannot go on: the reason, as a sentence. */
  fatal(why: string): void
}

/** What there is while this node is the owner. */
interface Opened<Engine> {
  readonly engine: Engine
  readonly writer: CatalogWriter
  readonly tenure: Tenure
}

/** Milliseconds between two looks at the lease of a node that has left. */
const LEFT_LOOK_MS = 50
/** Milliseconds before following is tried again where it failed. */
const RETRY_MS = 1_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class ClusterNode<Engine extends OwnedEngine> {
  readonly #deps: NodeDeps<Engine>
  readonly #logs: ClusterLogs
  readonly #lease: Lease
  readonly #copies: NodeCopies
  readonly #running: Promise<void>
  #isLeaving = false
  #following: NodeJS.Timeout | null = null
  #wake = (): void => {}
  #state: 'standby' | 'taking' | 'serving' | 'suspended' = 'standby'

  /** Joins the cluster. Rejects with a Refusal or UnfitForLog, whose message says what to do. */
  static async join<Engine extends OwnedEngine>(deps: NodeDeps<Engine>): Promise<ClusterNode<Engine>> {
    return new ClusterNode(deps, await openClusterLogs(deps.options, { ...deps.cluster, told: deps.told }))
  }

  private constructor(deps: NodeDeps<Engine>, logs: ClusterLogs) {
    this.#deps = deps
    this.#logs = logs
    this.#lease = new Lease(logs.keys)
    this.#copies = new NodeCopies(logs, { ...deps, dataDir: deps.options.dataDir })
    this.#running = this.#run().catch((error: unknown) => {
      deps.fatal(error instanceof Error ? error.message : String(error))
    })
  }

  get state(): 'standby' | 'taking' | 'serving' | 'suspended' {
    return this.#state
  }

  /** Where the owner serves requests; null while there is none, or it is about to leave. */
  get ownerUrl(): string | null {
    const { owner } = this.#lease
    return owner?.state === 'serving' ? owner.url : null
  }

  /** Hands the shards over. Until `close` this node knows who the owner is, for the requests that it still has. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    this.#wake()
    const closed = this.#copies.close()
    await this.#running
    await closed
    this.#following = setInterval(() => void this.#lease.read().catch(() => {}), LEFT_LOOK_MS)
  }

  async close(): Promise<void> {
    if (this.#following !== null) clearInterval(this.#following)
    await this.#logs.close()
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#logs.keys.onWritten('owner', () => this.#wake())
    try {
      while (!this.#isLeaving) {
        try {
          await this.#turn()
        } catch (error) {
          if (isFatal(error)) throw error
          this.#deps.failed('a node of the cluster begins again', error)
          await pause(RETRY_MS)
        }
      }
    } finally {
      unsubscribe()
    }
  }

  /** Follows until this node is to become the owner; then is the owner, until it is not. */
  async #turn(): Promise<void> {
    const { options, failed } = this.#deps
    this.#state = 'standby'
    let stopped: unknown = null
    const { shards: logs, catalog: catalogLog } = this.#logs
    const ended = (error: unknown): void => {
      stopped = error
      this.#wake()
    }
    const prepare = (): Promise<void> => this.#copies.restore()
    const standby = await Standby.open({ options, logs, catalogLog, prepare, failed, stopped: ended })
    this.#copies.source = { role: 'follows', sumsOf: (shard) => standby.sumsOf(shard) }
    let term: string | null = null
    let opened: Opened<Engine> | null = null
    try {
      this.#deps.told('this node is a standby', { node: this.#logs.node.node })
      while (term === null) {
        if (this.#isLeaving) return
        if (stopped !== null) throw stopped
        term = await this.#look()
      }
      this.#state = 'taking'
      opened = await this.#take(standby, term)
    } finally {
      if (opened === null) this.#copies.source = null
      if (opened === null) await standby.close()
    }
    await this.#serve(opened)
  }

  /** One look at the lease: the new term, where this node has taken it. */
  async #look(): Promise<string | null> {
    const term = randomBytes(8).toString('hex')
    try {
      const owner = await this.#lease.read()
      if (await mayTake(this.#logs, this.#lease, owner)) {
        const url = this.#deps.cluster.url
        if (await this.#lease.write({ node: this.#logs.node.node, term, url, state: 'taking' })) return term
      }
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
    }
    const woken = new Promise<void>((resolve) => (this.#wake = resolve))
    if (!this.#isLeaving) await Promise.race([woken, pause(LOOK_MS)])
    return null
  }

  /** Closes the standby, too. */
  async #take(standby: Standby, term: string): Promise<Opened<Engine>> {
    const { cluster, open, told } = this.#deps
    const tenure = new Tenure(this.#lease, { node: this.#logs.node.node, term, url: cluster.url, state: 'taking' })
    const stopPings = answerPings(this.#logs.connection, this.#logs.name, term)
    tenure.onEnd(stopPings)
    let writer: CatalogWriter | null = null
    try {
      const { catalogSequence, lastMicros } = await standby.begin(term)
      this.#copies.source = null
      await standby.close()
      const { replicas, name } = this.#logs
      const lost = (why: string): void => tenure.suspend(why)
      writer = new CatalogWriter({
        address: cluster.address,
        name,
        replicas,
        after: catalogSequence,
        writer: term,
        lost,
      })
      const turns = clusteredLog(this.#logs.shards, term)
      const engine = await open({ turns, catalog: writer, lastMicros })
      this.#copies.source = { role: 'writes', sumsOf: turns.sumsOf }
      told('this node is the owner', { node: this.#logs.node.node, term })
      return { engine, writer, tenure }
    } catch (error) {
      tenure.end()
      await writer?.close()
      throw error
    }
  }

  async #serve({ engine, writer, tenure }: Opened<Engine>): Promise<void> {
    const { serve, release, told } = this.#deps
    await serve(engine)
    this.#state = 'serving'
    await tenure.become('serving')
    const leaving = new Promise<'leaving'>((resolve) => {
      this.#wake = () => void (this.#isLeaving && resolve('leaving'))
      this.#wake()
    })
    const why = await Promise.race([leaving, tenure.over])
    if (why === 'suspended') {
      this.#state = 'suspended'
      told('this node does not reach the log: it refuses changes until it does', { reason: tenure.reason })
      writer.abandon()
      await engine.suspend()
      await Promise.race([tenure.answered(), leaving])
    }
    if (why === 'leaving') await tenure.become('leaving')
    await release(engine)
    this.#copies.source = null
    this.#state = 'standby'
    if (why !== 'leaving') writer.abandon()
    await engine.close()
    await writer.close()
    if (why === 'leaving') await tenure.become('free')
    tenure.end()
    told('this node is not the owner any more', { node: this.#logs.node.node, reason: why })
  }
}
