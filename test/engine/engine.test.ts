import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { ManualClock } from '../../engine/clock.js'
import { openEngine, type Engine } from '../../engine/engine.js'
import { isRefusal, type Refusal, type RefusalCode } from '../../engine/errors.js'
import { limits } from '../../engine/limits.js'
import type { EngineOptions } from '../../engine/options.js'
import type { EventView } from '../../engine/api/decision-service.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { jobKey, sharedTables, shardTables, type ShardTable } from '../../engine/store/tables.js'
import { afterwards, type Ending } from '../support/afterwards.js'
import { newDirectory, temporaryDirectory } from '../support/engine/files.js'
import { recount } from '../support/engine/recount.js'
import { apiKey, input, job as jobResource, restApi } from '../support/resource-store.js'
import { testAuthor } from '../support/author.js'
import { until } from '../support/until.js'
import type { JobHandle } from '../../engine/api/principal.js'

const KEY = 'a-management-key-for-engine-tests-0123456789'

function refused(code: RefusalCode): (error: unknown) => boolean {
  return (error) => isRefusal(error, code)
}

function settingsOf(dataDir: string): EngineOptions {
  return {
    dataDir,
    name: 'service',
    shards: 2,
    threads: 1,
    passwordCost: 10,
    bootstrapKey: KEY,
    adminPassword: 'a-password',
  }
}

async function open(test: Ending, dataDir: string, more: Partial<EngineOptions> = {}): Promise<Engine> {
  const failures: string[] = []
  const engine = await openEngine({
    ...settingsOf(dataDir),
    ...more,
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  })
  afterwards(test, async () => {
    await engine.close()
    assert.deepEqual(failures, [])
  })
  return engine
}

async function makeJob(engine: Engine, title = 'job', more: Record<string, unknown> = {}): Promise<JobHandle> {
  await engine.applyResources(
    {
      key: apiKey('key'),
      rest: restApi('rest', 'key'),
      job: jobResource(title, { decision_points: ['host'], pipeline_integrations: [input('rest')], ...more }),
    },
    true,
    testAuthor,
  )
  return find(engine, title)
}

function find(engine: Engine, title = 'job'): JobHandle {
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  return engine.jobByTitle(principal, title)
}

function ingest(engine: Engine, job: JobHandle, rawBody: unknown, eventId: string | null = null): Promise<EventView> {
  return new Promise((resolve, reject) => {
    engine.ingest(job, eventId, false, Buffer.from(JSON.stringify({ raw_body: rawBody })), {
      ingested: resolve,
      refused: reject,
    })
  })
}

async function label(engine: Engine, job: JobHandle): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await ingest(engine, job, { host: 'noisy', i }, `noise ${i}`)
    await ingest(engine, job, { host: 'vault', i }, `alarm ${i}`)
  }
  await engine.giveFeedback(job, 'noise 0', { analyst: 'ann', label: 'Drop' }, testAuthor)
  await engine.giveFeedback(job, 'alarm 0', { analyst: 'ann', label: 'Escalate' }, testAuthor)
}

function isTrained(engine: Engine, job: JobHandle): boolean {
  const { retrainState } = engine.jobView(job)
  assert.notEqual(retrainState, 'RETRAIN_FAILED')
  return retrainState === 'RETRAIN_FINISHED'
}

// One for the facts that need no start of their own, each with a job of its own.
const failures: string[] = []
const directory = newDirectory()
let engine: Engine
before(async () => {
  engine = await openEngine({
    ...settingsOf(directory),
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  })
})
after(async () => {
  await engine.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  assert.deepEqual(failures, [])
})

