/** A data directory of an earlier day is whole, says what it said, and is written to. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { verifyDataDir } from '../../../engine/index.js'
import { DATA_FORMAT, writeFormat } from '../../../engine/store/directory/data-dir.js'
import { ingest, jobOf, openFixture, viewsOf, type DirectoryFixture } from '../../fixtures/directory.js'
import { readFixture, unpackBytes } from '../../fixtures/files.js'
import { testAuthor } from '../../support/author.js'
import { temporaryDirectory } from '../../support/engine/files.js'

for (const format of [1, 2, DATA_FORMAT] as const)
  test(`a data directory of format ${format} opens as it was left`, (context) => opens(format, context))

function laidOut(format: 1 | 2 | 3, dataDir: string): unknown {
  const { files, views } = readFixture(`directory-${format}`) as DirectoryFixture
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(dataDir, name), unpackBytes(text), { mode: 0o600 })
  return views
}

/** What is said now of all that was said then. A later service says more. */
function saidOf(now: any, then: any): unknown {
  if (Array.isArray(then))
    return (now as unknown[]).map((each, at) => (at < then.length ? saidOf(each, then[at]) : each))
  if (typeof then !== 'object' || then === null) return now
  return Object.fromEntries(Object.keys(then).map((key) => [key, saidOf(now?.[key], then[key])]))
}

async function opens(format: 1 | 2 | 3, context: TestContext): Promise<void> {
  const dataDir = temporaryDirectory(context)
  const views = laidOut(format, dataDir)
  const { problems, jobs, events } = await verifyDataDir(dataDir)
  assert.deepEqual([problems, jobs, events], [[], 2, 18])
  const engine = await openFixture(dataDir)
  try {
    assert.deepEqual(saidOf(viewsOf(engine), views), views)
    assert.equal((await engine.audit.verify()).intact, true)
    const job = jobOf(engine)
    await engine.startJob(job, testAuthor)
    const view = await ingest(engine, jobOf(engine), 'new', { rule: 'rule 0', host: 'host 0' })
    assert.deepEqual([view.resultLabel, view.bucketState], ['Drop', 'in_knowledge_base'])
  } finally {
    await engine.close()
  }
  assert.deepEqual((await verifyDataDir(dataDir)).problems, [])
}

test('a directory of format 1 whose upgrade was cut off is upgraded at the next start', async (context) => {
  const dataDir = temporaryDirectory(context)
  const views = laidOut(1, dataDir)
  await (await openFixture(dataDir)).close()
  writeFormat({ path: dataDir, format: 1, shards: 1 })
  const engine = await openFixture(dataDir)
  assert.deepEqual(saidOf(viewsOf(engine), views), views)
  await engine.close()
  assert.deepEqual((await verifyDataDir(dataDir)).problems, [])
})
