/**
 * A node of a cluster: a standby, or the owner of all shards and of the catalog.
 *
 * Owns: when this node becomes the owner, and when it stops being it. Leaves out: the lease (lease.ts), copies
 * (standby.ts), the engine, and requests, which whoever has made this node serves or forwards.
 *
 * | state     | what it does                                   | next state                                     |
 * |-----------|------------------------------------------------|------------------------------------------------|
 * | standby   | follows all logs, answers reads                | taking: the lease is free, or too old          |
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
import { answerPings } from '../../runtime/log/jetstream/owner-ping.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import { LOOK_MS, mayTake } from './candidacy.js'
import { isFatal } from './fatal.js'
import { openClusterLogs, type ClusterLogs } from './cluster-logs.js'
import { Following } from './following.js'
import { LEASE, Lease } from './lease.js'
import { NodeCopies } from './node-copies.js'
import type { NodeDeps, OwnedEngine } from './node-deps.js'
import { OwnerLogs } from './owner-logs.js'
import { Tenure } from './tenure.js'

/** What there is while this node is the owner. */
interface Opened<Engine> {
  readonly engine: Engine
  readonly logs: OwnerLogs
  readonly tenure: Tenure
}

/** Milliseconds between two looks at the lease of a node that has left; until following that failed is tried again. */
const [LEFT_LOOK_MS, RETRY_MS] = [50, 1_000]
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

  /**
   * Milliseconds since this node knew that its copies are current; 0 where they are, or another node answers. The lease
   * counts, not what this node has noticed: a process that was stopped may answer before it notices anything.
   */
  get lagMs(): number {
    if (this.#state === 'standby') return 0
    const { ageMs } = this.#lease
    return this.#state === 'suspended' || ageMs > LEASE.freshMs ? Math.ceil(ageMs) : 0
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
    clearInterval(this.#following ?? undefined)
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
    let failure: unknown = null
    const stopped = (error: unknown): void => {
      failure = error
      this.#wake()
    }
    const prepare = (): Promise<void> => this.#copies.restore()
    const following = await Following.open({ options, logs: this.#logs, lease: this.#lease, prepare, failed, stopped })
    this.#copies.source = { role: 'follows', sumsOf: (shard) => following.sumsOf(shard) }
    let [term, opened]: [string | null, Opened<Engine> | null] = [null, null]
    try {
      await this.#deps.standBy(following)
      this.#deps.told('this node is a standby', { node: this.#logs.node.node })
      while (term === null) {
        if (this.#isLeaving) return
        if (failure !== null) throw failure
        term = await this.#look()
      }
      this.#state = 'taking'
      opened = await this.#take(following, term)
    } finally {
      if (opened === null) this.#copies.source = null
      if (opened === null) await this.#end(following)
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

  async #end(following: Following): Promise<void> {
    if (following.isClosed) return
    following.stopReads()
    await this.#deps.standDown()
    await following.close()
  }

  /** Ends following, too. */
  async #take(following: Following, term: string): Promise<Opened<Engine>> {
    const { cluster, open, told } = this.#deps
    const { connection, name, node } = this.#logs
    const tenure = new Tenure(this.#lease, { node: node.node, term, url: cluster.url, state: 'taking' })
    tenure.onEnd(answerPings(connection, name, term))
    const lost = (why: string): void => tenure.suspend(why)
    let logs: OwnerLogs | null = null
    try {
      const begun = await following.begin(term)
      this.#copies.source = null
      await this.#end(following)
      logs = new OwnerLogs({ logs: this.#logs, address: cluster.address, term, begun, lost })
      const engine = await open(logs.ofEngine)
      const sumsOf = logs.sumsOf
      this.#copies.source = { role: 'writes', sumsOf }
      // The copies may be behind those of another owner from the moment on at which the lease may be another's.
      const isOwner = (): boolean => this.lagMs === 0
      logs.answer({ noteUses: engine.noteUses, isOwner })
      told('this node is the owner', { node: node.node, term })
      return { engine, logs, tenure }
    } catch (error) {
      tenure.end()
      await logs?.close()
      throw error
    }
  }

  async #serve({ engine, logs, tenure }: Opened<Engine>): Promise<void> {
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
      logs.abandon()
      await engine.suspend()
      await Promise.race([tenure.answered(), leaving])
    }
    if (why === 'leaving') await tenure.become('leaving')
    await release(engine)
    this.#copies.source = null
    this.#state = 'standby'
    if (why !== 'leaving') logs.abandon()
    await engine.close()
    await logs.close()
    if (why === 'leaving') await tenure.become('free')
    tenure.end()
    told('this node is not the owner any more', { node: this.#logs.node.node, reason: why })
  }
}
