import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageKind } from '../../../../engine/actor/message.js'
import type { ReprocessTask } from '../../../../engine/api/reprocess-service.js'
import { searchEvents } from '../../../../engine/services/reprocess/event-search.js'
import { Reprocessing } from '../../../../engine/services/reprocess/reprocessing.js'
import { openEngine, type Engine } from '../../../../engine/engine.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { limits } from '../../../../engine/limits.js'
import type { EngineOptions } from '../../../../engine/options.js'
import type { EventView } from '../../../../engine/api/decision-service.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { jobKey, sharedTables, shardTables } from '../../../../engine/store/tables.js'
import { afterwards, type Ending } from '../../../support/afterwards.js'
import { apiKey, input, job as jobResource, restApi } from '../../../support/resource-store.js'
import { newDirectory, temporaryDirectory } from '../../../support/engine/files.js'
import { assertRefused, refusedWith } from '../../../support/engine/refusal.js'
import { recount } from '../../../support/engine/recount.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { testAuthor } from '../../../support/author.js'
import type { Author, JobHandle } from '../../../../engine/api/principal.js'

const ann: Author = { kind: 'user', name: 'ann' }
const bob: Author = { kind: 'user', name: 'bob' }
const KEY = 'a-management-key-for-engine-tests-0123456789'
/** Enough for several looks and many pieces. */
const MANY = 3 * limits.reprocessFoundPerLook

const settingsOf = (dataDir: string): Omit<EngineOptions, 'onFailure'> => {
  return {
    dataDir,
    name: 'service',
    shards: 1,
    threads: 1,
    passwordCost: 10,
    bootstrapKey: KEY,
    adminPassword: 'a-password',
  }
}

async function open(test: Ending, dataDir: string): Promise<Engine> {
  const failures: string[] = []
  const engine = await openEngine({
    ...settingsOf(dataDir),
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  })
  afterwards(test, async () => {
    await engine.close()
    assert.deepEqual(failures, [])
  })
  return engine
}

function find(engine: Engine): JobHandle {
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  return engine.jobByTitle(principal, 'job')
}

async function makeJob(engine: Engine): Promise<JobHandle> {
  await engine.applyResources(
    {
      key: apiKey('key'),
      rest: restApi('rest', 'key'),
      job: jobResource('job', {
        decision_points: ['host'],
        pipeline_integrations: [input('rest')],
        advanced_settings: { decide_stored_events: false },
      }),
    },
    true,
    testAuthor,
  )
  return find(engine)
}

function ingest(engine: Engine, job: JobHandle, rawBody: unknown, eventId: string | null = null): Promise<EventView> {
  return new Promise((resolve, reject) => {
    engine.ingest(job, eventId, false, Buffer.from(JSON.stringify({ raw_body: rawBody })), {
      ingested: resolve,
      refused: reject,
    })
  })
}

/** Events of two hosts that came in before the model, and the model. */
async function taught(engine: Engine, count: number): Promise<JobHandle> {
  const job = await makeJob(engine)
  await Promise.all(
    Array.from({ length: count }, (_, i) => ingest(engine, job, { host: i % 2 === 0 ? 'noisy' : 'vault', i }, `e${i}`)),
  )
  await engine.giveFeedback(job, 'e0', { analyst: 'ann', label: 'Drop' }, testAuthor)
  await engine.giveFeedback(job, 'e1', { analyst: 'ann', label: 'Escalate' }, testAuthor)
  await engine.train(job, null, testAuthor)
  while (engine.jobView(job).retrainState !== 'RETRAIN_FINISHED') await sleep(10)
  return job
}

async function over(engine: Engine, job: JobHandle, { taskId }: ReprocessTask): Promise<ReprocessTask> {
  for (;;) {
    const task = engine.reprocess.task(job, taskId)
    if (task.finishedMicros !== null) return task
    await sleep(5)
  }
}

/** Holds until the task has decided something and has more to do. */
async function inTheMiddle(engine: Engine, job: JobHandle, { taskId }: ReprocessTask): Promise<void> {
  for (;;) {
    const { updated, finishedMicros } = engine.reprocess.task(job, taskId)
    assert.equal(finishedMicros, null, 'the task was too fast for this test')
    if (updated > 0) return
    await sleep(1)
  }
}

async function everyEventIsDecided(engine: Engine, job: JobHandle, dataDir: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 97)
    assert.equal(engine.event(job, `e${i}`).resultLabel, i % 2 === 0 ? 'Drop' : 'Escalate', `e${i}`)
  const environment = openShard(dataDir, 0)
  recount(environment, job.id)
  await environment.close()
}