describe('the engine', () => {
  it('takes events in, learns from feedback, and decides', async () => {
    const job = await makeJob(engine, 'learns')
    assert.equal((await ingest(engine, job, { host: 'noisy' })).result, '')
    await label(engine, job)
    await engine.train(job, 'ann', testAuthor)
    await assert.rejects(engine.train(job, 'ann', testAuthor), refused('training_in_progress'))
    await until(() => isTrained(engine, job))
    const { retrainMsg, activeModelId, modelIds } = engine.jobView(job)
    assert.deepEqual([retrainMsg, activeModelId, modelIds.length], ['Retraining finished successfully', modelIds[0], 1])
    const decided = await ingest(engine, job, { host: 'noisy' }, 'e')
    assert.deepEqual([decided.resultLabel, decided.bucketState], ['Drop', 'in_knowledge_base'])
    assert.deepEqual(engine.event(job, 'e'), decided)
  })

  it('shows what was acknowledged at once', async () => {
    const job = await makeJob(engine, 'shows')
    for (let i = 0; i < 50; i++) {
      const view = await ingest(engine, job, { host: 'a' }, i % 2 === 0 ? `e${i}` : null)
      assert.deepEqual(engine.event(job, view.eventId), view)
      assert.equal(engine.jobView(job).processedDocuments, i + 1)
    }
    await engine.giveFeedback(job, 'e0', { analyst: 'ann', label: 'Drop' }, testAuthor)
    assert.equal(engine.event(job, 'e2').bucketState, 'pending')
    assert.equal(engine.jobView(job).feedbackDocuments, 1)
  })

  it('has everything again after a restart', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory)
    const job = await makeJob(first)
    await label(first, job)
    await first.train(job, null, testAuthor)
    await until(() => isTrained(first, job))
    const view = await ingest(first, job, { host: 'vault' }, 'e')
    const before = first.jobView(job)
    await first.close()
    const second = await open(test, directory)
    const again = find(second)
    assert.deepEqual(second.event(again, 'e'), view)
    assert.deepEqual(second.jobView(again), before)
    assert.equal((await ingest(second, again, { host: 'noisy' })).resultLabel, 'Drop')
  })

  it('goes on with a training that the end of the process cut off', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory)
    const job = await makeJob(first)
    await label(first, job)
    await first.train(job, null, testAuthor)
    await first.close()
    const second = await open(test, directory)
    const again = find(second)
    await until(() => isTrained(second, again))
    assert.equal((await ingest(second, again, { host: 'noisy' })).resultLabel, 'Drop')
  })

  it('decides what a stopped job holds when it starts, across a restart too', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory)
    const job = await makeJob(first)
    await label(first, job)
    await first.train(job, null, testAuthor)
    await until(() => isTrained(first, job))
    await first.stopJob(job, testAuthor)
    const count = limits.resumeEventsPerTurn + 20
    await Promise.all(Array.from({ length: count }, (_, i) => ingest(first, job, { host: 'noisy', i }, `held ${i}`)))
    assert.equal(first.event(job, 'held 0').status, 'pending_inference')
    await first.close()
    const second = await open(test, directory)
    const again = find(second)
    assert.equal(again.status, 'STOPPED')
    assert.equal(second.event(again, 'held 0').status, 'pending_inference')
    await Promise.all([second.startJob(again, testAuthor), second.startJob(again, testAuthor)])
    await until(() => second.event(again, `held ${count - 1}`).status === 'OK')
    for (let i = 0; i < count; i++) assert.equal(second.event(again, `held ${i}`).resultLabel, 'Drop')
  })

  it('takes up what waited, where the process ended right after the start of the job', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory)
    const job = await makeJob(first)
    await first.stopJob(job, testAuthor)
    await Promise.all(Array.from({ length: 700 }, (_, i) => ingest(first, job, { host: 'noisy', i }, `held ${i}`)))
    await first.startJob(job, testAuthor)
    await first.close()
    const second = await open(test, directory)
    const again = find(second)
    await until(() => second.event(again, 'held 699').status === 'OK' && second.event(again, 'held 0').status === 'OK')
  })

  it('gives no time to two events, though the clock is set back', async (test) => {
    const directory = temporaryDirectory(test)
    const times = new Set<number>()
    for (const micros of [2_000_000_000_000_000, 1_000_000_000_000_000, 1_000_000_000_000_000]) {
      const engine = await open(test, directory, { clock: new ManualClock(micros) })
      const job = times.size === 0 ? await makeJob(engine) : find(engine)
      for (let i = 0; i < 5; i++) times.add((await ingest(engine, job, { host: 'a' })).ingestMicros)
      await engine.ingestHistoric(
        job,
        Buffer.from(JSON.stringify({ events: [{ raw_body: {} }, { raw_body: {} }] })),
        testAuthor,
      )
      times.add((await ingest(engine, job, { host: 'a' })).ingestMicros)
      await engine.close()
    }
    assert.equal(times.size, 18)
    assert.equal([...times][0], 2_000_000_000_000_000)
  })

  it('keeps the number of shards that its directory was made with', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory, { shards: 3 })
    const job = await makeJob(first)
    await ingest(first, job, { host: 'a' }, 'e')
    await first.close()
    const second = await open(test, directory, { shards: 8 })
    assert.equal(second.event(find(second), 'e').eventId, 'e')
  })

  it('shows its first secrets once', async (test) => {
    const directory = temporaryDirectory(test)
    const options = { dataDir: directory, name: 'service', shards: 1, threads: 1, passwordCost: 10 }
    const first = await openEngine(options)
    const key = first.firstStart?.managementKey
    assert.ok(typeof key === 'string' && first.authenticate(key) !== null)
    await first.close()
    const second = await openEngine(options)
    afterwards(test, () => second.close())
    assert.equal(second.firstStart, null)
    assert.ok(second.authenticate(key) !== null)
    assert.equal(second.authenticate('another'), null)
  })
})

