/**
 * What each test file costs: `npm test -- --times`.
 *
 * The files of a process run one after the other, so what the process and the children that it has waited for use
 * between a file's first test and its last is that file's. What loading the process costs has a line of its own.
 * Processor times of children are known on Linux only.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { after, before } from 'node:test'

interface FileTimes {
  readonly file: string
  readonly cpuMs: number
  readonly wallMs: number
  /** Worker threads that the process has started. */
  readonly threads: number
}

const into = process.env.TEST_TIMES
let threads = 0
/** Processor time of the files so far, milliseconds. */
let ofFiles = 0
if (into !== undefined) process.on('worker', () => threads++)

/** Milliseconds of processor time of this process and of its children that have ended. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  // utime, stime, cutime and cstime are the 14th to 17th field; the second may have spaces.
  const fields = existsSync('/proc/self/stat') ? readFileSync('/proc/self/stat', 'utf8').split(') ')[1] : undefined
  const [children = '0', system2 = '0'] = fields?.split(' ').slice(13, 15) ?? []
  return (user + system) / 1_000 + (Number(children) + Number(system2)) * 10
}

/** Notes what the suite that calls this uses. It is called inside of `describe`, before the suite's tests are made. */
export function timed(file: string): void {
  if (into === undefined) return
  let [cpu, wall, started] = [0, 0, 0]
  before(() => void ([cpu, wall, started] = [cpuMs(), performance.now(), threads]))
  after(() => {
    ofFiles += cpuMs() - cpu
    note(into, { file, cpuMs: cpuMs() - cpu, wallMs: performance.now() - wall, threads: threads - started })
  })
}

/** Notes, at the end, what the process used in addition to its files. It is called outside of all suites. */
export function loading(batch: string): void {
  if (into === undefined) return
  after(() => note(into, { file: `(loading ${batch})`, cpuMs: cpuMs() - ofFiles, wallMs: 0, threads: 0 }))
}

function note(path: string, times: FileTimes): void {
  appendFileSync(path, `${JSON.stringify(times)}\n`)
}

/** A table of what was noted, most processor time first. */
export function timesTable(path: string): string {
  const all = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as FileTimes)
    .sort((a, b) => b.cpuMs - a.cpuMs)
  const sum = (of: (times: FileTimes) => number): number => all.reduce((total, times) => total + of(times), 0)
  const total = {
    file: 'all',
    cpuMs: sum((t) => t.cpuMs),
    wallMs: sum((t) => t.wallMs),
    threads: sum((t) => t.threads),
  }
  const lines = [total, ...all].map(({ file, ...of }) =>
    [(of.cpuMs / 1_000).toFixed(2), (of.wallMs / 1_000).toFixed(2), String(of.threads)]
      .map((text) => text.padStart(9))
      .concat(`  ${file}`)
      .join(''),
  )
  return ['    cpu s   wall s  threads  file', ...lines].join('\n')
}