describe('a reprocessing task', () => {
  // The directory of a job with MANY events and a model, made once; each test works on a copy.
  const made = newDirectory()
  before(async () => {
    const engine = await openEngine({
      ...settingsOf(made),
      onFailure: (what, error) => assert.fail(`${what}: ${String(error)}`),
    })
    await taught(engine, MANY)
    await engine.close()
  })
  after(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))

  function taughtDirectory(test: Ending): string {
    const dataDir = temporaryDirectory(test)
    cpSync(made, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    return dataDir
  }

  it('decides every event of its job again, and its request waits for a small one', async (test) => {
    const dataDir = temporaryDirectory(test)
    const engine = await open(test, dataDir)
    const job = await taught(engine, 20)
    const task = await engine.reprocess.start(job, {}, ann)
    assert.deepEqual(
      [task.state, task.matched, task.updated, task.changed, task.percent, task.requestedBy],
      ['finished', 20, 20, 20, 100, 'ann'],
    )
    await everyEventIsDecided(engine, job, dataDir, 20)
    const again = await engine.reprocess.start(
      job,
      { filters: [{ field: 'service.result_label', operator: 'is', value: 'Drop' }] },
      ann,
    )
    assert.deepEqual([again.updated, again.changed], [10, 0])
    assert.deepEqual(
      engine.reprocess.tasks(job).map(({ taskId }) => taskId),
      [again.taskId, task.taskId],
    )
  })

  it('over many events goes on in the background while new ones come in, each counted once', async (test) => {
    const dataDir = taughtDirectory(test)
    const engine = await open(test, dataDir)
    const job = find(engine)
    const task = await engine.reprocess.start(job, {}, ann, 0)
    assert.equal(task.finishedMicros, null)
    await inTheMiddle(engine, job, task)
    // New versions of events that it has and has not come to, and new events.
    const posts = Array.from({ length: 200 }, (_, i) =>
      ingest(engine, job, { host: 'noisy', again: i }, i % 2 === 0 ? `e${i * 2}` : `new ${i}`),
    )
    const views = await Promise.all(posts)
    assert.ok(views.every(({ resultLabel }) => resultLabel === 'Drop'))
    const end = await over(engine, job, task)
    assert.equal(end.state, 'finished')
    assert.equal(end.matched, MANY)
    assert.ok(end.updated <= MANY && end.updated >= MANY - 100, `${end.updated}`)
    await everyEventIsDecided(engine, job, dataDir, MANY)
  })

  it('goes on after a restart where it was, and counts each event once', async (test) => {
    const dataDir = taughtDirectory(test)
    const first = await open(test, dataDir)
    const task = await first.reprocess.start(find(first), {}, ann, 0)
    await inTheMiddle(first, find(first), task)
    await first.close()
    const second = await open(test, dataDir)
    const end = await over(second, find(second), task)
    assert.deepEqual([end.state, end.matched, end.updated, end.changed], ['finished', MANY, MANY, MANY])
    await everyEventIsDecided(second, find(second), dataDir, MANY)
  })

  it('waits while its job is stopped, and goes on when it starts; a stopped job takes none', async (test) => {
    const engine = await open(test, taughtDirectory(test))
    const job = find(engine)
    const task = await engine.reprocess.start(job, {}, ann, 0)
    await inTheMiddle(engine, job, task)
    const next = engine.reprocess.start(
      job,
      { filters: [{ field: 'host', operator: 'is', value: 'nowhere' }] },
      ann,
      60,
    )
    await engine.stopJob(job, testAuthor)
    assert.equal(engine.reprocess.task(job, task.taskId).state, 'waiting')
    assert.equal((await next).state, 'waiting', 'and so nobody waits for it')
    await assert.rejects(engine.reprocess.start(job, {}, ann), refusedWith('job_stopped'))
    await assert.rejects(engine.reprocess.event(job, 'e0', ann), refusedWith('job_stopped'))
    // What was under way when it stopped is counted before this vote; then nothing moves.
    await engine.giveFeedback(job, 'e0', { analyst: 'ann', label: 'Drop' }, testAuthor)
    const { updated } = engine.reprocess.task(job, task.taskId)
    await sleep(50)
    assert.equal(engine.reprocess.task(job, task.taskId).updated, updated)
    assert.ok(updated < MANY)
    await engine.startJob(job, testAuthor)
    assert.equal((await over(engine, job, task)).updated, MANY)
  })

  it('comes after the one before it; both count what they decide', async (test) => {
    const engine = await open(test, taughtDirectory(test))
    const job = find(engine)
    const [one, two] = await Promise.all([
      engine.reprocess.start(job, {}, ann, 0),
      engine.reprocess.start(job, { filters: [] }, bob, 0),
    ])
    assert.notEqual(one.taskId, two.taskId)
    await inTheMiddle(engine, job, one)
    assert.equal(engine.reprocess.task(job, two.taskId).state, 'queued')
    assert.equal((await over(engine, job, one)).updated, MANY)
    const second = await over(engine, job, two)
    assert.deepEqual([second.updated, second.changed], [MANY, 0])
  })

  it('that is cancelled keeps what it has decided and decides no more', async (test) => {
    const engine = await open(test, taughtDirectory(test))
    const job = find(engine)
    const task = await engine.reprocess.start(job, {}, ann, 0)
    await inTheMiddle(engine, job, task)
    const cancelled = await engine.reprocess.cancel(job, task.taskId, ann)
    assert.equal(cancelled.state, 'cancelled')
    assert.ok(cancelled.updated > 0 && cancelled.updated < MANY)
    await sleep(50)
    assert.deepEqual(engine.reprocess.task(job, task.taskId), cancelled)
    assert.deepEqual(await engine.reprocess.cancel(job, task.taskId, ann), cancelled)
    assert.equal((await engine.reprocess.start(job, { endDate: '1990-01-01' }, ann)).updated, 0)
  })

  it('ends with its job, and leaves no row of it', async (test) => {
    const dataDir = taughtDirectory(test)
    const engine = await open(test, dataDir)
    const job = find(engine)
    const task = await engine.reprocess.start(job, {}, ann, 0)
    const waiting = assert.rejects(engine.reprocess.start(job, {}, ann, 60), refusedWith('job_not_found'))
    await inTheMiddle(engine, job, task)
    await engine.deleteResource({ type: 'job', title: 'job' }, testAuthor)
    assertRefused('job_not_found', () => engine.reprocess.task(job, task.taskId))
    await waiting
    const environment = openShard(dataDir, 0)
    const left = (): number => {
      environment.refresh()
      return shardTables
        .filter((table) => !sharedTables.includes(table))
        .reduce(
          (sum, table) => sum + [...environment.range(table, { from: jobKey(job.id), to: jobKey(job.id + 1) })].length,
          0,
        )
    }
    while (left() > 0) await sleep(10)
    await sleep(50)
    assert.equal(left(), 0)
    await environment.close()
  })

  it('is one of a bounded number, and of one job', async (test) => {
    const engine = await open(test, taughtDirectory(test))
    const job = find(engine)
    const query = await Promise.allSettled(
      Array.from({ length: limits.reprocessTasksWaitingMax + 5 }, () => engine.reprocess.start(job, {}, ann, 0)),
    )
    const refused = query.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 5)
    assert.ok(refused.every((one) => refusedWith('limit_exceeded')((one as PromiseRejectedResult).reason)))
    for (const id of ['', 'nobody', '001k0sarx9qwc'])
      assertRefused('task_not_found', () => engine.reprocess.task(job, id))
    await assert.rejects(engine.reprocess.cancel(job, 'nobody', ann), refusedWith('task_not_found'))
    for (const { taskId } of engine.reprocess.tasks(job)) await engine.reprocess.cancel(job, taskId, ann)
  })
})

