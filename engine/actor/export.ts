/**
 * The exported event: the client's body, and beside its fields one section of the service's own
 * (existing-clients.md section 3).
 *
 * 1. A field of the client's that has the section's name is kept where it is an object: ours are put into it.
 * 2. `key_hash` names the bucket, `features_hash` the values at the decision points, `full_hash` the whole body.
 */
import { createHash } from 'node:crypto'
import { isoMicros } from '../clock.js'
import { bucketText } from '../event/bucket-key.js'
import { DecisionPoints } from '../event/decision-points.js'
import type { EventExtras } from '../event/envelope.js'
import type { JobSettings } from '../job/job.js'
import { isLabel, UNDECIDED } from '../learn/consensus.js'
import type { EventView } from '../service.js'
import type { RecordHeader } from '../store/event-record.js'
import type { BallotRow } from '../store/rows.js'
import { modelIdOf } from './model-id.js'

export interface ExportParts {
  readonly job: JobSettings
  readonly view: EventView
  readonly header: RecordHeader
  readonly body: Record<string, unknown>
  readonly extras: EventExtras | null
  readonly ballot: BallotRow | null
  readonly serviceName: string
}

export function exportDocument(parts: ExportParts): Record<string, unknown> {
  const { body, extras, serviceName } = parts
  const own = body[serviceName]
  const clients = typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {}
  return { ...extras, ...body, [serviceName]: { ...clients, ...section(parts) } }
}

function section(parts: ExportParts): Record<string, unknown> {
  const { job, view, header, body, ballot } = parts
  const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
  return {
    result: view.result,
    result_label: view.resultLabel,
    inference_status: view.status,
    bucket_state: view.bucketState,
    bucket_id: bucketId,
    key_hash: bucketId,
    features_hash: sha256(bucketText(new DecisionPoints(job.decisionPoints).valuesOf(body))),
    full_hash: sha256(JSON.stringify(body)),
    confidence_score: view.confidenceScore,
    outlier: view.outlier,
    outlier_score: Math.round(header.outlierScore * 1e4) / 1e4,
    consensus: consensusName(job, ballot),
    model: header.modelVersion === 0 ? null : modelIdOf(job.id, header.modelVersion),
    timers: { ingest_timestamp: isoMicros(view.ingestMicros) },
    log_messages: logMessages(parts),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

function consensusName(job: JobSettings, ballot: BallotRow | null): string | null {
  if (ballot === null) return null
  if (ballot.consensus === UNDECIDED) return 'Undecided'
  return isLabel(ballot.consensus) ? (job.labels[ballot.consensus]?.name ?? null) : null
}

/** Why the event was answered as it was, in sentences. */
function logMessages({ view, header }: ExportParts): object[] {
  const say = (level: string, content: string): object[] => [
    { component: 'actor', level, content, timestamp: isoMicros(view.ingestMicros) },
  ]
  if (header.pending) return say('info', 'the job is stopped: the event waits for it to start')
  if (header.lacksPoints) return say('warning', 'no decision: the event has none of the decision points of the job')
  if (header.source === 'none') return say('info', 'no decision: the job had no trained model when the event came in')
  if (header.source === 'knowledge_base') return say('info', 'decided by the consensus of its bucket in the knowledge base')
  const unlike = header.outlier ? '; it is unlike everything the model was trained on' : ''
  return say('info', `decided by model version ${header.modelVersion}${unlike}`)
}
