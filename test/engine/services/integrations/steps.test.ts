/** Steps on the thread of the integrations, while it has not heard yet of a change that somebody was told of. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Enrichers } from '../../../../engine/services/integrations/enrichers.js'
import { encodeEnriched } from '../../../../engine/actor/enrichment-results.js'
import { Steps, type StepsDeps } from '../../../../engine/services/integrations/steps.js'
import { Delivery } from '../../../../engine/integration/delivery/delivery.js'
import { allKinds } from '../../../../engine/integration/registry.js'
import { HostPolicy } from '../../../../engine/integration/http/host-policy.js'
import { Ledger, ledgerTables } from '../../../../engine/integration/delivery/ledger.js'
import type { Pace } from '../../../../engine/integration/delivery/pace.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { Sealer, SEALING_KEY_BYTES } from '../../../../engine/resource/access/sealing.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import type { LmdbEnvironment } from '../../../../engine/store/lmdb/lmdb.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { afterwards } from '../../../support/afterwards.js'
import { job, openResourceStore } from '../../../support/resource-store.js'
import { eventually } from '../../../support/client.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { TestShard } from '../../../support/engine/shard.js'
import { HttpReceiver } from '../../../support/servers/receiver.js'
import { SearchServer } from '../../../support/servers/search-server.js'
import { testAuthor } from '../../../support/author.js'

const pace: Pace = {
  baseMs: 1,
  capMs: 2,
  eventBaseMs: 1,
  eventCapMs: 2,
  lookMs: 1,
  idleMs: 600_000,
  haltAfterMs: 20,
  haltPausesMs: [60_000],
}

/** A catalog and a shard, and the desks over them; a test says when they hear of changes. */
class World {
  readonly bench = openResourceStore(1, 1, allKinds)
  readonly shard: TestShard<LmdbEnvironment>
  readonly desk: Steps
  readonly enrichments: Enrichers
  readonly #ledger = new Ledger(new MemoryEnvironment(ledgerTables), (_, error) => assert.fail(error as Error))

  private constructor(dataDir: string, pace: Pace) {
    const { environment: catalog, clock } = this.bench
    this.shard = new TestShard(openShard(dataDir, 0))
    const parts: StepsDeps = {
      dataDir,
      catalog,
      ledger: this.#ledger,
      pace,
      clock,
      serviceNames: ['service'],
      timeZone: 'UTC',
      failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
      requested: () => {},
      found: () => {},
      halted: () => {},
      takeIn: async () => ({ refused: [], busy: null }),
      policy: new HostPolicy(['127.0.0.1']),
      sealer: new Sealer(new Uint8Array(SEALING_KEY_BYTES), new SeededRandom(2)),
    }
    this.desk = new Steps(parts)
    this.enrichments = new Enrichers(
      {
        ...parts,
        bring: async (_, events) => {
          await this.shard.post({
            job: this.job,
            kind: 'enriched',
            body: encodeEnriched({ op: 'bring', events }),
            micros: clock.nowMicros(),
          })
          return null
        },
      },
      this.desk,
    )
  }

  static open(context: TestContext, more: Partial<Pace> = {}): World {
    const world = new World(temporaryDirectory(context), { ...pace, ...more })
    afterwards(context, async () => {
      await world.enrichments.close()
      await world.desk.close()
      await world.shard.environment.close()
    })
    return world
  }

  get job(): JobSettings {
    return this.bench.resources.jobByTitle('a job') as JobSettings
  }

  /** A change of what is set up, which nobody is told of. */
  apply(resources: Record<string, unknown>, overwrite = true): void {
    this.bench.clock.advanceMs(1)
    this.bench.resources.apply({ resources }, overwrite, testAuthor)
    this.bench.clock.advanceMs(1)
  }

  /** Gives the job this step alone. */
  step(resource: string, more: Record<string, unknown> = {}): void {
    const step = {
      resource,
      integration_type: 'post_decision',
      enabled: true,
      parameters: { include_undecided: true, ...more },
    }
    this.apply({ job: job('a job', { pipeline_integrations: [step] }) })
  }

  hook(url: string): void {
    this.apply({
      hook: {
        type: 'integration',
        properties: { title: 'hook', integration_type: 'Webhook', parameters: { url, secret: 'a secret' } },
      },
    })
  }

  async ingest(eventId: string, body: object = {}): Promise<void> {
    this.bench.clock.advanceMs(1)
    const posted = {
      job: this.job,
      kind: 'ingest',
      eventId,
      body: JSON.stringify({ raw_body: { 'host.name': 'a', ...body } }),
      micros: this.bench.clock.nowMicros(),
    } as const
    await this.shard.post(posted)
  }

  /** The steps look for what is new, until they rest. */
  async look(): Promise<void> {
    this.desk.wake(0)
    this.enrichments.wake(0)
    await new Promise((resolve) => setImmediate(resolve))
    await eventually(
      async () =>
        this.enrichments.isIdle(0) &&
        [...this.desk.steps].every(({ runs }) => !(runs instanceof Delivery) || runs.isIdle),
      (rests) => rests,
    )
  }

