/**
 * Searches as the console makes them, on fields that are no decision points: the first rows, then all of it counted,
 * and the facet of the field. Each as the first one after a start, again, and after new events came. Beside it the same
 * query by `events/query`, which reads every event.
 */
import { readFileSync } from 'node:fs'
import type { RunSize, Row, Step } from '../harness/result.js'
import { startService, type Service } from '../harness/service.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'

const ROWS_MS = 1_000
const COUNTED_MS = 2_000
const SMALL = 10_518
/** What the console asks for: first.ts, pages/events/source.ts. */
const FIRST = { size: 40, within_ms: 60 }
const NEXT = { size: 100, within_ms: 400 }

interface Listed {
  readonly events: readonly unknown[]
  readonly next: string | null
  readonly total_count: number | null
  readonly total_count_is_exact: boolean
}

interface Searched {
  readonly rowsMs: number
  readonly countedMs: number
  /** What the service worked for it. Other load on the machine does not count. */
  readonly cpuMs: number
  readonly found: number
}

const TICK_MS = 10

/** Processor time of a process and its threads. */
function cpuMsOf(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
  return TICK_MS * (Number(user) + Number(system))
}

/** The first rows, or the end of the search; then the count, asked for until it is exact. */
async function search({ client, pid }: Service, job: number, query: string): Promise<Searched> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOf(pid)]
  let after: string | null = null
  let rows = 0
  do {
    const page = after === null ? FIRST : { ...NEXT, after }
    const { events, next } = (await client.ask('POST', '/api/v2/events/list', {
      job_ids: [job],
      query,
      ...page,
    })) as Listed
    rows = events.length
    after = next
  } while (rows === 0 && after !== null)
  const rowsMs = performance.now() - startedAt
  for (;;) {
    const body = { job_ids: [job], query, size: 1, count: true }
    const { total_count: found, total_count_is_exact: isExact } = (await client.ask(
      'POST',
      '/api/v2/events/list',
      body,
    )) as Listed
    if (!isExact) continue
    const countedMs = performance.now() - startedAt
    return { rowsMs, countedMs, cpuMs: cpuMsOf(pid) - cpuBefore, found: found ?? 0 }
  }
}

/** Milliseconds for the same by reading every event; null: it was given up. */
async function queried({ client }: Service, job: number, query: string): Promise<number | null> {
  const startedAt = performance.now()
  const body = { job_ids: [job], query, size: 40, decision_points_only: true }
  const { status } = await client.send('POST', '/api/v2/events/query', body)
  return status === 200 ? performance.now() - startedAt : null
}

/** Fields of each kind, none of them a decision point. */
const searches: readonly (readonly [what: string, query: string])[] = [
  ['a value', 'network.transport:udp'],
  ['a value that no event has', 'process.pid:-1'],
  ['a beginning', 'user.name:a*'],
  ['a part of a text', 'message:*failed*'],
  ['a text in any field', 'mimikatz'],
  ['a number', 'source.port>65000'],
  ['one of two fields', 'destination.port:22 OR user.name:b*'],
  ['the time of the event', '@timestamp<2026-01-05T07'],
  ['a note', 'note:*'],
]
/** Those that are the first ones after a start. */
const cold = searches.slice(2, 6)
const facetField = 'host.name'

function rowsOf(what: string, { rowsMs, countedMs, cpuMs, found }: Searched, query: number | null): Row[] {
  return [
    { what: `${what}: first rows`, ours: rowsMs, unit: 'ms', bar: `within ${ROWS_MS} ms`, met: rowsMs <= ROWS_MS },
    {
      what: `${what}: all counted`,
      ours: countedMs,
      unit: 'ms',
      ...(query === null ? {} : { against: { name: 'events/query', value: query }, ratio: countedMs / query }),
      bar: `within ${COUNTED_MS} ms`,
      met: countedMs <= COUNTED_MS,
      note: `${found} found; the service worked ${cpuMs} ms`,
    },
  ]
}

/** The facet of a field, asked for until nothing is missing. */
async function facet({ client }: Service, what: string, job: number): Promise<Row> {
  const startedAt = performance.now()
  for (let asked = 1; ; asked++) {
    const body = { job_ids: [job], fields: [facetField], size: 12 }
    const { partial } = (await client.ask('POST', '/api/v2/events/facets', body)) as { partial: boolean }
    if (partial) continue
    const ms = performance.now() - startedAt
    const note = asked === 1 ? 'one request' : `${asked} requests`
    return { what: `${what}: facet`, ours: ms, unit: 'ms', bar: `within ${COUNTED_MS} ms`, met: ms <= COUNTED_MS, note }
  }
}

async function measure(subject: Subject, events: number): Promise<Row[]> {
  const { headers, jobId: job, managementKey } = subject
  const { port, directory } = subject.service
  const { file } = linesFile(subject, Math.min(events, 51_200))
  await driveBulk({ port, file, headers, connections: 1, seconds: 0, events, rate: 0 })
  const text = `${events} events`
  const rows: Row[] = []
  for (const [what, query] of searches) {
    const { service } = subject
    rows.push(...rowsOf(`${text}, ${what}`, await search(service, job, query), await queried(service, job, query)))
    await driveBulk({ port, file, headers, connections: 1, seconds: 0, events: 1_024, rate: 0 })
    rows.push(...rowsOf(`${text}, ${what}, again after new events`, await search(service, job, query), null))
  }
  rows.push(await facet(subject.service, `${text}, ${facetField}`, job))
  await subject.service.stop()
  const afterStart = async (use: (service: Service) => Promise<Row[]>): Promise<void> => {
    const service = await startService(directory, managementKey)
    try {
      rows.push(...(await use(service)))
    } finally {
      await service.stop()
    }
  }
  for (const [what, query] of cold)
    await afterStart(async (service) =>
      rowsOf(`${text}, ${what}, after a start`, await search(service, job, query), null),
    )
  await afterStart(async (service) => [await facet(service, `${text}, ${facetField}, after a start`, job)])
  return rows
}

/** The events of a small job are counted at once, whatever the field. */
async function small(subject: Subject): Promise<Row[]> {
  const { headers, jobId: job, service } = subject
  const { file } = linesFile(subject, SMALL)
  await driveBulk({ port: service.port, file, headers, connections: 1, seconds: 0, events: SMALL, rate: 0 })
  return [await facet(service, `${SMALL} events, ${facetField}`, job)]
}

export const searchLists: Step = {
  name: 'search',
  run: async (size: RunSize) => [
    ...(await withSubject(small)),
    ...(await withSubject((subject) => measure(subject, Math.round(size.million * 0.293)))),
  ],
}
