import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mustFindEvent } from '../../engine/actor/event-table.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { JobReader } from '../../engine/services/read/job-reader.js'
import { Mailbox } from '../../engine/runtime/mailbox/mailbox.js'
import { ShardThreads } from '../../engine/runtime/threads/shard-threads.js'
import { SeededRandom } from '../../engine/rng.js'
import type { IngestReceiver } from '../../engine/api/decision-service.js'
import { BodyCodec } from '../../engine/store/body-codec.js'
import { decodeContent } from '../../engine/store/event-record.js'
import type { Environment } from '../../engine/store/environment.js'
import { openDataDir } from '../../engine/store/directory/data-dir.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { jobSettings } from '../support/engine/shard.js'
import {
  COMMIT_FATES_FILE,
  DEADLY_ID,
  DEATHS_FILE,
  FATES_FILE,
  NO_START_FILE,
  type CommitFate,
  type Fate,
} from './fates.js'
import { childFile } from '../child-files.js'

const jobs = Array.from({ length: 4 }, (_, shard) => jobSettings({ id: shard + 1, shard, decisionPoints: ['host'] }))

/** Few, so that many turns are handed over. */
const FOLLOWS_MIN = 4

/** Messages of a burst: three turns at least, so that the first ones may be handed over. */
const BURST = 3_000
/** So many bursts have met two deaths, on any machine. Between two a thread that died has some time to start again. */
const BURSTS_MAX = 1_000
const APART_MS = 50

type Store = readonly [Environment, BodyCodec]

class Threads {
  readonly directory: string
  readonly failures: unknown[] = []
  readonly died: unknown[] = []
  readonly answers = new Map<string, string[]>()
  readonly #stores: readonly Store[]
  readonly #readers: JobReader[]
  readonly #mailboxes: Mailbox[]
  #micros = 1_700_000_000_000_000

