/** Load from a separate process: wrk if it is installed, else our own generator; the same for all that is compared. */
import { run, runNode } from '../harness/child.js'
import { built, source } from '../harness/paths.js'
import type { BulkResult } from './bulk-load.js'
import type { LoadResult } from './raw-load.js'

export interface RequestDrive {
  readonly port: number
  /** As written by writeRequests. */
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  readonly connections: number
  /** Requests a second; 0 for as fast as answers arrive. Only our own generator can pace. */
  readonly rate?: number
}

export interface BulkDrive {
  readonly port: number
  /** NDJSON. */
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  /** Seconds; 0 for no limit. */
  readonly seconds: number
  /** Events; 0 for no limit. */
  readonly events: number
  /** Events a second; 0 for as fast as answers arrive. */
  readonly rate: number
}

let wrk: boolean | undefined

/** True if wrk is installed; BENCH_LOAD=raw forbids it. */
export async function hasWrk(): Promise<boolean> {
  if (process.env.BENCH_LOAD === 'raw') return false
  wrk ??= await run('wrk', ['-v']).then(
    () => true,
    () => false,
  )
  return wrk
}

function check(result: LoadResult): LoadResult {
  if (result.badStatus > 0) throw new Error(`${result.badStatus} of ${result.requests} answers were refusals`)
  if (result.failed > 0) throw new Error(`${result.failed} connections failed`)
  return result
}

/** Sends requests for a while. @throws Error if any answer was a refusal. */
export async function driveRequests(drive: RequestDrive): Promise<LoadResult> {
  const { port, file, headers, seconds, connections, rate = 0 } = drive
  if (rate > 0 || !(await hasWrk())) {
    const argument = JSON.stringify({ port, connections, seconds, rate, file, headers })
    return check((await runNode(built('bench/load/raw-main.js'), [argument])) as LoadResult)
  }
  const script = source('bench/load/requests.lua')
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s', '--latency', '-s', script]
  args.push(`http://127.0.0.1:${port}`, '--', file, ...Object.entries(headers).flat())
  const { code, out, err } = await run('wrk', args)
  const result = /^RESULT (.*)$/m.exec(out)
  if (code !== 0 || result === null) throw new Error(`wrk ended with ${code}: ${err}${out}`.slice(0, 1_000))
  return check(JSON.parse(result[1] as string) as LoadResult)
}

/** Plays NDJSON lines into `_bulk`. @throws Error if a line was refused. */
export async function driveBulk(drive: BulkDrive): Promise<BulkResult> {
  const argument = JSON.stringify({ blockLines: 256, windowLines: 4_096, ...drive })
  const result = (await runNode(built('bench/load/bulk-main.js'), [argument])) as BulkResult
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.events} lines were refused`)
  return result
}
