/**
 * The processor time that an event takes on each thread, by path, and what follows from it: how much each thread can
 * take, which is the first to be full, and what more cores would do.
 *
 * The model, with h, d and o the times on the HTTP thread, on the deciding thread of a job, and on all others: one
 * HTTP thread takes 1 / h. One job takes 1 / d. With c cores and enough jobs the service takes the least of 1 / h,
 * (c - 1) / (d + o) and c / (h + d + o). Processor time is what the kernel counts, so other work on the machine hardly
 * changes it; but caches are shared, and a busy machine makes all of it longer.
 */
import { join } from 'node:path'
import { threadSeconds } from '../harness/machine.js'
import { median, type Row, type RunSize, type Step } from '../harness/result.js'
import { alerts, linesFile, postsFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, driveRequests } from '../load/drive.js'
import { writeRequests, writeFlushed } from '../load/requests.js'
import { AlertStream, alertLabels, alertPoints } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const cores = [4, 8, 16]
const ticket = 'ticket'
const newEvents = 30_720
const stored = 10_240
const connections = 256

/** Microseconds of processor time for each event. */
interface Cost {
  readonly http: number
  readonly deciding: number
  readonly others: number
}

/** One way to use the service: `run` returns how many events, or requests, it has sent. */
interface Path {
  readonly what: string
  readonly run: () => Promise<number>
}

async function costOf(pid: number, run: Path['run']): Promise<Cost> {
  const before = threadSeconds(pid)
  const count = await run()
  const used = [...threadSeconds(pid)].map(([thread, seconds]) => {
    return { thread, micros: ((seconds - (before.get(thread) ?? 0)) * 1e6) / count }
  })
  const http = used.find(({ thread }) => thread === pid)?.micros ?? 0
  const rest = used.filter(({ thread }) => thread !== pid).map(({ micros }) => micros)
  const deciding = Math.max(0, ...rest)
  return { http, deciding, others: rest.reduce((sum, micros) => sum + micros, 0) - deciding }
}

function rounded(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US')
}

function rowOf(what: string, { http, deciding, others }: Cost): Row {
  const all = http + deciding + others
  const withCores = cores.map((count) => {
    const limits = [
      { of: 'the HTTP thread', micros: http },
      { of: 'deciding threads', micros: (deciding + others) / (count - 1) },
      { of: 'processors', micros: all / count },
    ].sort((a, b) => b.micros - a.micros)
    const [least] = limits as [(typeof limits)[0]]
    return `${count} cores ${rounded(1e6 / least.micros)}/s (full first: ${least.of})`
  })
  return {
    what,
    ours: all,
    unit: 'µs',
    bar: '',
    met: null,
    note:
      `HTTP thread ${http.toFixed(1)} µs (takes ${rounded(1e6 / http)}/s), deciding thread ${deciding.toFixed(1)} µs ` +
      `(takes ${rounded(1e6 / deciding)}/s), others ${others.toFixed(1)} µs; ${withCores.join(', ')}`,
  }
}

function pathsOf(subject: Subject, seconds: number): Path[] {
  const { service, headers, jobId, scratch } = subject
  const { port } = service
  const requests = async (file: string): Promise<number> =>
    (await driveRequests({ port, headers, seconds, connections, file })).requests
  const bulk = { port, headers, connections: bulkConnections, rate: 0 }
  const posts = postsFile(subject, 20_000)
  const known = linesFile(subject, 40_000).file
  const stream = new AlertStream(15, 1_000_000)
  let made = 0
  const playNew = async (): Promise<number> => {
    const file = join(scratch, 'new.ndjson')
    const lines = Array.from({ length: newEvents }, () => {
      const body = JSON.stringify({ ...stream.next().body, [ticket]: `t${++made}` })
      return `{"job_id":${jobId},"raw_body":${body}}\n`
    })
    writeFlushed(file, lines.join(''))
    return (await driveBulk({ ...bulk, file, seconds: 0, events: newEvents })).events
  }
  const ids = Array.from({ length: stored }, (_, i) => `cost-${i}`)
  const gets = join(scratch, 'cost-gets.txt')
  writeRequests(
    gets,
    ids.map((id) => ({ method: 'GET', path: `/api/v1/events/${jobId}/${id}`, body: '' })),
  )
  const votes = join(scratch, 'cost-votes.txt')
  const labels = alerts(12, stored).map(({ label }) => label)
  writeRequests(
    votes,
    ids.map((id, i) => {
      const body = JSON.stringify({ cortex_user: 'ann', feedback: labels[i] ?? alertLabels[0] })
      return { method: 'PUT', path: `/api/v1/events/${jobId}/${id}/feedback`, body }
    }),
  )
  return [
    { what: 'single POST', run: () => requests(posts) },
    {
      what: 'bulk, known buckets',
      run: async () => (await driveBulk({ ...bulk, file: known, seconds, events: 0 })).events,
    },
    { what: 'bulk, every event the first of its bucket', run: playNew },
    { what: 'GET of an event', run: () => requests(gets) },
    { what: 'feedback', run: () => requests(votes) },
  ]
}

async function measure(subject: Subject, { rounds, seconds }: RunSize): Promise<Row[]> {
  const { port, pid } = subject.service
  const { file, lines } = linesFile(subject, stored, 'cost')
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: lines, rate: 0 })
  const rows: Row[] = []
  for (const { what, run } of pathsOf(subject, seconds)) {
    await run()
    const costs: Cost[] = []
    while (costs.length < rounds) costs.push(await costOf(pid, run))
    const middle = (of: keyof Cost): number => median(costs.map((cost) => cost[of]))
    const cost = { http: middle('http'), deciding: middle('deciding'), others: middle('others') }
    rows.push(rowOf(`processor time: ${what}`, cost))
  }
  return rows
}

export const cost: Step = {
  name: 'cost',
  run: (size) => withSubject((subject) => measure(subject, size), { points: [...alertPoints, ticket] }),
}
