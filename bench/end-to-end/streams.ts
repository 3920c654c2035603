/**
 * What 1,000 listeners of the stream of decisions cost ingest, and what listeners that read nothing cost. Rounds with
 * and without listeners alternate, over the same service. The listeners run on the same machine, in a process of low
 * priority: their own work is not the service's.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { built } from '../harness/paths.js'
import { alternate, rated, type Rated, type Row, type RunSize, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const LISTENERS = 1_000
/** As a share of the rate without listeners. */
const BAR = 0.9

interface Heard {
  readonly bytes: number
  /** Of one listener. */
  readonly messages: number
  readonly closed: number
}

/** Does `work` while listeners are connected. */
async function beside<T>(
  subject: Subject,
  stalled: number,
  work: () => Promise<T>,
): Promise<{ done: T; heard: Heard }> {
  const { service, jobIds } = subject
  const argument = { port: service.port, key: service.client.key, jobId: jobIds[0], listeners: LISTENERS, stalled }
  const args = ['-n', '19', process.execPath, built('bench/load/listeners-main.js'), JSON.stringify(argument)]
  const child = spawn('nice', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  try {
    await lines.next()
    const done = await work()
    child.stdin.end()
    return { done, heard: JSON.parse((await lines.next()).value as string) as Heard }
  } finally {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
  }
}

function rowOf(what: string, ours: Rated, alone: Rated, note: string): Row {
  const ratio = ours.perSecond / alone.perSecond
  return {
    what,
    ours: ours.perSecond,
    unit: 'events/s',
    against: { name: 'without listeners', value: alone.perSecond },
    ratio,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: 'at least 0.9 of the rate without listeners',
    met: ratio >= BAR,
    note,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { file } = linesFile(subject, 20_000)
  const { seconds, rounds } = size
  const load = { port: subject.service.port, file, headers: subject.headers, connections: bulkConnections, events: 0 }
  const drive = (): Promise<BulkResult> => driveBulk({ ...load, seconds, rate: 0 })
  await driveBulk({ ...load, seconds: 2, rate: 0 })
  const [alone, listened, stalled] = await alternate(rounds, [
    drive,
    () => beside(subject, 0, drive),
    () => beside(subject, LISTENERS, drive),
  ])
  const rate = (results: readonly BulkResult[]): Rated => rated(results, (i) => (results[i] as BulkResult).events)
  const without = rate(alone)
  const heard = listened.map(({ heard: one }) => one)
  const each = heard.reduce((sum, { messages }) => sum + messages, 0) / heard.length
  const mib = heard.reduce((sum, { bytes }) => sum + bytes, 0) / heard.length / 2 ** 20
  return [
    rowOf(
      `NDJSON bulk beside ${LISTENERS} listeners`,
      rate(listened.map(({ done }) => done)),
      without,
      `${Math.round(each)} messages for each listener, ${Math.round(mib)} MiB for all; the rest is read after the load`,
    ),
    rowOf(
      `NDJSON bulk beside ${LISTENERS} listeners that read nothing`,
      rate(stalled.map(({ done }) => done)),
      without,
      '',
    ),
  ]
}

function run(size: RunSize): Promise<Row[]> {
  return withSubject((subject) => measure(subject, size))
}

export const streams: Step = { name: 'streams', run }
