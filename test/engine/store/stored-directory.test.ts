/** A data directory of an earlier day is whole, says what it said, and is written to. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyDataDir } from '../../../engine/index.js'
import { ingest, jobOf, openFixture, viewsOf, type DirectoryFixture } from '../../fixtures/directory.js'
import { readFixture, unpackBytes } from '../../fixtures/files.js'
import { testAuthor } from '../../support/author.js'
import { temporaryDirectory } from '../../support/engine/files.js'

test('a data directory of format 1 opens as it was left', async (context) => {
  const dataDir = temporaryDirectory(context)
  const { files, views } = readFixture('directory-1') as DirectoryFixture
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(dataDir, name), unpackBytes(text), { mode: 0o600 })
  const { problems, jobs, events } = await verifyDataDir(dataDir)
  assert.deepEqual([problems, jobs, events], [[], 2, 18])
  const engine = await openFixture(dataDir)
  try {
    assert.deepEqual(viewsOf(engine), views)
    assert.equal((await engine.audit.verify()).intact, true)
    const job = jobOf(engine)
    await engine.startJob(job, testAuthor)
    const view = await ingest(engine, jobOf(engine), 'new', { rule: 'rule 0', host: 'host 0' })
    assert.deepEqual([view.resultLabel, view.bucketState], ['Drop', 'in_knowledge_base'])
  } finally {
    await engine.close()
  }
  assert.deepEqual((await verifyDataDir(dataDir)).problems, [])
})
