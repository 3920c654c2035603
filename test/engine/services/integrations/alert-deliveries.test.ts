/** Watchdogs told by integrations: over a real engine and a real receiver, through refusals and restarts. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openEngine, type Engine } from '../../../../engine/index.js'
import { ManualClock } from '../../../../engine/clock.js'
import type { Monitor } from '../../../../engine/services/monitor/monitor.js'
import { eventually } from '../../../support/client.js'
import { HttpReceiver, status } from '../../../support/servers/receiver.js'
import { testAuthor } from '../../../support/author.js'

const dir = mkdtempSync(join(tmpdir(), 'alert-desk-'))
const clock = new ManualClock()
const by = { kind: 'user', name: 'tester' }
const memory = { type: 'memory', condition: 'resident_bytes', jobId: null, forSeconds: 0 } as const
/** Of a process that runs. */
const fires = { threshold: 1 }
let engine: Engine
let receiver: HttpReceiver

const open = async (): Promise<void> => {
  engine = await openEngine({
    dataDir: dir,
    name: 'service',
    shards: 1,
    threads: 1,
    clock,
    privateHosts: ['127.0.0.1'],
    adminPassword: 'administrator',
    passwordCost: 10,
    bootstrapKey: 'bootstrap-key-for-tests',
  })
}
const watchdogs = (): Monitor['watchdogs'] => (engine.monitor as Monitor).watchdogs
/** Whoever is told of it was told of all before it. */
const another = async (): Promise<{ id: string }> => {
  const made = watchdogs().create({ ...memory, ...fires, title: 'another', integrations: ['Hook'] }, by)
  await look()
  return made
}
const look = async (): Promise<void> => {
  clock.advanceMs(10_000)
  await watchdogs().checks.run()
}
/** What the webhook got of a watchdog, each once: deliveries may come twice. */
const told = (id: string): any[] => {
  const hooked = receiver.received
    .filter(({ path }) => path === '/')
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data?.watchdog_id === id)
  return hooked.filter((one, at) => hooked.findIndex((other) => other.id === one.id) === at)
}
const toldOf = (id: string, count: number): Promise<any[]> =>
  eventually(
    async () => told(id),
    (all) => all.length >= count,
  )

before(async () => {
  receiver = await HttpReceiver.open()
  await open()
  await engine.applyResources(
    {
      resources: {
        hook: {
          type: 'integration',
          properties: {
            title: 'Hook',
            integration_type: 'Webhook',
            parameters: { url: receiver.url, secret: 'a secret' },
          },
        },
        chat: {
          type: 'integration',
          properties: { title: 'Chat', integration_type: 'Slack message', parameters: { url: `${receiver.url}/chat` } },
        },
        cases: {
          type: 'integration',
          properties: {
            title: 'Cases',
            integration_type: 'TheHive',
            parameters: { url: receiver.url, api_key: 'a key of TheHive' },
          },
        },
        job: {
          type: 'job',
          properties: {
            title: 'Watched',
            category: 'Decision intelligence',
            decision_points: ['rule'],
            pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', enabled: true }],
          },
        },
      },
    },
    false,
    testAuthor,
  )
})
after(async () => {
  await engine.close()
  await receiver.close()
  rmSync(dir, { recursive: true })
})

test('that it fires and resolves is posted, signed, by each integration that it names, across a restart', async () => {
  const { id, integrations } = watchdogs().create(
    { ...memory, ...fires, title: 'Too much & more', integrations: ['Hook', 'Chat'] },
    by,
  )
  assert.deepEqual(
    integrations.map(({ title }) => title),
    ['Hook', 'Chat'],
  )
  await look()
  await toldOf(id, 1)
  const chatted = await eventually(
    async () => receiver.received.find(({ path }) => path === '/chat'),
    (one) => one !== undefined,
  )
  const hooked = receiver.received.find(({ path }) => path === '/')!
  const { type, id: delivery, data } = JSON.parse(hooked.body)
  assert.deepEqual(
    [type, data.state, data.watchdog_id, data.title, data.job_id, data.threshold],
    ['watchdog.firing', 'firing', id, 'Too much & more', null, 1],
  )
  assert.ok(data.value > 1e6 && /^resident_bytes is \S+ bytes; it fires above 1$/.test(data.message), data.message)
  assert.equal(hooked.headers['webhook-id'], delivery)
  assert.match(String(hooked.headers['webhook-signature']), /^v1,/)
  assert.match(chatted!.body, /\*Firing\*: Too much &amp; more\. resident_bytes/)
  const batch = await eventually(
    async () =>
      engine.monitor
        .batches(['delivery'], 10)
        .find(({ container }) => container === `integration/${integrations[0]!.id}`),
    (one) => one !== undefined,
  )
  assert.deepEqual([batch!.jobId, batch!.items, batch!.error], [null, 1, null])
  await look()
  // Nobody is there while it ends: it is told after the restart.
  receiver.answer = status(503)
  watchdogs().remove(id, by)
  await engine.close()
  receiver.received.length = 0
  receiver.answer = status(200)
  await open()
  const resolved = await eventually(
    async () => told(id).find(({ type: told }) => told === 'watchdog.resolved'),
    (one) => one !== undefined,
  )
  assert.equal(resolved.data.value, null)
})

