import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { walkPages } from '../../engine/store/pages/page-walk.js'
import { childFile } from '../child-files.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import type { CommitOutcome } from './failing-writes-thread.js'

const hasLimits = spawnSync('bash', ['-c', 'command -v prlimit']).status === 0
const COMMITS = 40
const FAILURES = 200
/** Only meta pages may be written. */
const LEAST_BYTES = 16_384

describe('commits that fail in the native library', () => {
  it('leave its memory whole, change nothing, and succeed once the system takes writes again', {
    skip: hasLimits ? false : 'bash and prlimit are needed to limit the size of files',
  }, async (test) => {
    const directory = temporaryDirectory(test)
    const [main, thread] = [childFile('failing-writes-child'), childFile('failing-writes-thread')].map((url) =>
      fileURLToPath(url),
    ) as [string, string]
    const child = spawn('bash', ['-c', 'trap "" XFSZ; exec "$@"', 'bash', process.execPath, main, directory, thread], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    afterwards(test, () => void child.kill('SIGKILL'))
    let printed = ''
    child.stderr?.on('data', (text) => (printed += String(text)))
    const commit = (commits: number): Promise<CommitOutcome[]> =>
      new Promise((resolve, reject) => {
        child.once('message', (outcomes: CommitOutcome[]) => resolve(outcomes))
        child.once('exit', (code, signal) => reject(new Error(`the process ended: ${code ?? signal}; ${printed}`)))
        child.send(commits)
      })
    const mayWrite = (bytes: number | 'unlimited'): void =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])
    const [first] = await commit(COMMITS)
    assert.deepEqual(first?.refused, {})
    mayWrite(LEAST_BYTES)
    for (const { stored, refused, isTrue } of await commit(FAILURES))
      assert.deepEqual(
        { stored, refused, isTrue },
        { stored: first?.stored, refused: { store_full: FAILURES }, isTrue: true },
      )
    assert.equal(printed, '')
    mayWrite('unlimited')
    for (const { refused, isTrue } of await commit(5))
      assert.deepEqual({ refused, isTrue }, { refused: {}, isTrue: true })
    child.kill('SIGKILL')
    for (const i of [0, 1, 2]) assert.deepEqual(walkPages(join(directory, `store-${i}.mdb`)).problems, [])
  })
})
