/** The log of a shard on three real NATS servers: the contract of a log, and what holds when servers die. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { isRefusal } from '../../../engine/errors.js'
import { Follower } from '../../../engine/runtime/log/follower.js'
import { checkServers } from '../../../engine/runtime/log/jetstream/cluster-check.js'
import { JetStreamLog } from '../../../engine/runtime/log/jetstream/jetstream-log.js'
import type { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { recordLogContract } from '../../contracts/record-log.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'
import { counterpart, isShort, skipUnless } from '../integrations/counterparts.js'
import { NatsCluster, natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const job = jobSettings()
/** How often a server is killed under load. */
const KILLS = isShort ? 2 : 6

const cluster = program === null ? null : await NatsCluster.open(program)
const connections: NatsConnection[] = []
let logs = 0

/** The streams of one test, and a way to open its log again. */
async function newLog(limitMs?: number): Promise<{ log: JetStreamLog; name: string; open(): Promise<JetStreamLog> }> {
  const name = `test_${++logs}`
  const open = async (): Promise<JetStreamLog> => {
    const connection = await (cluster as NatsCluster).connect()
    connections.push(connection)
    return await JetStreamLog.open(connection, { name, of: 0, ...(limitMs === undefined ? {} : { limitMs }) })
  }
  return { log: await open(), name, open }
}

after(async () => {
  for (const connection of connections) await connection.close()
  await cluster?.close()
})

const over = (log: JetStreamLog, environment?: MemoryEnvironment): TestShard =>
  new TestShard<MemoryEnvironment>(environment, undefined, undefined, log)

if (program !== null)
  recordLogContract('a stream of JetStream', async () => {
    const { log, open } = await newLog()
    return { log, reopen: open }
  })

describe('a shard whose log is a stream', { skip }, () => {
  it(`loses nothing and doubles nothing while servers are killed ${KILLS} times`, async () => {
    const { log, name, open } = await newLog(20_000)
    const shard = over(log)
    const copy = new TestShard()
    const ending = new AbortController()
    const following = new Follower(copy.asLogged(), await open())
    const followed = following.follow(ending.signal)
    const acknowledged = new Set<string>()
    let [posted, isOver] = [0, false]
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const id = `e${posted++}`
          try {
            await shard.ingest(job, { host: `h${posted % 9}` }, id)
            acknowledged.add(id)
          } catch (error) {
            assert.ok(isRefusal(error, 'log_unavailable'), String(error))
          }
        }
      }),
    )
    const watching = connections.at(-1) as NatsConnection
    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged.size
      while (acknowledged.size < before + 50) await new Promise((resolve) => setTimeout(resolve, 20))
      // Every other time the one that leads the stream.
      const leader = await (cluster as NatsCluster).leaderOf(watching, `${name}_turns_0`)
      const victim = kill % 2 === 0 ? leader : (leader + 1) % 3
      await (cluster as NatsCluster).kill(victim)
      const killed = acknowledged.size
      while (acknowledged.size < killed + 50) await new Promise((resolve) => setTimeout(resolve, 20))
      await (cluster as NatsCluster).start(victim)
    }
    isOver = true
    await load
    await shard.logged?.catchUp()
    const last = await log.last()
    while (following.applied < last) await new Promise((resolve) => setTimeout(resolve, 20))
    ending.abort()
    await followed
    for (const id of acknowledged) assert.equal(shard.view(job, id).eventId, id)
    assert.equal(shard.reader().stats(job).events, new Set(shard.reader().oldest(1, 1_000_000)).size)
    assert.deepEqual(copy.rows(), shard.rows())
    const fresh = new TestShard()
    await new Follower(fresh.asLogged(), await open()).catchUp()
    assert.deepEqual(fresh.rows(), shard.rows())
  })

  it('has one writer, although two believe to be it', async () => {
    const { log, open } = await newLog()
    const first = over(log)
    for (let i = 0; i < 20; i++) await first.ingest(job, { host: 'a' }, `first ${i}`)
    const other = await open()
    const copy = new TestShard()
    await new Follower(copy.asLogged(), other).catchUp()
    const second = over(other, copy.environment)
    second.restart()
    second.take(1_000_000)
    const acknowledged: string[] = []
    const post = async (shard: TestShard, id: string): Promise<void> => {
      try {
        await shard.ingest(job, { host: 'b' }, id)
        acknowledged.push(id)
      } catch (error) {
        assert.ok(isRefusal(error, 'log_unavailable'), String(error))
      }
    }
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => Promise.all([post(first, `old ${i}`), post(second, `new ${i}`)])),
    )
    assert.ok(acknowledged.includes('new 29'))
    await assert.rejects(first.ingest(job, { host: 'c' }, 'late'), { code: 'log_unavailable' })
    const whole = new TestShard()
    await new Follower(whole.asLogged(), await open()).catchUp()
    for (const id of acknowledged) assert.equal(whole.view(job, id).eventId, id)
    assert.deepEqual(whole.rows(), second.rows())
  })

  it('is refused by a follower whose first record has been purged', async () => {
    const { log, name, open } = await newLog()
    const shard = over(log)
    for (let i = 0; i < 5; i++) await shard.ingest(job, { host: 'a' }, `e${i}`)
    const manager = await jetstreamManager(connections.at(-1) as NatsConnection)
    await manager.streams.purge(`${name}_turns_0`, { seq: 3 })
    await assert.rejects(
      new Follower(new TestShard().asLogged(), await open()).catchUp(),
      /begins with record 3; 1 has been purged/,
    )
  })
})

describe('servers that would lose records are refused', { skip }, () => {
  it('not those that flush before they acknowledge', async () => {
    await checkServers((cluster as NatsCluster).monitors, Date.now)
  })

  it('where one does not flush, is alone, or does not answer', async () => {
    const lazy = await NatsCluster.open(program as string, '2m', 1)
    try {
      const [first, second] = (cluster as NatsCluster).monitors as [string, string]
      const [other] = lazy.monitors as [string]
      await assert.rejects(checkServers([first, second, other], Date.now), /add "sync_interval: always"/)
      await assert.rejects(checkServers([first, second], Date.now), /needs 3 NATS servers; 2 monitoring addresses/)
      await assert.rejects(checkServers([first, second, 'http://127.0.0.1:9'], Date.now), /open its http port/)
    } finally {
      await lazy.close()
    }
  })

  it('where the stream was made with other settings', async () => {
    const connection = await (cluster as NatsCluster).connect()
    connections.push(connection)
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: 'wrong_turns_0', subjects: ['wrong.turns.0'], num_replicas: 1 })
    await assert.rejects(
      JetStreamLog.open(connection, { name: 'wrong', of: 0 }),
      /wrong_turns_0 cannot hold a log: num_replicas is 1 and must be 3/,
    )
  })
})
