import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobStorageBytes } from '../../../../engine/services/report/job-storage.js'
import { shardTables } from '../../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const [one, other] = [jobSettings({ id: 1 }), jobSettings({ id: 2 })]

function bodyOf(at: number): object {
  return { host: `h${at % 90}`, user: `u${at % 7}`, text: 'x'.repeat(20 + (at % 50)) }
}

test('the storage of a job is near the bytes of its rows, and another job hardly changes it', async () => {
  const shard = new TestShard()
  for (let at = 0; at < 400; at++) await shard.ingest(one, bodyOf(at), `event ${at}`)
  const before = jobStorageBytes(shard.environment, 1)
  const rows = shardTables.flatMap((table) => [...shard.environment.range(table, {})])
  const bytes = rows.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
  assert.ok(before > bytes * 0.8 && before < bytes * 1.6, `${before} of ${bytes}`)
  for (let at = 0; at < 300; at++) await shard.ingest(other, bodyOf(at))
  // The index of buckets is written in rounds of the shard.
  assert.ok(Math.abs(jobStorageBytes(shard.environment, 1) - before) < before / 100)
  for (let at = 400; at < 800; at++) await shard.ingest(one, bodyOf(at), `event ${at}`)
  const after = jobStorageBytes(shard.environment, 1)
  assert.ok(after > before * 1.6 && after < before * 2.2, `${after} after ${before}`)
  await shard.purge(one)
  assert.equal(jobStorageBytes(shard.environment, 1), 0)
})
