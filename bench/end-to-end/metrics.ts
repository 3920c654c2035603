/**
 * Metrics over a million events in one job, and over twenty jobs: how long an answer takes, and what ingest does while
 * queries for metrics run without a pause.
 *
 * Answers are timed at the client, over HTTP, after the threads that compute them have started. `labelled` events have
 * votes, so thousands of buckets do.
 */
import type { Client } from '../harness/client.js'
import { train } from '../harness/job.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { alerts, linesFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { ingestBeside } from '../load/beside.js'
import { driveBulk } from '../load/drive.js'
import { aThirdOfBulk, bulkConnections } from './bulk.js'

const pool = 204_800
const jobCount = 20
const days = 30
const votedSeed = 31
const warmUps = 3
const rounds = 9

const filters = [
  { field: 'service.confidence_score', operator: 'gte', value: 0 },
  { field: 'source.ip', operator: 'starts with', value: '10.' },
  { field: 'process.name', operator: 'not contains', value: 'zz' },
]

async function timed(client: Client, path: string, body?: object): Promise<number> {
  const startedAt = performance.now()
  await client.ask('POST', path, body)
  return performance.now() - startedAt
}

interface ReaderQuery {
  readonly what: string
  /** Milliseconds. */
  readonly bar: number
  readonly path: string
  readonly body?: object
}

/** Sends the same query repeatedly; returns the median of the times, in milliseconds. */
async function query(client: Client, { what, bar, path, body }: ReaderQuery): Promise<Row> {
  for (let i = 0; i < warmUps; i++) await timed(client, path, body)
  const times: number[] = []
  for (let i = 0; i < rounds; i++) times.push(await timed(client, path, body))
  const ours = median(times)
  return {
    what,
    ours,
    unit: 'ms',
    bar: `under ${bar} ms`,
    met: ours < bar,
    note: `slowest of ${rounds}: ${Math.max(...times).toFixed(0)} ms`,
  }
}

/** Queries run one right after the other. A third of the full load leaves a core free. */
async function ingestMeanwhile(
  subject: Subject,
  size: RunSize,
  what: string,
  once: () => Promise<unknown>,
): Promise<Row> {
  return ingestBeside(await aThirdOfBulk(subject, size), {
    what: `ingest meanwhile, at a third of the bulk load: ${what}`,
    named: 'questions',
    atLeast: 0.9,
    once,
  })
}

/** Stores events beside those that the subject has learned from. */
async function store(subject: Subject, events: number): Promise<void> {
  const { file } = linesFile(subject, Math.min(pool, events))
  await driveBulk({
    port: subject.service.port,
    file,
    headers: subject.headers,
    connections: bulkConnections,
    seconds: 0,
    events,
    rate: 0,
  })
}

async function oneJob(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client } = subject.service
  size.log(`storing ${size.million} events, ${size.labelled / 5} of them voted on`)
  await teach(subject, alerts(votedSeed, size.labelled / 5))
  await train(client, subject.jobId)
  await store(subject, size.million)
  const job = `/api/v2/metrics/job?job_id=${subject.jobId}`
  const stored = `${size.million / 1e6} M events`
  const whole = await query(client, { what: `job metrics over ${stored}`, bar: 50, path: job })
  const answer = (await client.ask('POST', job)) as { total_events: number; total_events_in_knowledge_base: number }
  return [
    {
      ...whole,
      note: `${whole.note ?? ''}; ${answer.total_events} events, ${answer.total_events_in_knowledge_base} in the knowledge base`,
    },
    await query(client, {
      what: `job metrics over ${stored}, three filters`,
      bar: 2_000,
      path: job,
      body: { filters },
    }),
    await query(client, {
      what: `job metrics over ${stored}, a period`,
      bar: 2_000,
      path: `${job}&start_datetime=2020-01-01T00:00:00Z`,
    }),
    await query(client, { what: 'platform metrics', bar: 50, path: '/api/v2/metrics/platform_metrics' }),
    await ingestMeanwhile(subject, size, 'job metrics with filters', () => timed(client, job, { filters })),
    await ingestMeanwhile(subject, size, 'job metrics without', () => timed(client, job)),
  ]
}

async function manyJobs(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client } = subject.service
  const stored = size.million / 5
  await store(subject, stored)
  const start = new Date(Date.now() - days * 86_400_000).toISOString()
  const path = `/api/v2/metrics/internal_metrics?aggregation_time_interval=1d&start_datetime=${start}`
  const what = `internal metrics, ${jobCount} jobs, daily over ${days} days, ${Math.round(stored / 1000) + jobCount * 5} k events`
  return [
    await query(client, { what, bar: 3_000, path }),
    await query(client, {
      what: `${what}, no model computed again`,
      bar: 3_000,
      path: `${path}&recompute_model_metrics=false`,
    }),
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  const one = await withSubject((subject) => oneJob(subject, size))
  return [...one, ...(await withSubject((subject) => manyJobs(subject, size), { jobs: jobCount }))]
}

export const metrics: Step = { name: 'metrics', run }
