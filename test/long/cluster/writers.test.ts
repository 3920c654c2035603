/**
 * Two processes with one log: one writes, one follows. Processes are killed and stopped, servers are killed, and after
 * each the other takes over. What was acknowledged is in every copy, once, and all copies are equal.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Follower } from '../../../engine/runtime/log/follower.js'
import { JetStreamLog } from '../../../engine/runtime/log/jetstream/jetstream-log.js'
import { openShard } from '../../../engine/store/directory/environments.js'
import { newDirectory } from '../../support/engine/files.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'
import { counterpart, isShort, skipUnless } from '../integrations/counterparts.js'
import { NatsCluster, natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const cluster = program === null ? null : await NatsCluster.open(program)
const home = newDirectory()
const job = jobSettings()
/** Acknowledged events between two faults. */
const EVENTS = 40

after(async () => {
  await cluster?.close()
  rmSync(home, { recursive: true, force: true })
})

/** A process of writer-child.ts. */
class Writer {
  readonly process: ChildProcess
  readonly #acknowledged: Set<string>
  isFollowing = false
  isFenced = false
  /** When it acknowledged its first event. */
  firstMs = 0
  acknowledged = 0

  constructor(directory: string, name: string, prefix: string, acknowledged: Set<string>) {
    this.#acknowledged = acknowledged
    const child = fileURLToPath(new URL('writer-child.js', import.meta.url))
    const { addresses } = cluster as NatsCluster
    this.process = spawn(process.execPath, [child, join(home, directory), name, prefix, ...addresses], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let rest = ''
    this.process.stdout?.on('data', (bytes: Buffer) => {
      const lines = `${rest}${bytes}`.split('\n')
      rest = lines.pop() as string
      for (const line of lines) this.#take(line)
    })
  }

  #take(line: string): void {
    if (line === 'following') this.isFollowing = true
    else if (line === 'fenced') this.isFenced = true
    else if (line.startsWith('ack ')) {
      this.#acknowledged.add(line.slice(4))
      this.firstMs ||= performance.now()
      this.acknowledged++
    }
  }

  takeOver(): void {
    this.process.stdin?.write('go\n')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    this.process.kill(signal)
    if (signal === 'SIGKILL') await once(this.process, 'exit')
  }
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 120_000
  while (!condition()) {
    assert.ok(performance.now() < end, `waited two minutes for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const faults = ['kill the writer', 'kill a server', 'kill both', 'stop the writer'] as const
const ROUNDS = isShort ? 1 : 5

/** The writer meets the fault, and the standby takes over. Returns milliseconds until the standby acknowledged. */
async function takeOver(
  fault: (typeof faults)[number],
  writer: Writer,
  standby: Writer,
  server: number,
): Promise<number> {
  const servers = cluster as NatsCluster
  const before = writer.acknowledged
  await until('events', () => writer.acknowledged >= before + EVENTS)
  const killsServer = fault === 'kill a server' || fault === 'kill both'
  if (killsServer) await servers.kill(server)
  if (fault === 'kill the writer' || fault === 'kill both') await writer.end('SIGKILL')
  if (fault === 'stop the writer') await writer.end('SIGSTOP')
  let beganMs = performance.now()
  if (fault === 'kill a server') {
    const killed = writer.acknowledged
    await until('the writer to go on', () => writer.acknowledged >= killed + EVENTS)
    beganMs = performance.now()
  }
  // Where the writer lives, there are two from here on until it finds out.
  standby.takeOver()
  await until('the standby to write', () => standby.acknowledged >= EVENTS)
  if (killsServer) await servers.start(server)
  if (fault === 'stop the writer') await writer.end('SIGCONT')
  if (writer.process.signalCode === null) await until('the former writer to be refused', () => writer.isFenced)
  await writer.end('SIGKILL')
  return standby.firstMs - beganMs
}

describe('two processes with one log', { skip }, () => {
  it(`keep what was acknowledged, over ${ROUNDS * faults.length} faults`, async (test) => {
    const servers = cluster as NatsCluster
    const acknowledged = new Set<string>()
    const takenMs: Record<string, number[]> = {}
    let number = 0
    const start = (): Writer => new Writer(`copy-${number % 2}`, 'writers', `w${number++}`, acknowledged)
    let writer = start()
    await until('the first process', () => writer.isFollowing)
    writer.takeOver()
    for (let round = 0; round < ROUNDS * faults.length; round++) {
      const fault = faults[round % faults.length] as (typeof faults)[number]
      const standby = start()
      await until('the standby', () => standby.isFollowing)
      ;(takenMs[fault] ??= []).push(await takeOver(fault, writer, standby, round % 3))
      writer = standby
    }
    await writer.end('SIGKILL')
    const connection = await servers.connect()
    const log = await JetStreamLog.open(connection, { name: 'writers', of: 0 })
    const copies = [new TestShard(), ...[0, 1].map((at) => new TestShard(openShard(join(home, `copy-${at}`), 0)))]
    for (const copy of copies) await new Follower(copy.asLogged(), log).catchUp()
    const [fresh, ...stored] = copies as [TestShard, ...TestShard[]]
    for (const id of acknowledged) assert.equal(fresh.view(job, id).eventId, id)
    assert.equal(fresh.reader().stats(job).events, fresh.reader().oldest(1, 1_000_000).length)
    const rows = (shard: TestShard): string[] => shard.rows().filter((row) => !row.startsWith('shapes '))
    for (const copy of stored) assert.deepEqual(rows(copy), rows(fresh))
    for (const copy of stored) await copy.environment.close()
    await connection.close()
    for (const [fault, times] of Object.entries(takenMs))
      test.diagnostic(`${fault}: ${times.map((ms) => Math.round(ms)).join(', ')} ms until the standby acknowledges`)
    test.diagnostic(`${acknowledged.size} events acknowledged`)
  })
})
