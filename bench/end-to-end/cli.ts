/**
 * `decide ingest` from standard input, every event decided and flushed before it is counted, against the load of the
 * step `bulk` on the same service in turn; and how long `decide --help` takes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { run as runProgram } from '../harness/child.js'
import { built } from '../harness/paths.js'
import { alternate, median, type Row, type RunSize, type Step } from '../harness/result.js'
import { linesFile, storedEvents, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { writeFlushed } from '../load/requests.js'
import { AlertStream } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const decide = built('bundle/service/decide.js')
const pool = 40_000
/** Events of one round. */
const events = 120_000
const seed = 12
const starts = 7
const startMsMax = 150

interface Ingested {
  readonly stored: number
  readonly refused: number
  readonly seconds: number
}

/** The events alone, a line each: what `--job` takes. */
function eventsFile(subject: Subject): string {
  const stream = new AlertStream(seed, pool)
  const lines = Array.from({ length: pool }, () => `${JSON.stringify(stream.next().body)}\n`).join('')
  const file = join(subject.scratch, 'events.ndjson')
  writeFlushed(file, lines.repeat(events / pool))
  return file
}

async function ingest(subject: Subject, file: string): Promise<Ingested> {
  const input = openSync(file, 'r')
  try {
    const child = spawn(process.execPath, [decide, 'ingest', '--job', String(subject.jobId), '--json'], {
      env: {
        ...process.env,
        DECIDE_URL: `http://127.0.0.1:${subject.service.port}`,
        DECIDE_KEY: subject.managementKey,
      },
      stdio: [input, 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`decide ingest ended with ${code}`)
    return JSON.parse(out) as Ingested
  } finally {
    closeSync(input)
  }
}

async function startMs(args: readonly string[]): Promise<number> {
  const before = performance.now()
  const { code, err } = await runProgram(process.execPath, args)
  if (code !== 0) throw new Error(err)
  return performance.now() - before
}

async function startRow(): Promise<Row> {
  const [ours, bare] = await alternate(starts, [() => startMs([decide, '--help']), () => startMs(['-e', '0'])])
  const value = median(ours)
  return {
    what: 'decide --help',
    ours: value,
    unit: 'ms',
    against: { name: 'node without a program', value: median(bare) },
    ratio: value / median(bare),
    bar: `at most ${startMsMax} ms`,
    met: value <= startMsMax,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const [file, lines] = [eventsFile(subject), linesFile(subject, pool).file]
  const { headers, service } = subject
  const load = { port: service.port, file: lines, headers, connections: bulkConnections, seconds: 0, rate: 0 }
  await driveBulk({ ...load, events: pool })
  const before = await storedEvents(subject)
  const [ours, theirs] = await alternate(size.rounds, [
    () => ingest(subject, file),
    () => driveBulk({ ...load, events }),
  ])
  const sent = ours.reduce((sum, { stored }) => sum + stored, 0) + theirs.reduce((sum, one) => sum + one.events, 0)
  const stored = (await storedEvents(subject)) - before
  if (stored !== sent) throw new Error(`${sent} events were acknowledged, ${stored} are stored`)
  const rate = median(ours.map((round) => round.stored / round.seconds))
  const bulkRate = median(theirs.map((round) => round.events / round.seconds))
  const row = {
    what: 'decide ingest from standard input, decided and flushed',
    ours: rate,
    unit: 'events/s',
    against: { name: 'the bulk load on the same service', value: bulkRate },
    ratio: rate / bulkRate,
    bar: 'at least 0.5 of the bulk load',
    met: rate / bulkRate >= 0.5,
  }
  return [row, await startRow()]
}

export const cli: Step = { name: 'cli', run: (size) => withSubject((subject) => measure(subject, size)) }
