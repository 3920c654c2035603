import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { OccasionalThreads } from '../../engine/runtime/threads/threads.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { NO_START } from './occasional-thread.js'
import { until } from '../support/until.js'
import { childFile } from '../child-files.js'

function threads(test: TestContext, died: (error: unknown) => void = () => {}): OccasionalThreads<string, string> {
  const made = new OccasionalThreads<string, string>(
    // No thread ends for want of work within a test.
    { module: childFile('occasional-thread'), threadsMax: 1, idleMs: 600_000, nice: 0 },
    died,
  )
  // A waiting call keeps no process alive; a service has its connections for that.
  const alive = setInterval(() => {}, 1_000)
  afterwards(test, async () => {
    await made.close()
    clearInterval(alive)
  })
  return made
}

function cannotStart(test: TestContext): string {
  const file = join(temporaryDirectory(test), 'no-start')
  writeFileSync(file, '')
  process.env[NO_START] = file
  afterwards(test, () => delete process.env[NO_START])
  return file
}

describe('work that comes now and then', () => {
  it('runs on another thread if it waits while its thread dies', async (test) => {
    const pool = threads(test)
    const [dying, waiting, more] = [pool.run('die'), pool.run('this'), pool.run('that')]
    await assert.rejects(dying)
    assert.deepEqual(await Promise.all([waiting, more]), ['did this', 'did that'])
  })

  it('is done in the order in which it came, however much waits', async (test) => {
    const pool = threads(test)
    const done: string[] = []
    const names = Array.from({ length: 12 }, (_, i) => `task ${i}`)
    await Promise.all(names.map((name) => pool.run(name).then(() => done.push(name))))
    assert.deepEqual(done, names)
  })

  it('is measured: threads tell of their memory, and those that ended have none', async (test) => {
    const pool = threads(test)
    const made = pool.startedMicros
    assert.equal(pool.memoryBytes, 0)
    await pool.run('this')
    await until(() => pool.memoryBytes > 0)
    assert.ok(pool.memoryBytes > 100_000, String(pool.memoryBytes))
    assert.ok(pool.startedMicros > made)
    const started = pool.startedMicros
    await pool.restart()
    assert.ok(pool.startedMicros > started)
    assert.equal(pool.memoryBytes, 0)
  })

  it('runs once its thread starts, after a start that failed', async (test) => {
    const file = cannotStart(test)
    const pool = threads(test, () => rmSync(file, { force: true }))
    assert.equal(await pool.run('this'), 'did this')
  })

  it('is given up if no thread starts', async (test) => {
    cannotStart(test)
    await assert.rejects(threads(test).run('this'), /no thread for it could be started/)
  })
})