describe('a reprocessing task whose looks fail', () => {
  const settings = jobSettings()

  /** Over a shard in memory; the first `failures` looks are those of a thread that dies. */
  async function overShard(failures: number): Promise<{ reprocessing: Reprocessing; told: string[] }> {
    const shard = new TestShard()
    for (let i = 0; i < 5; i++) await shard.ingest(settings, { host: 'a' }, `e${i}`)
    const told: string[] = []
    const post = (job: JobSettings, kind: MessageKind, id: string | null, body?: Uint8Array): Promise<unknown> => {
      return shard.post({ job, kind, eventId: id, ...(body === undefined ? {} : { body }) })
    }
    const shards = {
      count: 1,
      messages: 0,
      reader: () => shard.reader(),
      ask: post,
      insist: (job: JobSettings, kind: MessageKind, body?: Uint8Array) => post(job, kind, null, body),
    }
    let left = failures
    const reprocessing = new Reprocessing({
      dataDir: '',
      serviceNames: ['service'],
      shards,
      collector: { ask: post },
      thread: {
        async run(task) {
          if (left-- > 0) throw new Error('the thread died')
          return searchEvents(shard.environment, task)
        },
        async close() {},
      },
      current: () => settings,
      job: () => settings,
      mustAccept: () => {},
      accepting: () => true,
      failed: (what) => told.push(what),
    })
    return { reprocessing, told }
  }

  it('once or twice looks again', async () => {
    const { reprocessing, told } = await overShard(2)
    const task = await reprocessing.start(settings, {}, ann)
    assert.deepEqual([task.state, task.updated, told], ['finished', 5, []])
  })

  it('again and again is given up with its reason, and the next one is taken', async () => {
    const { reprocessing, told } = await overShard(3)
    const task = await reprocessing.start(settings, {}, ann)
    assert.deepEqual([task.state, task.message, task.updated, told.length], ['failed', 'the thread died', 0, 1])
    assert.equal((await reprocessing.start(settings, {}, ann)).state, 'finished')
  })
})
