/** Watchdogs over a real engine: they fire, resolve, are told to the audit log, and survive a restart. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopesOfRole } from '../../../../engine/api/scopes.js'
import { openEngine, type Engine } from '../../../../engine/index.js'
import { ManualClock } from '../../../../engine/clock.js'
import type { Monitor } from '../../../../engine/services/monitor/monitor.js'

const dir = mkdtempSync(join(tmpdir(), 'watchdogs-'))
const clock = new ManualClock()
const by = { kind: 'user', name: 'tester', scopes: scopesOfRole.administrator }
let engine: Engine

after(async () => {
  await engine.close()
  rmSync(dir, { recursive: true })
})

async function open(): Promise<Engine> {
  return (engine = await openEngine({
    dataDir: dir,
    name: 'service',
    shards: 1,
    threads: 1,
    clock,
    adminPassword: 'administrator',
    passwordCost: 10,
    bootstrapKey: 'bootstrap-key-for-tests',
  }))
}

function watchdogs(): Monitor['watchdogs'] {
  return (engine.monitor as Monitor).watchdogs
}

/** Runs so many checks, with ten seconds between two. */
async function check(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await watchdogs().checks.run()
    clock.advanceMs(10_000)
  }
}

async function told(): Promise<string[]> {
  const { records } = await engine.audit.entries({ page: 0, size: 50, order: 'asc', objectTypes: ['watchdog'] })
  return records.map(({ action }) => action)
}

test('it fires and resolves into the audit log, across a restart', async () => {
  await open()
  const memory = { title: 'memory', type: 'memory', condition: 'resident_bytes', jobId: null, threshold: 1 } as const
  const { id } = watchdogs().create({ ...memory, forSeconds: 20 }, by)
  await check(2)
  assert.equal(watchdogs().get(id).state, 'ok')
  await check(2)
  assert.equal(watchdogs().get(id).state, 'firing')
  assert.ok((watchdogs().get(id).value ?? 0) > 1e6)
  assert.deepEqual(await told(), ['created', 'fired'])
  assert.deepEqual(
    engine.monitor.figures().watchdogs.map(({ isFiring }) => isFiring),
    [true],
  )
  await engine.close()
  await open()
  assert.equal(watchdogs().get(id).state, 'firing')
  await check(4)
  assert.deepEqual(await told(), ['created', 'fired'], 'it goes on as it was')
  watchdogs().enable(id, false, by)
  await check(1)
  assert.equal(watchdogs().get(id).state, 'disabled')
  watchdogs().remove(id, by)
  assert.deepEqual(await told(), ['created', 'fired', 'disabled', 'deleted'])
  assert.throws(() => watchdogs().get(id), { code: 'watchdog_not_found' })
})

test('a clock that is set back begins the look anew, and does not end it until it is where it was', async () => {
  const { id } = watchdogs().create(
    { title: 'back', type: 'memory', condition: 'resident_bytes', jobId: null, threshold: 1, forSeconds: 20 },
    by,
  )
  await check(2)
  clock.advanceMs(-3_600_000)
  await check(2)
  assert.equal(watchdogs().get(id).state, 'ok')
  await check(2)
  assert.equal(watchdogs().get(id).state, 'firing')
  watchdogs().remove(id, by)
})

test('every condition can be measured, or says that there is nothing to measure', async () => {
  const types = [
    'no_data',
    'undecided_events',
    'job_in_error',
    'queue_length',
    'disk',
    'memory',
    'confidence_drift',
    'outlier_rate',
    'disagreement',
    'clock',
  ] as const
  for (const type of types) {
    for (const { name } of watchdogs().conditions(type))
      watchdogs().create({ title: name, type, condition: name, jobId: null }, by)
  }
  await check(1)
  const values = new Map(
    watchdogs()
      .list()
      .map(({ condition, value }) => [condition, value]),
  )
  for (const condition of [
    'training_failed',
    'steps_failing',
    'messages_waiting',
    'bytes_waiting',
    'models_ageing',
    'undecided_ballots',
    'clock_behind_seconds',
  ]) {
    assert.equal(values.get(condition), 0, condition)
  }
  for (const condition of ['free_percent', 'store_bytes', 'resident_bytes'])
    assert.ok((values.get(condition) ?? 0) > 0, condition)
  for (const condition of ['minutes_without_events', 'undecided_percent', 'outlier_percent'])
    assert.equal(values.get(condition), null, condition)
})

test('what does not fit is refused with its place', () => {
  const create = (change: object): void =>
    void watchdogs().create({ title: 'x', type: 'disk', condition: 'free_percent', jobId: null, ...change }, by)
  const refused = (change: object, field: string): void => {
    assert.throws(
      () => create(change),
      (error: { code: string; context: { issues: { loc: string[] }[] } }) => {
        return error.code === 'invalid_body' && error.context.issues[0]?.loc[1] === field
      },
    )
  }
  refused({ condition: 'nothing' }, 'condition')
  refused({ title: ' ' }, 'title')
  refused({ jobId: 1 }, 'job_id')
  refused({ resolveThreshold: 5 }, 'resolve_threshold')
  refused({ windowMinutes: 5 }, 'window_minutes')
  refused({ forSeconds: -1 }, 'for_seconds')
  refused({ type: 'feedback_lag', condition: 'minutes_without_feedback' }, 'job_id')
  assert.throws(() => create({ type: 'no_data', condition: 'minutes_without_events', jobId: 77 }), {
    code: 'job_not_found',
  })
})

test('those of a job go with it, whoever made them; one that fires is not left firing', async () => {
  const document = {
    j: { type: 'job', properties: { title: 'watched', category: 'Decision intelligence', decision_points: ['a'] } },
  }
  const {
    created: [job],
  } = await engine.applyResources({ resources: document }, false, by)
  const jobId = Number(job!.internalId)
  const view = watchdogs().create(
    { title: 'of a job', type: 'job_in_error', condition: 'training_failed', jobId, threshold: -1, forSeconds: 0 },
    by,
  )
  await check(2)
  assert.equal(watchdogs().get(view.id).state, 'firing')
  await engine.deleteResource({ type: 'job', id: String(jobId) }, by)
  assert.throws(() => watchdogs().get(view.id), { code: 'watchdog_not_found' })
  const { records } = await engine.audit.entries({ page: 0, size: 100, order: 'asc', objectTypes: ['watchdog'] })
  assert.deepEqual(
    records.filter(({ object }) => object.id === view.id).map(({ action }) => action),
    ['created', 'fired', 'deleted'],
  )
})
