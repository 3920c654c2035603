/**
 * The processor time that an event takes on each thread, by path, with one HTTP thread and with two, and what follows
 * from it: how much each thread can take, which is the first to be full, and what more cores would do.
 *
 * The model, with m, w, d and o the times on the main thread, on all HTTP threads beside it, on the deciding thread
 * of a job, and on all others: the main thread takes 1 / m, n HTTP threads n / w, one job 1 / d. With c cores, n of
 * them for HTTP threads, and enough jobs, the service takes the least of 1 / m, n / w, (c - 1 - n) / (d + o) and c /
 * (m + w + d + o). Where the main thread is the HTTP thread, n and w are 0. Processor time is what the kernel counts,
 * so other work on the machine hardly changes it; but caches are shared, and a busy machine makes all of it longer.
 *
 * What several nodes of a cluster take follows from costs that are measured on three (cluster/node-model.ts).
 */
import { join } from 'node:path'
import { nodeRows } from '../cluster/node-cost.js'
import { median, type Row, type RunSize, type Step } from '../harness/result.js'
import { costOf, microsOf, rounded, type Cost } from '../harness/thread-cost.js'
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

/** HTTP threads of the second half of the rows. */
const severalThreads = 2

/** One way to use the service: `run` returns how many events, or requests, it has sent. */
interface Path {
  readonly what: string
  readonly run: () => Promise<number>
}

/** The thread that is full first, and what the service then takes, with so many cores and HTTP threads. */
function fullFirst({ main, http, deciding, others }: Cost, coreCount: number, threads: number) {
  const limits = [
    { of: 'the main thread', micros: main },
    { of: 'HTTP threads', micros: threads === 0 ? 0 : http / threads },
    { of: 'deciding threads', micros: (deciding + others) / (coreCount - 1 - threads) },
    { of: 'processors', micros: (main + http + deciding + others) / coreCount },
  ].sort((a, b) => b.micros - a.micros)
  return { ...(limits[0] as (typeof limits)[0]), threads }
}

/** With the number of HTTP threads that takes most. */
function withCores(cost: Cost, coreCount: number): string {
  const counts = cost.http === 0 ? [0] : Array.from({ length: coreCount - 2 }, (_, i) => i + 1)
  const [best] = counts.map((threads) => fullFirst(cost, coreCount, threads)).sort((a, b) => a.micros - b.micros)
  const { of, micros, threads } = best as ReturnType<typeof fullFirst>
  const how = threads === 0 ? '' : ` with ${threads} HTTP threads`
  return `${coreCount} cores${how} ${rounded(1e6 / micros)}/s (full first: ${of})`
}

function rowOf(what: string, cost: Cost, unthreaded?: Cost): Row {
  const { main, http, deciding, others } = cost
  const parts = [
    `main thread ${main.toFixed(1)} µs (takes ${rounded(1e6 / main)}/s)`,
    ...(http === 0 ? [] : [`HTTP threads ${http.toFixed(1)} µs (each takes ${rounded(1e6 / http)}/s)`]),
    `deciding thread ${deciding.toFixed(1)} µs (takes ${rounded(1e6 / deciding)}/s)`,
    `others ${others.toFixed(1)} µs`,
  ]
  const note = `${parts.join(', ')}; ${cores.map((count) => withCores(cost, count)).join(', ')}`
  const all = main + http + deciding + others
  if (unthreaded === undefined) return { what, ours: all, unit: 'µs', bar: '', met: null, note }
  const stage = 1e6 / Math.max(main, http / severalThreads)
  const one = 1e6 / unthreaded.main
  const against = { name: `one thread: ${rounded(one)}`, value: one }
  const how = `${all.toFixed(1)} µs an event; ${note}`
  return { what, ours: stage, unit: '/s', against, ratio: stage / one, bar: '≥ 2', met: stage / one >= 2, note: how }
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

/** The HTTP threads: those that a probe keeps busy, which no other thread answers. */
async function httpThreadsOf(subject: Subject, seconds: number): Promise<ReadonlySet<number>> {
  const { port, pid } = subject.service
  const file = join(subject.scratch, 'cost-probes.txt')
  writeRequests(file, [{ method: 'GET', path: '/livez', body: '' }])
  const run = async (): Promise<number> =>
    (await driveRequests({ port, headers: subject.headers, seconds, connections, file })).requests
  const [micros = new Map<number, number>()] = await microsOf([pid], run)
  const busy = [...micros].filter(([thread]) => thread !== pid).sort((a, b) => b[1] - a[1])
  return new Set(busy.slice(0, severalThreads).map(([thread]) => thread))
}

/** The costs of each path. */
async function measure(subject: Subject, { rounds, seconds }: RunSize, threads: number): Promise<Map<string, Cost>> {
  const { port, pid } = subject.service
  const { file, lines } = linesFile(subject, stored, 'cost')
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: lines, rate: 0 })
  const httpThreads = threads === 1 ? new Set<number>() : await httpThreadsOf(subject, seconds)
  const found = new Map<string, Cost>()
  for (const { what, run } of pathsOf(subject, seconds)) {
    await run()
    const costs: Cost[] = []
    while (costs.length < rounds)
      for (const micros of await microsOf([pid], run)) costs.push(costOf(pid, micros, httpThreads))
    const middle = (of: keyof Cost): number => median(costs.map((cost) => cost[of]))
    found.set(what, {
      main: middle('main'),
      http: middle('http'),
      deciding: middle('deciding'),
      others: middle('others'),
    })
  }
  return found
}

async function run(size: RunSize): Promise<Row[]> {
  const costs = (threads: number): Promise<Map<string, Cost>> =>
    withSubject((subject) => measure(subject, size, threads), {
      points: [...alertPoints, ticket],
      settings: { SERVICE_HTTP_THREADS: String(threads) },
    })
  const [one, several] = [await costs(1), await costs(severalThreads)]
  return [
    ...[...one].map(([what, cost]) => rowOf(`processor time: ${what}`, cost)),
    ...[...several].map(([what, cost]) =>
      rowOf(`HTTP stage with ${severalThreads} threads: ${what}`, cost, one.get(what) as Cost),
    ),
    ...(await nodeRows(size, one)),
  ]
}

export const cost: Step = { name: 'cost', run }
