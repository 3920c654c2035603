/**
 * The rules of the house, checked by walking the source tree: rooms, imports, sizes, words, citations. They only
 * tighten: a figure here may become smaller, never larger.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { brokenCitations } from './support/citations.js'
import { circlesOf, codeOf, importsOf, listFiles, namesIn, root, textOf, type Import } from './support/source-tree.js'

/** Rooms of the engine. A file imports from its own room and from rooms before it (engine/DESIGN.md). */
const rooms = ['domain', 'api', 'store', 'resource', 'actor', 'runtime', 'integration', 'services']
/** The same inside of the domain. */
const domainRooms = ['wasm', 'event', 'job', 'learn', 'decide', 'autonomy', 'cause', 'metrics', 'query']
/** Files beside the rooms that every room may import. Each may import only those before it. */
const commons = ['errors', 'assert', 'clock', 'rng', 'access-limits', 'query-limits', 'limits'].map(
  (name) => `engine/${name}.ts`,
)
/** Readers of texts that people have. They are pure, so browsers and the command line run the same ones. */
const readers = [
  'engine/domain/event/input/',
  'engine/domain/event/json.ts',
  'engine/domain/query/query-text.ts',
] as const
/** What they need besides: it runs in browsers, too. */
const partsOfReaders: readonly string[] = ['json', 'path']
  .map((name) => `engine/domain/event/${name}.ts`)
  .concat('engine/errors.ts')
const isReader = (file: string): boolean => readers.some((one) => file.startsWith(one))
/** The files that join the rooms. */
const joints = ['wiring', 'engine', 'index'].map((name) => `engine/${name}.ts`)
/** Commons that the domain may not import, not even for a type: it gets time and chance passed in (D7). */
const worldly = ['engine/clock.ts', 'engine/rng.ts']

/** Where NATS is spoken: by steps of jobs, and by the log. */
const nats = ['engine/integration/nats/', 'engine/runtime/log/jetstream/'] as const