test('what is refused is kept with the failed deliveries, and sent again', async () => {
  receiver.answer = status(400)
  const { id } = watchdogs().create({ ...memory, ...fires, title: 'refused', integrations: ['Hook'] }, by)
  await look()
  const lettersOf = async () =>
    (await engine.integrations.deadLetters({ page: 0, size: 9 })).deadLetters.filter(
      ({ eventId }) => eventId === `watchdog-${id}`,
    )
  const [deadLetter] = await eventually(lettersOf, ({ length }) => length === 1)
  assert.deepEqual(
    [deadLetter?.jobId, deadLetter?.integrationTitle, deadLetter?.eventId, deadLetter?.state],
    [0, 'Hook', `watchdog-${id}`, 'dead'],
  )
  receiver.answer = status(200)
  assert.deepEqual(await engine.integrations.sendAgain({ id: deadLetter!.id }), { deadLetters: 1, steps: 0 })
  await toldOf(id, 1)
  const views = await eventually(
    () => engine.integrations.deliveries(),
    (all) => all[0]?.dead === 0,
  )
  assert.deepEqual(
    views.filter(({ jobId }) => jobId === 0).map(({ integrationTitle, state }) => [integrationTitle, state]),
    [
      ['Hook', 'running'],
      ['Chat', 'running'],
    ],
  )
  watchdogs().remove(id, by)
  await toldOf(id, 2)
})

test('it tells at most once in its throttle, and what was not told is not told to be over', async () => {
  const { id } = watchdogs().create(
    { ...memory, ...fires, title: 'often', integrations: ['Hook'], throttleSeconds: 60 },
    by,
  )
  await look()
  await toldOf(id, 1)
  for (let i = 0; i < 3; i++) {
    watchdogs().enable(id, false, by)
    watchdogs().enable(id, true, by)
    await look()
  }
  watchdogs().remove(id, by)
  await toldOf(id, 2)
  await toldOf((await another()).id, 1)
  assert.deepEqual(
    told(id).map(({ type }) => type),
    ['watchdog.firing', 'watchdog.resolved'],
  )
})

test('integrations that there are not, or that cannot tell, are refused', () => {
  for (const name of ['Nobody', 4_711, 'Cases', 'External REST API']) {
    assert.throws(() => watchdogs().create({ ...memory, title: 'x', integrations: [name] }, by), {
      code: 'invalid_body',
    })
  }
})

test("a job's monitors are its watchdogs, told by its post decision steps, and leave with it", async () => {
  const monitoring = (settings: object): Promise<unknown> =>
    engine.applyResources(
      {
        resources: {
          job: {
            type: 'job',
            properties: {
              title: 'Watched',
              category: 'Decision intelligence',
              decision_points: ['rule'],
              advanced_settings: { monitoring_settings: settings },
            },
          },
        },
      },
      true,
      testAuthor,
    )
  await monitoring({
    throttling: 30,
    monitors: [
      { name: 'no_data', active: true, interval_check: '60' },
      { name: 'undecided_ballots', active: false },
      { name: 'something else', active: true },
      { name: 'disk', active: true },
    ],
  })
  const views = watchdogs()
    .list()
    .filter(({ monitor }) => monitor !== null)
  assert.deepEqual(
    views.map(({ monitor, type, condition, enabled, intervalSeconds, throttleSeconds, integrations }) => {
      return [
        monitor,
        type,
        condition,
        enabled,
        intervalSeconds,
        throttleSeconds,
        integrations.map(({ title }) => title).join(),
      ]
    }),
    [
      ['no_data', 'no_data', 'minutes_without_events', true, 60, 30, 'Hook'],
      ['undecided_ballots', 'disagreement', 'undecided_ballots', false, 10, 30, 'Hook'],
    ],
  )
  assert.throws(() => watchdogs().enable(views[0]!.id, false, by), { code: 'watchdog_of_job' })
  assert.throws(() => watchdogs().remove(views[0]!.id, by), { code: 'watchdog_of_job' })
  await monitoring({
    monitors: [
      { name: 'no_data', active: false },
      { name: 'outlier_rate', active: true },
    ],
  })
  const left = watchdogs()
    .list()
    .filter(({ monitor }) => monitor !== null)
  assert.deepEqual(
    left.map(({ id, monitor, state, throttleSeconds }) => [id, monitor, state, throttleSeconds]).sort(),
    [
      [views[0]!.id, 'no_data', 'disabled', 0],
      [String(Number(views[1]!.id) + 1), 'outlier_rate', 'unknown', 0],
    ].sort(),
  )
  await engine.deleteResource({ type: 'job', title: 'Watched' }, testAuthor)
  assert.deepEqual(
    watchdogs()
      .list()
      .filter(({ monitor }) => monitor !== null),
    [],
  )
})
