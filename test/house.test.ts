/** The rules of the source tree, held by walking it: who may import whom, who owns which package, how long a file may be. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Folders of the engine, each may import those before it (engine/DESIGN.md). */
const folders = [
  'event',
  'job',
  'learn',
  'decide',
  'cause',
  'metrics',
  'query',
  'store',
  'resource',
  'integration',
  'monitor',
  'actor',
]
/** Folders that do no I/O and know no clock, no chance, no package. */
const pure = folders.slice(0, folders.indexOf('store'))
/** Files beside the folders that everybody may import. */
const commons = ['errors', 'limits', 'question-limits', 'assert', 'clock', 'random'].map((name) => `engine/${name}.ts`)
/** What can be asked of the engine, in words that callers share. Contracts import nothing but each other, commons and the pure domain. */
const contracts = /^engine\/(principal|scopes|service|monitor\/components|monitor\/log-level|\w+\/[\w-]+-service)\.ts$/
/** What a pure folder may not even name among these. */
const worldly = ['engine/clock.ts', 'engine/rng.ts']

/** Packages with one home: a file, or a folder. */
const homes: Readonly<Record<string, string>> = {
  lmdb: 'engine/store/lmdb/lmdb.ts',
  msgpackr: 'engine/store/pack.ts',
  piscina: 'engine/runtime/threads/threads.ts',
  croner: 'engine/resource/cron.ts',
  pino: 'engine/services/monitor/log/log.ts',
  'prom-client': 'server/prometheus.ts',
  yazl: 'server/zip.ts',
  'uWebSockets.js': 'server/http/',
  '@nats-io/transport-node': 'engine/integration/nats/',
  '@nats-io/jetstream': 'engine/integration/nats/',
  '@opentelemetry/api': 'server/tracing.ts',
  '@opentelemetry/core': 'server/tracing.ts',
  '@opentelemetry/resources': 'server/tracing.ts',
  '@opentelemetry/sdk-trace': 'server/tracing.ts',
  '@opentelemetry/exporter-trace-otlp-http': 'server/tracing.ts',
  fzstd: 'engine/integration/kafka/',
  kafkajs: 'engine/integration/kafka/',
  marked: 'server/docs/manual.ts',
}

const topLevel = [
  'engine',
  'server',
  'bench',
  'test',
  'package.json',
  'tsconfig.json',
  'README.md',
  'CHANGELOG.md',
  'Dockerfile',
]
/** What is made by tools, or ignored by git. */
const madeByTools = /^(\..*|package-lock\.json|npm-shrinkwrap\.json|node_modules|data|.*\.log)$/

/** The longest file today; it may only become smaller. */
const LINES_MAX = 320
/** Files over the size to aim at; the list may only become shorter. */
const AIM = 250

const root = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  assert.notEqual(parent, from, 'no package.json above the tests')
  return findRoot(parent)
}

interface Import {
  readonly from: string
  /** A path in the tree, or a package. */
  readonly to: string
}

function sourceFiles(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourceFiles(path)
    return entry.name.endsWith('.ts') ? [path] : []
  })
}

