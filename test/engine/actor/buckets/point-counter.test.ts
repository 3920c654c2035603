import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { fingerprintOf } from '../../../../engine/domain/event/decision-points.js'
import { pointFaults } from '../../../../engine/domain/metrics/point-faults.js'
import { orphanSettings } from '../../../../engine/actor/purge.js'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const categories = [
  'Decision intelligence',
  'Event centric decision intelligence',
  'Automated root cause analysis',
] as const

function body(i: number): Record<string, unknown> {
  return { host: `h${i % 7}`, ...(i % 5 === 0 ? { user: `u${i}` } : {}) }
}

function pointRows(shard: TestShard): string[] {
  return shard.rows(1).filter((row) => /^(points|stats) /.test(row))
}

function faults(shard: TestShard, job: JobSettings): string[] {
  return pointFaults(shard.reader().stats(job).points ?? null, fingerprintOf(job.decisionPoints)).map(
    ({ kind, point, events, count }) => `${kind} ${point}: ${count} of ${events}`,
  )
}

describe('counts of decision points', () => {
  for (const category of categories)
    it(`do not depend on where turns end, or on a restart: ${category}`, async () => {
      const job = jobSettings({ category })
      const [together, apart] = [new TestShard(), new TestShard()]
      await Promise.all(Array.from({ length: 60 }, (_, i) => together.ingest(job, body(i), `e${i}`)))
      for (let i = 0; i < 60; i++) {
        await apart.ingest(job, body(i), `e${i}`)
        if (i === 30) apart.restart()
      }
      assert.deepEqual(pointRows(together), pointRows(apart))
      assert.deepEqual(faults(apart, job), ['lacking 1: 48 of 60'])
    })

  it('do not depend on a restart when the decision points or the category change', async () => {
    const [whole, restarted] = [new TestShard(), new TestShard()]
    const changes = [
      { category: 'Event centric decision intelligence' },
      { category: 'Decision intelligence' },
      { category: 'Decision intelligence', decisionPoints: ['user', 'host'] },
      { category: 'Decision intelligence', decisionPoints: ['host', 'user'] },
    ] as const
    for (const shard of [whole, restarted]) {
      let number = 0
      for (const [at, change] of changes.entries()) {
        const job = jobSettings({ revision: at + 1, ...change })
        // The same buckets again: their values are not new.
        for (let i = 0; i < 9; i++) await shard.ingest(job, { host: i % 3, user: `u${i % 2}` }, `e${number++}`)
        if (shard === restarted) shard.restart()
        for (let i = 0; i < 9; i++) await shard.ingest(job, { host: i % 4, user: `u${i % 3}` }, `e${number++}`)
      }
    }
    assert.deepEqual(pointRows(whole), pointRows(restarted))
  })

  it('count an event that comes again once', async () => {
    const job = jobSettings()
    const shard = new TestShard()
    for (let i = 0; i < 12; i++) await shard.ingest(job, { host: 'a' }, 'e')
    assert.deepEqual(shard.reader().stats(job).points?.events, 1)
  })

  it('begin anew with other decision points, and when the last event is deleted', async () => {
    const job = jobSettings()
    const shard = new TestShard()
    for (let i = 0; i < 12; i++) await shard.ingest(job, { host: 'a' }, `e${i}`)
    assert.deepEqual(faults(shard, job), ['lacking 1: 12 of 12'])
    const other = jobSettings({ revision: 2, decisionPoints: ['host', 'process'] })
    await shard.ingest(other, { host: 'a', process: 'p' }, 'other')
    assert.deepEqual(shard.reader().stats(other).points?.present, [1, 1])
    assert.deepEqual(faults(shard, other), [])
    const times = shard.reader().oldest(1, 100)
    await shard.post({ job: other, kind: 'erase', body: encodeErase(times, false) })
    assert.equal(shard.reader().stats(other).points?.events, 0)
  })

  it('are purged with their job', async () => {
    const job = jobSettings()
    const shard = new TestShard()
    for (let i = 0; i < 12; i++) await shard.ingest(job, { host: `a${i}` }, `e${i}`)
    assert.equal(pointRows(shard).length, 2)
    await shard.purge(orphanSettings(1, 0))
    assert.deepEqual(pointRows(shard), [])
  })
})
