/** Random events of two jobs in a shard, for tests of queries: with votes and overrides, decided once or again. */
import { SeededRandom } from '../../../engine/rng.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import type { JobReader } from '../../../engine/services/read/job-reader.js'
import { RecordFields } from '../../../engine/services/query/record-fields.js'
import type { FieldSet } from '../../../engine/domain/query/field.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { decodeContent } from '../../../engine/store/event-record.js'
import { timeKey } from '../../../engine/store/tables.js'
import { jobSettings, TestShard } from '../engine/shard.js'
import type { OracleDocument } from './query-oracle.js'

/** Random queries of one kind; QUERY_ROUNDS asks for more. */
export const rounds = Number(process.env.QUERY_ROUNDS ?? 60)

export const texts = [
  'alpha',
  'beta',
  'Alpha beta',
  'failed login for root',
  'Failed: LOGIN 5',
  '5',
  '5.0',
  'true',
  '',
  '10.0.0.7',
  'a*b?c',
  'ünïcode',
]
const numbers = [0, 5, -3, 2.5, 1e12, 100]
export const dates = ['2026-01-31T09:05:00.123Z', '2026-01-31', '2026-02-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z']
const counted = [1_769_850_300, 1_769_850_300_123]

export function randomValue(random: SeededRandom): unknown {
  switch (random.below(10)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
    case 3:
      return random.pick(numbers)
    case 4:
      return random.pick(dates)
    case 5:
      return random.pick(counted)
    default:
      return random.pick(texts)
  }
}

function randomNode(random: SeededRandom, depth: number): unknown {
  const kind = random.below(8)
  if (depth > 0 && kind === 0) return Array.from({ length: random.below(4) }, () => randomNode(random, depth - 1))
  if (depth > 0 && kind <= 2) return randomBody(random, depth - 1)
  return randomValue(random)
}

export const fieldNames = ['a', 'b', 'c', 'host', 'user']

function randomBody(random: SeededRandom, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    fieldNames.filter(() => random.below(2) === 0).map((name) => [name, randomNode(random, depth)]),
  )
}

/** A body with everything that a path can meet. */
export function randomEvent(random: SeededRandom): Record<string, unknown> {
  const body = randomBody(random, 3)
  if (random.below(3) === 0) body['a.b'] = randomNode(random, 1)
  if (random.below(2) === 0) body['@timestamp'] = random.pick([...dates, ...counted, 'no date', null])
  if (random.below(3) === 0) body.timestamp = random.pick([...dates, 7])
  if (random.below(5) === 0) body.event_id = random.pick(numbers)
  if (random.below(6) === 0) body.service = { name: 'web', result: 'hidden' }
  if (random.below(40) === 0) for (let i = 0; i < 70; i++) body[`wide${i}`] = i
  return body
}

/** Paths that lead somewhere or nowhere in such bodies, and the service's fields. */
export const paths = [
  'a',
  'b',
  'a.b',
  'a.b.c',
  'b.a',
  'c.host',
  'host',
  'user',
  'a.keyword',
  'a.b.keyword',
  'nowhere',
  'nowhere.at.all',
  '@timestamp',
  'timestamp_inference',
  'ingest_timestamp',
  'event_id',
  '_id',
  'job_id',
  'job_title',
  'title',
  'severity',
  'service.name',
  'service.result',
  'service.result_label',
  'service.previous_result',
  'service.consensus',
  'service.bucket_state',
  'service.knowledge_base_state',
  'service.bucket_id',
  'service.outlier_flag',
  'service.outlier_score',
  'service.confidence_score',
  'service.model.path',
  'service.model.timestamp',
  'service.last_compute_consensus_timestamp',
  'service.pipeline_status',
  'service.pipeline_stage',
  'service.storage_tag',
  'service.inference_status',
  'service.event_id',
  'service.attention.low_confidence_score.attention_required',
  'service.attention.undecided_consensus.attention_required',
  'wide69',
  'service.original_id',
  'service.original_id.keyword',
  'service.key_hash',
  'service.confidence_percentage',
  'attention.undecided_consensus.attention_required',
]

