/**
 * Nodes of a cluster, in one process: a seed drives posts, nodes that come, leave and die, parcels and answers that are
 * lost or late, values of the cluster that cannot be reached, records that come late with which a process began that is
 * gone, and a node that is cut off for longer than the lease.
 * In the end every node has every acknowledged event, once, with an id of its sender or without, and all nodes have the
 * same. At any time a node that speaks for a shard has what was acknowledged before.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventIdOf } from '../../engine/domain/event/event-id.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { SeededRandom } from '../../engine/rng.js'
import { encodeBegin } from '../../engine/runtime/log/turn-record.js'
import type { TestNode, World } from '../support/cluster/node.js'
import { jobs, post, SHARDS, start, worldOf } from '../support/cluster/worlds.js'
import { until } from '../support/until.js'

/** `SIMULATION_SEED=n` runs seed n alone, `SIMULATION_SEEDS=n` the seeds 1 to n. */
const { SIMULATION_SEED: only, SIMULATION_SEEDS: count } = process.env
const seeds = only === undefined ? Array.from({ length: Number(count ?? 1) }, (_, at) => at + 1) : [Number(only)]
const NAMES = ['first', 'second', 'third']
const STEPS = 40
/** Milliseconds that a node is cut off, and then does not reach the logs yet: they have no leader. */
const [AWAY_MS, LOG_AWAY_MS] = [6_000, 2_500]
/** Of each job: acknowledged events that are looked for. */
const LATEST = 30

interface Posted {
  readonly job: JobSettings
  /** Also the host of the event, which is known by it where it has no id of its sender. */
  readonly id: string
  readonly hasId: boolean
  /** The id that it was answered with. */
  answeredId: string | null
  /** Null: refused, and it may have taken effect. */
  isAcknowledged: boolean | null
}

class Cluster {
  readonly world: World
  readonly posted: Posted[] = []
  readonly #test: TestContext
  readonly #random: SeededRandom
  readonly #live = new Map<string, TestNode>()
  readonly #answers: Promise<void>[] = []

