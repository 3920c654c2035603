import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../../engine/errors.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../engine/rng.js'
import { ResourceStore, catalogTables } from '../../../engine/resource/resource-store.js'
import { encodeRecord, idKey, nameKey } from '../../../engine/resource/records.js'
import { Sealer, SEALING_KEY_BYTES } from '../../../engine/resource/access/sealing.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { dump, job, openResourceStore, smallSet, view, type ResourceStoreBench } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { randomSet, spoil } from '../../support/resource-sets.js'
import { testAuthor } from '../../support/author.js'

const SEEDS = 40
const SPOILT = 400
const owned = ['jobs', 'integrations', 'api_keys', 'users'] as const

/** All that the bench has, in the store and in memory. */
function all({ environment, resources }: ResourceStoreBench): unknown {
  return [dump(environment), view(resources)]
}

/** Everything as GET shows it, jobs in full, as a client has it. */
function shownInFull(resources: ResourceStore): unknown[] {
  const jobs = [...resources.jobs()].flatMap(({ id }) => resources.list({ type: 'job', id: String(id) }))
  const others = (['api_key', 'integration'] as const).flatMap((type) => resources.list({ type }))
  return JSON.parse(JSON.stringify([...jobs, ...others])) as unknown[]
}

/** Without what a resource made again has anew; in any order. */
function withoutIds(shown: unknown[]): unknown[] {
  const text = (value: unknown): string =>
    JSON.stringify(value, (key, member) =>
      key === 'id' && !String(member).startsWith('label') ? typeof member : member,
    )
  return shown.map(text).sort()
}

test('a set with one bad element changes nothing, in the store or in memory', () => {
  const codes = new Set<string>()
  // One catalog for all sets: none of them may change it.
  const bench = openResourceStore()
  bench.resources.apply(smallSet(), true, testAuthor)
  const heard: number[] = []
  bench.resources.onJobChanged((each) => heard.push(each.id))
  const before = all(bench)
  for (let seed = 0; seed < SPOILT; seed++) {
    const random = new SeededRandom(seed)
    const document = spoil(random, randomSet(random))
    try {
      bench.resources.apply(document, true, testAuthor)
      assert.fail(`seed ${seed}: ${JSON.stringify(document.bad)} was taken`)
    } catch (error) {
      if (!isRefusal(error)) throw error
      codes.add(error.code)
    }
    assert.deepEqual(all(bench), before, `seed ${seed}`)
    assert.deepEqual(heard, [])
  }
  assert.deepEqual([...codes].sort(), ['dependency_cycle', 'invalid_resources', 'unresolved_reference'])
})

test('a random set is made, read, posted again without a change, and deleted without a trace', () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = new SeededRandom(seed)
    const bench = openResourceStore(seed)
    const { resources, environment } = bench
    const empty = dump(environment, owned)
    const document = { resources: randomSet(random) }
    const { created } = resources.apply(document, true, testAuthor)
    assert.equal(created.length, Object.keys(document.resources).length, `seed ${seed}`)
    const made = all(bench)
    resources.apply(document, true, testAuthor)
    assert.deepEqual(all(bench), made, `seed ${seed}: the same document again`)
    for (const { title } of created.filter((ref) => ref.type === 'job')) {
      const [shown] = JSON.parse(JSON.stringify(resources.list({ type: 'job', title })))
      assert.equal(resources.apply(shown, true, testAuthor).updated.length, 1)
      assert.deepEqual(all(bench), made, `seed ${seed}: ${title} posted back`)
    }
    const whole = shownInFull(resources)
    assert.equal(resources.apply(whole, true, testAuthor).created.length, 0)
    assert.equal(resources.apply(JSON.parse(JSON.stringify(resources.list({}))), true, testAuthor).created.length, 0)
    assert.deepEqual(all(bench), made, `seed ${seed}: everything posted back`)
    assert.deepEqual(view(bench.reopen()), view(resources), `seed ${seed}: another start`)
    for (const { type, internalId } of created.toReversed())
      resources.delete({ type, id: String(internalId) }, testAuthor)
    assert.deepEqual(dump(environment, owned), empty, `seed ${seed}: deleted`)
    assert.deepEqual([...resources.jobs()], [])
    resources.apply(whole, true, testAuthor)
    assert.deepEqual(
      withoutIds(shownInFull(resources)),
      withoutIds(whole),
      `seed ${seed}: made again of what was shown`,
    )
  }
})

test('a commit that fails leaves store, memory and listeners alone, and the next one works', () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const bench = openResourceStore(seed)
    const { resources, environment } = bench
    resources.apply(smallSet(), true, testAuthor)
    let heard: number[] = []
    resources.onJobChanged((each) => void (heard = [...heard, each.id]))
    const before = all(bench)
    const document = { ...randomSet(new SeededRandom(seed)), also: job('job', { description: `${seed}` }) }
    environment.failNextCommit = new Error('disk')
    assert.throws(() => resources.apply(document, true, testAuthor), /disk/)
    environment.failNextCommit = new Error('disk')
    assert.throws(() => resources.setJobStatus(1, 'STOPPED', testAuthor), /disk/)
    assert.deepEqual(all(bench), before, `seed ${seed}`)
    assert.equal(heard.length, 0)
    resources.apply(document, true, testAuthor)
    assert.ok(heard.includes(1))
  }
})

