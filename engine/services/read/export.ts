/**
 * The exported event: the client's body, and one section of the service's own (C3.4).
 *
 * 1. Where the body has an object under the section's name, the section's fields are added to it.
 * 2. The section has every field that a query can name under the service's name (domain/query/field.ts).
 * 3. Three hashes identify parts of the event. `key_hash`: its bucket. `features_hash`: its values at the decision
 *    points. `full_hash`: its body.
 */
import { createHash } from 'node:crypto'
import { isoMicros } from '../../clock.js'
import { blind } from '../../domain/autonomy/passage.js'
import { bucketText } from '../../domain/event/bucket-key.js'
import type { sectionFields } from '../../domain/event/envelope.js'
import { pipelinePlace } from '../../domain/event/pipeline.js'
import { UNDECIDED } from '../../domain/learn/consensus.js'
import type { StoredNote } from '../../store/note-row.js'
import { consensusMicros, consensusName } from '../../actor/votes/ballots.js'
import { LOW_CONFIDENCE } from '../../actor/job-stats.js'
import { answerDocument, clusterDocument, isoMillis, linkDocument } from './cluster-document.js'
import type { ClusterPlace } from '../../api/cluster-service.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { ExportDeps } from './export-deps.js'
import { logMessagesOf } from './export-log.js'
import { batchIds, timersOf } from './export-timers.js'
import { isJsonObject, writeJson } from '../../domain/event/json.js'
import { pointsOf } from '../../domain/job/job-points.js'

/** The severity of an event that was sent without one. */
const NO_SEVERITY = 0

export function exportDocument(deps: ExportDeps): Record<string, unknown> {
  const { body, extras, serviceName } = deps
  const own = body[serviceName]
  const clients = isJsonObject(own) ? own : {}
  return {
    '@timestamp': isoMicros(deps.ownMicros),
    timestamp_inference: isoMicros(deps.view.ingestMicros),
    ...extras,
    ...body,
    metadata: metadata(deps),
    [serviceName]: { ...clients, ...section(deps) },
  }
}

/** What the service knows of the event, and the body's own `metadata`, which counts where both have a field. */
function metadata({ view, body, extras }: ExportDeps): unknown {
  const own = body.metadata
  if (own !== undefined && !isJsonObject(own)) return own
  return {
    severity: extras?.severity ?? NO_SEVERITY,
    ingested_timestamp: isoMicros(view.ingestMicros),
    id: view.eventId,
    description: extras?.title ?? '',
    ...own,
  }
}

/** Fields of the section are dropped from events that come in, so each must be in `sectionFields`. */
type Section = Readonly<Partial<Record<(typeof sectionFields)[number], unknown>>>

function section(deps: ExportDeps): Section {
  const { job, view, header, body, ballot, previous, notes } = deps
  const pipeline = pipelinePlace(header)
  const { extras } = deps
  const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
  return {
    result: view.result,
    result_label: view.resultLabel,
    previous_result: previous === null ? null : (job.labels[previous.label]?.id ?? ''),
    previous_result_label: previous === null ? null : (job.labels[previous.label]?.name ?? ''),
    inference_status: header.pending ? view.status : 'finished',
    inference_result: view.result === '' ? 'no_decision' : view.result,
    original_id: view.eventId,
    original_index: '',
    title: extras?.title ?? null,
    severity: extras?.severity ?? null,
    artifacts: [],
    ...batchIds(job.id, view.ingestMicros, decidedMicros(deps)),
    bucket_state: view.bucketState,
    knowledge_base_state: view.bucketState,
    bucket_id: bucketId,
    key_hash: bucketId,
    features_hash: sha256(bucketText(pointsOf(job).valuesOf(body))),
    full_hash: sha256(writeJson(body)),
    confidence_score: view.confidenceScore,
    outlier: view.outlier,
    outlier_flag: view.outlier,
    outlier_score: Math.round(header.outlierScore * 1e4) / 1e4,
    consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
    attention: {
      low_confidence_score: { attention_required: header.label >= 0 && header.confidence < LOW_CONFIDENCE },
      undecided_consensus: { attention_required: ballot?.consensus === UNDECIDED },
    },
    last_compute_consensus_timestamp: timeOf(consensusMicros(ballot)),
    storage_tag: extras?.storage_tag ?? null,
    pipeline_status: pipeline.status,
    pipeline_stage: pipeline.stage,
    autonomy: header.autonomy === 'none' ? null : blind(header.autonomy),
    model: {
      path: header.modelVersion === 0 ? null : modelIdOf(job.id, header.modelVersion),
      timestamp: timeOf(deps.trainedMicros),
    },
    timers: {
      ...timersOf(view.ingestMicros, decidedMicros(deps)),
      ingest_timestamp: isoMicros(view.ingestMicros),
      reprocess_timestamp: previous === null ? null : isoMicros(previous.reprocessedMicros),
    },
    cluster: deps.place === null ? undefined : placeDocument(deps.place),
    suggestion: deps.place === null ? undefined : deps.place.suggestion && answerDocument(deps.place.suggestion),
    agentic_notes: notes.map(noteDocument),
    log_messages: logMessagesOf(deps),
  }
}

/** When the event got its first decision, as far as it is stored; null while it waits. */
function decidedMicros({ header, view, enrichments }: ExportDeps): number | null {
  return header.pending ? null : (enrichments?.atMicros ?? view.ingestMicros)
}

function timeOf(micros: number | null): string | null {
  return micros === null ? null : isoMicros(micros)
}

/** The event's cluster, why the event is in it, and its decisions so far. */
function placeDocument({
  cluster,
  reason,
  kind,
  about,
  timeMs,
  followsFrom,
  followers,
  decisions,
}: ClusterPlace): Record<string, unknown> {
  return {
    ...clusterDocument(cluster),
    reason,
    kind,
    about,
    time: isoMillis(timeMs),
    follows_from: followsFrom === null ? null : linkDocument(followsFrom),
    followers,
    decisions: decisions.map((then) => ({ timestamp: isoMicros(then.atMicros), ...answerDocument(then) })),
  }
}

function noteDocument(note: StoredNote): Record<string, unknown> {
  return {
    agent_notes: note.notes,
    agent_saved_objects: note.savedObjects,
    workflow_name: note.workflowName,
    workflow_id: note.workflowId,
    session_id: note.sessionId,
    author: note.author,
    timestamp: isoMicros(note.atMicros),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
