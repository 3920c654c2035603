/** Backups of an engine in use, restoring, and whether verifying finds what is wrong. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { open as openRaw } from 'lmdb'
import {
  backupDataDir,
  openEngine,
  restoreBackup,
  verifyDataDir,
  type Engine,
  type EventView,
  type JobHandle,
} from '../../../../engine/index.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { openCatalog, openShard } from '../../../../engine/store/directory/environments.js'
import { encodeBucketNumber } from '../../../../engine/store/bucket-table.js'
import { bucketKey, countKey, jobRange, metaKey, timeValue } from '../../../../engine/store/tables.js'
import { catalogTables } from '../../../../engine/resource/records.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { refusedWith as refused } from '../../../support/engine/refusal.js'
import { testAuthor } from '../../../support/author.js'

const KEY = 'management-key-of-the-backup-test'
const dir = mkdtempSync(join(tmpdir(), 'backup-'))
const dataDir = join(dir, 'data')
const backup = join(dir, 'backup')
/** Acknowledged before the backup was asked for. */
const acknowledged: string[] = []
let job: JobHandle

function open(path: string): Promise<Engine> {
  return openEngine({
    dataDir: path,
    name: 'service',
    shards: 2,
    threads: 1,
    bootstrapKey: KEY,
    adminPassword: 'administrator',
    passwordCost: 10,
  })
}

function post(engine: Engine, id: string): Promise<EventView> {
  const body = JSON.stringify({
    raw_body: { rule: `r${id.length % 3}`, host: id.slice(-1), text: `what happened in ${id}` },
  })
  return new Promise((resolve, reject) =>
    engine.ingest(job, id, false, Buffer.from(body), { ingested: resolve, refused: reject }),
  )
}

before(async () => {
  const engine = await open(dataDir)
  const document = {
    job: {
      type: 'job',
      properties: {
        title: 'a job',
        category: 'Decision intelligence',
        decision_points: ['rule', 'host'],
        pipeline_integrations: [],
      },
    },
  }
  await engine.applyResources({ resources: document }, false, testAuthor)
  job = engine.jobByTitle(engine.authenticate(KEY)!, 'a job')
  let over = false
  const stream = (async () => {
    for (let i = 0; !over; i++) {
      const ids = Array.from({ length: 50 }, (_, at) => `stream-${i}-${at}`)
      await Promise.all(ids.map((id) => post(engine, id)))
      acknowledged.push(...ids)
    }
  })()
  while (acknowledged.length < 500) await new Promise((resolve) => setTimeout(resolve, 5))
  for (const [place, label] of ['Drop', 'Escalate', 'Drop'].entries()) {
    await engine.giveFeedback(job, acknowledged[place]!, { analyst: 'ann', label }, testAuthor)
  }
  const before = [...acknowledged]
  const report = await backupDataDir(dataDir, backup, true)
  assert.ok(report.entries > before.length, `${report.entries} entries of ${before.length} events and more`)
  for (const place of [backup, join(dataDir, 'inside')])
    await assert.rejects(backupDataDir(dataDir, place, true), refused('backup_refused'))
  over = true
  await stream
  await engine.close()
  acknowledged.length = 0
  acknowledged.push(...before)
})
after(() => rmSync(dir, { recursive: true }))

