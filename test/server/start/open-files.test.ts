import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFilesLimit, openFilesNeeded } from '../../../server/start/open-files.js'
import { afterwards } from '../../support/afterwards.js'
import { temporaryDirectory } from '../../support/engine/files.js'
import { PASSWORD_COST, portOf, spawnMain, type Started } from '../../support/service.js'

test('more shards and threads need more files', () => {
  assert.ok(openFilesNeeded({ shards: 64, threads: 8, httpThreads: 4 }) > openFilesNeeded({}))
  assert.equal(openFilesNeeded({}), openFilesNeeded({ shards: 8, threads: 1, httpThreads: 1 }))
})

test('the limit is read as the kernel writes it', () => {
  const line = (soft: string): string =>
    `Max processes  9 9 processes\nMax open files            ${soft}  4096  files\n`
  assert.deepEqual(
    [openFilesLimit(line('1024')), openFilesLimit(line('unlimited')), openFilesLimit('')],
    [1_024, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  )
})

test('a start with too low a limit says so in a sentence, and leaves nothing behind; the least one is enough', {
  skip: process.platform === 'linux' ? false : 'the limit of other systems is not known',
}, async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data')
  const needed = openFilesNeeded({})
  for (const limit of [40, needed - 1]) {
    const { exited, output } = startedWith(limit, dataDir)
    assert.equal(await exited, 1, output())
    assert.match(output(), /^The service did not start: the limit of open files is \d+ \(ulimit -n\); [^\n]*\.\n$/)
  }
  assert.equal(existsSync(dataDir), false)
  const started = startedWith(needed, dataDir)
  afterwards(context, () => void started.child.kill('SIGKILL'))
  const port = await portOf(started)
  assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  started.child.kill('SIGTERM')
  assert.equal(await started.exited, 0)
})

function startedWith(limit: number, dataDir: string): Started {
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: '0', SERVICE_PASSWORD_COST: String(PASSWORD_COST) }
  return spawnMain(settings, [], ['bash', '-c', `ulimit -n ${limit}; exec "$@"`, 'bash'])
}
