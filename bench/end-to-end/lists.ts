/**
 * Lists by cursor and facets over a million events: the first page of each filter, from the request to the rows, while
 * a few events come in. The first row is the very first page, before the list thread knows the job.
 */
import type { Client } from '../harness/client.js'
import type { RunSize, Row, Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'

const BAR_MS = 50
const ROUNDS = 40

interface Listed {
  readonly next: string | null
  readonly events: readonly unknown[]
  readonly total_count: number | null
  readonly total_count_is_exact: boolean
}

interface Named {
  readonly name: string
  readonly filters: readonly object[]
  /** Filters of each round in place of these: what nobody has asked before. */
  readonly fresh?: (round: number) => readonly object[]
}

const fast: readonly Named[] = [
  { name: 'newest of all', filters: [] },
  { name: 'label', filters: [{ field: 'service.result_label', operator: 'is', value: 'Escalate' }] },
  { name: 'confidence', filters: [{ field: 'service.confidence_score', operator: 'lt', value: 30 }] },
  { name: 'outlier', filters: [{ field: 'service.outlier', operator: 'is', value: true }] },
  { name: 'state', filters: [{ field: 'service.bucket_state', operator: 'is', value: 'in_knowledge_base' }] },
  {
    name: 'a decision point and a label that few events have together',
    filters: [
      { field: 'rule.name', operator: 'starts with', value: 'T' },
      { field: 'service.outlier', operator: 'is', value: true },
      { field: 'service.result_label', operator: 'is', value: 'Escalate' },
    ],
  },
  { name: 'a decision point that no event has', filters: [{ field: 'rule.name', operator: 'is', value: 'no such' }] },
  {
    name: 'another value of a decision point each time',
    filters: [],
    fresh: (round) => [{ field: 'rule.name', operator: 'is', value: `no such ${round}` }],
  },
]

const slow: Named = {
  name: 'another field that no event has, first 200 ms',
  filters: [{ field: 'process.pid', operator: 'is', value: -1 }],
}

async function timed(client: Client, path: string, body: object): Promise<{ ms: number; answer: Listed }> {
  const startedAt = performance.now()
  const answer = (await client.ask('POST', path, body)) as Listed
  return { ms: performance.now() - startedAt, answer }
}

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] as number
}

function rowOf(what: string, times: readonly number[], barMs: number | null, note?: string): Row {
  const ours = quantile(times, 0.95)
  return {
    what,
    ours,
    unit: 'ms, p95',
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    bar: barMs === null ? '' : `p95 within ${barMs} ms`,
    met: barMs === null ? null : ours <= barMs,
    ...(note === undefined ? {} : { note }),
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client, port } = subject.service
  const { jobId: job_ids, headers } = subject
  // The lines are sent over and over.
  const { file } = linesFile(subject, 51_200)
  const lines = size.million
  await driveBulk({ port, file, headers, connections: 1, seconds: 0, events: lines, rate: 0 })
  const [list, facets] = ['/api/v2/events/list', '/api/v2/events/facets']
  const first = await timed(client, list, { job_ids })
  const rows = [rowOf(`list of ${lines} events: the very first page`, [first.ms], null)]
  for (;;) {
    const { answer } = await timed(client, list, { job_ids, count: true, within_ms: 2_000 })
    if (answer.total_count_is_exact) break
  }
  for (const { name, filters: given, fresh } of fast) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await client.ask('POST', '/api/v1/events/', { job_id: job_ids, raw_body: { round } })
      const filters = fresh?.(round) ?? given
      times.push((await timed(client, list, { job_ids, filters, within_ms: 2_000 })).ms)
    }
    rows.push(
      rowOf(`list of ${lines} events: ${name}`, times, BAR_MS, `the first time ${Math.round(times[0] as number)} ms`),
    )
  }
  const scans: number[] = []
  for (let round = 0; round < 10; round++)
    scans.push((await timed(client, list, { job_ids, filters: slow.filters })).ms)
  rows.push(rowOf(`list of ${lines} events: ${slow.name}`, scans, null))
  const counts: number[] = []
  const fields = ['service.result_label', 'service.bucket_state', 'service.outlier', 'rule.name']
  for (let round = 0; round < ROUNDS; round++)
    counts.push((await timed(client, facets, { job_ids, fields, within_ms: 2_000 })).ms)
  rows.push(rowOf(`facets of four fields over ${lines} events`, counts, null))
  return rows
}

export const lists: Step = { name: 'lists', run: (size) => withSubject((subject) => measure(subject, size)) }
