/** Retention over the parts of an engine: old and surplus events go, votes stay, and the store is whole behind it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { Refusal } from '../../../../engine/errors.js'
import { RetentionSweep } from '../../../../engine/services/erase/retention.js'
import type { ReadableShards } from '../../../../engine/services/read/job-reader.js'
import { encodeFeedback } from '../../../../engine/actor/votes/feedback.js'
import { verifyDataDir } from '../../../../engine/services/verify/verify.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { jobRange } from '../../../../engine/store/tables.js'
import { testAuthor } from '../../../support/author.js'
import { wireParts, type EngineParts } from '../../../support/engine/wired.js'

const DAY_MS = 86_400_000
const dir = mkdtempSync(join(tmpdir(), 'retention-'))
const clock = new ManualClock()
const by = { kind: 'user', name: 'ann' }
let parts: EngineParts
let closed = false

before(async () => {
  const options = {
    dataDir: dir,
    name: 'service',
    threads: 1,
    clock,
    adminPassword: 'administrator',
    passwordCost: 10,
    bootstrapKey: 'bootstrap-key-for-tests',
  }
  parts = await wireParts(options)
})
after(async () => {
  if (!closed) await parts.close()
  rmSync(dir, { recursive: true })
})

function setUp(retention: object | null): JobSettings {
  const properties = {
    title: 'kept',
    category: 'Decision intelligence',
    decision_points: ['rule'],
    advanced_settings: retention === null ? {} : { retention },
  }
  parts.resources.apply({ resources: { job: { type: 'job', properties } } }, true, testAuthor)
  return parts.resources.jobByTitle('kept')!
}

async function ingest(id: string, rule: string): Promise<void> {
  const job = parts.resources.jobByTitle('kept')!
  const body = Buffer.from(JSON.stringify({ job_id: job.id, raw_body: { rule } }))
  await new Promise<void>((resolve, reject) => {
    const receiver = { ingested: () => resolve(), refused: reject }
    parts.shards.post({ job, kind: 'ingest', eventId: id, idInBody: false, body, receiver })
  })
  clock.advanceMs(1)
}

function stats() {
  const job = parts.resources.jobByTitle('kept')!
  return parts.shards.reader(job.shard).stats(job)
}

test('a job without retention keeps everything', async () => {
  const job = setUp(null)
  for (let at = 0; at < 300; at++) await ingest(`old-${at}`, at === 0 ? 'voted' : `rule ${at % 7}`)
  await parts.shards.ask(job, 'feedback', 'old-0', encodeFeedback({ analyst: 'ann', label: 'Escalate' }, by))
  clock.advanceMs(40 * DAY_MS)
  assert.equal(await parts.retention.sweep(), 0)
  assert.equal(stats().events, 300)
})

test('a clock that is days ahead is believed when it has gone on so for a day', async () => {
  setUp({ days: 30 })
  assert.equal(await parts.retention.sweep(), 0)
  clock.advanceMs(DAY_MS - 60_000)
  assert.equal(await parts.retention.sweep(), 0)
  clock.advanceMs(60_000)
})

test('what is older than its days goes, in as many pieces as it takes, and votes stay', async () => {
  for (let at = 0; at < 20; at++) await ingest(`new-${at}`, 'fresh')
  assert.equal(await parts.retention.sweep(), 300)
  const { events, feedbackEvents, consensusCounts } = stats()
  assert.deepEqual([events, feedbackEvents, consensusCounts.reduce((a, b) => a + b)], [20, 0, 1])
})

test('of too many the oldest go', async () => {
  const job = setUp({ days: 30, max_events: 5 })
  assert.equal(await parts.retention.sweep(), 15)
  assert.equal(await parts.retention.sweep(), 0)
  assert.equal(parts.shards.reader(job.shard).event(job, 'new-15').eventId, 'new-15')
  assert.throws(() => parts.shards.reader(job.shard).event(job, 'new-14'), { code: 'event_not_found' })
})

test('a vote that outlived its event still answers', async () => {
  await ingest('again', 'voted')
  const job = parts.resources.jobByTitle('kept')!
  assert.equal(parts.shards.reader(job.shard).event(job, 'again').bucketState, 'pending')
})

test('what is no retention is refused', () => {
  for (const retention of [{ days: 0 }, { days: 1.5 }, { max_events: -1 }, { weeks: 3 }, 'short']) {
    assert.throws(() => setUp(retention as object), { code: 'invalid_resources' }, JSON.stringify(retention))
  }
})

test('a job whose events cannot be deleted keeps none of the others from it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'retention-'))
  const begin = async (): Promise<EngineParts> => {
    const options = {
      dataDir: path,
      name: 'service',
      threads: 1,
      clock,
      adminPassword: 'administrator',
      passwordCost: 10,
      bootstrapKey: 'bootstrap-key-for-tests',
    }
    return await wireParts(options)
  }
  let own = await begin()
  const titles = ['broken', 'sound']
  for (const title of titles) {
    const properties = {
      title,
      category: 'Decision intelligence',
      decision_points: ['rule'],
      advanced_settings: { retention: { max_events: 1 } },
    }
    own.resources.apply({ resources: { job: { type: 'job', properties } } }, true, testAuthor)
    const job = own.resources.jobByTitle(title)!
    for (let at = 0; at < 3; at++) {
      const body = Buffer.from(JSON.stringify({ job_id: job.id, raw_body: { rule: 'r' } }))
      await new Promise<void>((resolve, reject) => {
        const receiver = { ingested: () => resolve(), refused: reject }
        own.shards.post({ job, kind: 'ingest', eventId: `e${at}`, idInBody: false, body, receiver })
      })
    }
  }
  const [broken, sound] = titles.map((title) => own.resources.jobByTitle(title)!)
  await own.close()
  const shard = openShard(path, 0)
  const batch = new WriteBatch()
  for (const { key } of shard.range('events', { ...jobRange(broken!.id), limit: 1 }))
    batch.put('events', key, Buffer.from([255, 1, 2, 3]))
  shard.commit(batch)
  await shard.close()
  own = await begin()
  await assert.rejects(own.retention.sweep())
  assert.equal(own.shards.reader(0).stats(sound!).events, 1)
  await own.close()
  rmSync(path, { recursive: true })
})

test('events that a job keeps since are not purged because their shard was busy before', async () => {
  setUp(null)
  for (const id of ['k1', 'k2', 'k3']) await ingest(id, 'kept')
  const job = setUp({ max_events: 1 })
  const before = parts.shards.reader(0).stats(job).events
  const shards = {
    count: 1,
    messages: 0,
    reader: () => parts.shards.reader(0),
    ask: async () => {
      setUp({ max_events: 1_000_000 })
      throw new Refusal('mailbox_full', 'busy')
    },
  } as unknown as ReadableShards
  const failed = (_: string, error: unknown): void => assert.fail(error as Error)
  const deps = { resources: parts.resources, logs: parts.logs, shards, store: parts.catalogStore, clock, failed }
  const sweep = new RetentionSweep({ ...deps, accepting: () => true })
  assert.equal(await sweep.sweep(), 0)
  await sweep.close()
  assert.equal(parts.shards.reader(0).stats(job).events, before)
})

test('every record, index and counter is in order behind it', async () => {
  await parts.close()
  closed = true
  assert.deepEqual((await verifyDataDir(dir)).problems, [])
})
