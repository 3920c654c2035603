/**
 * `npm test`: every test file but those of `test/long`; `npm test -- WORD ...` only those whose path has one of the words.
 * With `--long FOLDER` those of this folder of `test/long` instead, one after the other.
 *
 * A process of its own for each file costs more than most files' tests do, and where they load the whole service it costs
 * nearly a second of processor time. So files of a folder share processes, in which they run one after the other; fewer of
 * them where tests start services and threads and so wait for much. Processes that take longest come first, so that none is
 * left to run alone in the end. Files are found in the source, so that what an older build left behind does not run.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Files of one process at most. */
const TOGETHER = 12
/** The same where they start services, threads, or processes that they kill. */
const FEWER: Readonly<Record<string, number>> = { 'test/engine/actor': 8, 'test/faults': 2, 'test/scenarios': 8 }
/** Folders whose processes take longest, longest first. */
const FIRST: readonly string[] = [
  'test/statuses',
  'test/simulation',
  'test/scenarios',
  'test/faults',
  'test/engine/actor',
  'test/engine/learn',
  'test/engine',
]
/** Processes side by side: more than most machines' cores, since a test of a service waits as often as it works. */
const SIDE_BY_SIDE = 4
/** After this a process of tests has failed. */
const TIMEOUT_MS = 300_000
const LONG_TIMEOUT_MS = 1_800_000

const built = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(built)
const batches = join(built, 'test', 'batches')
/** What every process of tests imports before them. */
const first = ['source-lines.js', 'left-open.js'].map((file) => join(built, 'test', 'support', file))

/** Built test files by folder, below one folder of the source. */
function filesByFolder(top: string, words: readonly string[]): Map<string, string[]> {
  const byFolder = new Map<string, string[]>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (path !== 'test/long') walk(path)
      } else if (path.endsWith('.test.ts') && (words.length === 0 || words.some((word) => path.includes(word)))) {
        byFolder.set(folder, [...(byFolder.get(folder) ?? []), join(built, path.replace(/\.ts$/, '.js'))])
      }
    }
  }
  walk(top)
  return byFolder
}

/** Files that import those of a folder, in even parts; named in the order of their runs, which is that of their names. */
function together(folder: string, files: readonly string[]): string[] {
  const parts = Math.ceil(files.length / (FEWER[folder] ?? TOGETHER))
  const place = FIRST.includes(folder) ? FIRST.indexOf(folder) : FIRST.length
  return Array.from({ length: parts }, (_, part) => {
    const batch = join(batches, `${place}-${folder.replaceAll('/', '-')}-${part + 1}.test.js`)
    const mine = [...first, ...files.filter((_, at) => at % parts === part)]
    writeFileSync(
      batch,
      mine.map((file) => `import ${JSON.stringify(relative(batches, file).replaceAll('\\', '/'))}\n`).join(''),
    )
    return batch
  })
}

interface Run {
  readonly files: readonly string[]
  readonly timeoutMs: number
  readonly sideBySide: number
}

function usualRun(words: readonly string[]): Run {
  rmSync(batches, { recursive: true, force: true })
  mkdirSync(batches, { recursive: true })
  const files = [...filesByFolder('test', words)].flatMap(([folder, files]) => together(folder, files))
  return { files, timeoutMs: TIMEOUT_MS, sideBySide: SIDE_BY_SIDE }
}

function longRun(folder: string): Run {
  return {
    files: [...filesByFolder(`test/long/${folder}`, []).values()].flat(),
    timeoutMs: LONG_TIMEOUT_MS,
    sideBySide: 1,
  }
}

const { values, positionals } = parseArgs({ options: { long: { type: 'string' } }, allowPositionals: true })
const { files, timeoutMs, sideBySide } = values.long === undefined ? usualRun(positionals) : longRun(values.long)
if (files.length === 0) {
  console.error('No test file has any of these words in its path.')
  process.exit(1)
}
const node = spawn(
  process.execPath,
  [
    ...process.execArgv,
    ...(values.long === undefined ? [] : ['--enable-source-maps']),
    '--test',
    // Tells what failed once more at the end, where it is looked for.
    '--test-reporter=spec',
    `--test-timeout=${timeoutMs}`,
    `--test-concurrency=${sideBySide}`,
    ...files,
  ],
  { stdio: 'inherit' },
)
node.on('exit', (code) => process.exit(code ?? 1))
