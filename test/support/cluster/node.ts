/** Nodes of a cluster in one process: files are their logs, and turns go from one to the other in memory. */
import { join } from 'node:path'
import type { Clock } from '../../../engine/clock.js'
import { decodeAnswer, decodeParcel, encodeAnswer, type TurnParcel } from '../../../engine/runtime/log/spread/parcel.js'
import { RemoteTurns, type Sent } from '../../../engine/runtime/log/spread/remote-turns.js'
import { TurnsHost } from '../../../engine/runtime/log/spread/turns-host.js'
import { LogUnavailable, type LogRecord, type RecordLog } from '../../../engine/runtime/log/turn-log.js'
import { ClusterMembers } from '../../../engine/services/cluster/owners/members.js'
import type { ClusterLogs } from '../../../engine/services/cluster/cluster-logs.js'
import { ShardPositions } from '../../../engine/services/cluster/owners/shard-positions.js'
import { ShardOwners } from '../../../engine/services/cluster/owners/shard-owners.js'
import { NodeData } from '../../../engine/services/cluster/node-data.js'
import { makeDataDir } from '../../../engine/store/directory/data-dir.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import type { Keys } from './keys.js'

/** Takes a parcel to its process, which returns the answer. */
export type Carry = (deliver: () => Promise<Sent>, to: string, parcel: TurnParcel) => Promise<Sent>

export interface World {
  readonly directory: string
  readonly keys: Keys
  readonly logs: readonly RecordLog[]
  readonly jobs: ReadonlyMap<number, JobSettings>
  /** By process. */
  readonly nodes: Map<string, TestNode>
  /** Default: at once. */
  carry?: Carry
  /** By node; default: the clock of the system. */
  readonly clocks?: ReadonlyMap<string, Clock>
}

/** A log that does not answer while its node does not reach it: what is asked meanwhile is done afterwards. */
export function reachedLog(log: RecordLog, isAway: () => boolean): RecordLog {
  const reached = async (): Promise<void> => {
    while (isAway()) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  async function* reachedRecords(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
    for await (const record of records) {
      await reached()
      yield record
    }
  }
  return {
    append: (...given) => reached().then(() => log.append(...given)),
    last: () => reached().then(() => log.last()),
    read: (after, through) => reachedRecords(log.read(after, through)),
    follow: (after, signal) => reachedRecords(log.follow(after, signal)),
    extent: () => log.extent(),
    purge: (through) => log.purge(through),
    close: () => log.close(),
  }
}

/** Of all nodes: each life of one is a process of its own. */
let lives = 0

export class TestNode {
  readonly name: string
  readonly members: ClusterMembers
  readonly data: NodeData
  readonly owners: ShardOwners
  readonly positions: ShardPositions
  readonly #host: TurnsHost
  readonly #world: World
  /** Nobody reaches it, and it reaches nobody. For good: its turns may still come to the logs. */
  isCut = false
  /** The same, for a while; and the logs. */
  isAway = false
  isLogAway = false
  /** Why it cannot go on. */
  ended: string | null = null
  /** The jobs that it knows, and how many records of the catalog it has. */
  jobs: ReadonlyMap<number, JobSettings>
  catalog = 0

  static async start(world: World, name: string): Promise<TestNode> {
    const { directory, keys, logs } = world
    let node: TestNode | null = null
    const reached = async <T>(work: () => Promise<T>): Promise<T> => {
      if (node?.isCut === true || node?.isAway === true) throw new LogUnavailable('the node is cut off')
      return await work()
    }
    const ownKeys = {
      get: (key: string) => reached(() => keys.get(key)),
      put: (...given: Parameters<Keys['put']>) => reached(() => keys.put(...given)),
      all: (pattern: string) => reached(() => keys.all(pattern)),
    }
    const members = new ClusterMembers(ownKeys, logs.length, {
      node: name,
      process: `${name}-${++lives}`,
      url: `http://${name}`,
    })
    const dataDir = join(directory, name)
    makeDataDir(dataDir)
    const remote = new RemoteTurns({
      sender: members.own.process,
      ownerOf: (shard) => members.ownerOf(shard),
      position: (shard) => data.seats.of(shard).applied,
      request: async (process, bytes) => {
        const deliver = async (): Promise<Sent> => {
          const other = world.nodes.get(process)
          const isGone = other === undefined || other.isCut || other.isAway || node?.isAway === true
          if (isGone) return 'gone'
          const answer = await other.run(bytes)
          return other.isCut ? 'unclear' : { answer }
        }
        return await (world.carry === undefined ? deliver() : world.carry(deliver, process, decodeParcel(bytes)))
      },
      catalog: () => node?.catalog ?? 0,
      applied: async (shard, sequence) => {
        while (data.seats.of(shard).applied < sequence) await new Promise((resolve) => setTimeout(resolve, 1))
      },
    })
    const failed = (what: string, error: unknown): never => {
      throw new Error(what, { cause: error })
    }
    const data = await NodeData.open({
      options: { dataDir, name: 'service', threads: 1, clock: world.clocks?.get(name) },
      logs: logs.map((log) => reachedLog(log, () => node?.isLogAway === true && !node.isCut)),
      send: remote.send,
      prepare: async () => {},
      stopped: (error) => failed('following has stopped', error),
      fenced: () => node?.owners.look(),
      failed,
    })
    node = new TestNode(world, members, data)
    world.nodes.set(members.own.process, node)
    return node
  }

  private constructor(world: World, members: ClusterMembers, data: NodeData) {
    this.name = members.own.node
    this.#world = world
    this.members = members
    this.data = data
    this.jobs = world.jobs
    this.positions = new ShardPositions({
      logs: {} as ClusterLogs,
      members,
      lease: { owner: null },
      data: () => data,
      catalog: () => null,
    })
    this.#host = new TurnsHost({
      isOwn: (shard) => !this.isCut && data.seats.of(shard).isOwn,
      since: (shard) => data.seats.of(shard).since,
      post: (message) => data.shards.post(message),
      job: (id) => this.jobs.get(id),
      catalog: () => this.catalog,
      applied: (shard) => data.seats.of(shard).applied,
    })
    this.owners = new ShardOwners({
      members,
      shards: world.logs.length,
      hosted: this.#host,
      isCurrent: () => true,
      isGone: async (name) => ![...world.nodes.values()].some((one) => one.name === name),
      onWritten: (written) => world.keys.onWritten(written),
      told: () => {},
      failed: (what, error) => {
        throw new Error(what, { cause: error })
      },
      fatal: (why) => (this.ended = why),
    })
    this.owners.open(data.host)
  }

  /** The shards whose turns run here. */
  get own(): number[] {
    return this.data.seats.all.flatMap(({ isOwn }, shard) => (isOwn ? [shard] : []))
  }

  async run(bytes: Uint8Array): Promise<Uint8Array> {
    const answer = encodeAnswer(await this.#host.run(decodeParcel(bytes)))
    decodeAnswer(answer)
    return answer
  }

  /** Ends as a process that was killed does: it gives nothing away. */
  async kill(): Promise<void> {
    this.isCut = true
    this.#world.nodes.delete(this.members.own.process)
    await this.owners.suspend()
    await this.owners.close()
    await this.data.close()
  }

  /** Gives its shards away, and ends. */
  async leave(): Promise<void> {
    await this.owners.leave(30_000)
    await this.data.shards.whenIdle()
    await this.kill()
  }
}