describe('a backup of an engine that takes events in', () => {
  it('holds all that was acknowledged before it, and is sound', async () => {
    const restored = join(dir, 'restored')
    const { madeAt } = restoreBackup(backup, restored)
    const report = await verifyDataDir(restored)
    assert.deepEqual([report.problems, report.backupOf, report.jobs], [[], null, 1])
    assert.equal((await verifyDataDir(backup)).backupOf, madeAt)
    const engine = await open(restored)
    for (const id of acknowledged) assert.equal(engine.event(job, id).eventId, id)
    assert.equal(engine.jobView(job).feedbackDocuments, 3)
    assert.equal((await engine.audit.verify()).intact, true)
    assert.equal((await post(engine, 'after')).jobId, job.id)
    await engine.close()
    assert.deepEqual((await verifyDataDir(restored)).problems, [])
  })

  it('leaves the store sound that it was made of', async () => {
    const { problems, events } = await verifyDataDir(dataDir)
    assert.deepEqual(problems, [])
    assert.ok(events >= acknowledged.length)
  })

  it('can be made of a store that nobody uses, with or without the key that seals secrets', async () => {
    await backupDataDir(dataDir, join(dir, 'other'), false)
    assert.ok(!existsSync(join(dir, 'other', 'sealing.key')))
    assert.ok(existsSync(join(backup, 'sealing.key')))
    assert.deepEqual((await verifyDataDir(join(dir, 'other'))).problems, [])
  })

  it('is not made inside the directory that it protects', async () => {
    const names = readdirSync(dataDir)
    await assert.rejects(backupDataDir(dataDir, join(dataDir, 'a', 'backup'), true), refused('backup_refused'))
    assert.deepEqual(readdirSync(dataDir), names)
  })

  it('is restored into an empty place only, and only while every byte is what it was', async () => {
    assert.throws(() => restoreBackup(backup, dataDir), refused('backup_refused'))
    assert.throws(() => restoreBackup(dataDir, join(dir, 'nowhere')), refused('backup_refused'))
    const copy = join(dir, 'copy')
    cpSync(backup, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    const random = new SeededRandom(3)
    for (let i = 0; i < 20; i++) {
      const file = join(copy, `shard-${random.below(2)}.mdb`)
      const bytes = readFileSync(file)
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at] as number) ^ (1 + random.below(255))
      writeFileSync(file, bytes)
      assert.throws(() => restoreBackup(copy, join(dir, 'nowhere')), refused('backup_refused'))
      assert.notDeepEqual((await verifyDataDir(copy)).problems, [])
      bytes[at] = readFileSync(join(backup, file.slice(-'shard-0.mdb'.length)))[at] as number
      writeFileSync(file, bytes)
    }
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.startsWith('nowhere')),
      [],
    )
  })
})

describe('a data directory that has lost a file', () => {
  it('is refused, and loses nothing more by it: the rest would be deleted as events of no job', async () => {
    for (const [name, code] of [
      ['catalog.mdb', 'data_dir_invalid'],
      [`shard-${job.id % 2}.mdb`, 'data_dir_invalid'],
    ] as const) {
      const path = join(dir, `without-${name}`)
      cpSync(backup, path, {
        recursive: true,
        filter: (each) => !/sock$|backup\.json$/.test(each) && !each.endsWith(name),
      })
      await assert.rejects(
        open(path),
        (error) => refused(code)(error) && (error as Error).message.startsWith(`${name} in the data directory`),
      )
      // Nor by a second start, which finds the file that the first one made.
      await assert.rejects(open(path), refused(code))
    }
  })

  it('is refused where its catalog is an older one, or that of another directory', async () => {
    const older = join(dir, 'with-an-older-catalog')
    cpSync(backup, older, { recursive: true, filter: (each) => !/sock$|backup\.json$/.test(each) })
    const engine = await open(older)
    const properties = {
      title: 'a later job',
      category: 'Decision intelligence',
      decision_points: ['rule'],
      pipeline_integrations: [],
    }
    await engine.applyResources({ resources: { job: { type: 'job', properties } } }, false, testAuthor)
    const [first, later] = [job, engine.jobByTitle(engine.authenticate(KEY)!, 'a later job')]
    job = later
    await post(engine, 'acknowledged')
    job = first
    await engine.close()
    cpSync(join(backup, 'catalog.mdb'), join(older, 'catalog.mdb'))
    await assert.rejects(
      open(older),
      (error) => refused('data_dir_invalid')(error) && /older than the rest/.test((error as Error).message),
    )

    const [other, mixed] = [join(dir, 'another-directory'), join(dir, 'with-the-catalog-of-another')]
    const another = await open(other)
    for (const title of ['one', 'two']) {
      await another.applyResources(
        { resources: { job: { type: 'job', properties: { ...properties, title } } } },
        false,
        testAuthor,
      )
    }
    await another.deleteResource({ type: 'job', title: 'one', force: true } as never, testAuthor)
    await another.close()
    cpSync(backup, mixed, { recursive: true, filter: (each) => !/sock$|backup\.json$/.test(each) })
    cpSync(join(other, 'catalog.mdb'), join(mixed, 'catalog.mdb'))
    await assert.rejects(
      open(mixed),
      (error) => refused('data_dir_invalid')(error) && /from another directory/.test((error as Error).message),
    )
  })

  it('is used where nothing was in it', async () => {
    const path = join(dir, 'without-an-empty-shard')
    const name = `shard-${(job.id + 1) % 2}.mdb`
    cpSync(backup, path, {
      recursive: true,
      filter: (each) => !/sock$|backup\.json$/.test(each) && !each.endsWith(name),
    })
    const engine = await open(path)
    assert.equal(engine.event(job, acknowledged[0]!).eventId, acknowledged[0])
    await engine.close()
  })
})

