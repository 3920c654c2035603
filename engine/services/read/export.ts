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
import { bucketText } from '../../domain/event/bucket-key.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { EventExtras, sectionFields } from '../../domain/event/envelope.js'
import { pipelinePlace } from '../../domain/event/pipeline.js'
import type { JobSettings } from '../../domain/job/job.js'
import { UNDECIDED } from '../../domain/learn/consensus.js'
import type { EventView } from '../../api/decision-service.js'
import type { PreviousDecision, RecordHeader } from '../../store/event-record.js'
import type { StoredNote } from '../../store/note-row.js'
import type { EnrichmentNote, EnrichmentRow } from '../../store/enrichment-row.js'
import type { BallotRow } from '../../store/rows.js'
import { consensusMicros, consensusName } from '../../actor/votes/ballots.js'
import { LOW_CONFIDENCE } from '../../actor/job-stats.js'
import { answerDocument, clusterDocument, isoMillis, linkDocument } from './cluster-document.js'
import type { ClusterPlace } from '../../api/cluster-service.js'
import { modelIdOf } from '../../actor/model-id.js'

export interface ExportDeps {
  readonly job: Pick<JobSettings, 'id' | 'labels' | 'decisionPoints'>
  readonly view: EventView
  readonly header: RecordHeader
  readonly body: Record<string, unknown>
  readonly extras: EventExtras | null
  readonly ballot: BallotRow | null
  /** The decision before the last reprocessing; null where the event was never reprocessed. */
  readonly previous: PreviousDecision | null
  readonly notes: readonly StoredNote[]
  /** Its place in its cluster; null where the job has no clusters, or has not clustered it. */
  readonly place: ClusterPlace | null
  /** When the model of the decision was trained, microseconds; null without one. */
  readonly trainedMicros: number | null
  /** Its enrichment; null where there is none. */
  readonly enrichments: EnrichmentRow | null
  readonly serviceName: string
}

export function exportDocument(deps: ExportDeps): Record<string, unknown> {
  const { body, extras, serviceName } = deps
  const own = body[serviceName]
  const clients = typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {}
  return { ...extras, ...body, [serviceName]: { ...clients, ...section(deps) } }
}

/** Fields of the section are dropped from events that come in, so each must be in `sectionFields`. */
type Section = Readonly<Partial<Record<(typeof sectionFields)[number], unknown>>>

