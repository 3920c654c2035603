import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEngine, type Engine, type JobHandle } from '../../../../engine/index.js'
import { loggedEnvironment } from '../../../../engine/runtime/log/catalog/logged-environment.js'
import { AuditCollector } from '../../../../engine/services/audit/audit-collector.js'
import { auditTables, AuditLog } from '../../../../engine/services/audit/audit-log.js'
import type { ReadableShards } from '../../../../engine/services/read/job-reader.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { checkAuditLog } from '../../../../engine/services/audit/audit-check.js'
import { limits } from '../../../../engine/limits.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { job, smallSet } from '../../../support/resource-store.js'
import { anEntry, auditEntries } from '../../../support/audit.js'
import { eventually } from '../../../support/client.js'
import { testAuthor } from '../../../support/author.js'

const BOOTSTRAP_KEY = 'a-key-for-tests-of-the-collector-0123456789'

async function open(dataDir: string): Promise<{ engine: Engine; handle: JobHandle }> {
  const engine = await openEngine({
    dataDir,
    name: 'service',
    passwordCost: 10,
    shards: 2,
    threads: 1,
    bootstrapKey: BOOTSTRAP_KEY,
    adminPassword: 'a-password',
  })
  const principal = engine.authenticate(BOOTSTRAP_KEY)!
  if (engine.jobViews(principal, false).length === 0) {
    await engine.applyResources(smallSet(), true, testAuthor)
    await engine.applyResources({ resources: { other: job('other') } }, true, testAuthor)
  }
  return { engine, handle: engine.jobByTitle(principal, 'job') }
}

async function analysts(engine: Engine): Promise<(string | undefined)[]> {
  const names: (string | undefined)[] = []
  for (let page = 0; ; page++) {
    const { records } = await engine.audit.entries({
      actions: ['voted'],
      order: 'asc',
      page,
      size: limits.auditPageMax,
    })
    if (records.length === 0) return names
    names.push(...records.map(({ analyst }) => analyst))
  }
}

async function inOutbox(dataDir: string): Promise<number> {
  let rows = 0
  for (let shard = 0; shard < 2; shard++) {
    const environment = openShard(dataDir, shard)
    rows += [...environment.range('outbox', {})].length
    await environment.close()
  }
  return rows
}

test('feedback is taken into the chain once and in order, across restarts, and then leaves the outbox', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'audit-'))
  try {
    const wanted: string[] = []
    for (let start = 0; start < 3; start++) {
      const { engine, handle } = await open(dataDir)
      assert.deepEqual(await analysts(engine), wanted)
      const count = limits.auditCollectedMax + 40
      const events = Array.from({ length: count }, (_, i) => ({
        raw_body: { 'rule.id': i },
        label: { cortex_user: `analyst ${start} ${i}`, feedback: 'Drop' },
      }))
      await engine.ingestHistoric(handle, Buffer.from(JSON.stringify({ events })), testAuthor)
      wanted.push(...events.map(({ label }) => label.cortex_user))
      assert.deepEqual(await analysts(engine), wanted)
      // Taken, and perhaps not yet deleted: the next start finds it in both.
      await engine.ingestHistoric(
        handle,
        Buffer.from(
          JSON.stringify({ events: [{ raw_body: {}, label: { cortex_user: `last ${start}`, feedback: 'Drop' } }] }),
        ),
        testAuthor,
      )
      wanted.push(`last ${start}`)
      await engine.close()
      const check = await checkAuditLog(dataDir)
      assert.deepEqual([check.intact, check.waiting], [true, 0])
    }
    const { engine } = await open(dataDir)
    assert.deepEqual(await analysts(engine), wanted)
    await eventually(
      () => inOutbox(dataDir),
      (count) => count === 0,
    )
    const { head, entries } = await engine.audit.verify()
    await engine.close()
    assert.equal((await checkAuditLog(dataDir, { count: entries, hash: head })).intact, true)
    assert.match((await checkAuditLog(dataDir, { count: entries + 1, hash: head })).broken!.reason, /the caller/)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a node that lost the catalog closes, and leaves its feedback to the next owner', async () => {
  const catalog = new MemoryEnvironment([...auditTables])
  const environment = loggedEnvironment(catalog, { append: () => null })
  const shards = {
    count: 1,
    reader: () => ({ untold: () => [anEntry({ atMicros: 1_000 })], hasTold: () => false }),
  } as unknown as ReadableShards
  const failed = (what: string): void => assert.fail(what)
  const collector = new AuditCollector({ environment, log: new AuditLog(environment), shards, failed })
  collector.takeUp()
  await collector.settle()
  await collector.close()
  assert.deepEqual(auditEntries(catalog), [])
})
