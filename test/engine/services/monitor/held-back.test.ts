/**
 * What a watchdog may not tell at once is told later, over a real engine and a real receiver: after its throttle,
 * and as a reminder. Watchdogs of working hours rest outside of them.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { openEngine, type Engine } from '../../../../engine/index.js'
import type { Monitor } from '../../../../engine/services/monitor/monitor.js'
import { testAuthor } from '../../../support/author.js'
import { eventually } from '../../../support/client.js'
import { HttpReceiver } from '../../../support/servers/receiver.js'

/** A Friday in Berlin, 12:00. */
const FRIDAY = Date.parse('2026-11-27T11:00:00Z') * 1_000
const HOURS = 'mon-fri 08:00-18:00'
const KEY = 'bootstrap-key-for-tests'
const dir = mkdtempSync(join(tmpdir(), 'held-back-'))
const clock = new ManualClock(FRIDAY)
const by = { kind: 'user', name: 'tester' }
let engine: Engine
let receiver: HttpReceiver
let jobId: number

const watchdogs = (): Monitor['watchdogs'] => (engine.monitor as Monitor).watchdogs

async function look(minutes: number): Promise<void> {
  clock.advanceMs(minutes * 60_000)
  await watchdogs().checks.run()
}

function toTime(text: string): Promise<void> {
  return look((Date.parse(text) * 1_000 - clock.nowMicros()) / 60e6)
}

/** An event comes: silence is over. */
async function event(): Promise<void> {
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  const job = engine.jobByTitle(principal, 'Source')
  await new Promise<void>((resolve, reject) => {
    engine.ingest(job, null, false, Buffer.from('{"raw_body":{"rule":"a"}}'), {
      ingested: () => resolve(),
      refused: reject,
    })
  })
}

/** What the webhook got of a watchdog, in order. */
async function told(id: string, count: number): Promise<any[]> {
  const all = await eventually(
    async () =>
      receiver
        .bodies()
        .filter(({ data }) => data.watchdog_id === id)
        .filter((one, at, list) => list.findIndex((other) => other.id === one.id) === at),
    (list) => list.length >= count,
  )
  assert.equal(all.length, count, JSON.stringify(all))
  return all
}

before(async () => {
  receiver = await HttpReceiver.open()
  engine = await openEngine({
    dataDir: dir,
    name: 'service',
    shards: 1,
    threads: 1,
    clock,
    timeZone: 'Europe/Berlin',
    privateHosts: ['127.0.0.1'],
    adminPassword: 'administrator',
    passwordCost: 10,
    bootstrapKey: KEY,
  })
  const hook = {
    type: 'integration',
    properties: { title: 'Hook', integration_type: 'Webhook', parameters: { url: receiver.url } },
  }
  const job = {
    type: 'job',
    properties: {
      title: 'Source',
      category: 'Decision intelligence',
      decision_points: ['rule'],
      advanced_settings: { working_hours: HOURS },
    },
  }
  const outcome = await engine.applyResources({ resources: { hook, job } }, false, testAuthor)
  jobId = Number(outcome.created.find(({ type }) => type === 'job')!.internalId)
})
after(async () => {
  await engine.close()
  await receiver.close()
  rmSync(dir, { recursive: true })
})

function silence(more: object): string {
  const made = watchdogs().create(
    {
      title: 'silent',
      type: 'no_data',
      condition: 'minutes_without_events',
      jobId,
      threshold: 5,
      forSeconds: 0,
      integrations: ['Hook'],
      ...more,
    },
    by,
  )
  return made.id
}

describe('a watchdog that is throttled to an hour', () => {
  it('is told when the hour is over, and since when it fires, if it resolves, fires again and stays', async () => {
    await event()
    const id = silence({ throttleSeconds: 3_600 })
    await look(6)
    await event()
    await look(1)
    await look(6)
    const since = clock.nowMicros()
    await told(id, 2)
    await look(40)
    await told(id, 2)
    await look(14)
    const [first, resolved, late] = await told(id, 3)
    assert.match(resolved.data.message, /is 1 minute; it fired above 5/)
    assert.deepEqual(
      [first.type, resolved.type, late.type, late.data.reminder, late.data.fired_count],
      ['watchdog.firing', 'watchdog.resolved', 'watchdog.firing', false, 1],
    )
    assert.equal(Date.parse(late.data.firing_since) * 1_000, since)
    assert.match(late.data.message, /Firing since 2026-11-27 12:13 Europe\/Berlin$/)
    await event()
    await look(1)
    const over = (await told(id, 4)).at(-1)
    assert.deepEqual([over.type, over.data.fired_count], ['watchdog.resolved', 0])
    watchdogs().remove(id, by)
  })

  it('is told when the hour is over if it fired in it and is over', async () => {
    await event()
    const id = silence({ throttleSeconds: 3_600 })
    await look(6)
    await event()
    await look(1)
    for (let again = 0; again < 2; again++) {
      await look(6)
      await event()
      await look(1)
    }
    await told(id, 2)
    for (let minutes = 0; minutes < 50; minutes += 4) {
      await event()
      await look(4)
    }
    const last = (await told(id, 3)).at(-1)
    assert.deepEqual([last.type, last.data.fired_count, last.data.firing_since], ['watchdog.resolved', 2, null])
    assert.match(last.data.message, /It fired 2 times since the last message$/)
    watchdogs().remove(id, by)
  })
})

it('a watchdog with reminders is told of again while it fires, and no more when it is over', async () => {
  await event()
  const id = silence({ reminderSeconds: 2 * 3_600 })
  await look(6)
  await look(60)
  await told(id, 1)
  await look(60)
  await look(120)
  const [, second, third] = await told(id, 3)
  assert.deepEqual([second.data.reminder, third.data.reminder], [true, true])
  assert.match(third.data.message, /\. It still fires, since 2026-11-27 \d\d:\d\d Europe\/Berlin$/)
  await event()
  await look(1)
  await look(300)
  const kinds = (await told(id, 5)).map(({ type }) => type)
  assert.deepEqual(kinds.slice(3), ['watchdog.resolved', 'watchdog.firing'])
  watchdogs().remove(id, by)
})

describe('a watchdog of working hours', () => {
  it('counts their minutes only: a source may be silent over a weekend', async () => {
    await toTime('2026-12-04T16:58:00Z')
    await event()
    const id = silence({ workingHoursOnly: true })
    await toTime('2026-12-04T18:00:00Z')
    await toTime('2026-12-05T11:00:00Z')
    await toTime('2026-12-07T06:59:00Z')
    await told(id, 0)
    await toTime('2026-12-07T07:02:00Z')
    assert.equal(watchdogs().get(id).value, 4)
    await told(id, 0)
    await toTime('2026-12-07T07:04:00Z')
    assert.equal((await told(id, 1))[0].data.value, 6)
    watchdogs().remove(id, by)
  })

  it('is refused where there are no working hours', () => {
    const made = () =>
      watchdogs().create(
        { title: 'x', type: 'memory', condition: 'resident_bytes', jobId: null, workingHoursOnly: true },
        by,
      )
    assert.throws(made, { code: 'invalid_body', message: /there are no working hours/ })
  })
})