/** The text without comments. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

function importsOf(file: string): Import[] {
  const found: Import[] = []
  for (const [, name] of codeOf(file).matchAll(/(?:\bfrom\s|\bimport\s*\(?)\s*'([^']+)'/g)) {
    const to = name as string
    if (!to.startsWith('.'))
      found.push({
        from: file,
        to: to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : (to.split('/')[0] as string),
      })
    else found.push({ from: file, to: relative(root, resolve(root, dirname(file), to)).replace(/\.js$/, '.ts') })
  }
  return found
}

const files = ['engine', 'server', 'bench', 'test'].flatMap(sourceFiles)
const imports = files.flatMap(importsOf)

function folderOf(file: string): string {
  return file.split('/')[1] as string
}

function wrong(breaks: (one: Import) => boolean): string[] {
  return imports.filter(breaks).map(({ from, to }) => `${from} imports ${to}`)
}

describe('the source tree', () => {
  it('is there to be walked', () => {
    assert.ok(files.length > 100 && imports.length > 500)
    for (const { from, to } of imports)
      if (to.includes('/') && to.endsWith('.ts')) assert.ok(existsSync(join(root, to)), `${from} imports ${to}`)
  })

  it('has nothing at the top beside what belongs there', () => {
    assert.deepEqual(
      readdirSync(root).filter((name) => !topLevel.includes(name) && !madeByTools.test(name)),
      [],
    )
  })

  it('imports downward only, in the engine', () => {
    assert.deepEqual(
      wrong(({ from, to }) => {
        if (!from.startsWith('engine/') || !to.startsWith('engine/')) return false
        if (commons.includes(to)) return false
        if (contracts.test(from)) return !contracts.test(to) && !pure.includes(folderOf(to))
        if (contracts.test(to)) return commons.includes(from) || pure.includes(folderOf(from))
        if (!from.slice('engine/'.length).includes('/')) return commons.includes(from)
        const [own, other] = [folders.indexOf(folderOf(from)), folders.indexOf(folderOf(to))]
        assert.ok(own >= 0, `${from} is in no folder of the design`)
        return other < 0 || other > own
      }),
      [],
    )
  })

  it('knows nothing of HTTP in the engine, and nothing behind the door of the engine outside', () => {
    assert.deepEqual(
      wrong(({ from, to }) => from.startsWith('engine/') && /^(server|bench|test)\//.test(to)),
      [],
    )
    assert.deepEqual(
      wrong(
        ({ from, to }) => from.startsWith('server/') && /^(engine|bench|test)\//.test(to) && to !== 'engine/index.ts',
      ),
      [],
    )
    assert.deepEqual(
      wrong(
        ({ from, to }) => /^(engine|server)\//.test(from) && to === 'engine/index.ts' && from.startsWith('engine/'),
      ),
      [],
    )
  })

  it('has a pure domain: no I/O, no clock, no chance, no package', () => {
    assert.deepEqual(
      wrong(({ from, to }) => {
        if (!from.startsWith('engine/') || !pure.includes(folderOf(from))) return false
        return worldly.includes(to) || !(to.startsWith('engine/') || to === 'node:crypto' || to === 'node:buffer')
      }),
      [],
    )
    for (const file of files.filter((name) => name.startsWith('engine/') && pure.includes(folderOf(name)))) {
      assert.doesNotMatch(codeOf(file), /\b(Date\.now|new Date\(\)|Math\.random|process\.|performance\.now)/, file)
    }
  })

  it('gives each package one home', () => {
    for (const [name, home] of Object.entries(homes)) {
      const users = imports
        .filter(({ from, to }) => to === name && /^(engine|server)\//.test(from))
        .map(({ from }) => from)
      assert.ok(users.length > 0, `nobody imports ${name}`)
      for (const user of users)
        assert.ok(home.endsWith('/') ? user.startsWith(home) : user === home, `${user} imports ${name}`)
    }
  })

  it('starts the service and each kind of thread from a file of its own, which holds what it needs of the engine', () => {
    const started = files
      .filter((file) => file.startsWith('engine/'))
      .flatMap((file) => {
        return [...codeOf(file).matchAll(/(?<!from )'([./\w-]+)-thread\.js'/g)].map(([, path]) => `${path}-thread.ts`)
      })
    const entries = files.filter((file) => /^engine\/actor\/[\w-]+-thread\.ts$/.test(file))
    assert.deepEqual(started.sort(), entries.map((file) => `../../bundle/service/${basename(file)}`).sort())
    const relativeImport = /^(?:import|export) .*["'](\.\.?\/[^"']+)["']/gm
    for (const file of ['main.ts', ...entries]) {
      const bundle = readFileSync(join(root, '.build/bundle/service', basename(file).replace(/\.ts$/, '.js')), 'utf8')
      const others = [...bundle.matchAll(relativeImport)].map(([, path]) => path as string)
      assert.deepEqual(
        others.filter((path) => file !== 'main.ts' || !/^\.\/chunk-\w+\.js$/.test(path)),
        [],
        file,
      )
    }
  })

  it('keeps files short, and makes them only shorter', () => {
    const long = files
      .filter((file) => /^(engine|server)\//.test(file))
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > AIM)
    for (const { file, lines } of long) assert.ok(lines <= LINES_MAX, `${file} has ${lines} lines`)
    assert.ok(long.length <= 27, `files over ${AIM} lines: ${long.map(({ file }) => file).join(', ')}`)
  })

  it('has no any in the engine', () => {
    for (const file of files.filter((name) => name.startsWith('engine/'))) {
      assert.doesNotMatch(
        codeOf(file).replace(/'[^'\n]*'|`[^`]*`/g, "''"),
        /[:<|&(,]\s*any\b|\bas any\b|\bany\[\]/,
        file,
      )
    }
  })

  it('has the test of a file where the file is', () => {
    const tests = files.filter((file) => /^test\/(engine|server|bench)\/.*\.test\.ts$/.test(file))
    const orphans = tests.filter((test) => {
      const source = test.slice('test/'.length).replace(/\.test\.ts$/, '.ts')
      return (
        !existsSync(join(root, source)) &&
        !statSync(join(root, dirname(source)), { throwIfNoEntry: false })?.isDirectory()
      )
    })
    assert.deepEqual(orphans, [])
  })
})
