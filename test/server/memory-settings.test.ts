/** The program as people start it by its bin: one process with the settings of memory, where Node.js can. */
import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { mallocVariables, youngGeneration } from '../../server/memory-settings.js'

const program = fileURLToPath(new URL('../../bundle/service/main.js', import.meta.url))
const canBeginAnew = process.platform === 'linux' && 'execve' in process

function environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of Object.keys(mallocVariables)) delete env[name]
  return { ...env, ...own }
}

async function listening(child: ChildProcess): Promise<void> {
  let output = ''
  for await (const bytes of child.stdout!) {
    output += String(bytes)
    if (output.includes('Listening on')) return
  }
  throw new Error(`it ended: ${output}`)
}

/** What the system says of a running service that was started with these variables; it is stopped then. */
async function started(own: NodeJS.ProcessEnv): Promise<{ env: string[]; args: string[]; code: number | null }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'decision-service-memory-'))
  const env = environment({ SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, ...own })
  const child = spawn(process.execPath, [program], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await listening(child)
    const [environ, cmdline] = ['environ', 'cmdline'].map((name) =>
      readFileSync(`/proc/${child.pid}/${name}`, 'utf8').split('\0'),
    ) as [string[], string[]]
    const ended = once(child, 'exit') as Promise<[number | null]>
    child.kill('SIGTERM')
    return { env: environ, args: cmdline, code: (await ended)[0] }
  } finally {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const onLinux = { skip: process.platform !== 'linux' }

test('the process that was started has the settings, and ends by a signal as ever', onLinux, async () => {
  const { env, args, code } = await started({})
  for (const [name, value] of Object.entries(mallocVariables))
    assert.equal(env.includes(`${name}=${value}`), canBeginAnew, name)
  assert.equal(args.filter((one) => one === youngGeneration).length, canBeginAnew ? 1 : 0)
  assert.equal(code, 0)
})

test('what people have set stays as it is', onLinux, async () => {
  const { env, args, code } = await started({ MALLOC_ARENA_MAX: '2' })
  assert.ok(env.includes('MALLOC_ARENA_MAX=2') && !args.includes(youngGeneration))
  assert.equal(code, 0)
})

test('a start that fails says why and ends with 1', () => {
  const env = environment({ SERVICE_PORT: 'none' })
  const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' })
  assert.match(stderr, /^The service did not start: .*SERVICE_PORT/)
  assert.equal(status, 1)
})