describe('deleting a job', () => {
  it('leaves no row of it, not even of what came in just before', async (test) => {
    const directory = temporaryDirectory(test)
    const engine = await open(test, directory)
    const job = await makeJob(engine)
    const other = await makeJob(engine, 'other')
    await label(engine, job)
    await label(engine, other)
    const late = Promise.allSettled(Array.from({ length: 20 }, (_, i) => ingest(engine, job, { host: 'late', i })))
    await engine.deleteResource({ type: 'job', title: 'job' }, testAuthor)
    await late
    assert.throws(() => engine.event(job, 'noise 0'), refused('job_not_found'))
    assert.throws(
      () => engine.ingest(job, null, false, Buffer.from('{}'), { ingested() {}, refused() {} }),
      refused('job_not_found'),
    )
    const stores = [0, 1].map((shard) => openShard(directory, shard))
    afterwards(test, () => Promise.all(stores.map((store) => store.close())))
    const jobsIn = (table: ShardTable): number[] =>
      stores.flatMap((store) => {
        store.refresh()
        return [...store.range(table, {})].map(({ key }) => Buffer.from(key).readUInt32BE(0))
      })
    await until(() => !jobsIn('stats').includes(job.id))
    for (const table of shardTables)
      if (!sharedTables.includes(table)) assert.ok(!jobsIn(table).includes(job.id), table)
    assert.deepEqual(jobsIn('stats'), [other.id])
    const kept = stores.find((store) => store.get('stats', jobKey(other.id)) !== undefined)
    assert.equal(recount(kept as (typeof stores)[number], other.id).events.size, 10)
  })

  it('goes on at the next start where the process ended in the middle', async (test) => {
    const directory = temporaryDirectory(test)
    const first = await open(test, directory)
    const job = await makeJob(first)
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => ingest(first, job, { host: `h${i}` }, `e${i}`)))
    await first.deleteResource({ type: 'job', title: 'job' }, testAuthor)
    await first.close()
    await open(test, directory)
    const stores = [0, 1].map((shard) => openShard(directory, shard))
    afterwards(test, () => Promise.all(stores.map((store) => store.close())))
    await until(() =>
      stores.every((store) => {
        store.refresh()
        return [...store.range('stats', {})].length === 0
      }),
    )
    for (const store of stores)
      for (const table of ['events', 'ids', 'buckets', 'counts']) assert.deepEqual([...store.range(table, {})], [])
  })

  it('takes its training with it, and its title can be used again', async () => {
    const job = await makeJob(engine, 'of a title')
    await label(engine, job)
    await engine.train(job, null, testAuthor)
    await engine.deleteResource({ type: 'job', title: 'of a title' }, testAuthor)
    const again = await makeJob(engine, 'of a title')
    assert.notEqual(again.id, job.id)
    const { processedDocuments, retrainState, modelIds } = engine.jobView(again)
    assert.deepEqual([processedDocuments, retrainState, modelIds], [0, 'not_trained', []])
    await label(engine, again)
    await engine.train(again, null, testAuthor)
    await until(() => isTrained(engine, again))
  })
})

