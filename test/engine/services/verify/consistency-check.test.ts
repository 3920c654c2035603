/** Files of a data directory that were lost, or are older ones: what a start refuses, and what may be accepted. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openEngine, verifyDataDir, type Engine, type EngineOptions, type JobHandle } from '../../../../engine/index.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { catalogTables, decodeRecord } from '../../../../engine/resource/records.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { openCatalog, openShard } from '../../../../engine/store/directory/environments.js'
import { refusedWith } from '../../../support/engine/refusal.js'
import { testAuthor } from '../../../support/author.js'

const KEY = 'management-key-of-the-belonging-test'
const dir = mkdtempSync(join(tmpdir(), 'belonging-'))
const [early, late] = [join(dir, 'early'), join(dir, 'late')]
const isInvalid = refusedWith('data_dir_invalid')

function open(dataDir: string, more: Partial<EngineOptions> = {}): Promise<Engine> {
  return openEngine({
    dataDir,
    name: 'service',
    shards: 2,
    threads: 1,
    bootstrapKey: KEY,
    adminPassword: 'administrator',
    passwordCost: 10,
    ...more,
  })
}

function jobOf(engine: Engine): JobHandle {
  return engine.jobByTitle(engine.authenticate(KEY)!, 'a job')
}

function post(engine: Engine, id: string): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ raw_body: { rule: id } }))
  return new Promise((resolve, reject) =>
    engine.ingest(jobOf(engine), id, false, body, { ingested: resolve, refused: reject }),
  )
}

/** A copy of the late directory, with files of the early one, or without some. */
function mixed(name: string, { older = [], without = [] }: { older?: string[]; without?: string[] }): string {
  const path = join(dir, name)
  cpSync(late, path, {
    recursive: true,
    filter: (each) => !each.endsWith('.sock') && !without.some((file) => each.includes(file)),
  })
  for (const file of older) cpSync(join(early, file), join(path, file))
  return path
}

const refusal =
  (words: RegExp) =>
  (error: unknown): boolean =>
    isInvalid(error) && words.test((error as Error).message)

before(async () => {
  const engine = await open(late)
  await engine.applyResources(
    {
      resources: {
        hook: {
          type: 'integration',
          properties: { title: 'hook', integration_type: 'Webhook', parameters: { url: 'https://127.0.0.1:9/' } },
        },
        job: {
          type: 'job',
          properties: {
            title: 'a job',
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
  await post(engine, 'first')
  assert.equal((await engine.integrations.deliveries()).length, 1)
  await engine.close()
  cpSync(late, early, { recursive: true, filter: (each) => !each.endsWith('.sock') })
  const again = await open(late)
  await post(again, 'second')
  await again.close()
})
after(() => rmSync(dir, { recursive: true }))

test('an older copy of a shard is refused, and named by verify, until the loss is accepted', async () => {
  const path = mixed('older-shard', { older: ['shard-0.mdb', 'shard-1.mdb'] })
  await assert.rejects(
    open(path),
    refusal(/^shard-\d\.mdb .* is older than the rest: its last change is of .*--accept-loss/),
  )
  const { problems } = await verifyDataDir(path)
  assert.match(problems.map(({ file, what }) => `${file} ${what}`).join('\n'), /^shard-\d\.mdb is older than the rest/)
  const accepted = await open(path, { acceptLoss: true })
  assert.equal(accepted.event(jobOf(accepted), 'first').eventId, 'first')
  assert.throws(() => accepted.event(jobOf(accepted), 'second'), refusedWith('event_not_found'))
  await post(accepted, 'third')
  await accepted.close()
  await (await open(path)).close()
  assert.deepEqual((await verifyDataDir(path)).problems, [])
})

test('a shard that is lost is made anew where the loss is accepted', async () => {
  const path = mixed('lost-shard', { without: ['shard-0.mdb', 'shard-1.mdb'] })
  await assert.rejects(open(path), refusal(/missing or empty, and jobs are in it/))
  const accepted = await open(path, { acceptLoss: true })
  await post(accepted, 'first')
  assert.equal(accepted.jobView(jobOf(accepted)).status, 'STARTED')
  await accepted.close()
})

test('a lost ledger is refused; accepted, steps tell what comes in from then on', async () => {
  const path = mixed('lost-ledger', { without: ['integrations.mdb'] })
  await assert.rejects(open(path), refusal(/^integrations\.mdb .* it holds how far each integration is/))
  const now = Date.now() * 1000
  const accepted = await open(path, { acceptLoss: true })
  assert.equal((await accepted.integrations.deliveries()).length, 1)
  await accepted.close()
  const catalog = openCatalog(path, catalogTables)
  const steps = [...catalog.range('jobs', {})].flatMap(({ value }) => decodeRecord<JobSettings>('jobs', value).pipeline)
  assert.deepEqual(
    steps.flatMap(({ outsideSince }) => (outsideSince === undefined ? [] : [outsideSince >= now])),
    [true],
  )
  await catalog.close()
})

test('a lost catalog, and one that is older, cannot be accepted', async () => {
  await assert.rejects(
    open(mixed('lost-catalog', { without: ['catalog.mdb'] }), { acceptLoss: true }),
    refusal(/there are events of jobs/),
  )
})

test('a loss is accepted once, also where nobody makes the ledger anew', async () => {
  const path = mixed('unused-ledger', {})
  const engine = await open(path)
  await engine.applyResources(
    {
      resources: {
        job: {
          type: 'job',
          properties: {
            title: 'a job',
            pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', enabled: false }],
          },
        },
      },
    },
    true,
    testAuthor,
  )
  await engine.close()
  rmSync(join(path, 'integrations.mdb'))
  await assert.rejects(open(path), isInvalid)
  await (await open(path, { acceptLoss: true })).close()
  await (await open(path)).close()
})

test('rows of a deleted job, of which some are deleted already, are no damage', async () => {
  const path = mixed('deleted-in-part', {})
  const engine = await open(path)
  await engine.deleteResource({ type: 'job', title: 'a job' }, testAuthor)
  await engine.close()
  for (const shard of [0, 1]) {
    cpSync(join(late, `shard-${shard}.mdb`), join(path, `shard-${shard}.mdb`))
    const environment = openShard(path, shard)
    const [event] = environment.range('events', { limit: 1 })
    const batch = new WriteBatch()
    if (event !== undefined) batch.delete('events', event.key)
    environment.commit(batch)
    await environment.close()
  }
  const { problems, leftOver } = await verifyDataDir(path)
  assert.deepEqual(problems, [])
  assert.equal(leftOver, 1)
})
