/**
 * A node of a cluster: a standby, or the owner of the catalog. Either way it runs the turns of its shards (owners/).
 *
 * Owns: when this node becomes the owner of the catalog, and when it stops being it. Leaves out: the lease (lease.ts),
 * copies (standby.ts), shards (owners/), the engine, and requests, which whoever has made this node serves or forwards.
 *
 * | state     | what it does                                   | next state                                     |
 * |-----------|------------------------------------------------|------------------------------------------------|
 * | standby   | follows the catalog, answers reads             | taking: the lease is free, or too old          |
 * | taking    | begins as the writer of the catalog, opens the | serving; standby where the log does not answer |
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
import { setTimeout as pause } from 'node:timers/promises'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import { LOOK_MS, mayTake } from './candidacy.js'
import { isFatal } from './fatal.js'
import { Failing } from './failing.js'
import { openClusterLogs, type ClusterLogs } from './cluster-logs.js'
import { Following } from './following.js'
import { LEASE, Lease } from './lease.js'
import { NodeCopies } from './node-copies.js'
import { NodeData } from './node-data.js'
import type { NodeDeps, OwnedEngine } from './node-deps.js'
import { abandon, openEngineOver, type Opened } from './opened-engine.js'
import { watchOldNodes } from './old-nodes.js'
import { NodeShards } from './owners/node-shards.js'

/**
 * Milliseconds between two looks at the lease of a node that has left; until following that failed is tried again;
 * until other nodes have taken the shards of one that leaves.
 */
const [LEFT_LOOK_MS, RETRY_MS, LEAVE_MS] = [50, 1_000, 1_000]

export class ClusterNode<Engine extends OwnedEngine> {
  readonly #deps: NodeDeps<Engine>
  readonly #logs: ClusterLogs
  readonly #lease: Lease
  readonly #copies: NodeCopies
  readonly #shards: NodeShards
  readonly #endWatch: () => void
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
    this.#endWatch = watchOldNodes(logs.keys, ({ node, url }) =>
      deps.told('a node that is gone is forgotten', { node, url }),
    )
    this.#copies = new NodeCopies(logs, { ...deps, dataDir: deps.options.dataDir })
    this.#shards = new NodeShards({ ...deps, logs, url: deps.cluster.url, lease: this.#lease })
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
    const { heldAgeMs } = this.#lease
    return this.#state === 'suspended' || heldAgeMs > LEASE.freshMs ? Math.ceil(heldAgeMs) : 0
  }

  /** As in owners/node-shards.ts. */
  get shards(): Pick<NodeShards, 'readLagMs' | 'own' | 'otherUrls'> {
    return this.#shards
  }

  /**
   * Hands the shards and the catalog over. Until `close` this node knows who the owner is, for requests that it still
   * has.
   */
  async leave(): Promise<void> {
    await this.#shards.leave(LEAVE_MS)
    this.#isLeaving = true
    this.#wake()
    const closed = this.#copies.close()
    await this.#running
    await closed
    this.#following = setInterval(() => void this.#lease.read().catch(() => {}), LEFT_LOOK_MS)
  }

  async close(): Promise<void> {
    clearInterval(this.#following ?? undefined)
    this.#endWatch()
    await this.#shards.close()
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

  /** Opens the copies, and is a standby or the owner over them, until they have to be opened again. */
  async #turn(): Promise<void> {
    const { options, failed } = this.#deps
    const failing = new Failing(() => this.#wake())
    const { stopped } = failing
    const data = await NodeData.open({
      options,
      logs: this.#logs.shards,
      send: this.#shards.send,
      prepare: () => this.#copies.restore(),
      stopped,
      failed,
      progressed: this.#shards.progressed,
      fenced: this.#shards.lookAgain,
    })
    this.#copies.source = { role: 'follows', sumsOf: (shard) => data.seats.of(shard).sums }
    this.#shards.open(data)
    try {
      while (!this.#isLeaving) {
        await this.#standBy(data, failing)
        if (failing.failure !== null) throw failing.failure
      }
    } finally {
      this.#copies.source = null
      await this.#shards.suspend()
      await data.close()
    }
  }

  /** Follows the catalog until this node is to become its owner; then is the owner, until it is not. */
  async #standBy(data: NodeData, failing: Failing): Promise<void> {
    const { options, failed, standBy, told } = this.#deps
    const { stopped } = failing
    this.#state = 'standby'
    const following = new Following({ options, logs: this.#logs, data, shards: this.#shards, stopped, failed })
    let [term, opened]: [string | null, Opened<Engine> | null] = [null, null]
    try {
      await standBy(following)
      told('this node is a standby', { node: this.#logs.node.node })
      while (term === null) {
        if (this.#isLeaving || failing.failure !== null) return
        term = await this.#look()
      }
      this.#state = 'taking'
      const parts = { logs: this.#logs, lease: this.#lease, shards: this.#shards, following, data, term }
      // The catalog here may be behind that of another owner from the moment on at which the lease may be another's.
      opened = await openEngineOver(this.#deps, { ...parts, isOwner: () => this.lagMs === 0 })
      await this.#deps.serve(opened.engine)
      this.#state = 'serving'
      await opened.tenure.become('serving')
    } catch (error) {
      await abandon(opened)
      throw error
    } finally {
      await this.#end(following)
    }
    if (opened !== null) await this.#serve(opened, data, failing)
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

  async #serve({ engine, logs, tenure }: Opened<Engine>, data: NodeData, failing: Failing): Promise<void> {
    const { release, told } = this.#deps
    this.#copies.source = { role: 'writes', sumsOf: (shard) => data.seats.of(shard).sums }
    const leaving = new Promise<'leaving'>((resolve) => {
      this.#wake = () => void (this.#isLeaving && resolve('leaving'))
      this.#wake()
    })
    // A copy that cannot follow any more is opened again, or ends the node: this one may not serve it meanwhile.
    const why = await Promise.race([leaving, tenure.over, failing.over])
    if (why === 'suspended') {
      this.#state = 'suspended'
      told('this node does not reach the log: it refuses changes until it does', { reason: tenure.reason })
      logs.abandon()
      await engine.suspend()
      await Promise.race([tenure.answered(), leaving])
    }
    const handsOver = why === 'leaving' || why === 'failing'
    if (handsOver) await tenure.become('leaving')
    await release(engine)
    this.#copies.source = { role: 'follows', sumsOf: (shard) => data.seats.of(shard).sums }
    this.#shards.catalog = null
    this.#state = 'standby'
    if (!handsOver) logs.abandon()
    await engine.close()
    await logs.close()
    if (handsOver) await tenure.become('free')
    tenure.end()
    told('this node is not the owner any more', { node: this.#logs.node.node, reason: why })
  }
}