  /** The thread hears of what has changed. */
  async rewire(): Promise<void> {
    await this.desk.rewire()
    await this.enrichments.rewire()
    await this.look()
  }
}

const ids = (receiver: HttpReceiver): string[] => receiver.bodies().map(({ data }) => data.event_id)

async function receivers(context: TestContext): Promise<[HttpReceiver, HttpReceiver]> {
  const both = [await HttpReceiver.open(), await HttpReceiver.open()] as const
  afterwards(context, () => Promise.all(both.map((one) => one.close())))
  return [...both]
}

test('what comes in behind another address goes there, also before the thread has heard of it', async (context) => {
  const [before, after] = await receivers(context)
  const world = World.open(context)
  world.hook(before.url)
  world.step('hook')
  await world.rewire()
  await world.ingest('one')
  await world.look()
  world.hook(after.url)
  await world.ingest('two')
  await world.look()
  assert.deepEqual([ids(before), ids(after)], [['one'], []])
  await world.rewire()
  assert.deepEqual([ids(before), ids(after)], [['one'], ['two']])
})

test('what comes in behind another rule goes by it, and is not passed by the one before', async (context) => {
  const [receiver] = await receivers(context)
  const world = World.open(context)
  const rule = (value: string): void =>
    world.step('hook', { filters: JSON.stringify([{ field: 'rule', operator: 'is', value }]) })
  world.hook(receiver.url)
  rule('a')
  await world.rewire()
  rule('b')
  await world.ingest('first', { rule: 'a' })
  await world.ingest('second', { rule: 'b' })
  await world.look()
  await world.rewire()
  assert.deepEqual(ids(receiver), ['second'])
})

test('what comes in while a step is away goes nowhere, also where it is there again before the thread has heard of it', async (context) => {
  const [receiver] = await receivers(context)
  const world = World.open(context)
  world.hook(receiver.url)
  world.step('hook')
  await world.rewire()
  const enable = (enabled: boolean): void => {
    world.apply({
      job: job('a job', { pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', enabled }] }),
    })
  }
  enable(false)
  await world.ingest('away')
  await world.look()
  enable(true)
  await world.ingest('there')
  await world.look()
  await world.rewire()
  assert.deepEqual(ids(receiver), ['there'])
})

test('a change that is taken back delays what came in meanwhile until the thread has heard of it', async (context) => {
  const [receiver] = await receivers(context)
  const world = World.open(context)
  world.hook(receiver.url)
  world.step('hook')
  await world.rewire()
  world.hook('http://127.0.0.1:9/')
  await world.ingest('one')
  await world.look()
  world.hook(receiver.url)
  await world.desk.rewire()
  await eventually(
    async () => ids(receiver),
    ({ length }) => length > 0,
  )
  assert.deepEqual(ids(receiver), ['one'])
})

test('where the address was wrong the right one is asked at once', async (context) => {
  const [receiver] = await receivers(context)
  const world = World.open(context, { baseMs: 600_000, capMs: 600_000 })
  world.hook('http://127.0.0.1:9/')
  world.step('hook')
  await world.rewire()
  await world.ingest('one')
  world.desk.wake(0)
  const step = [...world.desk.steps].map(({ runs }) => runs).find((runs) => runs instanceof Delivery)
  await eventually(
    async () => step?.status().state,
    (state) => state !== 'running',
  )
  world.hook(receiver.url)
  await world.desk.rewire()
  await eventually(
    async () => ids(receiver),
    ({ length }) => length > 0,
  )
})

test('nobody is asked about what comes in behind the stop of its job, or another address', async (context) => {
  const servers = [await SearchServer.open(), await SearchServer.open()] as const
  afterwards(context, () => Promise.all(servers.map((one) => one.close())))
  const world = World.open(context)
  const point = ({ connection }: SearchServer): void => {
    world.apply({
      cmdb: {
        type: 'integration',
        properties: { title: 'cmdb', integration_type: 'Search engine', parameters: connection },
      },
    })
  }
  const query = (): number[] => servers.map(({ http }) => http.received.length)
  point(servers[0])
  const parameters = { name: 'cmdb', index_pattern: 'cmdb', event_field: 'ip', document_field: 'ip' }
  world.apply({
    job: job('a job', {
      pipeline_integrations: [{ resource: 'cmdb', integration_type: 'enrichment', enabled: true, parameters }],
    }),
  })
  await world.rewire()
  world.bench.resources.setJobStatus(world.job.id, 'STOPPED', testAuthor)
  await world.ingest('stopped', { ip: '10.0.0.1' })
  await world.look()
  assert.deepEqual(query(), [0, 0])
  world.bench.resources.setJobStatus(world.job.id, 'STARTED', testAuthor)
  point(servers[1])
  await world.ingest('moved', { ip: '10.0.0.2' })
  await world.look()
  assert.deepEqual(query(), [0, 0])
  await world.rewire()
  await eventually(
    async () => world.shard.view(world.job, 'moved').status,
    (status) => status === 'OK',
  )
  assert.equal(query()[0], 0)
})
