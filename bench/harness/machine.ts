/** The machine that a run is about, and the resources that its processes use. */
import { readFileSync, readdirSync, statSync, statfsSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { run } from './child.js'

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryGib: number
  readonly node: string
  readonly kernel: string
  /** The folder of benchmark data. On `tmpfs` a flush costs nothing and the figures mean little. */
  readonly fileSystem: string
  /** The load generator. */
  readonly generator: string
  /** Load average of the last minute before the run. Above a few tenths, others used the machine. */
  readonly loadBefore: number
  readonly commit: string
}

const fileSystems: Readonly<Record<number, string>> = {
  16914836: 'tmpfs',
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  2035054128: 'overlay',
}

export async function describeMachine(cwd: string, generator: string): Promise<Machine> {
  const { type } = statfsSync(process.env.BENCH_DIR ?? tmpdir())
  const commit = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd }).catch(() => null)
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    kernel: release(),
    fileSystem: fileSystems[type] ?? `0x${type.toString(16)}`,
    generator,
    loadBefore: loadavg()[0] ?? 0,
    commit: commit?.code === 0 ? commit.out.trim() : '',
  }
}

export interface Memory {
  /** All resident memory, the mapped pages of the store included. */
  readonly rssMib: number
  /** Resident memory without mapped files, which the kernel can drop at any time. */
  readonly anonymousMib: number
}

/** Resident memory of a process (Linux). */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  return { rssMib: kib('VmRSS') / 1024, anonymousMib: kib('RssAnon') / 1024 }
}

/** Bytes that a directory takes on disk: blocks, not lengths, since a sparse file takes less than its length. */
export function diskBytes(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    bytes += entry.isDirectory() ? diskBytes(path) : statSync(path).blocks * 512
  }
  return bytes
}

/** Busy and total processor time of the machine so far, in ticks (Linux). */
export function processorTicks(): { readonly busy: number; readonly total: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const total = ticks.reduce((sum, tick) => sum + tick, 0)
  return { busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0), total }
}

/** The kernel counts processor time in these ticks. */
const TICKS_A_SECOND = 100

/** Processor time of a process and all its threads so far (Linux). */
export function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name is in parentheses and may hold anything. Field 3 is the first after it.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return ((fields[11] as number) + (fields[12] as number)) / TICKS_A_SECOND
}

/** Processor time of each thread of a process so far, by thread id; the first one has that of the process. */
export function threadSeconds(pid: number): Map<number, number> {
  const folder = `/proc/${pid}/task`
  return new Map(
    readdirSync(folder).flatMap((thread): [number, number][] => {
      try {
        const nanoseconds = readFileSync(join(folder, thread, 'schedstat'), 'latin1').split(' ')[0]
        return [[Number(thread), Number(nanoseconds) / 1e9]]
      } catch {
        // It has ended since.
        return []
      }
    }),
  )
}
