/**
 * `npm test`: every test file outside `test/long`. `npm test -- WORD ...`: only files with one of the words in their
 * path. `--times`: a table of what each file costs follows. `--long FOLDER`: the files of that folder of `test/long`,
 * one after the other.
 *
 * Files are imported from a bundle of all of them (server/deploy/build-tests.mjs). Loading it still costs more than
 * many of them do, so the files of a room share processes and run one after the other inside of one. Rooms that take
 * longest start first, so that no process runs alone at the end. Files are found in the source: files that only an
 * older build had do not run.
 *
 * What tests store is in a file system in memory, where there is one with room: a flush costs nothing there. What they
 * prove of a store is what outlives its process. `TMPDIR` says another place.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shortLived } from './support/short-lived.js'
import { timesTable } from './times.js'

/** Test files in one process, at most. */
const FILES_MAX = 40
/** The same for rooms whose files take longer: those that run whole services, and processes that they kill. */
const FEWER: Readonly<Record<string, number>> = {
  'test/bench': 20,
  'test/engine/actor': 20,
  'test/engine/integration': 20,
  'test/engine/runtime': 20,
  'test/engine/services': 14,
  'test/faults': 4,
  'test/scenarios': 14,
}
/** Rooms whose processes take longest, longest first. */
const FIRST: readonly string[] = [
  'test/statuses',
  'test/simulation',
  'test/faults',
  'test/scenarios',
  'test/engine/services',
  'test/engine',
  'test/engine/actor',
  'test/engine/runtime',
  'test/engine/domain',
  'test/engine/integration',
  'test/engine/store',
  'test/engine/resource',
]
/** Processes at a time. More than most machines have cores: a test of a service waits as often as it works. */
const SIDE_BY_SIDE = 4
/** A process that takes longer has failed. On a machine that does much else, one may take many minutes. */
const TIMEOUT_MS = 900_000
const LONG_TIMEOUT_MS = 1_800_000

/** A file system in memory, and the least room there and in memory. What tests store at once is less than a tenth. */
const [IN_MEMORY, ROOM_BYTES] = ['/dev/shm', 3 * 1024 ** 3]

const built = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(built)
const batches = join(built, 'test', 'batches')
/** Every process imports these before its tests. */
const first = ['test/support/short-lived.js', 'engine/runtime/source-lines.js', 'test/support/left-open.js'].map(
  (file) => join(built, file),
)

/** The folder whose files share processes: a room of the engine, or a folder of test/, with its sub-folders. */
function roomOf(path: string): string {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[1] === 'engine' ? 3 : 2).join('/')
}

/** Paths in the source of the test files below a folder, ascending. */
function testFiles(folder: string, words: readonly string[]): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && (words.length === 0 || words.some((word) => path.includes(word))))
    .sort()
}

/**
 * Writes the files that run those of a room, in even parts, and returns their paths. Processes start in the order of
 * these names. Each test file is a suite: its hooks run for its own tests only, and it closes what it opened before the
 * next file begins.
 */
function batchesOf(room: string, files: readonly string[]): string[] {
  const parts = Math.ceil(files.length / (FEWER[room] ?? FILES_MAX))
  const place = FIRST.includes(room) ? FIRST.indexOf(room) : FIRST.length
  return Array.from({ length: parts }, (_, part) => {
    const name = `${String(place).padStart(2, '0')}-${room.replaceAll('/', '-')}-${part + 1}`
    const batch = join(batches, `${name}.test.js`)
    const mine = files.filter((_, at) => at % parts === part)
    const lines = [
      ...first.map((file) => `import ${specifier(file)}`),
      `import { loading, timed } from ${specifier(join(built, 'test/times.js'))}`,
      `import { files } from ${specifier(join(built, 'children/test/tests.js'))}`,
      "import { describe } from 'node:test'",
      ...mine.flatMap((file) => [
        `describe('${file}', async () => {`,
        `  timed('${file}')`,
        `  await files['${file}']()`,
        '})',
      ]),
      `loading('${name}')`,
    ]
    writeFileSync(batch, `${lines.join('\n')}\n`)
    return batch
  })
}

/** How a batch names a built file. */
function specifier(file: string): string {
  return JSON.stringify(relative(batches, file).replaceAll('\\', '/'))
}

interface Run {
  readonly files: readonly string[]
  readonly timeoutMs: number
  readonly sideBySide: number
}

function usualRun(words: readonly string[]): Run {
  rmSync(batches, { recursive: true, force: true })
  mkdirSync(batches, { recursive: true })
  const rooms = new Map<string, string[]>()
  for (const path of testFiles('test', words)) {
    if (path.startsWith('test/long/')) continue
    rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), path])
  }
  const files = [...rooms].flatMap(([room, paths]) => batchesOf(room, paths))
  return { files, timeoutMs: TIMEOUT_MS, sideBySide: SIDE_BY_SIDE }
}

function longRun(folder: string): Run {
  const files = testFiles(`test/long/${folder}`, []).map((path) => join(built, path.replace(/\.ts$/, '.js')))
  return { files, timeoutMs: LONG_TIMEOUT_MS, sideBySide: 1 }
}

/** A new directory in memory, or null. */
function memoryDirectory(): string | null {
  if (process.env.TMPDIR !== undefined || !existsSync(IN_MEMORY)) return null
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  const room = Math.min(bavail * bsize, freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return room < ROOM_BYTES ? null : mkdtempSync(join(IN_MEMORY, 'tests-'))
}

const options = { long: { type: 'string' }, times: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const { files, timeoutMs, sideBySide } = values.long === undefined ? usualRun(positionals) : longRun(values.long)
if (files.length === 0) {
  console.error('No test file has any of these words in its path.')
  process.exit(1)
}
const times = join(batches, 'times.jsonl')
const temporary = values.long === undefined ? memoryDirectory() : null
const environment = {
  // Node.js 22 and later read what a process before has compiled, in this process and in those that tests start.
  NODE_COMPILE_CACHE: join(batches, 'compiled'),
  ...(values.times === true ? { TEST_TIMES: times } : {}),
  ...(temporary === null ? {} : { TMPDIR: temporary }),
}
const node = spawn(
  process.execPath,
  [
    ...process.execArgv,
    ...shortLived,
    ...(values.long === undefined ? [] : ['--enable-source-maps']),
    '--test',
    // This reporter repeats the failures at the end.
    '--test-reporter=spec',
    `--test-timeout=${timeoutMs}`,
    `--test-concurrency=${sideBySide}`,
    ...files,
  ],
  { stdio: 'inherit', env: { ...environment, ...process.env } },
)
// The tests end by the same signal. Then what they left in memory goes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => node.kill(signal))
node.on('exit', (code) => {
  if (temporary !== null) rmSync(temporary, { recursive: true, force: true })
  if (values.times === true && existsSync(times)) console.log(timesTable(times))
  process.exit(code ?? 1)
})
