/** Nodes of a cluster in one process: files are their logs, and turns go from one to the other in memory. */
import { join } from 'node:path'
import { decodeAnswer, decodeParcel, encodeAnswer } from '../../../engine/runtime/log/spread/parcel.js'
import { RemoteTurns } from '../../../engine/runtime/log/spread/remote-turns.js'
import { TurnsHost } from '../../../engine/runtime/log/spread/turns-host.js'
import type { RecordLog } from '../../../engine/runtime/log/turn-log.js'
import { Members } from '../../../engine/services/cluster/owners/members.js'
import { ShardOwners } from '../../../engine/services/cluster/owners/shard-owners.js'
import { NodeData } from '../../../engine/services/cluster/node-data.js'
import { makeDataDir } from '../../../engine/store/directory/data-dir.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import type { Keys } from './keys.js'

export interface World {
  readonly directory: string
  readonly keys: Keys
  readonly logs: readonly RecordLog[]
  readonly jobs: ReadonlyMap<number, JobSettings>
  /** By process. */
  readonly nodes: Map<string, TestNode>
}

export class TestNode {
  readonly name: string
  readonly members: Members
  readonly data: NodeData
  readonly owners: ShardOwners
  readonly #host: TurnsHost
  readonly #world: World
  /** Nobody reaches it. */
  isCut = false

  static async start(world: World, name: string): Promise<TestNode> {
    const { directory, keys, logs } = world
    const members = new Members(keys, logs.length, { node: name, process: `${name}-process`, url: `http://${name}` })
    const dataDir = join(directory, name)
    makeDataDir(dataDir)
    const remote = new RemoteTurns({
      sender: name,
      ownerOf: (shard) => {
        const owner = members.table[shard] ?? null
        return owner === null || owner.node === name ? null : owner.process
      },
      request: async (process, bytes) => {
        const other = world.nodes.get(process)
        return other === undefined || other.isCut ? 'gone' : { answer: await other.run(bytes) }
      },
      applied: async (shard, sequence) => {
        while (data.seats.of(shard).applied < sequence) await new Promise((resolve) => setTimeout(resolve, 1))
      },
    })
    const failed = (what: string, error: unknown): never => {
      throw new Error(what, { cause: error })
    }
    const data = await NodeData.open({
      options: { dataDir, name: 'service', threads: 1 },
      logs,
      send: remote.send,
      prepare: async () => {},
      stopped: (error) => failed('following has stopped', error),
      failed,
    })
    const node = new TestNode(world, members, data)
    world.nodes.set(members.own.process, node)
    return node
  }

  private constructor(world: World, members: Members, data: NodeData) {
    this.name = members.own.node
    this.#world = world
    this.members = members
    this.data = data
    this.#host = new TurnsHost({
      isOwn: (shard) => data.seats.of(shard).isOwn,
      post: (message) => data.shards.post(message),
      job: (id) => world.jobs.get(id),
      applied: (shard) => data.seats.of(shard).applied,
    })
    this.owners = new ShardOwners({
      members,
      shards: world.logs.length,
      isCurrent: () => true,
      isGone: async (name) => ![...world.nodes.values()].some((one) => one.name === name),
      onWritten: (written) => world.keys.onWritten(written),
      told: () => {},
      failed: (what, error) => {
        throw new Error(what, { cause: error })
      },
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
    await this.owners.leave(5_000)
    await this.kill()
  }
}