test('no secret is in any stored byte or listing', () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const { resources, environment } = openResourceStore(seed)
    const { created } = resources.apply(randomSet(new SeededRandom(seed)), true, testAuthor)
    const secrets = created.flatMap((ref) => (ref.value === undefined ? [] : [ref.value]))
    if (seed === 0) {
      const made = resources.bootstrap({})
      secrets.push(made.adminPassword as string, made.managementKey as string)
    }
    assert.ok(secrets.length > 0)
    const stored = dump(environment).join('\n')
    const shown = JSON.stringify([
      view(resources),
      resources.apply(randomSet(new SeededRandom(seed)), true, testAuthor),
    ])
    for (const secret of secrets) {
      assert.ok(!stored.includes(secret) && !shown.includes(secret), `seed ${seed}`)
      assert.ok(!stored.includes(Buffer.from(secret, 'base64url').toString('hex')))
    }
    assert.ok(!/"hash"|"salt"/.test(shown))
  }
})

test('starting and stopping raises the revision, is told once, and survives', () => {
  const { resources, reopen } = openResourceStore()
  resources.apply({ j: job('j') }, true, testAuthor)
  const heard: string[] = []
  const stop = resources.onJobChanged((each) => heard.push(`${each.id} ${each.status} ${each.revision}`))
  assert.equal(resources.setJobStatus(1, 'STOPPED', testAuthor).status, 'STOPPED')
  assert.equal(resources.setJobStatus(1, 'STOPPED', testAuthor).revision, 2)
  assert.equal(resources.job(1)?.status, 'STOPPED')
  assert.equal(resources.jobByTitle('j')?.status, 'STOPPED')
  assert.equal(reopen().job(1)?.status, 'STOPPED')
  resources.setJobStatus(1, 'STARTED', testAuthor)
  assert.deepEqual(heard, ['1 STOPPED 2', '1 STARTED 3'])
  stop()
  resources.setJobStatus(1, 'STOPPED', testAuthor)
  assert.equal(heard.length, 2)
  assertRefused('job_not_found', () => resources.setJobStatus(2, 'STARTED', testAuthor))
})

test('listeners hear of each job that is made, changed or deleted, when the catalog has it', () => {
  const { resources } = openResourceStore()
  const heard: string[] = []
  resources.onJobChanged((each) => heard.push(`${each.title} ${resources.job(each.id) === each}`))
  resources.onJobDeleted((id) => heard.push(`removed ${id} ${resources.job(id) === undefined}`))
  resources.apply({ a: job('a'), b: job('b') }, true, testAuthor)
  resources.apply({ a: job('a'), b: job('b', { description: 'changed' }) }, true, testAuthor)
  resources.delete({ type: 'job', title: 'a' }, testAuthor)
  assert.deepEqual(heard, ['a true', 'b true', 'b true', 'removed 1 true'])
})

test('a catalog that this program cannot read is refused at the start', () => {
  const { environment, reopen } = openResourceStore()
  const put = (table: string, key: Uint8Array, value: Uint8Array | undefined): void => {
    const batch = new WriteBatch()
    if (value === undefined) batch.delete(table, key)
    else batch.put(table, key, value)
    environment.commit(batch)
  }
  const newer = Uint8Array.from(encodeRecord({}))
  newer[0] = 9
  put('users', nameKey('admin'), newer)
  assertRefused('data_dir_newer', reopen)
  put('users', nameKey('admin'), Buffer.from([1, 0x7b]))
  assertRefused('data_dir_invalid', reopen)
  put('users', nameKey('admin'), undefined)
  const misplaced = { id: 3, title: 'far', shard: 8, pipeline: [] } as unknown as JobSettings
  put('jobs', idKey(3), encodeRecord(misplaced))
  assert.match(assertRefused('data_dir_invalid', reopen).message, /shard 8 of 8/)
})

test('a store that fails when the built-in parts are added opens no catalog', () => {
  const { environment, clock } = openResourceStore()
  const random = new SeededRandom(1)
  const options = {
    clock,
    stamp: () => clock.nowMicros(),
    random,
    shards: 8,
    sealer: new Sealer(new Uint8Array(SEALING_KEY_BYTES), random),
  }
  const batch = new WriteBatch()
  for (const table of catalogTables) for (const { key } of environment.range(table, {})) batch.delete(table, key)
  environment.commit(batch)
  environment.failNextCommit = new Error('disk')
  assert.throws(() => ResourceStore.open(environment, options), /disk/)
  assert.deepEqual(dump(environment), [])
  assert.equal(ResourceStore.open(environment, options).list({ title: 'Internal storage' }).length, 1)
})

test('a thousand jobs come in one request and leave one by one', () => {
  const { resources } = openResourceStore()
  const jobs = Array.from({ length: 1_000 }, (_, index) => [`j${index}`, job(`job ${index}`)] as const)
  assert.equal(resources.apply(Object.fromEntries(jobs), true, testAuthor).created.length, 1_000)
  for (let index = 0; index < 1_000; index++) resources.delete({ type: 'job', title: `job ${index}` }, testAuthor)
  assert.deepEqual(resources.list({ type: 'job' }), [])
})
