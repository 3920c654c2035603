/** Snapshots of a shard whose log is a file: what they make possible, and what a crash at any moment leaves. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { FileLog } from '../../../../../engine/runtime/log/file-log.js'
import { Follower } from '../../../../../engine/runtime/log/follower.js'
import { SnapshotList } from '../../../../../engine/runtime/log/snapshots/snapshot-list.js'
import { LogPurged } from '../../../../../engine/runtime/log/turn-log.js'
import { importData } from '../../../../../engine/services/cluster/snapshots/import-data.js'
import { positionIn } from '../../../../../engine/runtime/log/snapshots/snapshot-work.js'
import type { PartRole, SnapshotPart } from '../../../../../engine/services/cluster/snapshots/snapshot-part.js'
import { Snapshots, type SnapshotsDeps } from '../../../../../engine/services/cluster/snapshots/snapshots.js'
import { openDataDir } from '../../../../../engine/store/directory/data-dir.js'
import { openShard } from '../../../../../engine/store/directory/environments.js'
import type { LmdbEnvironment } from '../../../../../engine/store/lmdb/lmdb.js'
import { afterwards } from '../../../../support/afterwards.js'
import { temporaryDirectory } from '../../../../support/engine/files.js'
import { jobSettings, TestShard } from '../../../../support/engine/shard.js'
import { MemoryKeys, MemoryObjects, workerOver } from '../../../../support/engine/snapshots.js'

const job = jobSettings()
/** Records until a snapshot is due. */
const RECORDS = 20

/** A cluster of nodes with one shard, whose log is a file. */
class World {
  readonly keys = new MemoryKeys()
  readonly objects = new MemoryObjects()
  readonly told: string[] = []
  readonly failures: unknown[] = []
  readonly log: FileLog
  readonly #test: TestContext

  constructor(test: TestContext) {
    this.#test = test
    this.log = new FileLog(join(temporaryDirectory(test), 'log'))
    afterwards(test, () => this.log.close())
  }

  get list(): SnapshotList {
    return new SnapshotList(this.keys, 'cluster', 'shard-0')
  }

  /** The snapshots of one node. */
  snapshots(dataDir: string, role: PartRole = 'follows', more: Partial<SnapshotsDeps> = {}): Snapshots {
    const part: SnapshotPart = { name: 'shard-0', environments: ['shard-0'], log: this.log, list: this.list }
    return new Snapshots({
      dataDir,
      node: dataDir,
      parts: [part],
      settings: { records: RECORDS, bytes: 1e12 },
      keys: this.keys,
      objects: this.objects,
      worker: workerOver(this.objects),
      roleOf: () => role,
      told: (what) => this.told.push(what),
      failed: (_, error) => this.failures.push(error),
      ...more,
    })
  }

