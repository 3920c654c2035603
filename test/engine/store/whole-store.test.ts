import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { openWhole } from '../../../engine/store/directory/environments.js'
import { committed, type CommittingTask } from '../../support/committing-thread.js'
import { childFile } from '../../child-files.js'

test('a store that somebody writes to is opened with all its tables, at any moment', async () => {
  // In memory, where commits follow one another without waiting for a disk.
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'whole-store-'))
  const workerData: CommittingTask = { dir, stop: new Int32Array(new SharedArrayBuffer(4)) }
  const writer = new Worker(childFile('committing-thread'), { workerData })
  const ended = once(writer, 'exit')
  try {
    await once(writer, 'message')
    for (let i = 0; i < 100; i++) {
      const environment = openWhole(dir, 'store')
      environment.takeSnapshot()
      for (const table of committed) assert.ok(environment.count(table, {}) > 0, table)
      await environment.close()
    }
    const last = openWhole(dir, 'store')
    const into = join(dir, 'copy')
    assert.ok(last.copyTo(into, 'store', () => {}) > 100 * committed.length)
    await last.close()
    const copy = openWhole(into, 'store')
    for (const table of committed) assert.ok(copy.count(table, {}) > 0, table)
    await copy.close()
  } finally {
    Atomics.store(workerData.stop, 0, 1)
    await ended
    rmSync(dir, { recursive: true })
  }
})