describe('what the engine refuses', () => {
  it('is refused with a code, at once or through the receiver', async () => {
    const job = await makeJob(engine, 'refuses')
    const post = (body: Buffer, id: string | null = null) =>
      engine.ingest(job, id, false, body, { ingested() {}, refused() {} })
    assert.throws(() => post(Buffer.alloc(limits.eventBytesMax + 1)), refused('body_too_large'))
    assert.throws(() => post(Buffer.from('{}'), 'x'.repeat(limits.eventIdBytesMax + 1)), refused('event_id_too_long'))
    await assert.rejects(ingest(engine, job, 7), refused('invalid_body'))
    await assert.rejects(engine.train(job, null, testAuthor), refused('not_enough_feedback'))
    await assert.rejects(
      engine.giveFeedback(job, 'nobody', { analyst: 'ann', label: 'Drop' }, testAuthor),
      refused('event_not_found'),
    )
    await assert.rejects(
      engine.giveFeedback(job, 'x'.repeat(70_000), { analyst: 'ann', label: 'Drop' }, testAuthor),
      refused('event_not_found'),
    )
    for (const id of ['nobody', 'x'.repeat(70_000), ''])
      assert.throws(() => engine.event(job, id), refused('event_not_found'))
    await ingest(engine, job, { host: 'a' }, 'e')
    let deep: unknown = 1
    for (let i = 0; i < 50_000; i++) deep = [deep]
    for (const indicators of [deep, 'x'.repeat(limits.textCharsMax), [{ a: { b: 'x'.repeat(limits.textCharsMax) } }]]) {
      await assert.rejects(
        engine.giveFeedback(job, 'e', { analyst: 'ann', label: 'Drop', indicators }, testAuthor),
        refused('invalid_body'),
      )
    }
    await engine.giveFeedback(
      job,
      'e',
      {
        analyst: 'ann',
        label: 'Drop',
        indicators: [{ ip: '10.0.0.1' }],
        closingNotes: 'noise',
      },
      testAuthor,
    )
  })

  it('while it closes: what came before is finished, what comes after is refused', async (test) => {
    const engine = await open(test, temporaryDirectory(test))
    const job = await makeJob(engine)
    const before = Array.from({ length: 2_000 }, (_, i) => ingest(engine, job, { host: `h${i % 9}` }, `e${i}`))
    const closed = engine.close()
    assert.equal(engine.accepting, false)
    await assert.rejects(ingest(engine, job, { host: 'a' }), refused('draining'))
    await assert.rejects(
      engine.giveFeedback(job, 'e1', { analyst: 'ann', label: 'Drop' }, testAuthor),
      refused('draining'),
    )
    await assert.rejects(engine.train(job, null, testAuthor), (error) => (error as Refusal).retryable)
    assert.equal((await Promise.all(before)).length, 2_000)
    await closed
    await engine.close()
  })

  it('is a data directory that another engine uses', async (test) => {
    const directory = temporaryDirectory(test)
    const engine = await open(test, directory)
    await assert.rejects(openEngine({ dataDir: directory, name: 'service' }), refused('data_dir_in_use'))
    await engine.close()
    await (await open(test, directory)).close()
  })
})
