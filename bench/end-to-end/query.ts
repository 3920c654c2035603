/**
 * Queries about stored events: the events a second that a filter and an aggregation read, and the time of a small page.
 * Also what ingest does while queries run without a pause.
 */
import type { Client } from '../harness/client.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { ingestBeside } from '../load/beside.js'
import { driveBulk } from '../load/drive.js'
import { aThirdOfBulk } from './bulk.js'

const pages = 300

interface TimedQuery {
  readonly name: string
  readonly path: string
  readonly body: (jobId: number) => object
}

const eventsQuery = '/api/v2/events/query'
const search = '/api/v2/events/raw_es_query'

const scans: readonly TimedQuery[] = [
  {
    name: 'filter on the body that few events pass',
    path: eventsQuery,
    body: (job_ids) => ({ job_ids, filters: [{ field: 'process.name', operator: 'contains', value: 'zz' }] }),
  },
  {
    name: "three filters, an address and two of the service's fields",
    path: eventsQuery,
    body: (job_ids) => ({
      job_ids,
      filters: [
        { field: 'service.result_label', operator: 'is not', value: 'nothing' },
        { field: 'service.confidence_score', operator: 'gte', value: 0 },
        { field: 'source.ip', operator: 'starts with', value: '10.' },
      ],
    }),
  },
  {
    name: 'filter on the header alone',
    path: eventsQuery,
    body: (job_ids) => ({ job_ids, filters: [{ field: 'service.outlier_flag', operator: 'is', value: 'perhaps' }] }),
  },
  {
    name: 'terms with an average, and a histogram of dates',
    path: search,
    body: (job_ids) => ({
      job_ids,
      query_body: {
        size: 0,
        track_total_hits: true,
        query: { match_all: {} },
        aggs: {
          rules: { terms: { field: 'rule.name' }, aggs: { reputation: { avg: { field: 'threat.reputation' } } } },
          days: { date_histogram: { field: '@timestamp', calendar_interval: 'day' } },
        },
      },
    }),
  },
]

const smallPages: readonly TimedQuery[] = [
  { name: 'newest five of all', path: eventsQuery, body: (job_ids) => ({ job_ids }) },
  { name: 'one event by its id', path: eventsQuery, body: (job_ids) => ({ job_ids, event_ids: ['q-777'] }) },
  {
    name: 'newest ten of a search, counted up to 1,000',
    path: search,
    body: (job_ids) => ({
      job_ids,
      query_body: { track_total_hits: 1000, query: { term: { 'event.outcome': 'success' } } },
    }),
  },
]

async function timed(client: Client, { path, body }: TimedQuery, jobId: number): Promise<number> {
  const startedAt = performance.now()
  await client.ask('POST', path, body(jobId))
  return performance.now() - startedAt
}

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] as number
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client, port } = subject.service
  const { jobId } = subject
  const stored = Math.round(size.labelled * 2)
  const { file, lines } = linesFile(subject, stored, 'q')
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: lines, rate: 0 })
  const rows: Row[] = []
  for (const scan of scans) {
    await timed(client, scan, jobId)
    const times: number[] = []
    for (let i = 0; i < 5; i++) times.push(await timed(client, scan, jobId))
    rows.push({
      what: `query over ${stored / 1000} k events: ${scan.name}`,
      ours: stored / (median(times) / 1000),
      unit: 'events/s',
      p50Ms: median(times),
      bar: '',
      met: null,
    })
  }
  for (const page of smallPages) {
    const times: number[] = []
    for (let i = 0; i < pages; i++) times.push(await timed(client, page, jobId))
    rows.push({
      what: `small page: ${page.name}`,
      ours: quantile(times, 0.99),
      unit: 'ms',
      p50Ms: median(times),
      p99Ms: quantile(times, 0.99),
      bar: '',
      met: null,
    })
  }
  rows.push(await ingestMeanwhile(subject, size))
  return rows
}

/** Queries run one right after the other. A third of the full load leaves a core free. */
async function ingestMeanwhile(subject: Subject, size: RunSize): Promise<Row> {
  return ingestBeside(await aThirdOfBulk(subject, size), {
    what: 'ingest while queries run without a pause, at a third of the bulk load',
    named: 'queries',
    atLeast: null,
    once: () => timed(subject.service.client, scans[1] as TimedQuery, subject.jobId),
  })
}

export const query: Step = {
  name: 'query',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