/** Packages with one home: a file, or a folder (D8). */
const homes: Readonly<Record<string, string | readonly string[]>> = {
  lmdb: 'engine/store/lmdb/lmdb.ts',
  msgpackr: 'engine/store/pack.ts',
  piscina: 'engine/runtime/threads/threads.ts',
  croner: 'engine/resource/cron.ts',
  pino: 'engine/services/monitor/log/log.ts',
  'prom-client': 'server/prometheus.ts',
  yazl: 'server/zip.ts',
  '@stricli/core': 'server/cli/',
  'uWebSockets.js': 'server/http/',
  '@modelcontextprotocol/server': 'server/mcp/',
  '@nats-io/transport-node': nats,
  '@nats-io/jetstream': nats,
  '@nats-io/obj': 'engine/runtime/log/jetstream/',
  '@opentelemetry/api': 'server/tracing.ts',
  '@opentelemetry/core': 'server/tracing.ts',
  '@opentelemetry/resources': 'server/tracing.ts',
  '@opentelemetry/sdk-trace': 'server/tracing.ts',
  '@opentelemetry/exporter-trace-otlp-http': 'server/tracing.ts',
  'openid-client': 'server/sso/',
  jose: 'server/sso/',
  fzstd: 'engine/integration/kafka/',
  kafkajs: 'engine/integration/kafka/',
  preact: 'server/console/',
  'preact-iso': 'server/console/',
  '@preact/signals': 'server/console/',
  uplot: 'server/console/',
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
/** Files that tools make, or that git ignores. */
const madeByTools = /^(\..*|package-lock\.json|npm-shrinkwrap\.json|node_modules|data|.*\.log)$/

/** Columns. So many lines may have more: the formatter cannot break texts, addresses and patterns. */
const COLUMNS_MAX = 120
const LINES_OVER_COLUMNS = 127
/** The most lines of the README and of a design. */
const DOCUMENT_LINES_MAX = 200

/** Words that names no longer use, and the words to use instead (engine/DESIGN.md, glossary). */
const retired: readonly (readonly [RegExp, string])[] = [
  [/desk/i, 'service, or what it does'],
  [/doorstep/i, 'document batch'],
  [/threadDoor|thread-door/i, 'turn slots'],
  [/(?<!dead-?)letter/i, 'dead letter'],
  [/lookUp|LookUp|look-up/, 'enrichment'],
  [/lateCount|late-count/i, 'deferred counters'],
  [/belong/i, 'consistency check'],
  [/agingClock|aging-clock/i, 'retention clock'],
  [/guess/i, 'login throttle'],
  [/^asked$|Asked/, 'JSON reader, or query'],
  [/^effort$|Effort/, 'text budget'],
  [/catalogue/i, 'integration metadata'],
  [/kind-?list/i, 'integration registry'],
  [/erasing|erasure|removing|removal/i, 'erase or purge'],
  [/question/i, 'query'],
  [/shelf/i, 'cause store'],
]
/** Endings of file names that say nothing. */
const emptyEndings = /-(desk|parts|look|watch)\.ts$/

const exportedType = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm

const files = ['engine', 'server', 'bench', 'test'].flatMap(listFiles).filter((file) => /\.tsx?$/.test(file))
const imports = files.flatMap(importsOf)

function folderOf(file: string): string {
  return file.split('/')[1] as string
}

/** The place of a file of the engine. It may import nothing from a later place. */
function standing(file: string): number {
  if (file === 'engine/options.ts') return rooms.indexOf('api')
  if (commons.includes(file)) return commons.indexOf(file) - 1000
  if (joints.includes(file)) return 1000 + joints.indexOf(file)
  const room = rooms.indexOf(folderOf(file))
  assert.ok(room >= 0, `${file} is in no room of the design`)
  return room
}

function wrong(breaks: (one: Import) => boolean): string[] {
  return imports.filter(breaks).map(({ from, to }) => `${from} imports ${to}`)
}

describe('the source tree', () => {
  it('exists, so there is something to check', () => {
    assert.ok(files.length > 100 && imports.length > 500)
    for (const { from, to } of imports) {
      if (to.includes('/') && /\.tsx?$/.test(to)) assert.ok(existsSync(join(root, to)), `${from} imports ${to}`)
    }
  })

  it('has at the top only the files and folders that belong there', () => {
    assert.deepEqual(
      readdirSync(root).filter((name) => !topLevel.includes(name) && !madeByTools.test(name)),
      [],
    )
  })

  it('imports one way only, types included', () => {
    assert.deepEqual(
      wrong(({ from, to }) => {
        if (!from.startsWith('engine/') || !to.startsWith('engine/')) return false
        return standing(to) > standing(from)
      }),
      [],
    )
    const place = (file: string): number => domainRooms.indexOf(file.split('/')[2] as string)
    assert.deepEqual(
      wrong(({ from, to }) => {
        if (!from.startsWith('engine/domain/') || !to.startsWith('engine/domain/')) return false
        assert.ok(place(from) >= 0, `${from} is in no room of the domain`)
        return place(to) > place(from)
      }),
      [],
    )
  })

  it('has no circle of imports, types included', () => {
    assert.deepEqual(circlesOf(imports), [])
  })

  it("keeps HTTP out of the engine, and everything but the engine's index out of the server", () => {
    assert.deepEqual(
      wrong(({ from, to }) => from.startsWith('engine/') && /^(server|bench|test)\//.test(to)),
      [],
    )
    assert.deepEqual(
      wrong(
        ({ from, to }) =>
          from.startsWith('server/') &&
          /^(engine|bench|test)\//.test(to) &&
          to !== 'engine/index.ts' &&
          !((isReader(to) || partsOfReaders.includes(to)) && /^server\/(console|cli)\//.test(from)),
      ),
      [],
    )
  })

  it('has a client that stands alone, in browsers too: no other room, no package, nothing of Node.js', () => {
    const own = (to: string): boolean => to.startsWith('server/client/') || to === '#client-operations'
    assert.deepEqual(
      wrong(({ from, to }) => from.startsWith('server/client/') && !own(to)),
      [],
    )
    for (const file of files.filter((name) => name.startsWith('server/client/')))
      assert.doesNotMatch(codeOf(file), /\b(process|Buffer|window|document|require)\b[.(]/, file)
  })

  it('has a console that speaks HTTP alone, by the client, and sets no HTML', () => {
    const own = (to: string): boolean => !to.includes('.ts') || /^server\/(console|client)\//.test(to) || isReader(to)
    assert.deepEqual(
      wrong(({ from, to }) => from.startsWith('server/console/') && !own(to)),
      [],
    )
    for (const file of files.filter((name) => name.startsWith('server/console/')))
      assert.doesNotMatch(codeOf(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/i, file)
  })

  it('has readers of texts that stand alone, so that browsers run them', () => {
    assert.deepEqual(
      wrong(({ from, to }) => isReader(from) && !isReader(to) && !partsOfReaders.includes(to)),
      [],
    )
  })

  it('has a pure domain: no I/O, no clock, no randomness, no package', () => {
    assert.deepEqual(
      wrong(({ from, to }) => {
        if (!from.startsWith('engine/domain/')) return false
        return worldly.includes(to) || !(to.startsWith('engine/') || to === 'node:crypto' || to === 'node:buffer')
      }),
      [],
    )
    for (const file of files.filter((name) => name.startsWith('engine/domain/'))) {
      assert.doesNotMatch(codeOf(file), /\b(Date\.now|new Date\(\)|Math\.random|process\.|performance\.now)/, file)
    }
  })

  it('gives each package one home', () => {
    for (const [name, home] of Object.entries(homes)) {
      const users = imports
        .filter(({ from, to }) => to === name && /^(engine|server)\//.test(from))
        .map(({ from }) => from)
      assert.ok(users.length > 0, `nobody imports ${name}`)
      for (const user of users) {
        const isHome = [home].flat().some((one) => (one.endsWith('/') ? user.startsWith(one) : user === one))
        assert.ok(isHome, `${user} imports ${name}`)
      }
    }
  })

  it('starts the service and each kind of thread from a bundle of its own, complete in itself', () => {
    const started = files
      .filter((file) => file.startsWith('engine/'))
      .flatMap((file) => [...codeOf(file).matchAll(/threadFile\('([\w-]+-thread)'\)/g)].map(([, name]) => name))
    const entries = files.filter((file) => /^engine\/.*-thread\.ts$/.test(file)).map((file) => basename(file, '.ts'))
    assert.deepEqual(started.sort(), entries.sort())
    const relativeImport = /^(?:import|export) .*["'](\.\.?\/[^"']+)["']/gm
    for (const entry of ['main', ...entries]) {
      const bundle = readFileSync(join(root, '.build/bundle/service', `${entry}.js`), 'utf8')
      const others = [...bundle.matchAll(relativeImport)].map(([, path]) => path as string)
      assert.deepEqual(
        others.filter((path) => entry !== 'main' || !/^\.\/chunk-\w+\.js$/.test(path)),
        [],
        entry,
      )
    }
  })

  it('has a README for each room: what lives here, what does not, which way imports go', () => {
    for (const room of rooms) assert.ok(existsSync(join(root, 'engine', room, 'README.md')), room)
  })

  it('keeps lines short', () => {
    const wide = files.flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, at) => (line.length > COLUMNS_MAX ? [`${file}:${at + 1}`] : [])),
    )
    assert.ok(wide.length <= LINES_OVER_COLUMNS, `${wide.length} lines: ${wide.join(', ')}`)
  })

  it('keeps the README and the designs short', () => {
    for (const file of listFiles('').filter((name) => /(^|\/)DESIGN\.md$|^README\.md$/.test(name))) {
      const lines = textOf(file).split('\n').length - 1
      assert.ok(lines <= DOCUMENT_LINES_MAX, `${file} has ${lines} lines`)
    }
  })

  it('uses one word for one thing', () => {
    const found = files
      .filter((file) => /^(engine|server)\//.test(file))
      .flatMap((file) => {
        const names = [basename(file).replace(/\.tsx?$/, ''), ...namesIn(file)]
        return names.flatMap((name) => {
          const [, say] = retired.find(([word]) => word.test(name)) ?? []
          return say === undefined ? [] : [`${file}: ${name} (say: ${say})`]
        })
      })
    assert.deepEqual(found, [])
    assert.deepEqual(
      files.filter((file) => emptyEndings.test(file)),
      [],
    )
  })

  it('gives each exported type of the engine and of the server a name of its own', () => {
    const homesOf = new Map<string, string[]>()
    for (const file of files.filter((name) => /^(engine|server)\/(?!console\/|client\/)/.test(name)))
      for (const [, name = ''] of textOf(file).matchAll(exportedType))
        homesOf.set(name, [...(homesOf.get(name) ?? []), file])
    assert.deepEqual(
      [...homesOf].filter(([, where]) => where.length > 1),
      [],
    )
  })

  it('cites only what is in the repository', () => {
    assert.deepEqual(brokenCitations({ files: listFiles(''), read: textOf }), [])
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

  it('has the test of each file in the folder that mirrors it', () => {
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
