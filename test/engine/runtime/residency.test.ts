import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { IngestClock } from '../../../engine/runtime/ingest-clock.js'
import { openReaders } from '../../../engine/services/read/job-reader.js'
import { mappedBytes, Residency, type MappedShards } from '../../../engine/runtime/residency.js'
import { Shards } from '../../../engine/runtime/shards.js'
import type { JobReader } from '../../../engine/services/read/job-reader.js'
import { systemClock } from '../../../engine/clock.js'
import { limits } from '../../../engine/limits.js'
import { openDataDir } from '../../../engine/store/directory/data-dir.js'
import type { EventView } from '../../../engine/api/decision-service.js'
import { afterwards } from '../../support/afterwards.js'
import { temporaryDirectory } from '../../support/engine/files.js'
import { jobSettings } from '../../support/engine/shard.js'
import { until } from '../../support/until.js'

const job = jobSettings({ shard: 1, decisionPoints: ['host'] })

function openShards(test: TestContext): { shards: Shards<JobReader>; failures: unknown[]; before: number | null } {
  const directory = temporaryDirectory(test)
  openDataDir(directory, 2)
  const before = mappedBytes()
  const failures: unknown[] = []
  const shards = new Shards({
    threads: 1,
    threadData: { dataDir: directory, sectionNames: ['service'], uncountedEventsMax: 8, modelBytesMax: 1e8 },
    readers: openReaders(directory, 2),
    clock: new IngestClock(systemClock),
    failed: (_, error) => failures.push(error),
  })
  afterwards(test, () => shards.close())
  return { shards, failures, before }
}

function ingest(shards: Shards<JobReader>, id: string, more = ''): Promise<EventView> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(JSON.stringify({ raw_body: { host: id, more } }))
    const receiver = { ingested: resolve, refused: reject }
    shards.post({ job, kind: 'ingest', eventId: id, idInBody: false, body, receiver })
  })
}

describe('giving maps back', () => {
  it('between turns loses no message, and the order of events stays', async (test) => {
    const { shards, failures } = openShards(test)
    const posted: Promise<EventView>[] = []
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 200; i++) posted.push(ingest(shards, `${round}-${i}`))
      await Promise.all([shards.unmap(1), shards.unmap(0)])
      assert.equal(shards.reader(1).event(job, ((await posted[round * 200]) as EventView).eventId).status, 'OK')
    }
    const views = await Promise.all(posted)
    const times = views.map(({ ingestMicros }) => ingestMicros)
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    )
    assert.equal(shards.reader(1).stats(job).events, 2_000)
    assert.deepEqual(failures, [])
  })

  it('leaves readers with a map: to make one later would wait for a commit', {
    skip: mappedBytes() === null,
  }, async (test) => {
    const { shards } = openShards(test)
    await ingest(shards, 'a')
    const isMapped = (): boolean => readFileSync('/proc/self/maps', 'utf8').includes('shard-1.mdb')
    assert.equal(isMapped(), true)
    await shards.unmap(1)
    assert.equal(isMapped(), true)
    assert.equal(shards.reader(1).event(job, 'a').status, 'OK')
  })

  it('keeps what is mapped near its bound while the store grows past it', {
    skip: mappedBytes() === null,
  }, async (test) => {
    const { shards, failures, before } = openShards(test)
    const random = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(6_000))).toString('base64')
    let stored = 0
    while (shards.sizeBytes(1) < 1.25 * limits.mappedBytesMax) {
      await Promise.all(Array.from({ length: 100 }, () => ingest(shards, `event ${stored++}`, random())))
    }
    // Everything is read, so everything is mapped.
    for (let i = 0; i < stored; i++) shards.reader(1).exportEvent(job, `event ${i}`, 'service')
    await until(() => (mappedBytes() as number) - (before as number) <= limits.mappedBytesMax)
    assert.equal(shards.reader(1).event(job, 'event 0').status, 'OK')
    assert.deepEqual(failures, [])
  })
})

/** Shards that have that much mapped, of which the held ones give nothing back. */
function mappedShards(mapped: number[], held: readonly number[] = []): MappedShards & { readonly released: number[] } {
  const released: number[] = []
  return {
    released,
    count: mapped.length,
    sizeBytes: (shard) => mapped[shard] as number,
    unmap: (shard) => {
      released.push(shard)
      if (!held.includes(shard)) mapped[shard] = 0
      return Promise.resolve(!held.includes(shard))
    },
  }
}

describe('the bound of mapped memory', () => {
  const half = limits.mappedBytesMax / 2
  const open = (test: TestContext, shards: MappedShards, mapped: readonly number[]): Residency => {
    const residency = new Residency(
      shards,
      (_, error) => assert.fail(String(error)),
      () => mapped.reduce((sum, bytes) => sum + bytes, 0),
    )
    afterwards(test, () => residency.close())
    return residency
  }

  it('holds again after each check, however fast shards map', async (test) => {
    const mapped = [0, 0, 0, 0]
    const shards = mappedShards(mapped)
    const residency = open(test, shards, mapped)
    for (let round = 0; round < 20; round++) {
      for (const shard of mapped.keys()) mapped[shard]! += half
      await residency.check()
      assert.ok(mapped.reduce((sum, bytes) => sum + bytes, 0) <= limits.mappedBytesMax)
    }
    for (const shard of mapped.keys()) assert.ok(shards.released.filter((one) => one === shard).length >= 10)
  })

  it('holds for the others where something uses the map of one', async (test) => {
    const mapped = [4 * half, half, half]
    const shards = mappedShards(mapped, [0])
    const residency = open(test, shards, mapped)
    for (let round = 0; round < 5; round++) {
      await residency.check()
      assert.deepEqual(mapped.slice(1), [0, 0])
      mapped[1] = mapped[2] = half
    }
    assert.equal(shards.released.filter((one) => one === 0).length, 1)
    for (let round = 0; round < limits.mappedRestLooks; round++) await residency.check()
    assert.equal(shards.released.filter((one) => one === 0).length, 2)
  })
})