function section(deps: ExportDeps): Section {
  const { job, view, header, body, ballot, previous, notes } = deps
  const pipeline = pipelinePlace(header)
  const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
  return {
    result: view.result,
    result_label: view.resultLabel,
    previous_result: previous === null ? null : (job.labels[previous.label]?.id ?? ''),
    previous_result_label: previous === null ? null : (job.labels[previous.label]?.name ?? ''),
    inference_status: view.status,
    original_id: view.eventId,
    bucket_state: view.bucketState,
    knowledge_base_state: view.bucketState,
    bucket_id: bucketId,
    key_hash: bucketId,
    features_hash: sha256(bucketText(new DecisionPoints(job.decisionPoints).valuesOf(body))),
    full_hash: sha256(JSON.stringify(body)),
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
    storage_tag: deps.extras?.storage_tag ?? null,
    pipeline_status: pipeline.status,
    pipeline_stage: pipeline.stage,
    model:
      header.modelVersion === 0
        ? null
        : { path: modelIdOf(job.id, header.modelVersion), timestamp: timeOf(deps.trainedMicros) },
    timers: {
      ingest_timestamp: isoMicros(view.ingestMicros),
      reprocess_timestamp: previous === null ? null : isoMicros(previous.reprocessedMicros),
    },
    cluster: deps.place === null ? undefined : placeDocument(deps.place),
    suggestion: deps.place === null ? undefined : deps.place.suggestion && answerDocument(deps.place.suggestion),
    agentic_notes: notes.map(noteDocument),
    log_messages: [...enrichmentMessages(deps), ...logMessages(deps), ...notes.map(noteMessage)].sort(byTimestamp),
  }
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

interface LogMessage {
  readonly component: string
  readonly level: string
  readonly content: string
  readonly timestamp: string
}

function byTimestamp(one: LogMessage, other: LogMessage): number {
  return one.timestamp < other.timestamp ? -1 : Number(one.timestamp > other.timestamp)
}

function noteMessage({ notes, workflowName, atMicros }: StoredNote): LogMessage {
  const content = typeof notes === 'string' ? notes : JSON.stringify(notes)
  return { component: workflowName ?? 'agent', level: 'info', content, timestamp: isoMicros(atMicros) }
}

const enrichmentOutcomes: Readonly<Record<EnrichmentNote['outcome'], string>> = {
  found: 'found something',
  nothing: 'found nothing',
  failed: 'failed',
  late: 'was late',
}

/** How each enrichment step ended, as a sentence. */
function enrichmentMessages({ enrichments, header, view }: ExportDeps): LogMessage[] {
  if (header.enrichments === 'passed_over') {
    const content = 'the event was not enriched: too many events of the job were waiting'
    return [{ component: 'enrichment', level: 'warning', content, timestamp: isoMicros(view.ingestMicros) }]
  }
  if (enrichments === null) return []
  const timestamp = isoMicros(enrichments.atMicros)
  const messages = enrichments.steps.map(({ title, name, outcome, reason, ms }): LogMessage => {
    const without = outcome === 'failed' || outcome === 'late' ? '; the event was decided without it' : ''
    const why = reason === '' ? '' : `: ${reason}`
    const content = `enrichment by "${title}" (${name}) ${enrichmentOutcomes[outcome]} after ${ms} ms${why}${without}`
    return { component: 'enrichment', level: without === '' ? 'info' : 'warning', content, timestamp }
  })
  if (enrichments.leftOut === undefined) return messages
  return [
    ...messages,
    {
      component: 'enrichment',
      level: 'warning',
      content: `the enrichment could not be stored with the event: ${enrichments.leftOut}`,
      timestamp,
    },
  ]
}

/** Why the event has its decision, as a sentence. */
function logMessages(deps: ExportDeps): LogMessage[] {
  const { job, view, previous, enrichments } = deps
  const [level, content] = reasonOf(deps)
  if (previous === null)
    return [{ component: 'actor', level, content, timestamp: isoMicros(enrichments?.atMicros ?? view.ingestMicros) }]
  const before = job.labels[previous.label]
  const was =
    before === undefined ? 'no decision' : `${before.name}, confidence ${(previous.confidence / 100).toFixed(2)}`
  return [
    {
      component: 'actor',
      level,
      content: `reprocessed; before: ${was}; now: ${content}`,
      timestamp: isoMicros(previous.reprocessedMicros),
    },
  ]
}

function reasonOf({ header, previous, place }: ExportDeps): [level: string, content: string] {
  if (header.enrichments === 'awaited') return ['info', 'the event waits for enrichment before it is decided']
  if (header.pending) return ['info', 'the job is stopped: the event waits until it starts']
  if (header.lacksPoints) return ['warning', 'no decision: the event has none of the decision points of the job']
  if (header.source === 'none') {
    const suggests =
      place?.suggestion == null
        ? ''
        : `; its place in its cluster suggests ${place.suggestion.resultLabel}: ${place.reason}`
    const when = previous === null ? 'came in' : 'was decided again'
    return ['info', `no decision: the job had no trained model when the event ${when}${suggests}`]
  }
  if (header.source === 'untrained') {
    return [
      'info',
      'no training yet: decided by its place in its cluster alone, with low confidence; ' +
        (place?.reason ?? 'it is in no cluster'),
    ]
  }
  if (header.source === 'knowledge_base')
    return ['info', 'decided by the consensus of its bucket in the knowledge base']
  const unlike = header.outlier ? '; it is unlike all events that the model was trained on' : ''
  const by = `decided by model version ${header.modelVersion}${unlike}`
  if (header.source !== 'ageing_model') return ['info', by]
  return ['warning', `${by}; the model is ageing, so its confidence was lowered: train it again`]
}