describe('verifying', () => {
  /** What is wrong after a change of rows. */
  async function problemsAfter(
    change: (batch: WriteBatch, rows: (table: string) => { key: Uint8Array; value: Uint8Array }[]) => void,
    inCatalog = false,
  ): Promise<string> {
    const path = mkdtempSync(join(dir, 'changed-'))
    cpSync(backup, path, { recursive: true, filter: (each) => !/sock$|backup\.json$/.test(each) })
    const shards = [0, 1].map((shard) => openShard(path, shard))
    const shard = shards.find((each) => [...each.range('events', { limit: 1 })].length > 0)!
    const environment = inCatalog ? openCatalog(path, catalogTables) : shard
    const batch = new WriteBatch()
    change(batch, (table) => [...environment.range(table, inCatalog ? {} : jobRange(job.id))])
    environment.commit(batch)
    for (const each of new Set([...shards, environment])) await each.close()
    const { problems } = await verifyDataDir(path)
    return problems
      .map(({ file, table, key, what }) => [file, table, key === '' ? '' : 'KEY', what].join(' '))
      .join('\n')
  }

  it('names the row that is missing, left over or counted wrong', async () => {
    for (const [table, words] of [
      ['events', /ids .*some ids lead to no event/],
      ['ids', /events KEY is not found by its id/],
      ['buckets', /buckets KEY is missing, and has events/],
      ['bucket_tail', /buckets KEY is not found by its id/],
      ['ballots', /buckets KEY has a flag for its votes that is wrong/],
      ['stats', /stats KEY are missing/],
    ] as const) {
      assert.match(await problemsAfter((batch, rows) => batch.delete(table, rows(table)[0]!.key)), words, table)
    }
  })

  it('names counts of no bucket, and an id that leads to none', async () => {
    const problems = await problemsAfter((batch, rows) => {
      batch.put('counts', countKey(job.id, 4_000_000), rows('counts')[0]!.value)
      batch.put('bucket_ids', bucketKey(job.id, Buffer.alloc(16, 7)), encodeBucketNumber(4_000_000))
    })
    assert.match(problems, /some counts are of no bucket/)
    assert.match(problems, /bucket_ids KEY leads to no bucket/)
  })

  it('names counts that lack events of a time when they say to have all', async () => {
    assert.match(
      await problemsAfter((batch) => {
        batch.put('meta', metaKey('counted_through'), timeValue(Number.MAX_SAFE_INTEGER))
      }),
      /(counts|buckets) KEY says \d+ events instead of \d+/,
    )
  })

  it('names the row that cannot be read', async () => {
    for (const table of ['events', 'buckets', 'counts', 'ballots', 'stats'] as const) {
      const words = new RegExp(`${table} KEY (cannot be read|says)`)
      assert.match(
        await problemsAfter((batch, rows) => {
          const { key, value } = rows(table)[0]!
          batch.put(table, key, Buffer.concat([Buffer.of(99), value.subarray(1)]))
        }),
        words,
        table,
      )
    }
  })

  it('names a reference of the catalog that leads nowhere', async () => {
    assert.match(
      await problemsAfter((batch, rows) => {
        const { key, value } = rows('jobs')[0]!
        const text = Buffer.from(value.subarray(1))
          .toString()
          .replace(/"shard":\d+/, '"shard":7')
        batch.put('jobs', key, Buffer.concat([Buffer.of(1), Buffer.from(text)]))
      }, true),
      /catalog\.mdb jobs KEY is in a shard that does not exist/,
    )
  })

  it('refuses a directory that is in use, and one that is none', async () => {
    const engine = await open(dataDir)
    await assert.rejects(verifyDataDir(dataDir), refused('data_dir_in_use'))
    await engine.close()
    await assert.rejects(verifyDataDir(join(dir, 'nowhere')), refused('data_dir_invalid'))
  })
})

describe('a file of a data directory that has no checksums', () => {
  it('is named when the directory is verified, and refused at the start', async () => {
    const bare = join(dir, 'bare')
    await (await open(bare)).close()
    rmSync(join(bare, 'shard-0.mdb'))
    const root = openRaw({
      path: join(bare, 'shard-0.mdb'),
      maxDbs: 64,
      pageSize: 8192,
      overlappingSync: false,
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    root.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
    await root.close()
    const { problems } = await verifyDataDir(bare)
    assert.deepEqual(
      problems.map(({ file, what }) => `${file} ${what}`),
      ['shard-0.mdb should have checksums, and has none'],
    )
    await assert.rejects(open(bare), refused('data_dir_invalid'))
  })
})