  directory(): string {
    return temporaryDirectory(this.#test)
  }

  /** A writer with its copy. */
  writer(dataDir: string): TestShard<LmdbEnvironment> {
    const environment = openShard(dataDir, 0)
    afterwards(this.#test, () => environment.close())
    return new TestShard(environment, undefined, undefined, this.log)
  }

  /** A follower that has applied all there is. */
  async follower(dataDir: string): Promise<TestShard<LmdbEnvironment>> {
    const environment = openShard(dataDir, 0)
    const copy = new TestShard(environment)
    afterwards(this.#test, () => environment.close())
    await new Follower(copy.asLogged(), this.log).catchUp()
    return copy
  }
}

async function events(shard: TestShard<LmdbEnvironment>, from: number, count: number): Promise<void> {
  for (let i = from; i < from + count; i++) await shard.ingest(job, { host: `h${i % 7}` }, `e${i}`)
}

describe('snapshots', () => {
  it('are made after so many records, and cut the log behind the one before', async (test) => {
    const world = new World(test)
    const [mine, other] = [world.directory(), world.directory()]
    const writer = world.writer(mine)
    await events(writer, 0, RECORDS + 2)
    await (await world.follower(other)).environment.close()
    const snapshots = world.snapshots(other)
    await snapshots.look()
    const [first] = await world.list.read()
    assert.equal(first?.sequence, await world.log.last())
    assert.equal((await world.log.extent()).first, 1)
    await snapshots.look()
    assert.equal((await world.list.read()).length, 1)
    await events(writer, 100, RECORDS)
    await (await world.follower(other)).environment.close()
    await snapshots.look()
    const [second, before] = await world.list.read()
    assert.deepEqual([before?.sequence, second?.sequence], [first?.sequence, await world.log.last()])
    assert.equal((await world.log.extent()).first, (first?.sequence ?? 0) + 1)
    assert.deepEqual(world.failures, [])
  })

  it('make a new node equal to the others, with the rest of the log', async (test) => {
    const world = new World(test)
    const [mine, other, fresh] = [world.directory(), world.directory(), world.directory()]
    const writer = world.writer(mine)
    const snapshots = world.snapshots(other)
    for (let round = 0; round < 3; round++) {
      await events(writer, round * 100, RECORDS + 2)
      await writer.feedback(job, `e${round * 100}`, 'ann', 'Escalate')
      await (await world.follower(other)).environment.close()
      await snapshots.look()
    }
    await events(writer, 900, 5)
    await assert.rejects(world.follower(fresh), LogPurged)
    const late = world.directory()
    await world.snapshots(late).restore()
    const copy = await world.follower(late)
    assert.deepEqual(copy.rows(), writer.rows())
    assert.equal(copy.view(job, 'e0').eventId, 'e0')
    assert.deepEqual(readdirSync(join(late, 'snapshot.partial')), [])
  })

  it('restore a node whose next record has been purged, and leave one alone that needs nothing', async (test) => {
    const world = new World(test)
    const [mine, other, away] = [world.directory(), world.directory(), world.directory()]
    const writer = world.writer(mine)
    await events(writer, 0, 3)
    await (await world.follower(away)).environment.close()
    const snapshots = world.snapshots(other)
    for (let round = 1; round < 4; round++) {
      await events(writer, round * 100, RECORDS + 2)
      await (await world.follower(other)).environment.close()
      await snapshots.look()
    }
    await snapshots.restore()
    assert.ok(!world.told.includes('a copy was restored from a snapshot'))
    await world.snapshots(away).restore()
    assert.ok(world.told.includes('a copy was restored from a snapshot'))
    assert.deepEqual((await world.follower(away)).rows(), writer.rows())
  })

  it('that are damaged are noticed, and the one before is taken', async (test) => {
    const world = new World(test)
    const [mine, other, fresh] = [world.directory(), world.directory(), world.directory()]
    const writer = world.writer(mine)
    const snapshots = world.snapshots(other)
    const round = async (at: number): Promise<void> => {
      await events(writer, at * 100, RECORDS + 2)
      await (await world.follower(other)).environment.close()
      await snapshots.look()
    }
    await round(1)
    await round(2)
    const [newest] = await world.list.read()
    world.objects.damage(newest?.files[0]?.object ?? '')
    await world.snapshots(fresh).restore()
    const copy = await world.follower(fresh)
    assert.deepEqual(copy.rows(), writer.rows())
    const { first } = await world.log.extent()
    // The damaged one counts for nothing: the log is not cut until there are two again.
    await round(3)
    assert.equal((await world.log.extent()).first, first)
    await round(4)
    assert.ok((await world.log.extent()).first > first)
  })

  it('that are all damaged end a new node with a sentence, and nothing takes the place of its data', async (test) => {
    const world = new World(test)
    const [mine, other, fresh] = [world.directory(), world.directory(), world.directory()]
    const writer = world.writer(mine)
    const snapshots = world.snapshots(other)
    for (let round = 1; round < 3; round++) {
      await events(writer, round * 100, RECORDS + 2)
      await (await world.follower(other)).environment.close()
      await snapshots.look()
    }
    for (const name of await world.objects.names()) world.objects.damage(name)
    await assert.rejects(world.snapshots(fresh).restore(), /no whole snapshot has what was before; restore a backup/)
    assert.ok(!existsSync(join(fresh, 'shard-0.mdb')))
  })

  it('are made by the writer only where nobody follows', async (test) => {
    const world = new World(test)
    const mine = world.directory()
    const writer = world.writer(mine)
    const snapshots = world.snapshots(mine, 'writes')
    await events(writer, 0, RECORDS + 2)
    await snapshots.look()
    assert.equal((await world.list.read()).length, 0)
    await events(writer, 100, RECORDS)
    await snapshots.look()
    const [made] = await world.list.read()
    assert.ok((made?.sequence ?? 0) >= 2 * RECORDS)
    const fresh = world.directory()
    await world.snapshots(fresh).restore()
    assert.deepEqual((await world.follower(fresh)).rows(), writer.rows())
  })

  it('leave nothing behind where the servers are away, and are made later', async (test) => {
    const world = new World(test)
    const [mine, other] = [world.directory(), world.directory()]
    const writer = world.writer(mine)
    await events(writer, 0, RECORDS + 2)
    await (await world.follower(other)).environment.close()
    const snapshots = world.snapshots(other)
    world.objects.isAway = true
    await snapshots.look()
    assert.deepEqual([await world.list.read(), await world.objects.names()], [[], []])
    world.objects.isAway = false
    await snapshots.look()
    assert.equal((await world.list.read()).length, 1)
  })

  it('of a node that died before it told of them are deleted by the next', async (test) => {
    const world = new World(test)
    const [mine, other] = [world.directory(), world.directory()]
    const writer = world.writer(mine)
    await events(writer, 0, RECORDS + 2)
    await (await world.follower(other)).environment.close()
    world.objects.objects.set('shard-0.abandoned.shard-0', Buffer.from('x'))
    world.objects.objects.set('shard-01.other.shard-01', Buffer.from('x'))
    await world.snapshots(other).look()
    const names = await world.objects.names()
    assert.ok(!names.includes('shard-0.abandoned.shard-0') && names.includes('shard-01.other.shard-01'))
    assert.equal(names.length, 2)
  })

  it('are made by one of two nodes, and the purge of a node that died is done by another', async (test) => {
    const world = new World(test)
    const [mine, one, two] = [world.directory(), world.directory(), world.directory()]
    const writer = world.writer(mine)
    for (let round = 0; round < 2; round++) {
      await events(writer, round * 100, RECORDS + 2)
      for (const directory of [one, two]) await (await world.follower(directory)).environment.close()
      // The log is not cut: this node dies before.
      const dies = { ...world.log, extent: () => world.log.extent(), purge: () => Promise.reject(new Error('died')) }
      const part = { name: 'shard-0', environments: ['shard-0'], log: dies as never, list: world.list }
      await Promise.all([world.snapshots(one, 'follows', { parts: [part] }).look(), world.snapshots(two).look()])
    }
    assert.equal((await world.list.read()).length, 2)
    await world.snapshots(two).look()
    const [, before] = await world.list.read()
    assert.equal((await world.log.extent()).first, (before?.sequence ?? 0) + 1)
    assert.equal((await world.objects.names()).length, 2)
  })

  it('of the data of one process are where a cluster begins', async (test) => {
    const world = new World(test)
    const [mine, second] = [world.directory(), world.directory()]
    openDataDir(mine, 1)
    const alone = openShard(mine, 0)
    const before = new TestShard(alone)
    await events(before, 0, 50)
    await before.feedback(job, 'e1', 'ann', 'Escalate')
    const rows = before.rows()
    await alone.close()
    const imports = (log = world.log): Promise<void> => {
      const part = (name: string, of = log): SnapshotPart => {
        return { name, environments: [name], log: of, list: new SnapshotList(world.keys, 'cluster', name) }
      }
      const parts = [part('shard-0'), part('catalog')]
      const told = (): void => {}
      return importData({ dataDir: mine, node: 'one', parts, worker: workerOver(world.objects), told })
    }
    await imports()
    // Cut off before the cluster began: it is done again.
    await imports()
    assert.deepEqual(
      (await world.list.read()).map(({ sequence }) => sequence),
      [0],
    )
    await world.snapshots(mine).restore()
    await world.snapshots(second).restore()
    assert.deepEqual((await world.follower(second)).rows(), rows)
    const writer = world.writer(mine)
    writer.take(1_000_000)
    await events(writer, 100, 5)
    const third = world.directory()
    await world.snapshots(third).restore()
    assert.deepEqual((await world.follower(third)).rows(), writer.rows())
    await assert.rejects(imports(), /has records of an earlier cluster/)
    // The copy of a cluster begins another one: the position in its log goes.
    const other = new FileLog(join(world.directory(), 'log'))
    afterwards(test, () => other.close())
    world.keys.values.clear()
    await imports(other)
    assert.equal(await positionIn(mine, 'shard-0'), 0)
  })
})
