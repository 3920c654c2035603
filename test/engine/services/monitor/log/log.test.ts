import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { logFile } from '../../../../../engine/services/monitor/log/log-store.js'
import { levelForAll } from '../../../../../engine/api/log-level.js'
import { Logs } from '../../../../../engine/services/monitor/log/log.js'

const dir = mkdtempSync(join(tmpdir(), 'log-'))
after(() => rmSync(dir, { recursive: true }))

function linesOf(dataDir: string): Record<string, unknown>[] {
  return readFileSync(logFile(dataDir, 0), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line is JSON with time, level, component, container and what was said', async () => {
  const logs = new Logs(join(dir, 'a'), levelForAll('info'), false)
  logs.of('actor', '3').info('hello', { answer: 42 })
  logs.of('actor', '3').debug('not now')
  logs.failures('query')('a thread died', new Error('out of memory'))
  await logs.close()
  const [hello, failure, ...rest] = linesOf(join(dir, 'a'))
  assert.deepEqual(rest, [])
  assert.match(String(hello?.time), /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.deepEqual(
    { ...hello, time: '' },
    { level: 'info', time: '', component: 'actor', container: '3', answer: 42, msg: 'hello' },
  )
  assert.equal((failure?.err as { message: string } | undefined)?.message, 'out of memory')
  assert.equal(logs.lastError('query', 'main')?.message, 'a thread died: out of memory')
  assert.equal(logs.lastError('actor', '3'), null)
})

test('levels change while it runs, for one container or for all', async () => {
  const logs = new Logs(join(dir, 'b'), { ...levelForAll('info'), api: 'debug' }, false)
  logs.of('api').debug('1')
  logs.setLevel('api', 'main', 'silent')
  logs.of('api').error('2')
  assert.equal(logs.level('api', 'main'), 'silent')
  logs.setLevels(levelForAll('debug'))
  logs.of('api').debug('3')
  logs.of('trainer').debug('4')
  await logs.close()
  assert.deepEqual(
    linesOf(join(dir, 'b')).map(({ msg }) => msg),
    ['1', '3', '4'],
  )
})

test('neither an export of the log nor the end of the process waits for a reader of standard error that takes nothing', async () => {
  const modules = ['services/monitor/log/log', 'api/log-level'].map((name) =>
    JSON.stringify(new URL(`../../../../../engine/${name}.js`, import.meta.url).href),
  )
  const script = `
    import { Logs } from ${modules[0]}
    import { levelForAll } from ${modules[1]}
    const logs = new Logs(${JSON.stringify(join(dir, 'c'))}, levelForAll('info'), true)
    for (let i = 0; i < 400; i++) logs.of('api').info('x'.repeat(4_000))
    await new Promise((resolve) => setTimeout(resolve, 50))
    logs.flush()
    await logs.close()
    process.exit(7)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  const [status] = await once(child, 'exit')
  assert.equal(status, 7)
  assert.equal(linesOf(join(dir, 'c')).length, 400)
})