export interface QueryWorld {
  readonly shard: TestShard
  readonly jobs: readonly JobSettings[]
  readonly documents: readonly OracleDocument[]
  /** Every stored event through the fields of a query, with its position in `documents`. */
  walk(fields: FieldSet, visit: (event: RecordFields, document: OracleDocument) => void): void
}

export async function queryWorld(seed: number, events: number): Promise<QueryWorld> {
  const random = new SeededRandom(seed)
  const shard = new TestShard()
  const jobs = [
    jobSettings({ title: 'bucketed', decisionPoints: ['a', 'host', 'user'] }),
    jobSettings({
      id: 2,
      title: 'single',
      category: 'Event centric decision intelligence',
      decisionPoints: ['a', 'host'],
    }),
  ]
  const posted: { job: JobSettings; id: string }[] = []
  const post = async (): Promise<void> => {
    const job = random.pick(jobs)
    const extras =
      random.below(3) === 0 ? { title: random.pick(texts), severity: random.below(5), storage_tag: 'cold' } : {}
    const eventId = random.below(3) === 0 ? `event ${posted.length}` : null
    const body = JSON.stringify({ job_id: job.id, raw_body: randomEvent(random), ...extras })
    const view = (await shard.post({ job, kind: 'ingest', eventId, body })) as { eventId: string }
    posted.push({ job, id: view.eventId })
    shard.take(1 + random.below(5_000))
  }
  for (let i = 0; i < events / 2; i++) await post()
  for (let i = 0; i < events / 4; i++) {
    const { job, id } = random.pick(posted)
    await shard.feedback(job, id, random.pick(['ann', 'bob']), random.pick(job.labels).name)
  }
  for (const job of jobs) await shard.install(job, shard.train(job, 1))
  for (let i = 0; i < events / 2; i++) await post()
  for (let i = 0; i < events / 8; i++) {
    const { job, id } = random.pick(posted)
    await shard.feedback(job, id, random.pick(['ann', 'cid']), random.pick(job.labels).name)
  }
  for (let i = 0; i < events / 8; i++) {
    const { job, id } = random.pick(posted)
    if (random.below(4) === 0) await shard.override(job, { eventId: id }, random.pick(job.labels).name)
    else if (random.below(3) === 0) await shard.note(job, id, 'looked at')
    else await shard.post({ job, kind: 'reprocess', eventId: id })
  }
  const [reader, codec] = [shard.reader(), new BodyCodec(shard.environment)]
  const documents = posted.map(({ job, id }) => {
    const document = documentOf({ shard, reader, codec }, job, id)
    return { document, record: shard.environment.get('events', timeKey(job.id, document.micros)) as Uint8Array }
  })
  return {
    shard,
    jobs,
    documents: documents.map(({ document }) => document),
    walk: (fields, visit) => walkAll({ shard, codec, jobs, documents }, fields, visit),
  }
}

interface Stored {
  readonly shard: TestShard
  readonly codec: BodyCodec
  readonly jobs: readonly JobSettings[]
  readonly documents: readonly { readonly document: OracleDocument; readonly record: Uint8Array }[]
}

interface Source {
  readonly shard: TestShard
  readonly reader: JobReader
  readonly codec: BodyCodec
}

function documentOf({ shard, reader, codec }: Source, job: JobSettings, id: string): OracleDocument {
  const { view, document } = reader.exportEvent(job, id, '\u0000own')
  const section = document['\u0000own'] as Record<string, unknown>
  const { extras, body } = decodeContent(
    shard.environment.get('events', timeKey(job.id, view.ingestMicros)) as Uint8Array,
  )
  return {
    id,
    jobId: job.id,
    jobTitle: job.title,
    micros: view.ingestMicros,
    body: codec.decode(body),
    extras: { ...extras },
    section,
  }
}

function walkAll(
  world: Stored,
  fields: FieldSet,
  visit: (event: RecordFields, document: OracleDocument) => void,
): void {
  const { shard, jobs, documents } = world
  const event = new RecordFields(shard.environment, world.codec, fields)
  for (const job of jobs) {
    event.ofJob(job)
    for (const { document, record } of documents) {
      if (document.jobId !== job.id) continue
      event.event(document.micros, record)
      visit(event, document)
    }
  }
}
