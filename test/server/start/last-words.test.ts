import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { afterwards } from '../../support/afterwards.js'
import { temporaryDirectory } from '../../support/engine/files.js'
import { PASSWORD_COST, portOf, spawnMain } from '../../support/service.js'

/** Code that runs in the process of the service, when it gets a signal. */
const errors = {
  'an error': 'throw new Error("boom.\\nmore")',
  'a promise that nobody handles': 'void Promise.reject(new Error("boom.\\nmore"))',
  'an error without a file left to open':
    'try { for (;;) fs.openSync("/dev/null") } catch { throw new Error("boom.\\nmore") }',
}

for (const [what, code] of Object.entries(errors)) {
  test(`${what} ends the process with one sentence, and its trace is in the log`, async (context) => {
    const dataDir = join(temporaryDirectory(context), 'data')
    const module = `import fs from 'node:fs'; process.on('SIGUSR2', () => { ${code} })`
    const options = `--import=data:text/javascript,${encodeURIComponent(module)}`
    const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: '0', SERVICE_PASSWORD_COST: String(PASSWORD_COST) }
    const started = spawnMain(settings, [], ['env', `NODE_OPTIONS=${options}`])
    afterwards(context, () => void started.child.kill('SIGKILL'))
    await portOf(started)
    started.child.kill('SIGUSR2')
    assert.equal(await started.exited, 1)
    const words = started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('The service ends'))
    assert.deepEqual(words, [
      'The service ends by an error that it did not expect: boom. What was acknowledged is on disk; start it again.',
    ])
    const log = readdirSync(join(dataDir, 'logs'))
      .map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
      .join('')
    assert.match(log, /"stack":"Error: boom[^\n]*an error that nobody caught ends the process/)
  })
}
