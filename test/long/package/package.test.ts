/**
 * `npm run test:package`: what `npm pack` makes, installed into an empty folder, runs both commands.
 *
 * It needs the package registry. It prints what each dependency costs, and how long the service took to start.
 */
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../../support/source-tree.js'

const MIB = 1024 * 1024
const INSTALLED_MIB_MAX = 120
const TARBALL_MIB_MAX = 8

const exec = promisify(execFile)
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const dir = mkdtempSync(join(tmpdir(), 'decision-service-package-'))
const home = join(dir, 'app')
const modules = join(home, 'node_modules')
let tarball: string

after(() => rmSync(dir, { recursive: true, force: true }))

before(async () => {
  await exec(npm, ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: root })
  tarball = join(dir, readdirSync(dir).find((name) => name.endsWith('.tgz'))!)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private": true, "type": "module"}')
  await exec(npm, ['install', tarball, '--no-audit', '--no-fund'], { cwd: home })
})

function bytesOf(path: string): number {
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}

/** Starts a command of the package, as its name in a shell does. */
function start(
  command: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(join(modules, '.bin', command), args, {
    cwd: home,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      output += String(bytes)
      const [, address] = /^Listening on (\S+)$/m.exec(output) ?? []
      if (address !== undefined) resolve(address)
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)))
  })
}

async function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return ended
}

test('the package is small, and has no part of its build', (context) => {
  assert.ok(lstatSync(tarball).size < TARBALL_MIB_MAX * MIB)
  const sizes = readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== '.bin')
    .map(({ name }) => ({ name, mib: bytesOf(join(modules, name)) / MIB }))
    .sort((a, b) => b.mib - a.mib)
  const whole = sizes.reduce((sum, { mib }) => sum + mib, 0)
  context.diagnostic(`installed: ${whole.toFixed(1)} MiB`)
  for (const { name, mib } of sizes.slice(0, 12)) context.diagnostic(`${mib.toFixed(1).padStart(6)} MiB  ${name}`)
  assert.ok(whole < INSTALLED_MIB_MAX, `${whole} MiB`)
  for (const name of ['typescript', 'esbuild', '@biomejs', 'swagger-ui-dist', '@scarf', 'typebox', 'preact'])
    assert.ok(!existsSync(join(modules, name)), name)
  assert.ok(!existsSync(join(modules, 'decision-service/engine')))
})

test('the service starts where it was installed, and the command line works with it', async (context) => {
  const before = performance.now()
  const service = start('decision-service', [], { SERVICE_PORT: '0' })
  try {
    const base = await addressOf(service)
    context.diagnostic(`the service listens after ${Math.round(performance.now() - before)} ms`)
    const seen = new Set<string>()
    const missing: string[] = []
    for (const path of ['/jobs', '/docs', '/docs/command-line', '/docs/exposer', '/openapi.json', '/api-keys']) {
      const page = await fetch(base + path)
      assert.equal(page.status, 200, path)
      for (const [, asset] of (await page.text()).matchAll(/(?:src|href)="(\/[^"#?]+\.(?:js|css|png|svg|json))"/g)) {
        if (seen.has(asset!)) continue
        seen.add(asset!)
        if ((await fetch(base + asset)).status !== 200) missing.push(asset!)
      }
    }
    assert.ok(seen.size > 3)
    assert.deepEqual(missing, [])

    const env = { ...process.env, DECIDE_CONFIG: join(dir, 'profiles.json') }
    const decide = async (...args: string[]): Promise<string> =>
      (await exec(join(modules, '.bin', 'decide'), args, { cwd: home, env })).stdout
    assert.match(await decide('--version'), /^\d+\.\d+\.\d+/)
    assert.match(await decide('init', '--url', base, '--data-dir', 'data'), /The profile default is in/)
    const resources = {
      job: {
        type: 'job',
        properties: { title: 'Packed', category: 'Decision intelligence', decision_points: ['rule'] },
      },
    }
    writeFileSync(join(home, 'job.json'), JSON.stringify({ resources }))
    await decide('jobs', 'apply', 'job.json')
    writeFileSync(join(home, 'events.csv'), 'rule,host\na,b\nc,d\n')
    assert.match(await decide('ingest', 'events.csv', '--job', 'Packed'), /^2 events stored/)
    assert.equal((await decide('query', '--job', 'Packed', '--count')).trim(), '2')
    await decide('backup', 'copy', '--data-dir', 'data')
    assert.match(await decide('verify', 'copy'), /^No problems/m)
    // With types, as the client of a program.
    writeFileSync(
      join(home, 'client.js'),
      `import { createClient } from 'decision-service/client'
       import { readFileSync } from 'node:fs'
       const { profiles } = JSON.parse(readFileSync(process.env.DECIDE_CONFIG, 'utf8'))
       const { url: baseUrl, key } = profiles.default
       console.log((await createClient({ baseUrl, key }).listManagedJobs())[0].title)`,
    )
    assert.equal((await exec(process.execPath, ['client.js'], { cwd: home, env })).stdout, 'Packed\n')
    assert.ok(existsSync(join(modules, 'decision-service/.build/client/operations.d.ts')))
  } finally {
    assert.equal(await stop(service), 0)
  }
  const again = start('decide', ['serve', '--port', '0', '--data-dir', 'data'])
  await addressOf(again)
  assert.equal(await stop(again), 0)
})

test('npx runs the service from the file', async (context) => {
  const before = performance.now()
  const npx = spawn(process.platform === 'win32' ? 'npx.cmd' : 'npx', ['--yes', `./${basename(tarball)}`, '--help'], {
    cwd: dir,
  })
  let out = ''
  npx.stdout.on('data', (bytes: Buffer) => (out += String(bytes)))
  await new Promise((resolve) => npx.once('close', resolve))
  context.diagnostic(`npx took ${Math.round(performance.now() - before)} ms with its install`)
  assert.match(out, /SERVICE_PORT/)
})

test('every dependency is pinned, and what is only built with is no dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  for (const [name, version] of Object.entries(dependencies)) assert.match(version, /^(npm:.*@)?\d+\.\d+\.\d+$/, name)
})