  constructor(test: TestContext, { threads = 1, followsMin = FOLLOWS_MIN } = {}) {
    this.directory = temporaryDirectory(test)
    openDataDir(this.directory, jobs.length)
    const modules = {
      decides: childFile('dying-thread').href,
      commits: childFile('dying-commit-thread').href,
    }
    const pool = new ShardThreads(
      threads,
      { dataDir: this.directory, sectionNames: ['service'], uncountedEventsMax: 8, modelBytesMax: 1e8 },
      (error) => this.died.push(error),
      modules,
    )
    this.#stores = jobs.map(({ shard }): Store => {
      const environment = openShard(this.directory, shard)
      return [environment, new BodyCodec(environment)]
    })
    this.#readers = this.#stores.map(([environment, codec]) => new JobReader(environment, codec))
    this.#mailboxes = jobs.map(
      ({ shard }) =>
        new Mailbox({
          shard,
          run: (task, decided) => pool.run(task, decided),
          events: {
            committed: () => this.reader(shard).refresh(),
            added: () => {},
            failed: (_, error) => this.failures.push(error),
          },
          takeTimes: (count) => (this.#micros += count) - count,
          followsMin,
        }),
    )
    afterwards(test, async () => {
      await pool.close()
      await Promise.all(this.#readers.map((reader) => reader.close()))
    })
  }

  reader(shard: number): JobReader {
    return this.#readers[shard] as JobReader
  }

  fates(...fates: readonly Fate[]): void {
    writeFileSync(join(this.directory, FATES_FILE), fates.join('\n'))
  }

  commitFates(...fates: readonly CommitFate[]): void {
    writeFileSync(join(this.directory, COMMIT_FATES_FILE), fates.join('\n'))
  }

  post(shard: number, id: string, host: string, version = 0): void {
    const job = jobs[shard] as (typeof jobs)[number]
    const key = `${shard} ${id} ${version}`
    const note = (answer: string): void => void this.answers.set(key, [...(this.answers.get(key) ?? []), answer])
    const body = Buffer.from(JSON.stringify({ raw_body: { host, version } }))
    const receiver: IngestReceiver = {
      ingested: ({ eventId }) => note(`stored ${eventId}`),
      refused: ({ code }) => note(code),
      // Some messages overtake others; what runs again must still be applied once.
      isAlone: id.endsWith('3'),
    }
    const message = { job, kind: 'ingest', eventId: id, idInBody: false, body, receiver } as const
    ;(this.#mailboxes[shard] as Mailbox).post(message, this.#micros++)
  }

  /** Threads that died for their fate. */
  get deaths(): number {
    const file = join(this.directory, DEATHS_FILE)
    return existsSync(file) ? readFileSync(file).length : 0
  }

  /** Posts bursts of versions of the same events until two threads have died. `begin` is called before each burst. */
  async postUntilTwo(dead: () => number, begin: () => void): Promise<void> {
    for (let version = 0; version < BURSTS_MAX && dead() < 2; version++) {
      begin()
      for (let i = 0; i < BURST; i++) this.post(0, `e${i}`, `h${i % 7}`, version)
      await this.idle()
      await sleep(APART_MS)
    }
  }

  /** The body of an event, as it is stored. */
  bodyOf(shard: number, id: string): Record<string, unknown> {
    const [environment, codec] = this.#stores[shard] as Store
    const { record } = mustFindEvent(environment, (jobs[shard] as JobSettings).id, id)
    return codec.decode(decodeContent(record).body)
  }

  async idle(): Promise<void> {
    // Between two threads, nothing else keeps the process alive.
    const hold = setInterval(() => {}, 1_000)
    await Promise.all(this.#mailboxes.map((mailbox) => mailbox.whenIdle()))
    clearInterval(hold)
  }

  /** Every message was answered once. Every stored event exists once and is counted once. */
  check(refused: readonly string[] = []): void {
    const stored = new Map<number, Set<string>>()
    for (const [message, answers] of this.answers) {
      const [shard, id] = message.split(' ') as [string, string]
      assert.deepEqual(answers, [refused.includes(id) ? 'turn_failed' : `stored ${id}`], message)
      if (refused.includes(id)) continue
      stored.set(Number(shard), (stored.get(Number(shard)) ?? new Set()).add(id))
    }
    for (const [shard, ids] of stored) {
      const job = jobs[shard] as (typeof jobs)[number]
      const { events, buckets } = this.reader(shard).stats(job)
      assert.equal(events, ids.size)
      assert.equal(buckets, new Set([...ids].map((id) => this.bodyOf(shard, id).host)).size)
    }
  }
}

describe('when a thread dies', () => {
  for (const fate of ['before the turn', 'begun', 'before the commit', 'after the commit', 'handed over'] as const) {
    it(`${fate}, each message is answered once and stored once`, async (test) => {
      const threads = new Threads(test, fate === 'handed over' ? {} : { followsMin: Number.POSITIVE_INFINITY })
      // The first turn ends well. One that is stored already, or that runs again, may do what is fatal no more.
      await threads.postUntilTwo(
        () => threads.deaths,
        () => threads.fates('live', fate, 'live', fate),
      )
      assert.ok(threads.deaths >= 2 && threads.failures.length >= 2)
      assert.equal(threads.answers.size % BURST, 0)
      threads.check()
    })
  }

  it('the other shards on it lose nothing and are not blamed', async (test) => {
    const threads = new Threads(test)
    const random = new SeededRandom(7)
    threads.fates(
      ...Array.from({ length: 12 }, () =>
        random.pick<Fate>([
          'live',
          'live',
          'before the turn',
          'begun',
          'before the commit',
          'after the commit',
          'handed over',
        ]),
      ),
    )
    for (let round = 0; round < 20; round++) {
      for (const { shard } of jobs)
        for (let i = 0; i < 40; i++) threads.post(shard, `e${round} ${i}`.replace(' ', '-'), `h${i % 5}`)
      await sleep(2)
    }
    await threads.idle()
    threads.check()
  })

  for (const fate of ['before the commit', 'after the commit', 'said'] as const) {
    it(`and it is a commit thread, ${fate}, each message is answered once and stored once`, async (test) => {
      const threads = new Threads(test)
      threads.commitFates('live', fate, 'live', fate)
      await threads.postUntilTwo(
        () => threads.died.length,
        () => {},
      )
      assert.equal(threads.died.length, 2)
      threads.check()
    })
  }

  it('a message that kills every thread is refused alone', async (test) => {
    const threads = new Threads(test)
    for (const { shard } of jobs)
      for (let i = 0; i < 30; i++) threads.post(shard, shard === 1 && i === 17 ? DEADLY_ID : `e${i}`, 'h')
    await threads.idle()
    threads.check([DEADLY_ID])
    assert.equal(threads.reader(1).stats(jobs[1] as (typeof jobs)[number]).events, 29)
  })

  it('and none can start, messages wait until one can', async (test) => {
    const threads = new Threads(test)
    threads.post(0, 'e1', 'h')
    await threads.idle()
    writeFileSync(join(threads.directory, NO_START_FILE), '')
    threads.fates('begun')
    for (const { shard } of jobs) for (let i = 0; i < 20; i++) threads.post(shard, `w${i}`, 'h')
    await sleep(900)
    assert.equal(threads.answers.size, 1)
    rmSync(join(threads.directory, NO_START_FILE))
    await threads.idle()
    threads.check()
  })
})

describe('several shards on one thread', () => {
  it('keep their order, whatever waits for the thread', async (test) => {
    const threads = new Threads(test)
    for (let version = 0; version < 400; version++) {
      for (const { shard } of jobs) for (let i = 0; i < 4; i++) threads.post(shard, `e${i}`, `h${version % 3}`, version)
      if (version % 7 === 0) await sleep(0)
      // Alternates turns of one message with larger ones.
      if (version % 2 === 0) threads.post(version % 4, `single${version}`, 'h')
    }
    await threads.idle()
    threads.check()
    for (const job of jobs) {
      for (let i = 0; i < 4; i++) assert.equal(threads.bodyOf(job.shard, `e${i}`).version, 399)
    }
    assert.deepEqual(threads.failures, [])
  })
})
