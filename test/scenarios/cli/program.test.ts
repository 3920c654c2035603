/** The program `decide` as it is bundled: a process of its own. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { makeJob } from '../../support/client.js'
import { agentOf, clientWith } from '../../support/mcp/agent.js'
import { MANAGEMENT_KEY, PASSWORD_COST, portOf, startService, type TestService } from '../../support/service.js'
import { root } from '../../support/source-tree.js'

const decide = join(root, '.build/bundle/service/decide.js')
const dir = mkdtempSync(join(tmpdir(), 'decide-program-'))
let service: TestService
let env: Record<string, string>

before(async () => {
  service = await startService()
  await makeJob(service.client, { decision_points: ['rule'] })
  const own = Object.entries(process.env).filter(([name]) => !/^(SERVICE|DECIDE)_/.test(name)) as [string, string][]
  env = { ...Object.fromEntries(own), DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY }
})
after(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

test('help and errors of usage load nothing of the engine, and end with their codes', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [decide, ...args], { encoding: 'utf8', env: { ...env, NODE_DEBUG: 'esm' } })
  const help = run('--help')
  assert.equal(help.status, 0)
  assert.match(help.stdout, /^COMMANDS$/m)
  assert.doesNotMatch(help.stderr, /node_modules/)
  assert.equal(run('unknown').status, 2)
  assert.equal(run('vote').status, 2)
})

test('a reader that has seen enough ends it quietly', async () => {
  const child = spawn(process.execPath, [decide, 'query', '--help'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => (said += String(bytes)))
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0)
  assert.equal(said, '')
})

test('agents reach the tools over standard input and output', async () => {
  const client = clientWith({ era: 'modern', person: 'accept' }, [])
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [decide, 'mcp'], env }))
  const agent = agentOf(client, [])
  assert.ok((await agent.client.listTools()).tools.length > 15)
  assert.equal((await agent.call('find_jobs')).total, 1)
  await agent.close()
  const refused = spawn(process.execPath, [decide, 'mcp'], { env: { ...env, DECIDE_KEY: 'wrong' } })
  let said = ''
  refused.stderr.on('data', (bytes: Buffer) => (said += String(bytes)))
  assert.equal(await new Promise((resolve) => refused.once('close', resolve)), 1)
  assert.match(said, /^the service refused: missing or invalid API key/)
})

test('decide serve is the service, and stops as it does', async () => {
  const child = spawn(process.execPath, [decide, 'serve', '--port', '0', '--data-dir', join(dir, 'data')], {
    env: { ...env, SERVICE_SHARDS: '1', SERVICE_THREADS: '1', SERVICE_PASSWORD_COST: String(PASSWORD_COST) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const port = await portOf({ child, output: () => output, exited })
  assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  child.kill('SIGINT')
  assert.equal(await exited, 0)
})