  constructor(test: TestContext, seed: number) {
    this.#test = test
    this.#random = new SeededRandom(seed)
    this.world = worldOf(test)
    this.world.carry = async (deliver) => {
      const chance = this.#random.nextFloat()
      if (chance < 0.05) return 'gone'
      if (chance < 0.3) await sleep(Math.floor(this.#random.nextFloat() * 20))
      const sent = await deliver()
      // The answer is lost.
      return chance > 0.97 ? 'unclear' : sent
    }
  }

  get nodes(): TestNode[] {
    return [...this.#live.values()]
  }

  async step(): Promise<void> {
    const chance = this.#random.nextFloat()
    const [some] = this.#random.nextFloat() < 0.5 ? this.nodes : this.nodes.reverse()
    if (this.#live.size < 2 || (chance < 0.15 && this.#live.size < NAMES.length)) await this.come()
    else if (chance < 0.22 && some !== undefined) await this.#end(some, () => some.leave())
    else if (chance < 0.27 && some !== undefined) await this.#end(some, () => some.kill())
    else if (chance < 0.32) {
      this.world.keys.isAway = true
      await sleep(400)
      this.world.keys.isAway = false
    } else if (chance < 0.38) await this.#beginLate()
    await this.#load()
  }

  /** A process that is gone has begun as the writer of a shard: its record was held up. */
  async #beginLate(): Promise<void> {
    const { logs } = this.world
    const log = logs[Math.floor(this.#random.nextFloat() * logs.length)]!
    const begin = encodeBegin('00000000000000ff')
    // The owner appends at the same time.
    while ((await log.append(begin, await log.last()).catch(() => null)) === null) await sleep(1)
  }

  async #load(): Promise<void> {
    for (const node of this.nodes)
      for (const job of jobs) for (let i = this.#random.nextFloat() * 8; i > 0; i--) this.#post(node, job)
    await sleep(Math.floor(this.#random.nextFloat() * 60))
    this.#check()
  }

  /** A node with shards is cut off from all others, and they go on. */
  async cut(): Promise<void> {
    while (this.#live.size < 2) await this.come()
    await until(() => this.nodes.every(({ own }) => own.length > 0))
    const node = this.nodes[Math.floor(this.#random.nextFloat() * this.#live.size)] as TestNode
    node.isAway = node.isLogAway = true
    await this.#loadFor(AWAY_MS)
    node.isAway = false
    await this.#loadFor(LOG_AWAY_MS)
    node.isLogAway = false
  }

  async #loadFor(ms: number): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      await this.#load()
      await sleep(50)
    }
  }

  /** A node that speaks for a shard has what was acknowledged. */
  #check(): void {
    for (const job of jobs) {
      const latest = this.posted.filter((one) => one.job === job && one.isAcknowledged === true).slice(-LATEST)
      for (const { name, data, positions } of this.nodes.filter((node) => node.positions.isOwn(job.shard)))
        for (const { id, answeredId } of latest)
          assert.ok(
            hasEvent(data.readers[job.shard]!, job, answeredId ?? id),
            `${name} has no ${id}, as ${positions.own()?.shards}`,
          )
    }
  }

  async come(): Promise<void> {
    const name = NAMES.find((one) => !this.#live.has(one)) as string
    this.#live.set(name, await start(this.#test, this.world, name))
  }

  async settle(): Promise<void> {
    this.world.carry = async (deliver) => await deliver()
    await Promise.all(this.#answers)
    await until(() => this.nodes.flatMap(({ own }) => own).length === SHARDS)
  }

  async #end(node: TestNode, end: () => Promise<void>): Promise<void> {
    this.#live.delete(node.name)
    await end()
  }

  #post(node: TestNode, job: JobSettings): void {
    const hasId = this.#random.nextFloat() < 0.7
    const posted: Posted = { job, id: `e${this.posted.length}`, hasId, answeredId: null, isAcknowledged: null }
    this.posted.push(posted)
    this.#answers.push(
      post(node, job, hasId ? posted.id : null, { host: posted.id, user: 'u' }).then(
        ({ eventId }) => {
          posted.answeredId = eventId
          // A process that was killed answers nobody, although the one here goes on.
          posted.isAcknowledged = node.isCut ? null : true
        },
        () => {},
      ),
    )
  }
}

describe('nodes of a cluster', () => {
  for (const seed of seeds)
    it(`lose nothing and double nothing, whatever happens to them: seed ${seed}`, async (test) => {
      const cluster = new Cluster(test, seed)
      for (let step = 0; step < STEPS / 2; step++) await cluster.step()
      await cluster.cut()
      for (let step = 0; step < STEPS / 2; step++) await cluster.step()
      await cluster.settle()
      const acknowledged = cluster.posted.filter(({ isAcknowledged }) => isAcknowledged === true)
      assert.ok(acknowledged.length > cluster.posted.length / 2, `${acknowledged.length} of ${cluster.posted.length}`)
      for (const job of jobs) await assertStored(cluster, job, `seed ${seed}`)
    })
})

/** Every node has each acknowledged event of a job, once, and all nodes have the same. */
async function assertStored(cluster: Cluster, job: JobSettings, seed: string): Promise<void> {
  const ofJob = cluster.posted.filter((one) => one.job === job)
  const must = ofJob.filter(({ isAcknowledged }) => isAcknowledged === true)
  const readers = cluster.nodes.map((node) => node.data.readers[job.shard]!)
  const last = await cluster.world.logs[job.shard]!.last()
  await until(() => cluster.nodes.every((node) => node.data.seats.of(job.shard).applied >= last))
  const withId = ofJob.filter(({ hasId }) => hasId)
  const stored = readers.map((reader) => [
    ...withId.filter(({ id }) => hasEvent(reader, job, id)).map(({ id }) => id),
    ...hostsOfMadeIds(reader, job),
  ])
  for (const ids of stored) assert.deepEqual(ids, stored[0], seed)
  assert.equal(new Set(stored[0]).size, stored[0]!.length, `${seed}: an event is stored twice`)
  for (const { id } of must) assert.ok(stored[0]!.includes(id), `${seed}: ${id} is lost`)
  for (const { id, answeredId } of must)
    assert.equal(hostOf(readers[0]!, job, answeredId ?? ''), id, `${seed}: an event was answered with another id`)
  for (const reader of readers) assert.equal(reader.stats(job).events, stored[0]!.length, seed)
}

type Reader = TestNode['data']['readers'][number]

function hostOf(reader: Reader, job: JobSettings, id: string): string | null {
  try {
    return reader.exportEvent(job, id, 'service').document.host as string
  } catch {
    return null
  }
}

/** The hosts of events whose ids the service has made. */
function hostsOfMadeIds(reader: Reader, job: JobSettings): string[] {
  const times = reader.oldest(job.id, Number.MAX_SAFE_INTEGER)
  return times.flatMap((micros) => hostOf(reader, job, eventIdOf(micros)) ?? [])
}

function hasEvent(reader: Reader, job: JobSettings, id: string): boolean {
  try {
    return reader.event(job, id).eventId === id
  } catch {
    return false
  }
}
